import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { allCommands } from "../../../src/cli/all-commands.ts";
import { topicNames } from "../../../src/cli/program/help/overview.ts";
import { binaryEnv, ended, program } from "../../harness/binary.ts";
import { dexdata } from "../../harness/dexdata.ts";
import { writeExampleFiles } from "../../harness/example-files.ts";
import { useSandbox } from "../../harness/sandbox.ts";
import { temporaryFolder } from "../../harness/temporary-folder.ts";

const examples = allCommands.flatMap((entry) => entry.examples);
const sandbox = useSandbox();
const folder = temporaryFolder();
/** Some examples have names. */
const named = { HOME: path.join(folder, "home") };

/** Whether an example requires a shell or a directory; the others run in this process, which is faster. */
const needsShell = (example: string): boolean =>
  /[|<>]|^dexdata (?:stream|sandbox|auth|doctor|sync|verify)|--follow|--watch/u.test(example);
const isEndless = (example: string): boolean =>
  (example.startsWith("dexdata sandbox") && !example.includes(" -- ")) || /--follow|--watch/u.test(example);

/** Puts `dexdata` on the path and creates the files that examples read and write. */
beforeAll(async () => {
  const [bin, home] = [path.join(folder, "bin"), path.join(folder, "home")];
  mkdirSync(bin);
  mkdirSync(path.join(home, ".config/fish/completions"), { recursive: true });
  writeFileSync(path.join(bin, "dexdata"), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  chmodSync(path.join(bin, "dexdata"), 0o755);
  writeFileSync(path.join(folder, "key.txt"), `${sandbox.running().keys.pro}\n`);
  await writeExampleFiles(folder, sandbox.env());
  for (const [name, address] of [
    ["weth", "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"],
    ["usdc", "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"],
  ])
    await dexdata(`name add ${name} ethereum:${address}`, { env: { ...sandbox.env(), ...named } });
});

function inShell(example: string): ChildProcessWithoutNullStreams {
  const env = binaryEnv();
  // Stored keys need a service that keeps running, and some pipes need rows that both commands find there. All
  // other examples
  // use the sandbox with a running clock.
  const serviceEnv = example.startsWith("dexdata auth")
    ? sandbox.env("keyless")
    : /^dexdata \w+ search [^|]*\| dexdata (?:pool|prices) /u.test(example)
      ? sandbox.env()
      : { DEXDATA_SANDBOX: "1" };
  // The four default ports may be in use.
  const line = example.startsWith("dexdata sandbox")
    ? example.replace("dexdata sandbox", "dexdata sandbox --port 0")
    : example;
  return spawn("bash", ["-c", `set -o pipefail; ${isEndless(example) ? "exec " : ""}${line}`], {
    cwd: folder,
    env: {
      ...env,
      ...serviceEnv,
      PATH: `${path.join(folder, "bin")}:${env["PATH"]}`,
      HOME: path.join(folder, "home"),
      DEXDATA_CONFIG_DIR: path.join(folder, "home"),
    },
    stdio: "pipe",
  });
}

describe("every example runs unchanged", () => {
  test.each(examples.filter((example) => !needsShell(example)))("%s", async (example) => {
    const words = (example.match(/'[^']*'|\S+/gu) ?? []).map((word) => word.replaceAll("'", ""));
    expect(words[0]).toBe("dexdata");
    const { exit, stdout, stderr } = await dexdata(words.slice(1), { env: { ...sandbox.env(), ...named } });
    expect({ exit, stderr: exit === 0 ? "" : stderr }).toEqual({ exit: 0, stderr: "" });
    if (!/config (?:set|unset)|dexdata name /u.test(example)) expect(stdout).not.toBe("");
  });

  const ofShell = examples.filter((example) => needsShell(example) && !isEndless(example));
  // These spend their time waiting for an event. Examples that store and remove keys run one after another.
  const waits = (example: string): boolean => example.startsWith("dexdata doctor");
  const succeeds = async (example: string): Promise<void> => {
    const child = inShell(example);
    child.stdin.end(`${sandbox.running().keys.pro}\n`);
    const { exit, stderr } = await ended(child, 30_000);
    expect({ exit, stderr: exit === 0 ? "" : stderr }).toEqual({ exit: 0, stderr: "" });
  };
  test.each(ofShell.filter((example) => !waits(example)))("%s (in a shell)", succeeds);
  test.concurrent.each(ofShell.filter(waits))("%s (in a shell, in parallel)", succeeds);

  test.each(examples.filter(isEndless))("%s (until stopped)", async (example) => {
    const child = inShell(example);
    child.stdin.end();
    child.stdout.once("data", () => child.kill("SIGTERM"));
    const { exit, stdout } = await ended(child, 30_000);
    expect(stdout.length).toBeGreaterThan(0);
    expect([0, 143]).toContain(exit);
  });
});

describe("the examples of topics", () => {
  test.each(topicNames)("%s", async (topic) => {
    const { stdout } = await dexdata(`help ${topic}`);
    const shown = [...stdout.matchAll(/^ {2}(dexdata .*)$/gmu)].map(([, command = ""]) => command);
    for (const command of shown) {
      if (/^dexdata (?:stream|txns)/u.test(command)) continue;
      const { exit, stderr } = await dexdata(command.replace(/^dexdata /u, ""));
      // The note about the default limit appears in a pipe too.
      const others = stderr.replace(/^more rows available; .*\n/u, "");
      expect({ command, exit, others }).toEqual({ command, exit: 0, others: "" });
    }
  });
});

import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readJsonFile } from "../../src/base/files/json-file.ts";
import { binaryEnv, ended, program, start } from "../harness/binary.ts";
import { secretMark } from "../harness/key-search.ts";
import { json, type ScriptedServer, startScriptedServer } from "../harness/scripted-server.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const key = `api_pro_${secretMark}Store`;

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer(() => json({ plan: "pro" }, { headers: { "x-api-plan": "pro" } }));
});
afterAll(async () => await server.close());

const folder = temporaryFolder();

/** Variables that make a run keep its settings there. */
function at(config: string): Readonly<Record<string, string>> {
  mkdirSync(config, { recursive: true, mode: 0o700 });
  return {
    DEXDATA_CONFIG_DIR: config,
    DEXDATA_STATE_DIR: `${config}-state`,
    DEXDATA_BASE_URL: server.url,
    DEXDATA_PRO_BASE_URL: server.url,
    DEXDATA_RPM: "unlimited",
  };
}

interface Finished {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function finish(child: ReturnType<typeof start>, stdin = ""): Promise<Finished> {
  child.stdin.end(stdin);
  const { exit, stdout, stderr } = await ended(child);
  return { exit, stdout: stdout.toString(), stderr };
}

/** Every write to a file fails, as on a full disk; writes to pipes work. */
async function onFullDisk(
  words: string,
  env: Readonly<Record<string, string>>,
  stdin = "",
): Promise<Finished> {
  const script = `trap '' XFSZ; ulimit -f 0; exec '${process.execPath}' '${program}' ${words}`;
  return await finish(spawn("sh", ["-c", script], { env: binaryEnv(env), stdio: "pipe" }), stdin);
}

describe("promise 12: unwritable files", () => {
  test("a login prints one clear message, leaves the store unchanged and leaves no lock", async () => {
    const config = path.join(folder, "full");
    const env = at(config);
    const refused = await onFullDisk("auth login --error-format text", env, key);
    expect(refused).toEqual({
      exit: 2,
      stdout: "",
      stderr: `error: ${config}/credentials.json.lock cannot be created (file too large)\n  hint: raise the file size limit (ulimit -f), or write elsewhere\n`,
    });
    expect(readdirSync(config)).toEqual([]);
    expect((await finish(start(["auth", "login"], env), key)).exit).toBe(0);
    const before = readFileSync(path.join(config, "credentials.json"), "utf8");
    for (const words of [
      "auth login --profile two",
      "auth logout",
      "auth switch default",
      "config set output json",
    ])
      expect([words, (await onFullDisk(words, env, key)).exit]).toEqual([words, 2]);
    expect(readFileSync(path.join(config, "credentials.json"), "utf8")).toBe(before);
    expect(readdirSync(config)).toEqual(["credentials.json"]);
    // Data commands still work with the stored key.
    expect((await onFullDisk("usage -o json -q", env)).exit).toBe(0);
    expect(server.requests.at(-1)?.headers.authorization).toBe(key);
  });

  test("a directory that cannot be created causes one clear message, and data commands work without it", async () => {
    writeFileSync(path.join(folder, "file"), "");
    const env = {
      ...at(path.join(folder, "unused")),
      DEXDATA_CONFIG_DIR: path.join(folder, "file", "inside"),
    };
    const { exit, stderr } = await finish(start(["auth", "login", "--error-format", "text"], env), key);
    expect(exit).toBe(2);
    expect(
      stderr.split("\n").filter((line) => /^(?:error|warning): /u.test(line) || line.startsWith("    at ")),
    ).toHaveLength(1);
    const asked = await finish(start(["usage", "-o", "json"], env));
    expect([asked.exit, asked.stderr.includes("ignoring the file")]).toEqual([0, true]);
  });
});

test.runIf(process.platform === "linux")(
  "promise 12: if a created directory is reported missing, as in /proc, a clear message is printed and nothing hangs",
  async () => {
    const env = { ...at(path.join(folder, "other")), DEXDATA_CONFIG_DIR: "/proc/none/inside" };
    expect(await finish(start(["auth", "login", "--error-format", "text"], env), key)).toEqual({
      exit: 2,
      stdout: "",
      stderr:
        "error: /proc/none/inside/credentials.json cannot be written (no such directory)\n" +
        "  hint: check the permissions of the directory, or use another one with DEXDATA_CONFIG_DIR\n",
    });
  },
);

test("reading a key from stdin stops at the maximum length of a key", async () => {
  const asked = server.requests.length;
  const { exit, stderr } = await finish(start(["auth", "login", "--error-format", "text"]), "x".repeat(4097));
  expect([exit, stderr]).toEqual([2, "error: stdin: larger than 4 KiB, the limit for this input\n"]);
  expect(server.requests.length).toBe(asked);
});

test("promise 12: after a kill during a write, the store is complete, either the old or the new one", async () => {
  const config = path.join(folder, "killed");
  const env = at(config);
  expect((await finish(start(["auth", "login", "--profile", "one"], env), key)).exit).toBe(0);
  expect((await finish(start(["auth", "login", "--profile", "two"], env), key)).exit).toBe(0);
  const file = path.join(config, "credentials.json");
  const shapes = new Set<string>();
  for (let round = 0; round < 6; round += 1) {
    const child = start(["auth", "switch", round % 2 === 0 ? "two" : "one"], env);
    const gone = ended(child);
    // Spread over the time a switch takes from start to end.
    setTimeout(() => child.kill("SIGKILL"), 60 + round * 30);
    await gone;
    const content = readJsonFile(file);
    expect(content.state).toBe("read");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    shapes.add(JSON.stringify(content));
  }
  expect(shapes.size).toBeLessThanOrEqual(2);
  expect((await finish(start(["auth", "switch", "one"], env))).exit).toBe(0);
  expect((await finish(start(["auth", "logout", "--all"], env))).stderr).toBe(
    "removed all stored keys: one, two\n",
  );
});

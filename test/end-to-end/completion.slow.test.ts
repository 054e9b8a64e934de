import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageFolder, program } from "../harness/binary.ts";

/**
 * A line with the cursor at `|`, the complete words offered there, and the completed line if only one word
 * fits.
 */
type Case = readonly [line: string, words: readonly string[], became?: string];

const cases: readonly Case[] = [
  ["dexdata po|", ["pool", "pools"]],
  ["dexdata pools |", ["search"], "dexdata pools search "],
  ["dexdata po| networks", ["pool", "pools"]],
  ["dexdata networks --output=nd|", ["--output=ndjson"], "dexdata networks --output=ndjson "],
  ["dexdata ohlcv ethereum 0x1 --interval 1|", ["1m", "10m", "15m", "1h", "12h", "1d", "1w"]],
  ["dexdata networks --limit |", []],
  ["dexdata pool ethereum:0x1 bas|", ["base:"], "dexdata pool ethereum:0x1 base:"],
  ["dexdata api usage -f a=b --fie|", ["--field", "--fields"]],
  [
    "dexdata pools search --chains ethereum,ba|",
    ["ethereum,base"],
    "dexdata pools search --chains ethereum,base ",
  ],
  ["dexdata pools search ethereum --dex unis|", ["uniswap_v2", "uniswap_v3"]],
  ["dexdata usage --profile wo|", ["work"], "dexdata usage --profile work "],
  ["dexdata stream @list|", ["@list a.txt", "@list.txt"]],
  ["dexdata prices @list|", ["@list a.txt", "@list.txt"]],
  ["dexdata verify rows.n|", ["rows.ndjson"], "dexdata verify rows.ndjson "],
  ["dexdata sync rows.n|", ["rows.ndjson"], "dexdata sync rows.ndjson "],
  ["dexdata networks --out rows.n|", ["rows.ndjson"], "dexdata networks --out rows.ndjson "],
  ["dexdata networks --out=rows.n|", ["--out=rows.ndjson"], "dexdata networks --out=rows.ndjson "],
];

const folder = mkdtempSync(path.join(tmpdir(), "dexdata-completion-"));
const env = {
  PATH: `${folder}/bin:${process.env["PATH"] ?? ""}`,
  HOME: folder,
  LANG: "C.UTF-8",
  TERM: "dumb",
  DEXDATA_CONFIG_DIR: folder,
  DEXDATA_CACHE_DIR: `${folder}/cache`,
  CASES: `${folder}/cases`,
};

const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);

beforeAll(() => {
  for (const name of ["bin", "cache"]) mkdirSync(path.join(folder, name));
  // Its standard input belongs to the shell and must not be used.
  write("bin/dexdata", `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@" </dev/null\n`);
  chmodSync(`${folder}/bin/dexdata`, 0o755);
  const dexes = [
    "uniswap_v2\tUniswap V2",
    "uniswap_v3\tUniswap V3",
    "unis$(touch broken)\tEvil",
    "unis;ls\tEvil",
  ];
  write(
    "cache/list-0123.json",
    JSON.stringify({ name: "https://a.invalid dexes ethereum", at: 2, texts: dexes }),
  );
  write(
    "cache/list-4567.json",
    JSON.stringify({ name: "https://a.invalid dexes ethereum", at: 1, texts: ["unisold"] }),
  );
  const profile = { key: "api_pro_0123456789", tier: "pro", saved_at: "2026-11-21T08:54:00Z" };
  write(
    "credentials.json",
    JSON.stringify({
      version: 1,
      active: "work",
      profiles: { work: profile, home: profile },
      remembered: {},
    }),
  );
  for (const name of ["list.txt", "list a.txt", "rows.ndjson"]) write(name, "");
  write("cases", cases.map(([line]) => `${line}\n`).join(""));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Shown {
  readonly words: readonly string[];
  readonly became: string;
}

/** The output of a driver in harness/shells/, by line. */
async function completionsOf(
  shell: "bash" | "zsh" | "fish",
  flags: readonly string[],
): Promise<Map<string, Shown>> {
  const driver = path.resolve(`test/harness/shells/complete.${shell}`);
  const child = spawn(shell, [...flags, driver], {
    env: { ...env, COMPLETIONS: path.join(packageFolder, "completions") },
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString("utf8");
  });
  await new Promise((resolve) => child.once("close", resolve));
  const shown = new Map<string, Shown>();
  for (const block of stdout.split(/^== /mu).slice(1)) {
    const [line = "", ...rest] = block.replace(/\n$/u, "").split("\n");
    // fish prints a description after the word; bash quotes a file name where necessary.
    const words = rest
      .filter((each) => !each.startsWith("=> "))
      .map((each) => (each.split("\t")[0] ?? "").replaceAll("\\", ""));
    const [became = ""] = rest.filter((each) => each.startsWith("=> "));
    shown.set(line, { words: words.toSorted(), became: became.slice(3) });
  }
  return shown;
}

const isThere = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;

/** bash keeps the part of the word that precedes the last of its own break characters. */
function prefixKeptByBash(line: string): string {
  const current = line.split("|")[0]?.split(" ").at(-1) ?? "";
  return /^.*[:=]/u.exec(current)?.[0] ?? "";
}

describe.each([
  ["bash", ["--noprofile", "--norc"]],
  ["zsh", ["-f"]],
  ["fish", ["--no-config"]],
] as const)("completion in %s", (shell, flags) => {
  // A machine without the shell must not look like a machine on which completion works there.
  const isLeftOut = !isThere(shell);
  const name = isLeftOut
    ? `LEFT OUT: ${shell} is not installed (apt-get install ${shell})`
    : "offers what may stand at the cursor";
  if (isLeftOut) console.warn(`\n!! ${name}: its completion was not tried\n`);
  test.skipIf(isLeftOut)(name, { timeout: 60_000 }, async () => {
    const shown = await completionsOf(shell, flags);
    const expected = new Map<string, Shown>();
    for (const [line, words, became] of cases) {
      const seen = shown.get(line);
      const kept = shell === "bash" ? prefixKeptByBash(line) : "";
      expected.set(line, {
        words: words.map((word) => word.slice(kept.length)).toSorted(),
        // fish only lists words; in the other shells, Enter after Tab must run the offered command.
        became: shell === "fish" ? "" : (became ?? seen?.became ?? "never shown"),
      });
    }
    expect(shown).toEqual(expected);
  });
});

describe("cost of a Tab", () => {
  test("the program completes a word in 2.5 times the cold start time of Node", () => {
    const milliseconds = (words: readonly string[]): number => {
      const started = performance.now();
      spawnSync(process.execPath, words, { env, stdio: "ignore" });
      return performance.now() - started;
    };
    const asking = [program, "__complete", "bash", "pools", "search", "ethereum", "--dex", ""];
    let [bare, ours] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    // A busy machine disturbs most runs of both kinds, but rarely the fastest of many.
    for (let run = 0; run < 60 && (run < 8 || ours > 2.5 * bare); run += 1) {
      bare = Math.min(bare, milliseconds(["-e", "0"]));
      ours = Math.min(ours, milliseconds(asking));
    }
    expect(ours / bare).toBeLessThanOrEqual(2.5);
  });
});

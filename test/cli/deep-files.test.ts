import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { allCommands } from "../../src/cli/all-commands.ts";
import { answerShell } from "../../src/cli/complete.ts";
import { dexdata } from "../harness/dexdata.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const sandbox = useSandbox();
const levels = 200_000;

/** Nested so deeply that a function that recurses per level overflows the stack. */
const deepArray = "[".repeat(levels) + "]".repeat(levels);
const deepObject = `${'{"a":'.repeat(levels / 2)}1${"}".repeat(levels / 2)}`;

/** Creates the directories of a run; one of them contains a deeply nested file. */
function withFile(folder: "config" | "state" | "cache", name: string, text: string) {
  const home = temporaryFolder();
  const file = path.join(home, folder, name);
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
  const env = {
    ...sandbox.env("keyless"),
    DEXDATA_CONFIG_DIR: path.join(home, "config"),
    DEXDATA_STATE_DIR: path.join(home, "state"),
    DEXDATA_CACHE_DIR: path.join(home, "cache"),
  };
  return { env, file };
}

const problem = "is nested deeper than 100 levels";

describe.each([
  ["an array", `{"output":${deepArray}}`],
  ["objects", deepObject],
  ["what never ends", "[".repeat(levels)],
])("a file that contains %s, 200,000 levels deep", (_, text) => {
  test.each([
    ["networks --limit 1 --sandbox", 0],
    ["config list", 0],
    ["config get output", 0],
  ])("config.json: %s warns once, and ignores the file", async (words, exit) => {
    const { env, file } = withFile("config", "config.json", text);
    const outcome = await dexdata(words, { env });
    expect({ exit: outcome.exit, stderr: outcome.stderr }).toEqual({
      exit,
      stderr: `warning: ${file} ${problem}; ignoring the file\n`,
    });
  });

  test("config.json: config set does not replace it", async () => {
    const { env, file } = withFile("config", "config.json", text);
    const { exit, stderr } = await dexdata("config set output json --error-format text", { env });
    expect(exit).toBe(2);
    expect(stderr).toContain(`${file} ${problem}`);
    expect(stderr).not.toContain("bug");
  });

  test("credentials.json: the run is keyless", async () => {
    const { env, file } = withFile("config", "credentials.json", text);
    const { exit, stderr } = await dexdata("networks --limit 1", { env });
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: `warning: ${file} ${problem}; continuing without a stored key\n`,
    });
  });

  test("rewrites the rate limit file, and reports an error for the budget file", async () => {
    const { env, file } = withFile("state", "unrelated.json", text);
    const budgeted = { ...env, DEXDATA_BUDGET_DAILY: "10" };
    expect((await dexdata("networks --limit 1", { env: budgeted })).exit).toBe(0);
    const folder = path.dirname(file);
    for (const name of readdirSync(folder)) writeFileSync(path.join(folder, name), text);
    expect(await dexdata("networks --limit 1", { env })).toMatchObject({ exit: 0, stderr: "" });
    const blocked = await dexdata("networks --limit 1 --error-format text", { env: budgeted });
    expect(blocked.exit).toBe(2);
    expect(blocked.stderr).toMatch(/^error: cannot record the spending for budget\.daily in /u);
  });

  test("a cached list: completion ignores it", () => {
    const { env } = withFile(
      "cache",
      "list-0123456789abcdef.json",
      `{"name":"x networks","at":1,"texts":[${text}]}`,
    );
    const listing = answerShell({ env, platform: "linux" }, allCommands, ["bash", "pools", "search", ""]);
    expect(listing).toBe(
      answerShell({ env: { ...env, DEXDATA_CACHE_DIR: "/nowhere" }, platform: "linux" }, allCommands, [
        "bash",
        "pools",
        "search",
        "",
      ]),
    );
  });
});

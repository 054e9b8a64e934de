import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { findPager } from "../../bin/pager.ts";
import { run } from "../harness/dexdata.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext } from "../harness/test-context.ts";

const sandbox = useSandbox();

/** A terminal with 24 lines whose pager keeps what it shows. */
async function runWithPager(words: string) {
  const shown: string[] = [];
  const context = createTestContext({ isTerminal: true, columns: 100, rows: 24, env: sandbox.env() });
  const page = async (text: string): Promise<void> => {
    shown.push(text);
    await Promise.resolve();
  };
  const { exit } = await run(
    words.split(" "),
    Object.assign(context, { stdout: Object.assign(context.stdout, { page }) }),
  );
  return { exit, shown, direct: context.stdout.text() };
}

describe("a pager shows", () => {
  test.each([
    ["help stream", 1],
    ["stream --help", 1],
    ["networks --limit 100", 1],
    ["pools search ethereum --limit 100", 1],
    ["pools search ethereum --limit 100 -o wide", 1],
    ["pools search --fields ?", 1],
    ["pools search ethereum --limit 100 --no-pager", 0],
    ["pools search ethereum --limit 10", 0],
    ["pools search ethereum --limit 100 -o ndjson", 0],
    // Rows of several requests are shown as they arrive.
    ["pools search ethereum --limit 100 --page-size 50", 0],
    ["pools search ethereum --all --liquidity-usd-min 5000000", 0],
  ])("%s: %i texts", async (words, times) => {
    const { exit, shown, direct } = await runWithPager(words);
    expect([exit, shown.length, direct === ""]).toEqual([0, times, times === 1]);
    for (const text of shown) expect(text.split("\n").length).toBeGreaterThan(24);
  });

  test("every row of its table, once", async () => {
    const { shown } = await runWithPager("pools search ethereum --limit 60 --columns pool");
    const rows = shown.join("").trimEnd().split("\n").slice(1);
    expect([rows.length, new Set(rows).size]).toEqual([60, 60]);
  });

  test("nothing if the run fails", async () => {
    const { exit, shown } = await runWithPager("pool ethereum 0x00000000000000000000000000000000000000ff");
    expect([exit > 0, shown]).toEqual([true, []]);
  });
});

describe("findPager", () => {
  const text = "line\n".repeat(50_000);

  test.each([
    { DEXDATA_PAGER: "" },
    { DEXDATA_PAGER: "cat", PAGER: "less" },
    { PAGER: "" },
    { TERM: "dumb" },
  ])("%j: none", (env) => expect(findPager(env)).toBeUndefined());

  test("gives the text to the program that a variable names", async () => {
    const file = path.join(temporaryFolder(), "shown");
    const pager = findPager({ ...process.env, PAGER: "exit 1", DEXDATA_PAGER: `cat > "${file}"` });
    expect([await pager?.(text), readFileSync(file, "utf8") === text]).toEqual([true, true]);
  });

  test("a program that reads nothing is not an error", async () => {
    const pager = findPager({ ...process.env, DEXDATA_PAGER: "true" });
    expect(await pager?.(text)).toBe(true);
  });

  test("reports that there is no such program", async () => {
    const pager = findPager({ ...process.env, DEXDATA_PAGER: "no-such-pager 2> /dev/null" });
    expect(await pager?.(text)).toBe(false);
    expect(await findPager({ PATH: temporaryFolder() })?.(text)).toBe(false);
  });
});

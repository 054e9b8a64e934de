import { expect, test } from "vitest";
import { allCommands } from "../../../src/cli/all-commands.ts";
import { topicNames } from "../../../src/cli/program/help/overview.ts";
import { dexdata } from "../../harness/dexdata.ts";

const pages = [
  ["--help"],
  ["-h"],
  ...allCommands.flatMap(({ words }) => ["-h", "--help"].map((form) => [...words.split(" "), form])),
  ...topicNames.map((topic) => ["help", topic]),
];

test.each(pages.map((words) => words.join(" ")))("%s: the help is ASCII without UTF-8", async (words) => {
  for (const columns of [80, 120]) {
    const inAscii = await dexdata(words, { env: { LC_ALL: "C" }, columns });
    expect(inAscii.exit).toBe(0);
    // oxlint-disable-next-line no-control-regex -- these are the characters of ASCII
    expect(inAscii.stdout).toMatch(/^[\n\x20-\x7e]+$/u);
    expect(
      inAscii.stdout.split("\n").filter((line) => line.length > columns && !/dexdata[\s/]|\//u.test(line)),
    ).toEqual([]);
  }
});

test("the ellipsis of arguments becomes three dots, and nothing else changes", async () => {
  const [utf8, ascii] = [await dexdata("pool -h"), await dexdata("pool -h", { env: { LC_ALL: "C" } })];
  expect(utf8.stdout).toContain("<address…|@file|->");
  expect(ascii.stdout).toContain("<address...|@file|->");
});

test("the overview explains -h and --help", async () => {
  const { stdout } = await dexdata("--help");
  expect(stdout).toContain("short help: <command> -h; all flags: --help\n");
  expect((await dexdata("-h")).stdout).toBe(stdout);
  const [brief, full] = [await dexdata("pools search -h"), await dexdata("pools search --help")];
  expect(full.stdout.length).toBeGreaterThan(brief.stdout.length * 1.5);
});

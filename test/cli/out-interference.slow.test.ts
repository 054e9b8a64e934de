import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { dexdata, type Outcome } from "../harness/dexdata.ts";
import { linesIn, pullOfPages, servePages } from "../harness/paged-list.ts";
import { rowsOf, toRow } from "../harness/rows.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const folder = temporaryFolder();
let count = 0;
function newFile(): string {
  count += 1;
  mkdirSync(path.join(folder, String(count)));
  return path.join(folder, String(count), "rows");
}

const interferences: Readonly<Record<string, (file: string) => void>> = {
  "truncated by a byte": (file) => truncateSync(file, statSync(file).size - 1),
  emptied: (file) => truncateSync(file, 0),
  extended: (file) => appendFileSync(file, "more\n"),
  deleted: (file) => renameSync(file, `${file}.deleted`),
  replaced: (file) => {
    writeFileSync(`${file}.copy`, readFileSync(file));
    renameSync(`${file}.copy`, file);
  },
};

const pages = 8;

describe.each(Object.entries(interferences))("a file that is %s during the pull", (what, interfere) => {
  const moments = Array.from({ length: pages - 1 }, (_, index) => index + 1);
  test.each(
    [[], ["--resume"], ["--force"]].flatMap((more) => moments.map((moment) => [more, moment] as const)),
  )("with %j, before page %i: exits 1 with an incomplete receipt", async (more, moment) => {
    const list = await servePages(pages);
    const file = newFile();
    const rowsAt = more.includes("--resume") ? file : `${file}.part`;
    list.interfere = async (page) => {
      if (page !== moment) return undefined;
      await linesIn(rowsAt, 2 * moment);
      interfere(rowsAt);
      return undefined;
    };
    const words = [
      ...pullOfPages,
      "--out",
      file,
      "--receipt",
      `${file}.json`,
      "--error-format",
      "text",
      ...more,
    ];
    const { exit, stderr } = await dexdata(words, { env: list.env });
    const parts =
      /^error: \S+ was (?:changed|moved, deleted or replaced) by another program during the pull.*\n {2}hint: (?:(start over with --force)|(?:continue|.*; for a resumable pull): dexdata (.*))\n$/u.exec(
        stderr,
      );
    expect([exit, stderr]).toEqual([1, parts?.[0]]);
    expect(parts?.[1] === undefined).toBe(what === "deleted");
    expect(toRow(readFileSync(`${file}.json`, "utf8"))).toMatchObject({ complete: false, exit: 1 });
    if (rowsAt !== file) expect(existsSync(file)).toBe(false);
    list.interfere = () => undefined;
    const others = words.filter((word) => word !== "--resume" && word !== "--force");
    const next = await dexdata(parts?.[2] ?? [...others, "--force"], { env: list.env });
    expect([next.exit, rowsOf(readFileSync(file, "utf8")).length]).toEqual([0, 2 * pages]);
  });
});

describe("something other than a regular file in place of a file of dexdata", () => {
  const kinds: Readonly<Record<string, (file: string) => void>> = {
    "a named pipe": (file) => void execFileSync("mkfifo", [file]),
    "a directory": (file) => mkdirSync(file),
    "a link to a file": (file) => {
      writeFileSync(`${path.dirname(file)}/precious`, "precious");
      symlinkSync(`${path.dirname(file)}/precious`, file);
    },
    "a link to nothing": (file) => symlinkSync("/nowhere/at/all", file),
    "a link to a device": (file) => symlinkSync("/dev/zero", file),
  };

  describe.each(Object.entries(kinds))("%s", (_what, make) => {
    test.each(
      ["lock", "resume", "part"].flatMap((ending) =>
        [[], ["--resume"], ["--force"]].map((more) => [ending, more] as const),
      ),
    )("FILE.%s, with %j: exits 2 at once and leaves it unchanged", async (ending, more) => {
      const list = await servePages(2);
      const file = newFile();
      make(`${file}.${ending}`);
      const before = readdirSync(path.dirname(file)).toSorted();
      const words = [...pullOfPages, "--out", file, "--error-format", "text", ...more];
      const { exit, stderr, context } = await dexdata(words, { env: list.env });
      expect({ exit, stderr }).toEqual({
        exit: 2,
        stderr: `error: ${file}.${ending} is not a regular file\n  hint: move it out of the way\n`,
      });
      expect([context.clock.elapsed(), list.server.requests.length]).toEqual([0, 0]);
      expect(readdirSync(path.dirname(file)).toSorted()).toEqual(before);
      if (before.includes("precious"))
        expect(readFileSync(`${path.dirname(file)}/precious`, "utf8")).toBe("precious");
    });
  });
});

test("does not follow a link that appears in place of the rows after the run started", async () => {
  const list = await servePages(3);
  const file = newFile();
  const precious = `${path.dirname(file)}/precious`;
  writeFileSync(precious, "precious");
  list.interfere = (page) => {
    if (page === 0) symlinkSync(precious, `${file}.part`);
    return undefined;
  };
  const { exit } = await dexdata([...pullOfPages, "--out", file], { env: list.env });
  expect([exit, readFileSync(precious, "utf8"), existsSync(file)]).toEqual([2, "precious", false]);
});

test("rejects a second run of the same process that writes the same file, and completes the first", async () => {
  const list = await servePages(4);
  const file = newFile();
  const words = [...pullOfPages, "--out", file, "--error-format", "text"];
  const refused: Outcome[] = [];
  list.interfere = async (page) => {
    if (page === 2) refused.push(await dexdata([...words, "--force"], { env: list.env }));
    return undefined;
  };
  const { exit } = await dexdata(words, { env: list.env });
  expect([exit, ...refused.map((second) => second.exit)]).toEqual([0, 7]);
  expect(refused[0]?.stderr).toContain(`${file} is in use by process ${process.pid}\n`);
  expect(rowsOf(readFileSync(file, "utf8")).length).toBe(8);
});

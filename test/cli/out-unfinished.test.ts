import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { dexdata, type Outcome, run } from "../harness/dexdata.ts";
import { breakAt, type PagedList, pullOfPages, servePages } from "../harness/paged-list.ts";
import { rowsOf, toRow } from "../harness/rows.ts";
import { empty, json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext } from "../harness/test-context.ts";

const folder = temporaryFolder();
let count = 0;
function newFile(name = "rows"): string {
  count += 1;
  mkdirSync(path.join(folder, String(count)));
  return path.join(folder, String(count), name);
}
const filesNextTo = (file: string): readonly string[] => readdirSync(path.dirname(file)).toSorted();

async function pull(list: PagedList, file: string, ...more: readonly string[]): Promise<Outcome> {
  const words = [...pullOfPages, "--out", file, "--error-format", "text", ...more];
  return await dexdata(words, { env: list.env });
}

/** Returns the command for continuing from a message. */
function printedCommand(stderr: string): string {
  return /continue: dexdata (.*)/u.exec(stderr)?.[1] ?? "";
}

const unfinished = (file: string, rows: number): object => ({
  exit: 2,
  stdout: "",
  stderr:
    `error: ${file} has an unfinished pull: ${rows} rows in ${file}.part\n` +
    "  hint: continue it with --resume, or start over with --force\n",
});
const resultOf = ({ exit, stdout, stderr }: Outcome): object => ({ exit, stdout, stderr });

const formats = ["ndjson", "json", "csv", "tsv"];
const pages = 4;
const [first, last] = [1, pages - 1];
/** Where a pull ends does not depend on the format. */
const brokenAt = (format: string): readonly number[] => (format === "ndjson" ? [1, 2, 3] : [last]);

test.each([
  [
    "while it is read: the list is incomplete",
    2,
    8,
    "rejected a cursor that it had sent itself",
    "continue: ",
  ],
  ["when the pull is resumed: only --force helps", 1, 2, "no longer accepts the cursor", "start over with"],
] as const)("a cursor that the service rejects %s", async (_when, broken, exit, message, hint) => {
  const list = await servePages(pages);
  const file = newFile();
  if (exit === 2) {
    breakAt(list, broken);
    expect((await pull(list, file)).exit).toBe(7);
  }
  const body = { error: "invalid_param", param: "cursor", message: "no such cursor" };
  breakAt(list, broken, json(body, { status: 400 }));
  const rejected = await pull(list, file, ...(exit === 2 ? ["--resume"] : []));
  expect(rejected).toMatchObject({ exit, stderr: expect.stringContaining(message) });
  expect(rejected.stderr).toContain(`; ${2 * broken} rows written\n`);
  expect(rejected.stderr).toContain(`hint: ${hint}`);
  expect(filesNextTo(file)).toEqual(["rows.part", "rows.resume"]);
});

describe("a pull without --resume that ends early", () => {
  describe.each(formats)("as %s", (format) => {
    test.each(brokenAt(format))("at page %i: --resume continues it to the same bytes", async (broken) => {
      const list = await servePages(pages);
      const [whole, file] = [newFile(), newFile()];
      expect((await pull(list, whole, "-o", format)).exit).toBe(0);
      const heal = breakAt(list, broken);
      const failed = await pull(list, file, "-o", format);
      expect(failed.exit).toBe(7);
      expect(filesNextTo(file)).toEqual(["rows.part", "rows.resume"]);

      const requests = list.server.requests.length;
      expect(resultOf(await pull(list, file, "-o", format))).toEqual(unfinished(file, 2 * broken));
      expect(list.server.requests.length).toBe(requests);

      heal();
      const printed = printedCommand(failed.stderr);
      expect(printed).toBe(
        [...pullOfPages, "--output", format, "--out", file, "--error-format", "text", "--resume"].join(" "),
      );
      expect((await dexdata(printed, { env: list.env })).exit).toBe(0);
      expect(list.server.requests.length).toBe(requests + pages - broken);
      expect(readFileSync(file).equals(readFileSync(whole))).toBe(true);
      expect(filesNextTo(file)).toEqual(["rows"]);
    });

    test.each(format === "ndjson" ? [first, last] : [last])(
      "at page %i: --force starts over",
      async (broken) => {
        const list = await servePages(pages);
        const [whole, file] = [newFile(), newFile()];
        expect((await pull(list, whole, "-o", format)).exit).toBe(0);
        const heal = breakAt(list, broken);
        expect((await pull(list, file, "-o", format)).exit).toBe(7);
        heal();
        const requests = list.server.requests.length;
        expect((await pull(list, file, "-o", format, "--force")).exit).toBe(0);
        expect(list.server.requests.length).toBe(requests + pages);
        expect(readFileSync(file).equals(readFileSync(whole))).toBe(true);
        expect(filesNextTo(file)).toEqual(["rows"]);
      },
    );
  });

  test("removes what a killed run had staged for its checkpoint, and nothing else", async () => {
    const list = await servePages(pages);
    const file = newFile();
    const others = ["rows.resume.22226d681c2f.new", "rows2.resume.22226d681c2f0001.new"];
    for (const name of ["rows.resume.22226d681c2f0001.new", ...others])
      writeFileSync(path.join(path.dirname(file), name), "");
    expect((await pull(list, file)).exit).toBe(0);
    expect(filesNextTo(file)).toEqual(["rows", ...others]);
  });

  test("can end early several times, at the same page or later", async () => {
    const list = await servePages(pages);
    const file = newFile();
    breakAt(list, 1);
    expect((await pull(list, file)).exit).toBe(7);
    for (const broken of [2, 2, 3]) {
      breakAt(list, broken);
      const { exit, stderr } = await pull(list, file, "--resume");
      expect(exit).toBe(7);
      expect(stderr).toContain(`${2 * broken} rows written\n  hint: continue: dexdata `);
      expect(filesNextTo(file)).toEqual(["rows.part", "rows.resume"]);
    }
    list.interfere = () => undefined;
    expect((await pull(list, file, "--resume")).exit).toBe(0);
    expect(rowsOf(readFileSync(file, "utf8")).map(({ id }) => id)).toEqual(
      Array.from({ length: pages }, (_, page) => [`0x${page}0`, `0x${page}1`]).flat(),
    );
  });

  test("as a table leaves no file, and prints a resumable form of the command", async () => {
    const list = await servePages(pages);
    const file = newFile();
    const heal = breakAt(list, 2);
    const { exit, stderr } = await pull(list, file, "-o", "table");
    expect({ exit, stderr }).toEqual({
      exit: 7,
      stderr:
        "error: the service failed (HTTP 501); 4 rows fetched\n" +
        `  hint: ${file} was not written; for a resumable pull: dexdata ${pullOfPages.join(" ")} --out ${file} --error-format text --resume\n`,
    });
    expect(filesNextTo(file)).toEqual([]);
    heal();
    expect((await pull(list, file, "-o", "table")).exit).toBe(0);
    expect(filesNextTo(file)).toEqual(["rows"]);
  });

  test("before the first row leaves no file, and keeps the files of an earlier run", async () => {
    const list = await servePages(pages);
    const [fresh, file] = [newFile(), newFile()];
    breakAt(list, 0);
    expect((await pull(list, fresh)).exit).toBe(7);
    expect(filesNextTo(fresh)).toEqual([]);
    breakAt(list, 2);
    await pull(list, file);
    const before = filesNextTo(file).map((name) => readFileSync(path.join(path.dirname(file), name), "utf8"));
    breakAt(list, 0);
    expect((await pull(list, file, "--force")).exit).toBe(7);
    expect(
      filesNextTo(file).map((name) => readFileSync(path.join(path.dirname(file), name), "utf8")),
    ).toEqual(before);
  });

  test.each(["SIGINT", "SIGTERM"] as const)("by %s keeps the rows and prints the command", async (cause) => {
    const list = await servePages(pages);
    const file = newFile();
    const context = createTestContext({ env: { ...list.env, LANG: "C.UTF-8" } });
    list.interfere = (page) => {
      if (page === 2) context.interrupt({ cause });
      return undefined;
    };
    const argv = [...pullOfPages, "--out", file, "--timeout", "24h"];
    const { exit, stderr } = await run(argv, context);
    expect(exit).toBe(cause === "SIGINT" ? 130 : 143);
    const rows = rowsOf(readFileSync(`${file}.part`, "utf8")).length;
    expect(rows).toBeGreaterThanOrEqual(2);
    const printed = `dexdata ${pullOfPages.join(" ")} --out ${file} --timeout 24h --resume`;
    expect(stderr).toBe(`note: interrupted after ${rows} rows; continue: ${printed}\n`);
    expect((await dexdata(printedCommand(stderr), { env: list.env })).exit).toBe(0);
    expect(rowsOf(readFileSync(file, "utf8")).length).toBe(2 * pages);
  });

  test("by 402 or --max-credits keeps the rows, and the receipt names their file", async () => {
    const list = await servePages(pages);
    const [unpaid, bounded] = [newFile(), newFile()];
    const heal = breakAt(
      list,
      3,
      json({ error: "payment_required", message: "out of credits" }, { status: 402 }),
    );
    const receipt = `${unpaid}.json`;
    expect((await pull(list, unpaid, "--receipt", receipt)).exit).toBe(5);
    expect(toRow(readFileSync(receipt, "utf8"))).toMatchObject({
      complete: false,
      rows: 6,
      output: { file: `${unpaid}.part`, bytes: readFileSync(`${unpaid}.part`).length },
    });
    heal();
    const stopped = await pull(list, bounded, "--max-credits", "2");
    expect(stopped.exit).toBe(5);
    expect(rowsOf(readFileSync(`${bounded}.part`, "utf8")).length).toBe(4);
    for (const file of [unpaid, bounded]) expect((await pull(list, file, "--resume")).exit).toBe(0);
    expect(readFileSync(unpaid).equals(readFileSync(bounded))).toBe(true);
  });
});

describe("an unfinished pull", () => {
  test("with --force replaces the old file when it is complete, and not before", async () => {
    const list = await servePages(pages);
    const file = newFile();
    writeFileSync(file, "precious\n");
    const heal = breakAt(list, 2);
    const failed = await pull(list, file, "--force");
    expect([failed.exit, readFileSync(file, "utf8")]).toEqual([7, "precious\n"]);
    const printed = printedCommand(failed.stderr);
    expect(printed).not.toContain("--force");
    heal();
    expect((await dexdata(printed, { env: list.env })).exit).toBe(0);
    expect([rowsOf(readFileSync(file, "utf8")).length, filesNextTo(file)]).toEqual([2 * pages, ["rows"]]);
  });

  test("does not replace a file that was created since then", async () => {
    const list = await servePages(pages);
    const file = newFile();
    const heal = breakAt(list, 2);
    await pull(list, file);
    writeFileSync(file, "precious\n");
    heal();
    const requests = list.server.requests.length;
    expect(resultOf(await pull(list, file, "--resume"))).toEqual({
      exit: 2,
      stdout: "",
      stderr:
        `error: ${file} already exists, and the unfinished pull in ${file}.part would replace it\n` +
        `  hint: move ${file} out of the way, or start over with --force\n`,
    });
    expect(resultOf(await pull(list, file))).toEqual({
      exit: 2,
      stdout: "",
      stderr: `error: ${file} already exists\n  hint: resume the interrupted pull with --resume, or start over with --force\n`,
    });
    expect([list.server.requests.length, readFileSync(file, "utf8")]).toEqual([requests, "precious\n"]);
    rmSync(file);
    expect((await pull(list, file, "--resume")).exit).toBe(0);
    expect(rowsOf(readFileSync(file, "utf8")).length).toBe(2 * pages);
  });

  test.each([
    ["stream", "stream ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"],
    ["txns --follow", "txns ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 --follow"],
  ])("is not extended by %s, because --resume would truncate those rows", async (_what, words) => {
    const list = await servePages(pages);
    const file = newFile("rows.ndjson");
    const heal = breakAt(list, 2);
    await pull(list, file, "--resume");
    const [rows, requests] = [readFileSync(file, "utf8"), list.server.requests.length];
    const limited = `${words} --limit 1 --out ${file} --error-format text`;
    expect(resultOf(await dexdata(limited, { env: list.env }))).toEqual({
      exit: 2,
      stdout: "",
      stderr:
        `error: ${file} has an unfinished pull\n` +
        "  hint: finish that pull with --resume first, or name another file\n",
    });
    expect([list.server.requests.length, readFileSync(file, "utf8")]).toEqual([requests, rows]);
    heal();
    expect((await pull(list, file, "--resume")).exit).toBe(0);
  });

  test.each([
    ["--fields id", "--fields: all then, id now"],
    ["--cursor 1", 'start: all then, {"flag":"cursor","value":"1"} now'],
    ["--sort asc", "--sort: not set then, asc now"],
  ])("is continued only by the same query, and not with %s", async (words, difference) => {
    const list = await servePages(pages);
    const file = newFile();
    breakAt(list, 2);
    await pull(list, file);
    const { exit, stderr } = await pull(list, file, "--resume", ...words.split(" "));
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr:
        `error: cannot resume ${file}: it belongs to a different query (${difference})\n` +
        "  hint: repeat the original command, or start over with --force instead of --resume\n",
    });
  });

  test.each(["prices ethereum", "ohlcv --interval 1h --from -2h ethereum"])(
    "is continued only with the same inputs: %s",
    async (words) => {
      const { url } = await serveInTest((_, index) => (index === 0 ? json([]) : empty(501)));
      const file = newFile("rows.ndjson");
      const pullOf = async (...numbers: readonly number[]): Promise<Outcome> => {
        const assets = numbers.map((number) => `0x${String(number).padStart(40, "0")}`);
        const more = ["--out", file, "--resume", "--parallel", "1", "--error-format", "text"];
        return await dexdata([...words.split(" "), ...assets, ...more], { env: { DEXDATA_BASE_URL: url } });
      };
      const inputs = Array.from({ length: 11 }, (_, index) => index);
      expect((await pullOf(...inputs)).exit).toBe(7);
      const { exit, stderr } = await pullOf(...inputs.slice(0, -1), 99);
      expect([exit, stderr]).toEqual([2, expect.stringContaining("(the inputs are different)")]);
    },
  );

  test("through a link is stored next to the target of the link, and the link remains", async () => {
    const list = await servePages(pages);
    const [file, link] = [newFile(), newFile("link")];
    symlinkSync(file, link);
    const heal = breakAt(list, 2);
    expect((await pull(list, link, "--force")).exit).toBe(7);
    expect([filesNextTo(file), filesNextTo(link)]).toEqual([["rows.part", "rows.resume"], ["link"]]);
    expect(resultOf(await pull(list, file))).toEqual(unfinished(file, 4));
    heal();
    expect((await pull(list, link, "--resume")).exit).toBe(0);
    expect([filesNextTo(file), filesNextTo(link)]).toEqual([["rows"], ["link"]]);
    expect(rowsOf(readFileSync(link, "utf8")).length).toBe(2 * pages);
  });

  test("does not start if its checkpoint is missing or its .part file belongs to another program", async () => {
    const list = await servePages(pages);
    const file = newFile();
    writeFileSync(`${file}.part`, "downloaded");
    for (const more of [[], ["--force"], ["--resume"]]) {
      expect(resultOf(await pull(list, file, ...more))).toEqual({
        exit: 2,
        stdout: "",
        stderr: `error: ${file}.part exists without its checkpoint ${file}.resume\n  hint: move or delete it\n`,
      });
    }
    expect([list.server.requests.length, readFileSync(`${file}.part`, "utf8")]).toEqual([0, "downloaded"]);
  });
});

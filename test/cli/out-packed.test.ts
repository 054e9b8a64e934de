import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { breakAt, type PagedList, pullOfPages, servePages } from "../harness/paged-list.ts";
import { toRow } from "../harness/rows.ts";
import { answerCandles } from "../harness/candle-service.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const sandbox = useSandbox();
const folder = temporaryFolder();
let count = 0;
const newFile = (name = "rows.ndjson.gz"): string => {
  count += 1;
  mkdirSync(path.join(folder, String(count)));
  return path.join(folder, String(count), name);
};
const near = (file: string): readonly string[] => readdirSync(path.dirname(file)).toSorted();
const rowsIn = (file: string): string => gunzipSync(readFileSync(file)).toString("utf8");

async function pull(list: PagedList, file: string, ...more: readonly string[]) {
  return await dexdata([...pullOfPages, "--out", file, "--error-format", "text", ...more], { env: list.env });
}

describe("--out FILE.gz", () => {
  test.each(["ndjson", "json", "csv", "tsv"])(
    "rows.%s.gz has the rows of rows.%s, packed",
    async (format) => {
      const list = await servePages(3);
      const [packed, plain] = [newFile(`rows.${format}.gz`), newFile(`rows.${format}`)];
      for (const file of [packed, plain]) expect((await pull(list, file)).exit).toBe(0);
      expect(rowsIn(packed)).toBe(readFileSync(plain, "utf8"));
      expect(near(packed)).toEqual([path.basename(packed)]);
      // The header has no time and no name, so the same rows are the same bytes.
      expect(readFileSync(packed).subarray(3, 8)).toEqual(Buffer.from([0, 0, 0, 0, 0]));
    },
  );

  test("records, lists without rows, tables and links work, too", async () => {
    const words = "pool ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
    const file = newFile("pool.json.gz");
    const target = path.join(path.dirname(file), "target");
    symlinkSync("target", file);
    expect((await dexdata(`${words} --force --out ${file}`, { env: sandbox.env() })).exit).toBe(0);
    expect(rowsIn(target)).toBe((await dexdata(`${words} -o json`, { env: sandbox.env() })).stdout);
    const [none, table] = [newFile(), newFile("networks.txt.gz")];
    const search = "pools search ethereum --liquidity-usd-min 1e30";
    expect((await dexdata(`${search} --out ${none}`, { env: sandbox.env() })).exit).toBe(0);
    expect(rowsIn(none)).toBe("");
    expect((await dexdata(`networks -o table --out ${table}`, { env: sandbox.env() })).exit).toBe(0);
    expect(rowsIn(table)).toBe((await dexdata("networks -o table", { env: sandbox.env() })).stdout);
    expect([...near(none), ...near(table)]).toEqual(["rows.ndjson.gz", "networks.txt.gz"]);
  });

  test("the receipt has size and hash of the rows, and proves that the file is complete", async () => {
    const list = await servePages(3);
    const file = newFile();
    const receipt = path.join(path.dirname(file), "receipt.json");
    expect((await pull(list, file, "--receipt", receipt)).exit).toBe(0);
    const rows = rowsIn(file);
    expect(toRow(readFileSync(receipt, "utf8"))["output"]).toEqual({
      file,
      format: "ndjson",
      bytes: Buffer.byteLength(rows),
      sha256: createHash("sha256").update(rows).digest("hex"),
    });
    const before = list.server.requests.length;
    const again = await pull(list, file, "--receipt", receipt, "--resume");
    expect([again.exit, again.stderr]).toEqual([0, `${file} is already complete: 6 rows\n`]);
    const bytes = readFileSync(file);
    bytes.writeUInt8(bytes.readUInt8(40) ^ 1, 40);
    for (const damaged of [bytes, bytes.subarray(0, 60), Buffer.from(rows)]) {
      writeFileSync(file, damaged);
      const { exit, stderr } = await pull(list, file, "--receipt", receipt, "--resume");
      expect(exit).toBe(2);
      expect(stderr).toContain("it is not the file that");
    }
    expect(list.server.requests.length).toBe(before);
  });

  test("an existing file stays, and --force replaces it with its permissions", async () => {
    const list = await servePages(1);
    const file = newFile();
    writeFileSync(file, "precious");
    chmodSync(file, 0o640);
    expect((await pull(list, file)).exit).toBe(2);
    expect(readFileSync(file, "utf8")).toBe("precious");
    expect(list.server.requests).toHaveLength(0);
    expect((await pull(list, file, "--force")).exit).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(rowsIn(file).split("\n")).toHaveLength(3);
  });

  test("a file that appears during the pull stays, and the next run can name the rows", async () => {
    const list = await servePages(2);
    const file = newFile();
    list.interfere = (page) => {
      if (page === 1) writeFileSync(file, "precious");
      return undefined;
    };
    const { exit, stderr } = await pull(list, file);
    expect(exit).toBe(1);
    expect(stderr).toContain(
      `cannot write ${file}: it already exists; the rows are complete in ${file}.part`,
    );
    expect(stderr).toContain(`move ${file} out of the way, or start over with --force; continue: `);
    expect(readFileSync(file, "utf8")).toBe("precious");
    expect(near(file)).toEqual(["", ".part", ".resume"].map((ending) => `rows.ndjson.gz${ending}`));
    expect((await pull(list, file, "--resume")).exit).toBe(1);
    rmSync(file);
    const before = list.server.requests.length;
    expect((await pull(list, file, "--resume")).exit).toBe(0);
    expect(list.server.requests.length).toBe(before);
    expect(rowsIn(file).split("\n")).toHaveLength(5);
    expect(near(file)).toEqual(["rows.ndjson.gz"]);
  });

  test.each([[["--resume"]], [[]]])(
    "a failed pull (%j) keeps its rows, and the next run continues with the same bytes",
    async (first) => {
      for (const format of ["ndjson", "json", "csv"]) {
        const list = await servePages(3);
        const [file, whole] = [newFile(`rows.${format}.gz`), newFile(`rows.${format}.gz`)];
        expect((await pull(list, whole)).exit).toBe(0);
        const heal = breakAt(list, 2);
        const failed = await pull(list, file, ...first);
        expect(failed.exit).toBe(7);
        expect(failed.stderr).toContain("4 rows written\n  hint: continue: ");
        expect(near(file)).toEqual([".part", ".resume"].map((ending) => path.basename(file) + ending));
        heal();
        const before = list.server.requests.length;
        expect((await pull(list, file, "--resume")).exit).toBe(0);
        expect(list.server.requests.length).toBe(before + 1);
        expect(readFileSync(file).equals(readFileSync(whole))).toBe(true);
        expect(near(file)).toEqual([path.basename(file)]);
      }
    },
  );

  test("a pull of the other form is another query", async () => {
    const list = await servePages(3);
    const file = newFile("data");
    const link = path.join(path.dirname(file), "link.ndjson.gz");
    symlinkSync("data", link);
    breakAt(list, 2);
    expect((await pull(list, link, "--resume")).exit).toBe(7);
    const { exit, stderr } = await pull(list, file, "--resume", "-o", "ndjson");
    expect(exit).toBe(2);
    expect(stderr).toContain("it belongs to a different query (packing: gzip then, not set now)");
  });
});

describe("refused before anything is sent", () => {
  test.each([
    ["networks --out x.ndjson.zst", "zstd is not supported", "use gzip: --out x.ndjson.gz"],
    [
      "stream ethereum:0x0000000000000000000000000000000000000001 --out x.ndjson.gz",
      "a stream appends lines",
      "remove .gz",
    ],
    [
      "stream ethereum:0x0000000000000000000000000000000000000001 --out x.ndjson.zst",
      "zstd is not supported",
      "use gzip: --out x.ndjson.gz",
    ],
    [
      "txns ethereum 0x0000000000000000000000000000000000000001 --follow --out x.ndjson.gz",
      "--follow appends lines",
      "remove .gz",
    ],
  ])("%s", async (words, message, hint) => {
    sandbox.takeLog();
    const { exit, stderr } = await dexdata(`${words} --error-format text`, { env: sandbox.env() });
    expect(exit).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain(`hint: ${hint}`);
    expect(sandbox.takeLog()).toEqual([]);
  });
});

/** The files after each step at the end of a pull, as a kill at that moment leaves them. */
describe("killed at the end", () => {
  const endings = ["", ".part", ".resume"];

  async function leftBehind() {
    const list = await servePages(3);
    const file = newFile();
    const whole = newFile();
    expect((await pull(list, whole)).exit).toBe(0);
    // Another program's file keeps the pull from finishing, so all of its files stay.
    list.interfere = (page) => {
      if (page === 2) writeFileSync(file, "precious");
      return undefined;
    };
    expect((await pull(list, file, "--resume")).exit).toBe(1);
    list.interfere = () => undefined;
    rmSync(file);
    return { list, file, whole };
  }

  test.each([
    { when: "while packing", hasFile: false, hasPart: true, stray: true },
    { when: "before the file got its name", hasFile: false, hasPart: true, stray: false },
    { when: "before the staged rows were removed", hasFile: true, hasPart: true, stray: false },
    { when: "before the checkpoint was removed", hasFile: true, hasPart: false, stray: false },
  ])("$when: the same command ends with the same bytes", async ({ hasFile, hasPart, stray }) => {
    const { list, file, whole } = await leftBehind();
    if (hasFile) copyFileSync(whole, file);
    if (!hasPart) rmSync(`${file}.part`);
    if (stray) writeFileSync(`${file}.0123456789abcdef.new`, "half");
    const before = list.server.requests.length;
    const { exit, stderr } = await pull(list, file, "--resume");
    expect([exit, stderr]).toEqual([0, hasPart ? "" : `${file} is already complete: 6 rows\n`]);
    expect(list.server.requests.length).toBe(before);
    expect(readFileSync(file).equals(readFileSync(whole))).toBe(true);
    expect(near(file)).toEqual(["rows.ndjson.gz"]);
  });

  test("a pull that lacks inputs still ends with exit 8", async () => {
    const [file, whole] = [newFile(), newFile()];
    const [missing = "", ...addresses] = ["1", "2"].map((digit) => `0x${digit.repeat(40)}`);
    let isTaken = false;
    const { url } = await serveInTest((request) => {
      if (isTaken) writeFileSync(file, "precious");
      if (request.path.includes(missing)) return json({ error: "not found" }, { status: 404 });
      return answerCandles(request, { interval: 3600 });
    });
    const command = ["ohlcv", "ethereum", missing, ...addresses, "--interval", "1h", "--from", "-2h"];
    const pullOf = async (out: string) =>
      await dexdata([...command, "--out", out, "--resume", "--error-format", "text"], {
        env: { DEXDATA_BASE_URL: url },
      });
    expect((await pullOf(whole)).exit).toBe(8);
    isTaken = true;
    expect((await pullOf(file)).exit).toBe(1);
    copyFileSync(whole, file);
    rmSync(`${file}.part`);
    const { exit, stderr } = await pullOf(file);
    expect([exit, stderr]).toEqual([8, `${file} is already complete: 2 rows\n`]);
  });

  test("a file that is not the pull's own stays, whatever else is left", async () => {
    const { list, file } = await leftBehind();
    writeFileSync(file, "precious");
    expect((await pull(list, file, "--resume")).exit).toBe(1);
    expect(near(file)).toEqual(endings.map((ending) => `rows.ndjson.gz${ending}`));
    rmSync(`${file}.part`);
    const { exit, stderr } = await pull(list, file, "--resume");
    expect(exit).toBe(2);
    expect(stderr).toContain("it was modified after the interruption");
    expect(readFileSync(file, "utf8")).toBe("precious");
  });

  test("staged rows without their last line are pulled again", async () => {
    const { list, file, whole } = await leftBehind();
    const part = `${file}.part`;
    writeFileSync(part, readFileSync(part).subarray(0, -10));
    expect((await pull(list, file, "--resume")).exit).toBe(0);
    expect(readFileSync(file).equals(readFileSync(whole))).toBe(true);
  });
});

import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { rowsOf, toRow } from "../harness/rows.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { empty, json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const sandbox = useSandbox();
const folder = temporaryFolder();
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
let count = 0;
const newFolder = (): string => {
  count += 1;
  const made = path.join(folder, String(count));
  mkdirSync(made);
  return made;
};

/** The text of all files below a directory, by name. */
function filesIn(below: string): Record<string, string> {
  const found = readdirSync(below, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const names = found.map(({ parentPath, name }) => path.relative(below, path.join(parentPath, name)));
  return Object.fromEntries(
    names.toSorted().map((name) => [name, readFileSync(path.join(below, name), "latin1")]),
  );
}

const dayOf = (row: Record<string, unknown>): string => String(row["created_at"]).slice(0, 10);

/** Pages of two pools each, which belong to one DEX or the other. */
async function serveDexes(pages: number, dexes: readonly string[] = ["uni", "sushi"]) {
  const state = { broken: Number.POSITIVE_INFINITY, onPage: (): void => undefined };
  const server = await serveInTest(({ query }) => {
    const page = Number(query.get("cursor") ?? "0");
    state.onPage();
    if (page >= state.broken) return empty(501);
    const results = dexes.map((dex, index) => ({ chain: "ethereum", id: `0x${page}${index}`, dex_id: dex }));
    const hasNext = page < pages - 1;
    return json({ results, has_next_page: hasNext, next_cursor: hasNext ? String(page + 1) : "" });
  });
  const pull = async (out: string, ...more: readonly string[]) =>
    await dexdata(
      `pools search ethereum --all --page-size ${dexes.length} --error-format text`
        .split(" ")
        .concat("--out", out, more),
      { env: { DEXDATA_BASE_URL: server.url } },
    );
  return { server, state, pull };
}

describe("--out with fields", () => {
  test.each(["ndjson", "csv", "json", "ndjson.gz"])(
    "each transaction is in the %s file of its network, pool and day, and the receipt lists the files",
    async (ending) => {
      const made = newFolder();
      const words = `txns ethereum ${pool} --to 2026-11-21T01:00:00Z --from -2d --limit 500`;
      const receipt = path.join(made, "..", `${count}.json`);
      const out = path.join(made, "{network}", "{pool}", `{date}.${ending}`);
      const { exit, stderr, stdout } = await dexdata(
        [...words.split(" "), "--out", out, "--receipt", receipt, "-q"],
        { env: sandbox.env() },
      );
      expect([exit, stdout], stderr).toEqual([0, ""]);
      const plain = rowsOf((await dexdata(`${words} -o ndjson`, { env: sandbox.env() })).stdout);
      const files = filesIn(made);
      const days = [...new Set(plain.map(dayOf))].toSorted();
      expect(days.length).toBeGreaterThan(1);
      expect(Object.keys(files)).toEqual(days.map((day) => `ethereum/${pool}/${day}.${ending}`));
      const outputs: unknown[] = [];
      for (const [name, packed] of Object.entries(files)) {
        const bytes = Buffer.from(packed, "latin1");
        const text = (ending.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
        const wanted = plain.filter((row) => name.includes(dayOf(row)));
        if (ending === "csv") expect(text.split("\n")).toHaveLength(wanted.length + 2);
        else if (ending === "json") expect(JSON.parse(text)).toEqual(wanted);
        else expect(rowsOf(text)).toEqual(wanted);
        outputs.push({
          file: path.join(made, name),
          rows: wanted.length,
          bytes: Buffer.byteLength(text),
          sha256: createHash("sha256").update(text).digest("hex"),
        });
      }
      const written = toRow(readFileSync(receipt, "utf8"));
      expect(written["outputs"]).toEqual(outputs);
      expect(written["output"]).toMatchObject({ file: out, sha256: null });
      const again = await dexdata([...words.split(" "), "--out", out, "--receipt", receipt, "--resume"], {
        env: sandbox.env(),
      });
      expect([again.exit, again.stderr]).toEqual([0, `${out} is already complete: 500 rows\n`]);
    },
  );

  test("candles of several assets and of one day are in their files", async () => {
    const made = newFolder();
    const assets = [
      "ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
      "base:0x68a7a4d02c630a4d18fa7e6833167aa8373f1df9",
    ];
    const out = path.join(made, "{network}-{token}-{candle}-{month}.csv");
    const words = ["ohlcv", ...assets, "--interval", "1h", "--from", "2026-11-20", "--out", out];
    expect((await dexdata(words, { env: sandbox.env() })).exit).toBe(0);
    const names = assets.map((asset) => `${asset.replace(":", "-")}-1h-2026-11.csv`);
    expect(Object.keys(filesIn(made))).toEqual(names.toSorted());
  });

  test("a list without a time has files by the fields of its rows", async () => {
    const { pull } = await serveDexes(3);
    const made = newFolder();
    expect((await pull(path.join(made, "{network}", "{dex}.ndjson"))).exit).toBe(0);
    const files = filesIn(made);
    expect(Object.keys(files)).toEqual(["ethereum/sushi.ndjson", "ethereum/uni.ndjson"]);
    expect(rowsOf(files["ethereum/uni.ndjson"] ?? "").map(({ id }) => id)).toEqual(["0x00", "0x10", "0x20"]);
  });

  test("rows without a readable time are in the file of the time when the pull started, with one warning", async () => {
    const times = ["2026-11-20T23:59:59.999Z", "soon", "2026-11-21T00:00:00Z", "9".repeat(400)];
    const server = await serveInTest(() =>
      json({
        transactions: times.map((time, index) => ({
          id: `0x${index}`,
          log_index: index,
          pool_id: pool,
          created_at: time,
        })),
        page_info: { limit: 100, page: 1, total_items: 4, total_pages: 1 },
      }),
    );
    const made = newFolder();
    const out = path.join(made, "{date}.ndjson");
    const words = `txns ethereum ${pool} --limit 4 --no-strict --error-format text --now 2026-11-23T00:00:00Z --out`;
    const { exit, stderr } = await dexdata([...words.split(" "), out], {
      env: { DEXDATA_BASE_URL: server.url },
    });
    expect(exit, stderr).toBe(0);
    expect(stderr.match(/a row has no readable time/gu)).toHaveLength(1);
    const lines = Object.entries(filesIn(made)).map(([name, text]) => [
      name,
      rowsOf(text).map(({ id }) => id),
    ]);
    expect(lines).toEqual([
      ["2026-11-20.ndjson", ["0x0"]],
      ["2026-11-21.ndjson", ["0x2"]],
      ["2026-11-23.ndjson", ["0x1", "0x3"]],
    ]);
  });

  test("no name from a row leaves the directory or loses its rows", async () => {
    const hostile = [
      "../../up",
      "..",
      ".",
      "/etc/x",
      "a\u0000b\n",
      "CON",
      "{date}",
      "%Y",
      "",
      "é".repeat(300),
    ];
    const { pull } = await serveDexes(2, hostile);
    const made = newFolder();
    expect((await pull(path.join(made, "in", "{dex}.ndjson"))).exit).toBe(2);
    mkdirSync(path.join(made, "in"));
    expect((await pull(path.join(made, "in", "{dex}", "x.ndjson"))).exit).toBe(0);
    const files = filesIn(made);
    expect(Object.keys(files)).toHaveLength(hostile.length);
    for (const name of Object.keys(files)) expect(name).toMatch(/^in\/[^./][\w.%~-]*\/x\.ndjson$/u);
    const rows = Object.values(files).flatMap((text) => rowsOf(Buffer.from(text, "latin1").toString("utf8")));
    expect(new Set(rows.map(({ dex_id: dex }) => dex))).toEqual(new Set(hostile));
    expect(rows).toHaveLength(2 * hostile.length);
  });
});

describe("refused before anything is sent", () => {
  const inFolder = newFolder();
  writeFileSync(path.join(inFolder, `ethereum-${pool}.ndjson`), "precious\n");
  test.each([
    ["pools search base --all", "{date}.ndjson", "the rows have no field {date}", "use {network} {dex}"],
    ["pools search base --all", "%Y.ndjson", "the rows have no time", "use {network} {dex}"],
    ["networks", "{network}.json", "the rows have no field {network}", "name one file"],
    ["search weth", "{network}.json", "the output is one document", "name one file"],
    ["api /networks", "{network}.json", "the output is one document", "name one file"],
    [`txns ethereum ${pool}`, "{dates}.ndjson", "the rows have no field {dates}", "did you mean {date}?"],
    [`txns ethereum ${pool}`, "none/{date}.ndjson", "does not exist", "create it first"],
    [`txns ethereum ${pool}`, "{date}.ndjson.zst", "zstd is not supported", ".ndjson.gz"],
    [`txns ethereum ${pool} -o table`, "{date}.txt", "a table cannot be divided", "use ndjson"],
    [`txns ethereum ${pool}`, "{network}-{pool}.ndjson", ".ndjson already exists", "--force"],
  ])("%s --out %s", async (words, out, message, hint) => {
    sandbox.takeLog();
    const { exit, stderr } = await dexdata(
      [...words.split(" "), "--error-format", "text", "--out", path.join(inFolder, out)],
      { env: sandbox.env() },
    );
    expect([exit, sandbox.takeLog()]).toEqual([2, []]);
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
    expect(readdirSync(inFolder)).toHaveLength(1);
  });
});

describe("a pull that ends early", () => {
  test.each(["ndjson", "json", "csv", "json.gz"])(
    "keeps its rows in one file, and continues with the same %s files and no repeated request",
    async (ending) => {
      const { server, state, pull } = await serveDexes(4);
      const [made, whole] = [newFolder(), newFolder()];
      expect((await pull(path.join(whole, `{dex}.${ending}`))).exit).toBe(0);
      const out = path.join(made, `{dex}.${ending}`);
      for (const [broken, more] of [
        [2, []],
        [3, ["--resume"]],
      ] as const) {
        state.broken = broken;
        const { exit, stderr } = await pull(out, ...more);
        expect(exit).toBe(7);
        expect(stderr).toContain(`${broken * 2} rows written\n  hint: continue: dexdata pools search`);
        expect(stderr).toMatch(/--out .*\{dex\}.* --resume/u);
        expect(Object.keys(filesIn(made))).toEqual([
          expect.stringMatching(/^\.rows-[\da-f]{16}\.part$/u),
          expect.stringMatching(/^\.rows-[\da-f]{16}\.resume$/u),
        ]);
      }
      expect((await pull(out)).stderr).toContain(`${out} has an unfinished pull: 6 rows in`);
      state.broken = Number.POSITIVE_INFINITY;
      const before = server.requests.length;
      expect((await pull(out, "--resume")).exit).toBe(0);
      expect(server.requests.length).toBe(before + 1);
      expect(filesIn(made)).toEqual(filesIn(whole));
    },
  );

  test("existing files stay, all rows remain, and the next run needs no request", async () => {
    const { server, state, pull } = await serveDexes(2);
    const made = newFolder();
    const out = path.join(made, "{dex}.ndjson");
    for (const name of ["uni", "sushi"]) writeFileSync(path.join(made, `${name}.ndjson`), "precious\n");
    const { exit, stderr } = await pull(out);
    expect(exit).toBe(1);
    const both = `${path.join(made, "sushi.ndjson")}, ${path.join(made, "uni.ndjson")}`;
    expect(stderr).toContain(
      `cannot write ${both}: they already exist; the rows are complete in ${made}/.rows-`,
    );
    expect(stderr).toContain(`move ${both} out of the way, or start over with --force; continue: dexdata`);
    expect(filesIn(made)).toMatchObject({ "uni.ndjson": "precious\n", "sushi.ndjson": "precious\n" });
    for (const name of ["uni", "sushi"]) rmSync(path.join(made, `${name}.ndjson`));
    const before = server.requests.length;
    expect((await pull(out, "--resume")).exit).toBe(0);
    expect(server.requests.length).toBe(before);
    expect(Object.keys(filesIn(made))).toEqual(["sushi.ndjson", "uni.ndjson"]);

    writeFileSync(path.join(made, "other.ndjson"), "precious\n");
    writeFileSync(path.join(made, "uni.ndjson"), "old\n", { mode: 0o600 });
    const mode = statSync(path.join(made, "uni.ndjson")).mode;
    state.broken = 1;
    expect((await pull(out, "--force")).exit).toBe(7);
    expect(readFileSync(path.join(made, "uni.ndjson"), "utf8")).toBe("old\n");
    state.broken = 2;
    expect((await pull(out, "--force")).exit).toBe(0);
    expect(rowsOf(readFileSync(path.join(made, "uni.ndjson"), "utf8"))).toHaveLength(2);
    expect(statSync(path.join(made, "uni.ndjson")).mode).toBe(mode);
    expect(Object.keys(filesIn(made))).toEqual(["other.ndjson", "sushi.ndjson", "uni.ndjson"]);
  });

  test.each([
    { when: "after some files got their names", placed: ["sushi"], hasRows: true },
    { when: "after all files got their names", placed: ["sushi", "uni"], hasRows: true },
    { when: "before the checkpoint was removed", placed: ["sushi", "uni"], hasRows: false },
  ])("killed $when: the same command ends with the same files", async ({ placed, hasRows }) => {
    const { server, state, pull } = await serveDexes(2);
    const [made, whole] = [newFolder(), newFolder()];
    const out = path.join(made, "{dex}.ndjson");
    expect((await pull(path.join(whole, "{dex}.ndjson"))).exit).toBe(0);
    // Another program's file keeps the pull from finishing, so its rows stay.
    state.onPage = () => writeFileSync(path.join(made, "uni.ndjson"), "precious\n");
    expect((await pull(out, "--resume")).exit).toBe(1);
    state.onPage = () => undefined;
    rmSync(path.join(made, "uni.ndjson"));
    for (const name of placed)
      copyFileSync(path.join(whole, `${name}.ndjson`), path.join(made, `${name}.ndjson`));
    if (!hasRows)
      for (const name of readdirSync(made)) if (name.endsWith(".part")) rmSync(path.join(made, name));
    const before = server.requests.length;
    const { exit, stderr } = await pull(out, "--resume");
    expect([exit, stderr]).toEqual([0, hasRows ? "" : `${out} is already complete: 4 rows\n`]);
    expect(server.requests.length).toBe(before);
    expect(filesIn(made)).toEqual(filesIn(whole));
  });

  test("a receipt with the name of one of the files is refused without loss", async () => {
    const { pull } = await serveDexes(1);
    const made = newFolder();
    const receipt = path.join(made, "uni.json");
    const { exit, stderr } = await pull(path.join(made, "{dex}.json"), "--receipt", receipt);
    expect(exit).toBe(1);
    expect(stderr).toContain(`--receipt "${receipt}" is also the name of a file of rows`);
    rmSync(receipt);
    const next = await pull(
      path.join(made, "{dex}.json"),
      "--receipt",
      path.join(made, "r.json"),
      "--resume",
    );
    expect(next.exit).toBe(0);
    expect(Object.keys(filesIn(made))).toEqual(["r.json", "sushi.json", "uni.json"]);
  });

  test("staged rows that another program changed are not divided into files", async () => {
    const { state, pull } = await serveDexes(3);
    const made = newFolder();
    state.broken = 2;
    expect((await pull(path.join(made, "{dex}.ndjson"))).exit).toBe(7);
    const part = path.join(made, readdirSync(made).find((name) => name.endsWith(".part")) ?? "");
    expect(existsSync(part)).toBe(true);
    writeFileSync(part, readFileSync(part, "utf8").replace('"rows":1', '"rows":7'));
    state.broken = 3;
    const { exit, stderr } = await pull(path.join(made, "{dex}.ndjson"), "--resume");
    expect(exit).toBe(2);
    expect(stderr).toContain("was modified after the interruption");
  });
});

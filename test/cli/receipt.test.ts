import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { dexdata, run } from "../harness/dexdata.ts";
import { type Row, rowsOf, toRow } from "../harness/rows.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { empty, json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext } from "../harness/test-context.ts";

const sandbox = useSandbox();
const folder = temporaryFolder();
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const receiptIn = (name: string): Row => toRow(readFileSync(path.join(folder, name), "utf8"));
const sha256 = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/**
 * Returns a time one second after the newest row, because a service that excludes the end omits that row
 * otherwise.
 */
const frozenAfter = (row: Row | undefined): string =>
  new Date(Date.parse(String(row?.["created_at"])) + 1000).toISOString().replace(".000Z", "Z");

describe("--receipt", () => {
  test("records time range, requests, rows, hash and credits of a complete pull", async () => {
    const words = `txns ethereum ${pool} --from -2h --limit 250 -o ndjson`;
    sandbox.takeLog();
    const { exit, stdout } = await dexdata(
      [...words.split(" "), "--receipt", path.join(folder, "whole.json")],
      {
        env: sandbox.env(),
      },
    );
    expect(exit).toBe(0);
    const requests = sandbox.takeLog().length;
    const receipt = receiptIn("whole.json");
    const rows = rowsOf(stdout);
    expect(receipt).toMatchObject({
      command: "txns",
      service: sandbox.running().restPaid,
      simulated: false,
      plan: "pro",
      requests,
      rows: 250,
      missing: 0,
      refused: 0,
      complete: true,
      why_not: null,
      exit: 0,
      output: { file: null, format: "ndjson", bytes: Buffer.byteLength(stdout), sha256: sha256(stdout) },
      first_row: {
        id: rows[0]?.["id"],
        log_index: rows[0]?.["log_index"],
        created_at: rows[0]?.["created_at"],
      },
      last_row: { id: rows[249]?.["id"], log_index: rows[249]?.["log_index"] },
      window: { from: "2026-11-21T06:54:00Z", to: frozenAfter(rows[0]) },
    });
    const credits = toRow(JSON.stringify(receipt["credits"]));
    expect(credits["spent"]).toBe(requests);
    expect(Number(credits["before"]) - Number(credits["after"])).toBe(requests);
  });

  test("counts a pull in several runs as one: totals and hash cover all of them", async () => {
    let isHealed = false;
    const server = await serveInTest(({ query }) => {
      const page = Number(query.get("cursor") ?? "0");
      if (page === 2 && !isHealed) return empty(501);
      const results = [{ chain: "ethereum", id: `0x${page}` }];
      return json({ results, has_next_page: page < 3, next_cursor: page < 3 ? String(page + 1) : "" });
    });
    const file = path.join(folder, "rows.ndjson");
    const words = ["pools", "search", "ethereum", "--all", "--out", file, "--resume"];
    const argv = [...words, "--receipt", path.join(folder, "runs.json")];
    const env = { DEXDATA_BASE_URL: server.url };
    expect((await dexdata(argv, { env })).exit).toBe(7);
    expect(receiptIn("runs.json")).toMatchObject({ rows: 2, complete: false, exit: 7 });
    expect(String(receiptIn("runs.json")["why_not"])).toContain("2 rows written");
    isHealed = true;
    expect((await dexdata(argv, { env })).exit).toBe(0);
    expect(receiptIn("runs.json")).toMatchObject({
      complete: true,
      rows: 4,
      requests: server.requests.length,
      started: "2026-11-21T08:54:00.000Z",
      first_row: { chain: "ethereum", id: "0x0" },
      last_row: { chain: "ethereum", id: "0x3" },
      output: { file, sha256: sha256(readFileSync(file)), bytes: readFileSync(file).length },
    });
  });

  const hour = `txns ethereum ${pool} --from 2026-11-21T07:00Z --to 2026-11-21T08:00Z --page-size 20`;
  const day = `txns ethereum ${pool} --day 2026-11-20 --page-size 100`;
  const list = "pools search fantom --page-size 100";

  test.each([
    [`${hour} --page 2 --all`, "page 2"],
    [`${hour} --page 2 --limit 1000`, "page 2"],
    [`${day} --page 3 --all`, "page 3"],
    [`${list} --cursor {cursor} --all`, "a cursor"],
    [`api /networks/ethereum/pools/${pool}/transactions -f from=-1h -f page=2 --paginate`, "page 2"],
    ["dexes ethereum --page-size 10 --page 2 --all -o parquet", "page 2"],
  ])("%s: is not complete, because the first rows are missing", async (words, start) => {
    const env = sandbox.env();
    const receipt = path.join(folder, "late.json");
    await dexdata(`${list} --limit 100 --receipt ${receipt}`, { env });
    const { cursor } = toRow(JSON.stringify(receiptIn("late.json")["next"]));
    const out = path.join(folder, "late.rows");
    const argv = `${words.replace("{cursor}", String(cursor))} --out ${out} --force --receipt ${receipt}`;
    const { exit, stderr } = await dexdata(argv, { env, isTerminal: true });
    const reason = `the pull started at ${start}`;
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringContaining(`, incomplete: ${reason}`) });
    expect(receiptIn("late.json")).toMatchObject({
      complete: false,
      why_not: reason,
      proof: null,
      more: false,
      exit: 0,
    });
    if (words.includes("--day"))
      expect(receiptIn("late.json")).toMatchObject({ complete_to: "2026-11-20T00:00:00Z" });
    const checked = await dexdata(`verify ${out} ${receipt} -o ndjson`, { env });
    expect({ exit: checked.exit, stdout: checked.stdout }).toEqual({
      exit: 8,
      stdout: expect.stringContaining(`false: ${reason}`),
    });
    if (words.includes("parquet")) expect(readFileSync(out, "latin1")).toContain('"complete":false');
  });

  test.each([
    [`${hour} --page 1 --all`, "count"],
    [`${hour} --page 2 --limit 20`, "limit"],
  ])("%s: is complete", async (words, proof) => {
    const receipt = path.join(folder, "first.json");
    expect((await dexdata(`${words} --receipt ${receipt}`, { env: sandbox.env() })).exit).toBe(0);
    expect(receiptIn("first.json")).toMatchObject({ complete: true, proof, why_not: null });
  });

  test.each([
    ["", { complete: true, proof: "count", why_not: null }],
    ["--page 2 ", { complete: false, proof: null, why_not: "the pull started at page 2" }],
  ])("%s--resume: a resumed pull has the rows of its earlier runs", async (flags, expected) => {
    const [out, receipt] = [
      path.join(folder, `resumed${flags.length}.csv`),
      path.join(folder, "resumed.json"),
    ];
    const words = `${hour} ${flags}--all --out ${out} --receipt ${receipt} --resume`;
    const env = sandbox.env();
    expect((await dexdata(`${words} --max-credits 2`, { env })).exit).toBe(5);
    expect((await dexdata(words, { env })).exit).toBe(0);
    expect(receiptIn("resumed.json")).toMatchObject(expected);
  });

  test("keeps the permissions of the receipt that it replaces", async () => {
    const receipt = path.join(folder, "private.json");
    writeFileSync(receipt, "");
    chmodSync(receipt, 0o600);
    expect((await dexdata(["networks", "--receipt", receipt], { env: sandbox.env() })).exit).toBe(0);
    expect([receiptIn("private.json")["complete"], statSync(receipt).mode & 0o777]).toEqual([true, 0o600]);
  });

  test("is not written over another file", async () => {
    const rows = path.join(folder, "earlier.ndjson");
    writeFileSync(rows, '{"id":"ethereum"}\n');
    const { exit, stdout, stderr } = await dexdata(["networks", "--receipt", rows], { env: sandbox.env() });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain("not a file that --receipt has written");
    expect(readFileSync(rows, "utf8")).toBe('{"id":"ethereum"}\n');
  });

  test("replaces the file behind a link, and the link stays", async () => {
    const link = path.join(folder, "latest.json");
    symlinkSync("dated.json", link);
    expect((await dexdata(["networks", "--receipt", link], { env: sandbox.env() })).exit).toBe(0);
    expect([receiptIn("dated.json")["complete"], readlinkSync(link)]).toEqual([true, "dated.json"]);
  });

  test("records a signal that ended the run", async () => {
    const context = createTestContext();
    const server = await serveInTest(({ query }) => {
      const page = Number(query.get("cursor") ?? "0");
      if (page === 2) context.interrupt({ cause: "SIGTERM" });
      return json({
        results: [{ chain: "ethereum", id: `0x${page}` }],
        has_next_page: true,
        next_cursor: String(page + 1),
      });
    });
    const receipt = path.join(folder, "signal.json");
    const words = ["pools", "search", "ethereum", "--all", "--base-url", server.url, "--receipt", receipt];
    const { exit } = await run([...words, "--timeout", "24h", "-o", "ndjson"], context);
    expect(exit).toBe(143);
    expect(receiptIn("signal.json")).toMatchObject({ complete: false, why_not: "SIGTERM", exit: 143 });
  });

  test("keeps digits, escapes control characters, and contains no key", async () => {
    const server = await serveInTest(() =>
      json(
        '[{"id":"e\u001b[31mth","volume_usd_24h":1.10,"txns_24h":4272800710322643001}]'.replace(
          "\u001b",
          "\\u001b",
        ),
      ),
    );
    const env = {
      DEXDATA_PRO_BASE_URL: server.url,
      DEXDATA_API_KEY: "api_pro_0123456789",
      DEXDATA_TIER: "pro",
    };
    await dexdata(["networks", "--receipt", path.join(folder, "text.json")], { env });
    const text = readFileSync(path.join(folder, "text.json"), "utf8");
    expect(text).not.toContain("api_pro_0123456789");
    expect(text).not.toContain("\u001b");
    expect(receiptIn("text.json")["first_row"]).toEqual({ id: "e\u001b[31mth" });
  });

  test("rejects a receipt file that cannot be written before any request", async () => {
    sandbox.takeLog();
    const { exit, stdout, stderr } = await dexdata(
      ["networks", "--receipt", "/nowhere/at/all.json", "--error-format", "text"],
      { env: sandbox.env() },
    );
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain("--receipt");
    expect(sandbox.takeLog()).toEqual([]);
  });

  test("a failure to write the receipt does not hide why the pull failed", async () => {
    const inner = path.join(folder, "goes");
    mkdirSync(inner);
    const server = await serveInTest(() => {
      rmSync(inner, { recursive: true, force: true });
      return empty(501);
    });
    const words = ["networks", "--receipt", path.join(inner, "r.json"), "--error-format", "text"];
    const { exit, stderr } = await dexdata(words, { env: { DEXDATA_BASE_URL: server.url } });
    expect(exit).toBe(7);
    expect(stderr).toContain("the service failed");
    expect(stderr).toContain("cannot be written");
  });

  test("if writing the receipt fails after the rows are complete, --resume writes it", async () => {
    const inner = path.join(folder, "late");
    const file = path.join(folder, "late.nd");
    const server = await serveInTest(() => {
      rmSync(inner, { recursive: true, force: true });
      return json([{ id: "ethereum" }]);
    });
    mkdirSync(inner);
    const receipt = path.join(inner, "r.json");
    const words = ["networks", "--out", file, "--receipt", receipt, "--error-format", "text"];
    const { exit, stderr } = await dexdata(words, { env: { DEXDATA_BASE_URL: server.url } });
    expect([exit, stderr]).toEqual([
      1,
      `error: --receipt "${receipt}": cannot be written (no such directory)\n` +
        `  hint: ${file} was written; check the directory's permissions and free space, then repeat the command with --resume\n`,
    ]);
    mkdirSync(inner);
    expect((await dexdata([...words, "--resume"], { env: { DEXDATA_BASE_URL: server.url } })).exit).toBe(0);
    expect(toRow(readFileSync(receipt, "utf8"))).toMatchObject({ complete: true, rows: 1 });
  });

  test.each(["rows.nd", "./rows.nd", "rows.nd.resume", "rows.nd.lock"])(
    "never replaces the rows or their files: %s",
    async (name) => {
      const words = ["networks", "--out", path.join(folder, "rows.nd"), "--receipt", `${folder}/${name}`];
      const { exit } = await dexdata(words, { env: sandbox.env() });
      expect(exit).toBe(2);
    },
  );

  test("is not complete if an input was rejected", async () => {
    const server = await serveInTest(({ path: asked }) =>
      asked.endsWith("0x0000000000000000000000000000000000000bad")
        ? json({ error: "not_found", message: "no" }, { status: 404 })
        : json({ id: "0x000000000000000000000000000000000000000a" }),
    );
    const words = [
      "pool",
      "ethereum",
      "0x000000000000000000000000000000000000000a",
      "0x0000000000000000000000000000000000000bad",
      "--receipt",
      path.join(folder, "refused.json"),
    ];
    expect((await dexdata(words, { env: { DEXDATA_BASE_URL: server.url } })).exit).toBe(8);
    expect(receiptIn("refused.json")).toMatchObject({
      complete: false,
      why_not: "1 input rejected",
      exit: 8,
    });
  });

  test("a reader that stops reading is not an output error", async () => {
    const context = createTestContext();
    const server = await serveInTest(({ query }) => {
      const page = Number(query.get("cursor") ?? "0");
      if (page === 1) context.interrupt({ cause: "closed-pipe" });
      return json({
        results: [{ chain: "ethereum", id: `0x${page}` }],
        has_next_page: true,
        next_cursor: String(page + 1),
      });
    });
    const receipt = path.join(folder, "closed.json");
    const words = ["pools", "search", "ethereum", "--all", "--base-url", server.url, "--receipt", receipt];
    const { exit } = await run([...words, "--timeout", "24h", "-o", "ndjson"], context);
    expect(exit).toBe(0);
    expect(receiptIn("closed.json")).toMatchObject({ complete: false, why_not: "closed-pipe", exit: 0 });
  });
});

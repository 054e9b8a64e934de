import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../harness/dexdata.ts";
import { newPoolsStart } from "../harness/new-pools.ts";
import { rowsOf } from "../harness/rows.ts";
import { empty, html, json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { sandboxNow } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext } from "../harness/test-context.ts";
import { envOf, pool, startFollowing } from "../tail/following.ts";
import { newList, withService } from "../tail/many-pools.ts";

const folder = temporaryFolder();
const inFolder = (name: string): string => path.join(folder, name);
const env = { PATH: process.env["PATH"] ?? "" };

/** Follows one pool from half an hour before. */
async function followed(words: readonly string[]) {
  const assets = ["ethereum", pool, "--from", `${sandboxNow / 1000 - 1800}`, ...words];
  // The time limit of a command should not pass at once.
  const { outcome } = await startFollowing("", { speed: 20, env, assets });
  return await outcome;
}

const isLarge = ({ size_usd: size, type }: Record<string, unknown>): boolean =>
  Number(size) > 20_000 && type === "swap";
const large = ["--when", "size_usd > 20k and type = swap"];

describe("pools search --follow --when", () => {
  test.each([[[]], [["--envelope"]]])(
    "acts once on a pool that is read again with other values after a restart: %j",
    async (envelope) => {
      const words = `pools search base --follow --created-after ${newPoolsStart - 60} --when`.split(" ");
      const state = inFolder(`pools${envelope.length}.state`);
      let volume = 100;
      const row = {
        id: "0xa",
        chain: "base",
        created_at: new Date(newPoolsStart * 1000).toISOString(),
        tokens: [],
      };
      const { url } = await serveInTest(() =>
        json({ results: [{ ...row, volume_usd_24h: (volume += 1) }], has_next_page: false }),
      );
      const alerts = async (...others: readonly string[]) => {
        const context = createTestContext({ env: envOf(url), now: newPoolsStart * 1000, speed: 2000 });
        const { stdout } = await run([...words, ...others, "--for", "2m", ...envelope], context);
        return rowsOf(stdout);
      };
      const first = await alerts("volume_usd_24h > 100", "--state", state);
      expect(first).toMatchObject([{ asset: "base:0xa" }]);
      expect(await alerts("volume_usd_24h > 100", "--state", state)).toEqual([]);
      const [again] = await alerts("volume_usd_24h > 100");
      expect([again?.["id"], again?.["value"]]).toEqual([first[0]?.["id"], expect.not.stringMatching("101")]);
    },
  );
});

describe("txns --follow --when", () => {
  test("prints a line for each matching row, also for amounts that dexdata adds; rows go to --out", async () => {
    const out = inFolder("rows.ndjson");
    const { exit, stdout } = await followed(["--amounts", "tokens", ...large, "--limit", "4", "--out", out]);
    const alerts = rowsOf(stdout);
    const matching = rowsOf(readFileSync(out, "utf8")).filter(isLarge);
    expect([exit, alerts.length]).toEqual([0, 4]);
    expect(alerts.map(({ row }) => row)).toEqual(matching.slice(0, 4));
    expect(alerts[0]).toMatchObject({
      asset: `ethereum:${pool}`,
      value: String(matching[0]?.["size_usd"]),
    });
    expect(alerts.every(({ value }) => /^\d+\.?\d*$/u.test(String(value)))).toBe(true);
  });

  test("rows behind the alert that reaches --limit wait for the next run, also of several pools", async () => {
    const { list, folder: below } = newList(2);
    const out = path.join(below, "limited.ndjson");
    await withService({ speed: 20 }, async ({ start }) => {
      const words = `txns @${list} --follow --from ${sandboxNow / 1000 - 600} --out ${out}`.split(" ");
      const alerts: unknown[] = [];
      for (let runs = 0; runs < 3; runs += 1) {
        const { exit, stdout } = await start([...words, "--when", "type = swap", "--limit", "2"]).outcome;
        expect([exit, rowsOf(stdout).length]).toEqual([0, 2]);
        alerts.push(...rowsOf(stdout).map(({ row }) => Object(row).id));
      }
      await start([...words, "--for", "70s"]).outcome;
      const rows = rowsOf(readFileSync(out, "utf8"));
      expect(new Set(rows.map(({ id, log_index: index }) => JSON.stringify([id, index]))).size).toBe(
        rows.length,
      );
      const swaps = rows.filter(({ amount_0: one, amount_1: other }) => Number(one) * Number(other) < 0);
      expect(alerts).toEqual(swaps.slice(0, 6).map(({ id }) => id));
    });
  });

  test("runs the command, and rows are printed as usual, without the added amounts", async () => {
    const file = inFolder("acted");
    const words = [...large, "--limit", "3", "--", "sh", "-c", `cat >> "$0"`, file];
    const { exit, stdout } = await followed(words);
    const acted = rowsOf(readFileSync(file, "utf8"));
    expect([exit, acted.length, stdout.includes("size_usd")]).toEqual([0, 3, false]);
    const ids = new Set(rowsOf(stdout).map(({ id }) => id));
    expect(acted.map(({ row }) => Object(row).id).every((id) => ids.has(id))).toBe(true);
    expect(acted.every(({ row }) => isLarge(Object(row)))).toBe(true);
  });

  test("exits 8 if no row matched before --for", async () => {
    const words = ["--when", "amount_0_tokens > 1b", "--for", "20s"];
    expect(await followed(words)).toMatchObject({ exit: 8, stdout: "" });
  });

  test("without --when, every row of several pools runs the command, in the order of each pool", async () => {
    const { list } = newList(2);
    const file = inFolder("every");
    await withService({ speed: 20 }, async ({ start }) => {
      const from = `--from ${sandboxNow / 1000 - 3600}`;
      const { outcome } = start(`txns @${list} --follow ${from} --limit 12 -- tee -a ${file}`);
      const { exit, stdout } = await outcome;
      expect(exit).toBe(0);
      const acted = rowsOf(readFileSync(file, "utf8"));
      const keys = (rows: readonly unknown[]) =>
        rows.map((row) => `${Object(row).pool_id} ${Object(row).id} ${Object(row).log_index}`);
      expect(acted).toHaveLength(12);
      expect(keys(acted.map(({ row }) => row)).toSorted()).toEqual(keys(rowsOf(stdout)).toSorted());
      expect(new Set(acted.map(({ condition }) => condition))).toEqual(new Set([""]));
    });
  });

  test.each([2, 14])(
    "misses no row of several pools because their tokens could not be read %d times",
    async (times) => {
      const { list, folder: below } = newList(3);
      const out = path.join(below, "rows.ndjson");
      await withService({}, async ({ start, url }) => {
        let failures = times;
        const server = await serveInTest(async (request) => {
          if (/\/pools\/\w+$/u.test(request.path) && failures > 0) {
            failures -= 1;
            // The last two are those of a balancer.
            return [html(403), empty(404)][failures] ?? json({}, { status: 503 });
          }
          const headers = { authorization: String(request.headers.authorization) };
          const response = await fetch(url + request.url, { headers });
          const date = response.headers.get("date") ?? "";
          return json(await response.text(), { status: response.status, headers: { date } });
        });
        const from = `--from ${sandboxNow / 1000 - 1200}`;
        const words = `txns @${list} --follow ${from} --for ${times * 60 + 10}s --out ${out} --when`.split(
          " ",
        );
        const { exit, stdout } = await start([...words, "amount_0_tokens > 0"], server.url).outcome;
        const matching = rowsOf(readFileSync(out, "utf8")).filter(
          ({ amount_0: amount }) => Number(amount) > 0,
        );
        expect([exit, failures, matching.length > 50]).toEqual([0, 0, true]);
        expect(rowsOf(stdout).length).toBe(matching.length);
      });
    },
  );

  test.each([
    [["--follow", "--when", "?"], "fields: id, log_index"],
    [
      ["--follow", "--when", "price_0_usd rises 5% in 1h"],
      'column 13: \\"rises\\" must be one of <=, >=, !=, <, >, =',
    ],
    [["--follow", "--"], "missing command after --"],
    [["--when", "type = swap"], "--when requires --follow"],
    [["--follow", "--cooldown", "1s"], "--cooldown requires --when"],
  ])("%j ends the run before anything is sent", async (words, problem) => {
    const context = createTestContext({
      env: { DEXDATA_TIER: "pro", DEXDATA_BASE_URL: "http://127.0.0.1:1" },
    });
    const { exit, stderr } = await run(["txns", "ethereum", pool, ...words], context);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });
});

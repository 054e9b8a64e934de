import { readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createMarket, parseFaults, startSandbox } from "../harness/bundled-sandbox.ts";
import { run } from "../harness/dexdata.ts";
import { rowsOf } from "../harness/rows.ts";
import { sandboxNow } from "../harness/sandbox.ts";
import { createTestContext } from "../harness/test-context.ts";
import { envOf } from "./following.ts";

const hour = 3600;
const start = sandboxNow / 1000;

const opened: Awaited<ReturnType<typeof startSandbox>>[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

/** A sandbox whose clock is 120 times as fast as that of the runs, so that a read a minute is one every two hours. */
async function service(spec = "500:1%") {
  const { clock } = createTestContext({ speed: 2000 });
  const now = (): number => start + (clock.elapsed() * 120) / 1000;
  const faults = parseFaults(spec);
  const requests: unknown[] = [];
  const sandbox = await startSandbox({
    now: () => now() * 1000,
    elapsed: clock.elapsed,
    dialect: "public",
    faults,
    log: (request) => requests.push(request),
  });
  opened.push(sandbox);
  return {
    now,
    requests,
    follow: async (words: string) => {
      const env = { ...envOf(sandbox.restPaid), DEXDATA_API_KEY: sandbox.keys.pro };
      const isTerminal = { stderr: true };
      const context = createTestContext({ env, random: 0.5, speed: 2000, isTerminal });
      const wall = { ...clock, now: () => now() * 1000 };
      return await run(`pools search solana --follow --rpm 3000 ${words}`.split(" "), {
        ...context,
        clock: wall,
      });
    },
  };
}

/** All pools of Solana that are created in this span, in Unix seconds. */
function createdBetween(from: number, to: number): readonly string[] {
  const market = createMarket({ seed: 1 });
  const solana = market.network("solana");
  const pools = solana === undefined ? [] : market.pools(solana, to);
  return pools.filter(({ createdAt }) => createdAt > from).map(({ id }) => id);
}

describe("pools search --follow", () => {
  test("--envelope has the time of the response and the age of its data", async () => {
    const { follow } = await service("edge-cache=90s");
    const out = path.join(createTestContext().home, "new.ndjson");
    const { exit, stderr } = await follow(`--created-after -3d --for 4m --envelope --out ${out}`);
    expect(exit).toBe(0);
    expect(stderr).toMatch(/^[\d,]+ new pools added to \/.*\/new\.ndjson$/mu);
    const rows = rowsOf(readFileSync(out, "utf8"));
    expect(rows.length).toBeGreaterThan(5);
    for (const { first_seen: seen, as_of: age, row } of rows) {
      const created = Date.parse(String(Object(row).created_at));
      expect(created).toBeLessThanOrEqual(Date.parse(String(age)));
      expect(Date.parse(String(age))).toBeLessThanOrEqual(Date.parse(String(seen)));
    }
  });

  test("prints each pool of the market once, with late pools, failures and a cache", async () => {
    const { follow, now } = await service("late-pools=12h:50%,500:2%,edge-cache=60s");
    const out = path.join(createTestContext().home, "new.ndjson");
    for (let runs = 0; runs < 2; runs += 1) {
      const { exit, stderr } = await follow(`--for 30m --out ${out}`);
      expect({ exit, stderr }).toMatchObject({ exit: 0 });
    }
    const rows = rowsOf(readFileSync(out, "utf8"));
    const ids = rows.map(({ id }) => String(id));
    expect(new Set(ids).size).toBe(ids.length);
    // The last pools may be late, and behind a cache, they come one read later.
    const wanted = createdBetween(start + hour, now() - 18 * hour);
    expect(wanted.length).toBeGreaterThan(6);
    expect(wanted.filter((id) => !ids.includes(id))).toEqual([]);
    expect(ids.filter((id) => !createdBetween(start - hour, now()).includes(id))).toEqual([]);
    expect(new Set(rows.map(({ liquidity_usd: depth }) => String(depth)))).toEqual(new Set(["0"]));
    const ages = rows.map(({ created_at: time }) => Date.parse(String(time)));
    expect(ages.toSorted((a, b) => a - b)).not.toEqual(ages);
  });

  test("shows on a terminal what it waits for, and how many pools it printed", async () => {
    const { follow } = await service();
    const { stderr } = await follow("--for 1m --no-strict");
    expect(stderr).toMatch(/^waiting for new pools; press Ctrl-C to stop\n/u);
    expect(stderr).toMatch(/^followed [\d,]+ new pools?$/mu);
    expect(await follow("--for 1m --no-strict -q")).toMatchObject({
      stderr: expect.not.stringContaining("Ctrl-C"),
    });
  });

  test.each(["--liquidity-usd-min 5", "--when liquidity_usd>5"])(
    "warns that young pools have no liquidity: %s",
    async (words) => {
      const { follow } = await service();
      const { stderr } = await follow(`--for 1m ${words} --no-strict`);
      expect(stderr).toContain(
        "warning: liquidity_usd is 0 for pools younger than about a week; use --volume",
      );
    },
  );

  test.each(["--sort asc", "--order-by txns_24h", "--all", "--created-before -1h", "--cursor x"])(
    "%s is refused before a request",
    async (words) => {
      const { follow, requests } = await service();
      expect((await follow(words)).exit).toBe(2);
      expect(requests.length).toBe(0);
    },
  );
});

test("pools search --follow --when prints a line for each matching pool; the other rows only go to --out", async () => {
  const { follow } = await service();
  const out = path.join(createTestContext().home, "new.ndjson");
  const words = `--created-after -3d --for 6m --out ${out} --state ${out}.state --when dex_id!=orca`;
  const { exit, stdout } = await follow(words);
  const rows = rowsOf(readFileSync(out, "utf8"));
  const matching = rows.filter(({ dex_id: dex }) => dex !== "orca");
  expect([exit, matching.length > 2, matching.length < rows.length]).toEqual([0, true, true]);
  const alerts = rowsOf(stdout);
  expect(alerts.map(({ row }) => row)).toEqual(matching);
  expect(alerts[0]).toMatchObject({
    alert: "match",
    condition: "dex_id!=orca",
    asset: `solana:${String(matching[0]?.["id"])}`,
    value: matching[0]?.["dex_id"],
  });
});

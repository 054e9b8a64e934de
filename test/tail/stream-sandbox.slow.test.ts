import { describe, expect, test } from "vitest";
import { parseFaults } from "../harness/bundled-sandbox.ts";
import { dexdata } from "../harness/dexdata.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { toRow } from "../harness/rows.ts";
import { listen } from "./stream-run.ts";

/** Speeds up the market's time, but not the connections' time. */
const begun = performance.now();
const at = (speed: number) => (): number => sandboxNow + (performance.now() - begun) * speed;
const faults = (text: string) => {
  const parsed = parseFaults(text);
  return parsed;
};
const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

describe("a running market", () => {
  const sandbox = useSandbox({ now: at(7200), credits: 10_000_000 });

  test("240 assets with a free key: ten connections, and every asset's updates arrive", async () => {
    const env = sandbox.env("free");
    // Only these: without a USD price there is nothing to update.
    const search = await dexdata(
      "tokens search ethereum --limit 240 --txns-24h-min 5 --price-usd-min 0.000000001 -o ndjson",
      { env },
    );
    expect(search.stdout.trim().split("\n").length).toBe(240);
    sandbox.takeLog();
    const running = listen(["-", "--envelope"], undefined, { env, stdin: search.stdout, speed: 1 });
    const heard = (): number => new Set(running.lines().map((line) => toRow(line)["address"])).size;
    while (heard() < 240) await new Promise((resolve) => setTimeout(resolve, 200));
    const { exit, stderr } = await running.interrupted();
    expect([exit, stderr]).toEqual([130, ""]);
    const opened = sandbox.takeLog();
    expect(opened.map(({ method, url, status }) => `${method} ${url} ${status}`)).toEqual(
      Array.from({ length: 10 }, () => "POST /sse/prices 200"),
    );
    // Each line belongs to the asset named in its envelope.
    for (const line of running.lines()) {
      const { address, data } = toRow(line);
      expect(data).toMatchObject({ address });
    }
  });
});

describe("a feed that the service does not have", () => {
  const sandbox = useSandbox();
  test("leads to the configured URL", async () => {
    const words = `stream ethereum:${weth} --feed reserves --limit 1 --error-format text`;
    const { exit, stderr } = await dexdata(words, { env: sandbox.env() });
    expect(exit).toBe(3);
    expect(stderr).toContain("/sse/reserves not found on ");
    expect(stderr).toContain("check the streaming URL: dexdata config list\n");
  });
});

describe("the public dialect", () => {
  const sandbox = useSandbox({ now: at(600), dialect: "public", credits: 1_000_000 });

  test.each([
    ["prices", `ethereum:${weth}`, "token_price"],
    ["transactions", `ethereum:${pool}`, "pool"],
    ["transactions --by token", `ethereum:${weth}`, "token"],
    ["ohlcv --interval 60s", `ethereum:${weth}`, "token_ohlcv"],
    ["reserves", `ethereum:${weth}`, "token_reserves"],
    ["reserves --by pool", `ethereum:${pool}`, "pool_reserves"],
  ])("--feed %s", async (feed, asset, event) => {
    const words = `${asset} --feed ${feed} --envelope --limit 3`;
    const { exit, stdout, stderr } = await listen(words, undefined, { env: sandbox.env("pro"), speed: 1 })
      .outcome;
    expect([exit, stderr]).toEqual([0, ""]);
    const rows = stdout.trim().split("\n").map(toRow);
    expect(rows.map((row) => row["event"])).toEqual([event, event, event]);
    expect(rows.map(({ network, address }) => `${String(network)}:${String(address)}`)).toEqual([
      asset,
      asset,
      asset,
    ]);
  });

  test("a token that is not indexed: 404 is exit 3", async () => {
    const running = listen("ethereum:0x000000000000000000000000000000000000dead --feed ohlcv", undefined, {
      env: sandbox.env("pro"),
      speed: 1,
    });
    const { exit, stderr } = await running.outcome;
    expect(exit).toBe(3);
    expect(stderr).toMatch(/^error: invalid asset ethereum:0x000000000000000000000000000000000000dead\n/u);
  });

  test("an asset of an unknown network gets a suggestion", async () => {
    const running = listen("eth:0x000000000000000000000000000000000000dead", undefined, {
      env: sandbox.env("pro"),
      speed: 1,
    });
    const { exit, stderr } = await running.outcome;
    expect(exit).toBe(2);
    expect(stderr).toBe(
      "error: invalid asset eth:0x000000000000000000000000000000000000dead\n" +
        "  service: unsupported chain: eth\n" +
        "  hint: did you mean ethereum?\n",
    );
  });

  test("without a key, reserves of a preview asset require a plan, not another asset: exit 4", async () => {
    const words = `stream ethereum:${weth} --feed reserves --limit 1 --error-format text`;
    const { exit, stderr } = await dexdata(words, { env: sandbox.env("keyless") });
    expect(exit).toBe(4);
    expect(stderr).toContain("error: stream --feed reserves requires a free plan or higher");
    expect(stderr).not.toContain("preview assets;");
  });

  test("without a key, an asset outside the preview: exit 4", async () => {
    const env = sandbox.env("keyless");
    const { exit, stderr } = await listen("ethereum:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", undefined, {
      env,
      speed: 1,
    }).outcome;
    expect(exit).toBe(4);
    expect(stderr).toMatch(/is limited to preview assets/u);
  });
});

describe("credits that run out in the stream", () => {
  const sandbox = useSandbox({ now: at(3600), credits: 12 });

  test("paid events are written, then exit 5", async () => {
    const running = listen(`ethereum:${weth}`, undefined, { env: sandbox.env("dev"), speed: 1 });
    const { exit, stdout, stderr } = await running.outcome;
    expect(exit).toBe(5);
    expect(stdout.trim().split("\n").length).toBe(12);
    expect(stderr).toMatch(/out of credits on the dev plan/u);
  });
});

describe("candles across interruptions", () => {
  const sandbox = useSandbox({
    now: at(60),
    credits: 1_000_000,
    faults: faults("stream-cut=4@1,stream-error=3@2"),
  });

  test("the stream resumes at its last candle: none is missing, none is repeated unchanged", async () => {
    const env = sandbox.env("pro");
    const words = (limit: number): string =>
      `ethereum:${weth} --feed ohlcv --interval 60s --since -14m --limit ${limit}`;
    const now = () => new Date(at(60)()).toISOString();
    const cut = await listen(words(12), undefined, { env, speed: 1, now: now() }).outcome;
    expect(cut.exit).toBe(0);
    expect(cut.stderr.match(/may be missing events from/gu)?.length).toBe(2);
    const seen = cut.stdout.trim().split("\n");
    const times = seen.map((line) => Number(toRow(line)["timestamp"]));
    expect(new Set(seen).size).toBe(12);
    const whole = await listen(words(12), undefined, { env, speed: 1, now: now() }).outcome;
    const present = whole.stdout
      .trim()
      .split("\n")
      .map((line) => Number(toRow(line)["timestamp"]));
    const [first, last] = [
      Math.max(Math.min(...times), Math.min(...present)),
      Math.min(Math.max(...times), Math.max(...present)),
    ];
    const between = (all: readonly number[]): readonly number[] =>
      [...new Set(all)].filter((time) => time >= first && time <= last).toSorted((a, b) => a - b);
    expect(between(times)).toEqual(between(present));
    expect(between(times).length).toBeGreaterThan(4);
  });
});

import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { binaryEnv, catchesHangUp, ended, program, start } from "../harness/binary.ts";
import { createMarket, parseFaults, startSandbox } from "../harness/bundled-sandbox.ts";
import { isLong } from "../harness/long.ts";
import { sandboxNow } from "../harness/sandbox.ts";
import { watch } from "../harness/soak.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { writtenRows } from "../tail/following.ts";

const folder = temporaryFolder();
const market = createMarket({ seed: 1 });
const pause = async (milliseconds: number): Promise<void> =>
  await new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The busiest pools of the largest networks, in turn. */
function poolsOf(count: number) {
  const lists = ["ethereum", "base", "solana"].map((id) => {
    const network = market.network(id);
    return network === undefined ? [] : market.pools(network, sandboxNow / 1000);
  });
  return Array.from({ length: count }, (_, index) => lists[index % 3]?.[Math.floor(index / 3)]).filter(
    (pool) => pool !== undefined,
  );
}

interface Market {
  readonly name: string;
  readonly pools: number;
  readonly speed: number;
  readonly faults?: string;
  readonly rpm?: number;
  /** The public service has seven days of rows only. */
  readonly dialect?: "spec" | "public";
}

/** A real service, a list of pools and an empty directory. */
async function openMarket({ name, pools: count, speed, faults, rpm = 3000, dialect = "public" }: Market) {
  const below = path.join(folder, name);
  mkdirSync(below);
  const pools = poolsOf(count);
  const list = path.join(below, "pools.txt");
  writeFileSync(list, pools.map(({ id, network }) => `${network.id}:${id}\n`).join(""));
  const began = performance.now();
  const elapsed = (): number => performance.now() - began;
  const now = (): number => sandboxNow + elapsed() * speed;
  const parsed = faults === undefined ? [] : parseFaults(faults);
  const log: { readonly at: number; readonly target: string; readonly status: number }[] = [];
  const sandbox = await startSandbox({
    now,
    elapsed,
    dialect,
    faults: parsed,
    requestsPerMinute: rpm,
    log: ({ url: target, status }) => log.push({ at: elapsed(), target, status }),
  });
  const env = {
    DEXDATA_PRO_BASE_URL: sandbox.restPaid,
    DEXDATA_API_KEY: sandbox.keys.pro,
    DEXDATA_TIER: "pro",
  };
  const rows = (): readonly string[] =>
    readdirSync(below, { recursive: true, encoding: "utf8" })
      .filter((each) => each.endsWith(".ndjson"))
      .flatMap((each) => writtenRows(readFileSync(path.join(below, each), "utf8")));
  return {
    pools,
    list,
    log,
    now,
    elapsed,
    close: sandbox.close,
    begin: (words: string): ChildProcessWithoutNullStreams =>
      start(
        ["txns", `@${list}`, "--follow", "--rpm", String(rpm), ...words.replaceAll("OUT", below).split(" ")],
        env,
      ),
    /**
     * Waits until the files contain every row of this time, however long a busy machine needs for it, and fails if one is
     * still missing when no row has come for 150 s. Returns the number of rows.
     */
    complete: async (from: number, to: number): Promise<number> => {
      const window = {
        from: Math.ceil(from / 1000),
        to: Math.floor(to / 1000),
        limit: Number.POSITIVE_INFINITY,
      };
      const wanted = pools.flatMap((pool) =>
        market
          .transactions(pool, window)
          .map(({ id, logIndex, time }) => ({ row: `${id} ${logIndex}`, time, pool: pool.id })),
      );
      let [missing, since] = [wanted, elapsed()];
      while (missing.length > 0 && elapsed() - since < 150_000) {
        await pause(isLong ? 4000 : 1000);
        const written = new Set(rows());
        const left = wanted.filter(({ row }) => !written.has(row));
        if (left.length < missing.length) since = elapsed();
        missing = left;
      }
      // One pool that is no longer read is another fault than a few rows of many pools.
      const missingOf = (pool: string) => missing.filter((each) => each.pool === pool);
      expect(
        pools
          .map(({ id }) => missingOf(id))
          .flatMap(([first, ...more]) => (first ? [[first, more.length]] : [])),
      ).toEqual([]);
      return wanted.length;
    },
    /** Returns the number of rows. */
    expectNoRepeats: (): number => {
      const written = rows();
      expect(written.length - new Set(written).size).toBe(0);
      return written.length;
    },
  };
}

const hour = 3_600_000;
const from = `--from ${sandboxNow / 1000 - 3600}`;

test.each(["{network}/{pool}/{date}.ndjson", "swaps-{date}.ndjson"])(
  "a collector that is killed again and again writes each row of each pool once: %s",
  async (name) => {
    const faults = "late-rows=30s:5%,500:1%,503:1%,429=1:1%";
    const [pools, kills] = isLong ? [100, 50] : [12, 3];
    const service = await openMarket({ name: `kills-${name.length}`, pools, speed: 60, faults });
    const words = `${from} --poll 5s -q --out OUT/${name}`;
    const all = readFileSync(service.list, "utf8");
    for (let kill = 0; kill < kills; kill += 1) {
      const child = service.begin(words);
      // SIGHUP ends a program that has not started yet.
      const end = ended(child);
      // Three runs lose their first pool and get it back.
      if (kill % Math.ceil(kills / 3) === 1) {
        for (const list of [all.slice(all.indexOf("\n") + 1), all]) {
          await pause(isLong ? 1500 : 700);
          writeFileSync(service.list, list);
          child.kill("SIGHUP");
        }
      }
      // The first rows come after about 300 ms.
      await pause(300 + ((kill * 997) % (isLong ? 4000 : 1500)));
      child.kill("SIGKILL");
      await end;
    }
    const before = service.log.length;
    const child = service.begin(words);
    const rows = await service.complete(sandboxNow - hour, service.now() - 5 * 60_000);
    child.kill("SIGTERM");
    expect((await ended(child)).exit).toBe(143);
    service.expectNoRepeats();
    console.log(`${name}: ${kills} kills, ${rows} rows, last run ${service.log.length - before} requests`);
    await service.close();
  },
  isLong ? 900_000 : 90_000,
);

test.each(["", ",edge-cache=60s"])(
  "a collector of a service that fails and lists rows late writes each row once%s",
  async (cache) => {
    const faults = `late-rows=90s:2%,429=1:1%,500:1%,503:1%${cache}`;
    const service = await openMarket({
      name: `faults${cache.length}`,
      pools: isLong ? 100 : 10,
      speed: 60,
      faults,
    });
    const child = service.begin(`${from} --poll ${isLong ? "1m" : "5s"} -q --out OUT/{date}.ndjson`);
    await pause(isLong ? 480_000 : 3000);
    const rows = await service.complete(sandboxNow - hour, service.now() - 5 * 60_000);
    child.kill("SIGTERM");
    expect((await ended(child)).exit).toBe(143);
    service.expectNoRepeats();
    console.log(`${faults}: ${rows} rows, ${service.log.length} requests`);
    await service.close();
  },
  isLong ? 900_000 : 90_000,
);

test("a SIGHUP before the list is first read is remembered, and does not end the collector", async () => {
  const service = await openMarket({ name: "early", pools: 2, speed: 1 });
  const all = readFileSync(service.list, "utf8");
  rmSync(service.list);
  execFileSync("mkfifo", [service.list]);
  const child = service.begin("--poll 5s --for 3s --out OUT/rows.ndjson");
  const ending = ended(child);
  while (!catchesHangUp(child.pid ?? 0)) await pause(10);
  child.kill("SIGHUP");
  const writer = await open(service.list, "w");
  rmSync(service.list);
  writeFileSync(service.list, all);
  await writer.writeFile(all.slice(all.indexOf("\n") + 1));
  await writer.close();
  const { exit, stderr } = await ending;
  expect([exit, stderr]).toEqual([0, expect.stringContaining("list reloaded: 2 pools, 1 new, 0 removed")]);
  await service.close();
});

/** Follows without faults for this long, and observes the process sixty times. */
async function collect(options: Market, minutes: number, poll: number) {
  const service = await openMarket(options);
  const child = service.begin(`--poll ${poll}s --for ${minutes * 60}s --out OUT/swaps-{date}.ndjson`);
  const seen: ReturnType<typeof watch>[] = [];
  const look = (): void => {
    const now = watch(child.pid ?? 0);
    // A process that has ended, but whose exit is not known here yet, has neither memory nor descriptors.
    if (Number.isFinite(now.megabytes)) seen.push(now);
  };
  const timer = setInterval(look, (minutes * 60_000) / 60.5);
  child.once("exit", () => clearInterval(timer));
  const { exit, stderr } = await ended(child, minutes * 60_000 + 30_000);
  expect({ exit, stderr }).toMatchObject({ exit: 0 });
  expect(seen.length).toBeGreaterThan(50);
  const rows = service.expectNoRepeats();
  await service.close();
  const ofThirds = (of: "megabytes" | "descriptors", choose: typeof Math.max) =>
    [0, 20, 40].map((first) => choose(...seen.slice(first, first + 20).map((each) => each[of])));
  const refused = service.log.filter(({ status }) => status === 429).length;
  const computed = (options.pools * minutes * 60) / poll;
  const peak = Math.max(...seen.map(({ peakMegabytes }) => peakMegabytes));
  const [thirds, files] = [ofThirds("megabytes", Math.max), ofThirds("descriptors", Math.min)];
  console.log(
    `${options.name}: ${rows} rows, ${service.log.length} requests (${computed} computed), ${refused} refused, peak ${peak} MB, ` +
      `thirds ${thirds.join(" ")} MB, ${files.join(" ")} descriptors, ` +
      `${seen.at(-1)?.processor} s of processor time`,
  );
  expect(refused).toBe(0);
  // Up to 50 connections are open while many pools are due, on a busy machine also in every sample of a third. A leak would
  // be one with each of its hundreds of reads.
  expect(files[2]).toBeLessThanOrEqual((files[1] ?? 0) + 50);
  return { requests: service.log.length, computed, peak, thirds };
}

/** How often V8 collects the young values is independent of the load of the machine. */
test("a collector of 10,000 pools that starts is not kept busy by collections of garbage", async () => {
  const list = path.join(folder, "10000.txt");
  const address = (_: unknown, index: number): string => `base:0x${index.toString(16).padStart(40, "0")}\n`;
  writeFileSync(list, Array.from({ length: 10_000 }, address).join(""));
  const words = ["txns", `@${list}`, "--follow", "--poll", "1h", "--rpm", "unlimited"];
  const env = binaryEnv({
    DEXDATA_PRO_BASE_URL: "http://127.0.0.1:9",
    DEXDATA_API_KEY: "api_pro_sandbox",
    DEXDATA_TIER: "pro",
  });
  const child = spawn(process.execPath, ["--trace-gc", program, ...words], { env, stdio: "pipe" });
  child.stderr.once("data", () => child.kill("SIGTERM"));
  const { exit, stdout } = await ended(child, 120_000);
  expect(exit).toBe(143);
  expect(stdout.toString().split("Scavenge").length).toBeLessThan(300);
}, 130_000);

test("a collector of 100 pools sends the requests that it announces", async () => {
  const [minutes, poll] = isLong ? [30, 60] : [0.25, 5];
  const service = { name: "requests", pools: 100, speed: 1, rpm: 3000 };
  const { requests, computed, peak } = await collect(service, minutes, poll);
  // The start takes a request for each pool, which is a large part of a short run.
  expect(requests).toBeLessThanOrEqual(computed * (isLong ? 1.05 : 1) + (isLong ? 0 : 200));
  expect(peak).toBeLessThan(150);
}, 2_000_000);

test.each([
  [100, 150],
  [isLong ? 2500 : 300, 250],
])(
  "the memory of a collector of %d pools stays below %d MB, and flat for an hour of the market",
  async (pools, megabytes) => {
    // The first minute reads every pool for the first time, and the long form goes on for an hour at ten times the speed.
    const [minutes, poll] = isLong ? [7, 60] : [0.25, 5];
    const service = { name: `memory-${pools}`, pools, speed: 10, rpm: 6000 };
    const { peak, thirds } = await collect(service, minutes, poll);
    expect(peak).toBeLessThanOrEqual(megabytes);
    if (isLong) expect(thirds[2]).toBeLessThanOrEqual((thirds[1] ?? 0) * 1.05);
  },
  600_000,
);

test("a long history of a new pool does not delay the others", async () => {
  const [minutes, poll, pools] = isLong ? [6, 60, 100] : [0.2, 5, 20];
  const rpm = isLong ? 500 : 600;
  const service = await openMarket({ name: "backfill", pools, speed: 1, rpm, dialect: "spec" });
  const words = `--poll ${poll}s -q --out OUT/rows.ndjson --from ${sandboxNow / 1000 - (isLong ? 300 : 20) * 3600}`;
  const all = readFileSync(service.list, "utf8");
  // The others have no end yet either, so their first run begins now.
  writeFileSync(service.list, all.split("\n").slice(1).join("\n"));
  await ended(service.begin(`${words.replace(/ --from .*/u, "")} --for ${poll + 3}s`), 120_000);
  writeFileSync(service.list, all);
  service.log.length = 0;
  await ended(service.begin(`${words} --for ${minutes * 60}s`), minutes * 60_000 + 60_000);
  const [busy] = service.pools;
  const times = new Map<string, number[]>();
  for (const { at, target } of service.log) {
    const pool = /pools\/([^/]+)\//u.exec(target)?.[1] ?? "";
    if (pool === busy?.id) continue;
    times.set(pool, [...(times.get(pool) ?? []), at]);
  }
  const gaps = [...times.values()]
    .flatMap((list) => list.slice(1).map((at, index) => at - (list[index] ?? 0)))
    .toSorted((a, b) => a - b);
  const p99 = gaps[Math.floor(gaps.length * 0.99)] ?? 0;
  const ofBusy = service.log.length - gaps.length - times.size;
  console.log(`p99 of the time between reads: ${p99} ms; ${ofBusy} requests for the busy pool`);
  expect(ofBusy).toBeGreaterThan(20);
  expect(p99).toBeLessThan(poll * 1000 + 5000);
  await service.close();
}, 900_000);

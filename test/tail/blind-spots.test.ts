import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { excess, gapsOf, lostEvents, numbersIn, unreported } from "../harness/blind-spots.ts";
import { eventText, type LiveHost, type LiveOptions, startLiveHost } from "../harness/live-host.ts";
import { createRandom } from "../harness/random.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext } from "../harness/test-context.ts";
import { run } from "../harness/dexdata.ts";

const folder = temporaryFolder();
const hosts: LiveHost[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});
let files = 0;
const newFile = (): string => path.join(folder, String((files += 1)));
const many = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `base:0x${(index + 1).toString(16).padStart(40, "0")}`);

/** Runs the stream against a host; both live on the test's clock, on which a second takes about 50 ms. */
async function begin(words: readonly string[], options: Partial<LiveOptions> = {}) {
  const context = createTestContext({ flows: true, speed: 20 });
  const { clock } = context;
  const host = await startLiveHost({ clock, random: createRandom(1), every: () => 200, ...options });
  hosts.push(host);
  const log = newFile();
  const env = { DEXDATA_TIMEOUT: "24h", DEXDATA_STREAMING_URL: host.url };
  Object.assign(context.env, env);
  const typed = ["stream", "--error-format", "text", "--events", log, ...words];
  let isOver = false;
  const outcome = run(typed, context).finally(() => (isOver = true));
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) {
      if (isOver) throw new Error(`the run is over: ${context.stderrText()}`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  const started = clock.now();
  return {
    context,
    host,
    clock,
    outcome,
    until,
    sleep: async (milliseconds: number) => await clock.sleep(milliseconds),
    /** The first connections are open, and events have arrived. */
    steady: async () => {
      await until(() => context.stdoutText().includes("\n"));
      await clock.sleep(3000);
    },
    reopened: async (count: number) => await until(() => host.connections.length === count),
    gaps: () => gapsOf(readFileSync(log, "utf8")),
    /** What was lost until this moment, after a second in which everything that was sent arrives. */
    heard: async (end = clock.now()) => {
      await clock.sleep(1000);
      const delivered = numbersIn(context.stdoutText());
      const asked = (asset: string) => {
        const opened = host.connections.find(({ assets }) => assets.includes(asset))?.openedAt ?? started;
        return { from: opened, until: end };
      };
      return { host, delivered, gaps: gapsOf(readFileSync(log, "utf8")), asked };
    },
    stop: async () => {
      context.interrupt({ cause: "SIGTERM" });
      return await outcome;
    },
  };
}

type Run = Awaited<ReturnType<typeof begin>>;

async function expectAllReported(running: Run, end?: number): Promise<number> {
  const heard = await running.heard(end);
  const lost = lostEvents(heard);
  expect(unreported(heard)).toEqual([]);
  for (const beyond of excess(heard)) expect(beyond).toBeLessThanOrEqual(2000);
  return lost.length;
}

/** More than the queue of a connection and the buffers of its socket hold in the time of a test. */
const flood = { every: () => 2 };

describe("T2: a gap begins when the connection was last up to date", () => {
  test("the reader of the output was paused, then the connection was cut", async () => {
    const running = await begin([...many(3)], flood);
    await running.steady();
    const resume = running.context.stdout.stall();
    await running.sleep(8000);
    resume();
    running.host.connections[0]?.cut();
    await running.reopened(2);
    await running.sleep(3000);
    // How much of the backlog still arrived cannot be known, so the gap covers all of it.
    const heard = await running.heard();
    expect(unreported(heard)).toEqual([]);
    expect(lostEvents(heard).length).toBeGreaterThan(500);
    await running.stop();
  });

  test("the list of assets was reloaded behind a backlog", async () => {
    const list = newFile();
    writeFileSync(list, many(3).join("\n"));
    const running = await begin([`@${list}`], flood);
    await running.steady();
    const resume = running.context.stdout.stall();
    await running.sleep(8000);
    writeFileSync(list, many(2).join("\n"));
    running.context.reload();
    await running.until(() => running.context.stderrText().includes("reloaded"));
    const reloaded = running.clock.now();
    resume();
    await running.reopened(2);
    await running.sleep(3000);
    const heard = await running.heard();
    const [, , removed = ""] = many(3);
    const asked = (asset: string) =>
      asset === removed ? { ...heard.asked(asset), until: reloaded } : heard.asked(asset);
    expect(lostEvents({ ...heard, asked }).filter(({ asset }) => asset === removed).length).toBeGreaterThan(
      100,
    );
    expect(unreported({ ...heard, asked })).toEqual([]);
    await running.stop();
  });

  test("the path was dead for 35 s, then the list was reloaded", async () => {
    const list = newFile();
    writeFileSync(list, many(3).join("\n"));
    const running = await begin([`@${list}`]);
    await running.steady();
    running.host.connections[0]?.breakPath();
    await running.sleep(35_000);
    writeFileSync(list, many(4).join("\n"));
    running.context.reload();
    await running.reopened(2);
    await running.sleep(3000);
    expect(await expectAllReported(running)).toBeGreaterThan(100);
    await running.stop();
  });

  test("an error ended a connection that had been silent for 30 s", async () => {
    const running = await begin([...many(3)]);
    await running.steady();
    running.host.connections[0]?.freeze();
    await running.sleep(30_000);
    running.host.connections[0]?.send('event: error\ndata: {"message":"overloaded"}\n\n');
    await running.reopened(2);
    await running.sleep(3000);
    expect(await expectAllReported(running)).toBeGreaterThan(100);
    await running.stop();
  });

  test("the process was suspended for 8 s, then the connection was cut", async () => {
    const running = await begin([...many(3)]);
    await running.steady();
    const [connection] = running.host.connections;
    connection?.freeze();
    running.clock.advance(8000);
    // When the process continues, it first reads what the system has kept.
    connection?.send(eventText(many(3)[0] ?? "", -1, 0, 0));
    await running.until(() => running.context.stdoutText().includes('"number":-1'));
    connection?.cut();
    await running.reopened(2);
    await running.sleep(3000);
    expect(await expectAllReported(running)).toBeGreaterThan(10);
    await running.stop();
  });

  test("comments of a proxy do not keep a connection up to date", async () => {
    const running = await begin([...many(3)]);
    await running.steady();
    const [connection] = running.host.connections;
    connection?.freeze();
    for (let second = 0; second < 30; second += 1) {
      await running.sleep(1000);
      connection?.send(": keep-alive\n\n");
    }
    connection?.cut();
    await running.reopened(2);
    await running.sleep(3000);
    expect(await expectAllReported(running)).toBeGreaterThan(100);
    await running.stop();
  });
});

describe("T3: an end finds connections that were blind", () => {
  test.each([
    ["--for", ["--for", "50s"], 8],
    ["SIGTERM", [], 143],
  ] as const)("%s after 40 s without a byte", async (_, flags, exit) => {
    const running = await begin([...many(3), ...flags]);
    await running.steady();
    running.host.connections[0]?.breakPath();
    const end = running.clock.now() + 35_000;
    if (exit === 143) await running.sleep(40_000);
    const outcome = await (exit === 143 ? running.stop() : running.outcome);
    expect(outcome.exit).toBe(exit);
    expect(outcome.stderr).toMatch(/may be missing events from .* \(no data for \d\ds, not even a ping\)\n/u);
    expect(await expectAllReported(running, end)).toBeGreaterThan(100);
  });

  test("a connection with pings is not blind, however quiet its assets are", async () => {
    const running = await begin([...many(1), "--for", "60s"], { every: () => 1e9 });
    const outcome = await running.outcome;
    expect([outcome.exit, outcome.stderr]).toEqual([0, ""]);
  });
});

test("T6: a clock that was set back: the gap is ordered, covers both readings, and says so", async () => {
  const running = await begin([...many(3)]);
  await running.steady();
  const before = running.clock.now();
  running.clock.setNow(before - 3_600_000);
  await running.reopened(2);
  await running.sleep(1000);
  const [gap] = running.gaps();
  expect(gap?.from).toBeLessThanOrEqual(before - 3_600_000);
  expect(gap?.to).toBeGreaterThanOrEqual(before);
  const { stdout, stderr } = await running.stop();
  expect([stdout === "", stderr]).toEqual([false, expect.stringContaining("clock was set back by 1h")]);
});

test("T7: an asset that a reload removes while its connection is down has its gap", async () => {
  const list = newFile();
  writeFileSync(list, many(3).join("\n"));
  let isDown = false;
  const refuse = () => (isDown ? { status: 503, type: "text/plain", body: "" } : undefined);
  const running = await begin([`@${list}`], { refuse });
  await running.steady();
  isDown = true;
  running.host.connections[0]?.cut();
  await running.sleep(10_000);
  writeFileSync(list, many(2).join("\n"));
  running.context.reload();
  await running.until(() => running.context.stderrText().includes("reloaded"));
  const reloaded = running.clock.now();
  isDown = false;
  await running.reopened(2);
  await running.sleep(3000);
  const heard = await running.heard();
  const [, , removed = ""] = many(3);
  const asked = (asset: string) =>
    asset === removed ? { ...heard.asked(asset), until: reloaded } : heard.asked(asset);
  expect(lostEvents({ ...heard, asked }).filter(({ asset }) => asset === removed).length).toBeGreaterThan(20);
  expect(unreported({ ...heard, asked })).toEqual([]);
  await running.stop();
});

describe("T1: whose an event is", () => {
  const assetsOf = (lines: string): readonly string[] =>
    lines
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .filter(({ network, address, data }) => `${network}:${address}` !== `${data.chain}:${data.address}`);

  test("a service that leaves out an entry and renumbers the rest: 0 events under another asset", async () => {
    const [first = ""] = many(3);
    const entries = (assets: readonly string[]) => assets.filter((asset) => asset !== first);
    const pattern = path.join(folder, "left-out-{token}.ndjson");
    const running = await begin([...many(3), "--envelope", "--limit", "60"], { entries });
    const { exit, stdout, stderr } = await running.outcome;
    expect([exit, stderr, assetsOf(stdout)]).toEqual([0, "", []]);
    const filed = await begin([...many(3), "--out", pattern, "--limit", "60"], { entries });
    expect((await filed.outcome).exit).toBe(0);
    for (const asset of many(3).slice(1)) {
      const [, address = ""] = asset.split(":");
      const rows = readFileSync(pattern.replace("{token}", address), "utf8").trim().split("\n");
      expect(new Set(rows.map((row) => JSON.parse(row).address))).toEqual(new Set([address]));
    }
  });

  test("an event of another asset has no name, is in no asset's file, and is counted", async () => {
    const [own = "", other = ""] = many(2);
    const pattern = path.join(folder, "foreign-{token}.ndjson");
    const running = await begin([own, "--envelope", "--out", pattern]);
    await running.until(() => running.host.connections.length === 1);
    for (let sent = 0; sent < 5; sent += 1)
      running.host.connections[0]?.send(eventText(other, -1 - sent, running.clock.now(), 0));
    await running.sleep(3000);
    const { stdout, stderr } = await running.stop();
    const [, address = ""] = own.split(":");
    const rows = readFileSync(pattern.replace("{token}", address), "utf8");
    expect([stdout, assetsOf(rows), rows.includes(other.slice(5))]).toEqual(["", [], false]);
    const foreign = readFileSync(pattern.replace("{token}", other.slice(5)), "utf8")
      .trim()
      .split("\n");
    expect(
      foreign.map((row) => JSON.parse(row)).map(({ address: named, data }) => [named, data.number]),
    ).toEqual([-1, -2, -3, -4, -5].map((number) => [undefined, number]));
    const said = (count: string): string =>
      `warning: connection 1 sent an event of ${other}, which it was not asked for; ${count} so far\n`;
    expect(stderr).toBe(said("1 such event") + said("2 such events") + said("4 such events"));
  });
});

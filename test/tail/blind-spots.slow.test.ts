import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { excess, gapsOf, lostEvents, numbersIn, unreported } from "../harness/blind-spots.ts";
import {
  eventText,
  type LiveHost,
  type LiveOptions,
  page,
  type Refusal,
  startLiveHost,
} from "../harness/live-host.ts";
import { createRandom } from "../harness/random.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext } from "../harness/test-context.ts";
import { run } from "../harness/dexdata.ts";
import { logged } from "./stream-run.ts";

const folder = temporaryFolder();
const hosts: LiveHost[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});
let files = 0;
const newFile = (): string => path.join(folder, String((files += 1)));
const many = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `base:0x${(index + 1).toString(16).padStart(40, "0")}`);

/** Runs the stream against a host; both live on the test's clock, on which a second takes about 25 ms. */
async function begin(
  words: readonly string[],
  {
    env: more = {},
    speed = 40,
    ...options
  }: Partial<LiveOptions> & {
    readonly env?: Readonly<Record<string, string>>;
    /** Milliseconds of the test's clock in about one of real time. */
    readonly speed?: number;
  } = {},
) {
  const context = createTestContext({ flows: true, speed });
  const { clock } = context;
  const host = await startLiveHost({ clock, random: createRandom(1), every: () => 200, ...options });
  hosts.push(host);
  const log = newFile();
  const env = {
    DEXDATA_STREAMING_URL: host.url,
    DEXDATA_STREAMING_PRO_URL: host.url,
    ...more,
  };
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
    logged: () => logged(log),
    /** What was lost until this moment, after a second in which everything that was sent arrives. */
    heard: async (end = clock.now()) => {
      await clock.sleep(1000);
      const delivered = numbersIn(context.stdoutText());
      const isAsked = (asset: string, at: number): boolean => {
        const opened = host.connections.find(({ assets }) => assets.includes(asset))?.openedAt ?? started;
        return at >= opened && at < end;
      };
      return { host, delivered, gaps: gapsOf(readFileSync(log, "utf8")), isAsked };
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
  for (const { beyond } of excess(heard)) expect(beyond).toBeLessThanOrEqual(2000);
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
    // Not the time when the test sees the message: on a busy machine, that is after the assets were removed.
    const reloaded = running.clock.now();
    running.context.reload();
    await running.until(() => running.context.stderrText().includes("reloaded"));
    resume();
    await running.reopened(2);
    await running.sleep(3000);
    const heard = await running.heard();
    const [, , removed = ""] = many(3);
    const isAsked = (asset: string, at: number): boolean =>
      heard.isAsked(asset, at) && (asset !== removed || at < reloaded);
    expect(lostEvents({ ...heard, isAsked }).filter(({ asset }) => asset === removed).length).toBeGreaterThan(
      100,
    );
    expect(unreported({ ...heard, isAsked })).toEqual([]);
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

  test("the process was stopped for 8 s, and ended before it had read what had arrived", async () => {
    const running = await begin([...many(3)]);
    await running.steady();
    const [connection] = running.host.connections;
    connection?.freeze();
    running.clock.advance(8000);
    connection?.send(eventText(many(3)[0] ?? "", -1, 0, 0));
    await running.until(() => running.context.stdoutText().includes('"number":-1'));
    const end = running.clock.now();
    const outcome = await running.stop();
    expect(outcome.stderr).toMatch(
      /may be missing events from .* \(this process or this machine was stopped/u,
    );
    expect(await expectAllReported(running, end)).toBeGreaterThan(10);
  });

  test("a connection with pings is not blind, however quiet its assets are", async () => {
    const running = await begin([...many(1), "--for", "60s"], { every: () => 1e9, speed: 100 });
    const outcome = await running.outcome;
    expect([outcome.exit, outcome.stderr]).toEqual([0, ""]);
  });
});

test("T6: a clock that was set back: the gap is ordered, covers both readings, and is marked", async () => {
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
  // Not the time when the test sees the message: on a busy machine, that is after the asset was removed.
  const reloaded = running.clock.now();
  running.context.reload();
  await running.until(() => running.context.stderrText().includes("reloaded"));
  isDown = false;
  await running.reopened(2);
  await running.sleep(3000);
  const heard = await running.heard();
  const [, , removed = ""] = many(3);
  const isAsked = (asset: string, at: number): boolean =>
    heard.isAsked(asset, at) && (asset !== removed || at < reloaded);
  expect(lostEvents({ ...heard, isAsked }).filter(({ asset }) => asset === removed).length).toBeGreaterThan(
    20,
  );
  expect(unreported({ ...heard, isAsked })).toEqual([]);
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
      `warning: connection 1 sent an event of ${other}, which was not requested; ${count} so far\n`;
    expect(stderr).toBe(said("1 such event") + said("2 such events") + said("4 such events"));
  });
});

const refusal = (status: number, message: string): Refusal => ({
  status,
  type: "application/json",
  body: JSON.stringify({ message }),
});

describe("T4: what is permanent, and what is an intermediary's", () => {
  test.each([400, 401, 402, 403, 404, 405, 407, 410])(
    "a page with HTTP %i at a reconnect is retried",
    async (status) => {
      let answers = 0;
      const refuse = (_: unknown, index: number) =>
        index > 0 && (answers += 1) <= 3 ? page(status) : undefined;
      const running = await begin([...many(3)], { refuse, speed: 80 });
      await running.steady();
      running.host.connections[0]?.cut();
      await running.reopened(2);
      await running.sleep(1000);
      expect(running.host.requests()).toBe(5);
      expect(await expectAllReported(running)).toBeGreaterThan(10);
      expect((await running.stop()).exit).toBe(143);
    },
  );

  test.each([400, 401, 402, 403, 404, 405, 410])(
    "pages with HTTP %i until --max-reconnects end the run like an outage, and say nothing about the key or the assets",
    async (status) => {
      const refuse = (_: unknown, index: number) => (index > 0 ? page(status) : undefined);
      const running = await begin([...many(3), "--max-reconnects", "2"], { refuse, speed: 80 });
      await running.steady();
      running.host.connections[0]?.cut();
      const { exit, stderr } = await running.outcome;
      expect([exit, running.host.requests()]).toEqual([7, 3]);
      expect(stderr).toContain(
        `error: a load balancer or proxy responded with an error page (HTTP ${status})\n`,
      );
    },
  );

  test("100 connections, one of them gets HTML pages for 60 s: the other 99 are unaffected", async () => {
    let isPaged = false;
    const words = [...many(100), "--feed", "reserves"];
    const refuse = (assets: readonly string[]) =>
      isPaged && assets.includes(many(1)[0] ?? "") ? page(404) : undefined;
    const running = await begin(words, {
      refuse,
      speed: 80,
      every: () => 3000,
      env: { DEXDATA_API_KEY: "api_pro_1", DEXDATA_TIER: "pro" },
      event: "token_reserves",
    });
    await running.until(() => running.host.open().length === 100);
    isPaged = true;
    running.host.connections.find(({ assets }) => assets.includes(many(1)[0] ?? ""))?.cut();
    await running.sleep(60_000);
    isPaged = false;
    await running.until(() => running.host.open().length === 100);
    expect(running.host.connections.length).toBe(101);
    expect((await running.stop()).exit).toBe(143);
  });

  test("--on-invalid drop: sound assets are not skipped because of a page", async () => {
    let isPaged = false;
    const running = await begin([...many(4), "--on-invalid", "drop"], {
      speed: 80,
      refuse: (_, index) =>
        isPaged ? (index === 1 ? refusal(400, "one asset is invalid") : page(404)) : undefined,
    });
    await running.steady();
    isPaged = true;
    running.host.connections[0]?.cut();
    await running.sleep(20_000);
    isPaged = false;
    await running.until(() => running.host.open().some(({ assets }) => assets.length === 4));
    expect((await running.stop()).stderr).not.toContain("skipped");
  });

  test("one passing `token not found` ends nothing, if no asset is at fault", async () => {
    const running = await begin([...many(4)]);
    await running.steady();
    running.host.connections[0]?.send('event: error\ndata: {"message":"token not found"}\n\n');
    await running.until(() => running.host.open().some(({ assets }) => assets.length === 4));
    await running.sleep(3000);
    const { exit, stderr } = await running.stop();
    expect([exit, stderr.includes("skipped")]).toEqual([143, false]);
  });

  test("an asset that had an event is refused once without its name: it stays", async () => {
    const running = await begin([...many(1), "--on-invalid", "fail"], {
      refuse: (_, index) => (index === 1 ? refusal(404, "not found in the token index") : undefined),
    });
    await running.steady();
    running.host.connections[0]?.cut();
    await running.until(() => running.host.open().length === 1 && running.host.requests() >= 3);
    expect((await running.stop()).exit).toBe(143);
  });

  test("a rejection in the service's form that finds no asset is given up after a few searches", async () => {
    const running = await begin([...many(2)], {
      speed: 80,
      refuse: (assets, index) => (index > 0 && assets.length === 2 ? refusal(400, "no") : undefined),
    });
    await running.steady();
    running.host.connections[0]?.cut();
    const { exit, stderr } = await running.outcome;
    expect([exit, stderr]).toEqual([2, expect.stringContaining("error: the service rejected the stream")]);
    expect(stderr.match(/; reconnecting in /gu)?.length).toBe(2);
  });
});

describe("T5: what a reload may end", () => {
  test("an asset added 20 minutes after the start of a replay: its connection starts as early as it can", async () => {
    const list = newFile();
    writeFileSync(list, many(1).join("\n"));
    const seen: (readonly [number, number])[] = [];
    const running = await begin([`@${list}`, "--feed", "ohlcv", "--since", "-5m"], {
      env: { DEXDATA_API_KEY: "api_pro_1", DEXDATA_TIER: "pro" },
      event: "token_ohlcv",
      query: (query, now) => seen.push([Number(query.get("since")), now]),
      every: () => 1000,
    });
    await running.until(() => running.host.open().length === 1);
    await running.sleep(20_000);
    running.clock.advance(1_200_000);
    writeFileSync(list, many(2).join("\n"));
    running.context.reload();
    await running.until(() => running.host.connections.some(({ assets }) => assets[0] === many(2)[1]));
    const [since = 0, now = 0] = seen.at(-1) ?? [];
    expect(since).toBeGreaterThan(0);
    expect(since).toBeGreaterThanOrEqual(now / 1000 - 900);
    expect((await running.stop()).exit).toBe(143);
  });

  test("a refusal of a parameter names no asset", async () => {
    const running = await begin([...many(2)], {
      refuse: () => ({
        status: 400,
        type: "application/json",
        body: JSON.stringify({ error: "invalid_param", message: "limit: no", param: "window" }),
      }),
    });
    const { exit, stderr } = await running.outcome;
    expect([exit, running.host.requests()]).toEqual([2, 1]);
    expect(stderr).not.toContain("invalid asset");
  });

  test.each([
    "base:0x0000000000000000000000000000000000000bad",
    "nosuch:0x0000000000000000000000000000000000000001",
  ])("%s in a new list is refused alone, and no sound connection is given up for it", async (bad) => {
    const list = newFile();
    writeFileSync(list, many(3).join("\n"));
    const running = await begin([`@${list}`], {
      refuse: (assets) => (assets.includes(bad) ? refusal(400, "one asset is invalid") : undefined),
    });
    await running.steady();
    writeFileSync(list, [...many(3), bad].join("\n"));
    running.context.reload();
    await running.until(() => running.context.stderrText().includes("reloaded"));
    await running.sleep(3000);
    expect([running.host.connections.length, running.host.requests()]).toEqual([1, 2]);
    writeFileSync(list, [...many(5), bad].join("\n"));
    running.context.reload();
    await running.until(() => running.host.open().some(({ assets }) => assets.length === 5));
    const { exit, stderr } = await running.stop();
    expect([exit, stderr]).toEqual([
      143,
      expect.stringContaining(`warning: skipped asset ${bad} (one asset is invalid)\n`),
    ]);
    expect(stderr).toContain("asset list reloaded: 3 assets\n");
  });

  test("a half-written address in a new list is rejected alone, and never sent to the service", async () => {
    const list = newFile();
    writeFileSync(list, many(3).join("\n"));
    const running = await begin([`@${list}`]);
    await running.steady();
    const halves = ["base:0x12", "ethereum:0x"];
    writeFileSync(list, [...halves, ...many(3)].join("\n"));
    running.context.reload();
    await running.until(() => running.context.stderrText().includes("asset list reloaded: 3 assets\n"));
    await running.sleep(3000);
    // The same connection, because its assets are the same.
    expect([running.host.connections.length, running.host.requests()]).toEqual([1, 1]);
    expect(running.logged().filter(({ event }) => event === "dropped")).toMatchObject([{ names: halves }]);
    writeFileSync(list, [...halves, ...many(4)].join("\n"));
    running.context.reload();
    await running.until(() => running.host.open().some(({ assets }) => assets.length === 4));
    const reloads = running.context.stderrText().split("skipped assets base:0x12, ethereum:0x (").length - 1;
    expect(reloads).toBe(1);
    writeFileSync(list, halves.join("\n"));
    running.context.reload();
    await running.until(() => running.logged().some(({ event }) => event === "reload_refused"));
    expect(running.host.open().length).toBe(1);
    expect((await running.stop()).exit).toBe(143);
  });

  test("at the start, a malformed address in the list ends the run before a request, or is skipped", async () => {
    const list = newFile();
    writeFileSync(list, [...many(2), "base:0x12"].join("\n"));
    const refused = await begin([`@${list}`]);
    const { exit, stderr } = await refused.outcome;
    expect([exit, refused.host.requests()]).toEqual([2, 0]);
    expect(stderr).toBe(
      `error: ${list} line 3: invalid address "0x12"\n` +
        "  hint: a token address on base is 0x followed by 40 hexadecimal digits\n",
    );
    const running = await begin([`@${list}`, "--on-invalid", "drop"]);
    await running.steady();
    expect(running.host.connections.map(({ assets }) => assets)).toEqual([many(2)]);
    expect(running.context.stderrText()).toContain(
      "warning: skipped asset base:0x12 (a token address on base is 0x followed by 40 hexadecimal digits)\n",
    );
    expect((await running.stop()).exit).toBe(143);
  });
});

test("T12: a balancer that ends each sound connection after 20 s: at most a tenth is lost", async () => {
  const running = await begin([...many(3)], { life: 20_000, speed: 80 });
  await running.sleep(175_000);
  const lost = await expectAllReported(running);
  expect(lost / running.host.events.length).toBeLessThan(0.1);
  await running.stop();
});

const logOf = (running: Run): readonly Readonly<Record<string, unknown>>[] => running.logged();

describe("T8: no event arrives, and this is reported", () => {
  test("a proxy's comments do not hide a dead service, once pings were seen", async () => {
    const running = await begin([...many(3)], { speed: 60 });
    await running.steady();
    await running.sleep(20_000);
    const [connection] = running.host.connections;
    connection?.freeze();
    for (let second = 0; second < 55 && running.host.connections.length === 1; second += 1) {
      await running.sleep(1000);
      connection?.send(": keep-alive\n\n");
    }
    await running.reopened(2);
    await running.sleep(2000);
    expect(await expectAllReported(running)).toBeGreaterThan(100);
    expect((await running.stop()).stderr).toContain("no data for 45s, not even a ping");
  });

  test("lines that are part of no event stream are counted, also between events", async () => {
    const running = await begin([...many(2)]);
    await running.steady();
    for (let sent = 0; sent < 5; sent += 1) {
      running.host.connections[0]?.send("\u0003\u001f gzip?\nfield: value\n");
      await running.sleep(500);
    }
    await running.stop();
    const stray = logOf(running).filter(({ event }) => event === "stray");
    expect(stray.map(({ so_far: lines }) => lines)).toEqual([2, 4, 8]);
  });

  test("the last credits and the summary name the assets without an event", async () => {
    const [, quiet = ""] = many(2);
    const words = [...many(2), "--for", "20s", "--stats"];
    const running = await begin(words, { every: (asset) => (asset === quiet ? 1e12 : 200), speed: 60 });
    const { exit, stderr } = await running.outcome;
    expect([exit, stderr]).toEqual([
      0,
      expect.stringMatching(new RegExp(`credits, 20[.\\d]*s; no event of ${quiet}\\n`, "u")),
    ]);
    expect(logOf(running).at(-1)).toMatchObject({ event: "credits", assets_without_event: [quiet] });
  });
});

test("T9: a reader that has stopped, then --for: exit 8, what it did not accept is reported, and its gap", async () => {
  const running = await begin([...many(3), "--for", "20s"]);
  await running.steady();
  const { stdout } = running.context;
  const before = stdout.bytes().length;
  stdout.stall();
  Object.assign(stdout, { unaccepted: () => stdout.bytes().length - before });
  const { exit, stderr } = await running.outcome;
  const accepted = stdout.bytes().subarray(0, before).toString().split("\n").length - 1;
  expect(exit).toBe(8);
  expect(stderr).toMatch(
    /\d+ events? may be missing at the end: the program reading the output did not accept them/u,
  );
  expect(stderr).toContain("(the program that reads the output is blocked)");
  const log = logOf(running);
  expect(log.find(({ event }) => event === "unwritten")).toBeDefined();
  expect(log.at(-1)).toMatchObject({ event: "credits", events: accepted });
});

test("T10: 20,000 warnings that differ by a number: ten a minute, then a count", async () => {
  const running = await begin([...many(1)], { speed: 80 });
  await running.steady();
  const warning = (number: number): string => `event: warning\ndata: {"message":"queue ${number}"}\n\n`;
  const all = Array.from({ length: 20_000 }, (_, number) => warning(number));
  running.host.connections[0]?.send(all.join(""));
  await running.sleep(61_000);
  running.host.connections[0]?.send(warning(20_000));
  await running.sleep(1000);
  const { stderr } = await running.stop();
  const warnings = logOf(running).filter(({ event }) => event === "warning");
  expect(warnings.length).toBe(11);
  expect(warnings.at(-1)).toMatchObject({ message: "queue 20000", others: 19_990 });
  expect(stderr.match(/message from the service/gu)?.length).toBe(11);
});

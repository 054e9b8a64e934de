import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Row } from "../harness/rows.ts";
import { sandboxNow } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import {
  type Following,
  type FollowingOptions,
  marketRows,
  startFollowing,
  writtenRows,
} from "./following.ts";
import { logged } from "./stream-run.ts";

const hour = 3_600_000;
const from = `--from ${sandboxNow / 1000 - 3600}`;

interface Followed extends Following {
  readonly exit: number;
  readonly stderr: string;
  readonly rest: readonly URL[];
  readonly streams: number;
}

/** Follows until the end and expects the start of the market's list, except for up to `behind` rows at its end. */
async function follow(words: string, behind: number, options: FollowingOptions = {}): Promise<Followed> {
  const following = await startFollowing(`${from} ${words} -o ndjson`, options);
  const { exit, stdout, stderr } = await following.outcome;
  const written = writtenRows(stdout);
  const expected = marketRows(options.sandbox?.seed ?? 1, sandboxNow - hour, following.simulated());
  expect(written).toEqual(expected.slice(0, written.length));
  expect(expected.length - written.length).toBeLessThanOrEqual(behind);
  const urls = following.log.map(({ url }) => new URL(String(url), "http://sandbox"));
  const rest = urls.filter(({ pathname }) => !pathname.startsWith("/sse/"));
  return { ...following, exit, stderr, rest, streams: urls.length - rest.length };
}

const eventsIn = (file: string): readonly Row[] => logged(file);

/** The only line of such a run. */
const currentCost = /^note: at the current rate, \d+ credits\/hour, [\d,]+ a month\n$/u;

describe("the time of reads", () => {
  test("an event triggers a read: rows arrive long before the next scheduled read", async () => {
    const { exit, stderr, rest } = await follow("--for 5m", 2, { sandbox: { requestsPerMinute: 1000 } });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringMatching(currentCost) });
    // About 14 rows in five minutes: two reads each, and one per minute.
    expect(rest.length).toBeLessThanOrEqual(45);
  });

  test("a flood of events does not: reads are two seconds apart, and one more follows events during the last read", async () => {
    const pace = 2000;
    // The cost is reported after one minute.
    const { exit, stderr, log, rest } = await follow("--for 59s", 600, { pace, speed: 50 });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    const reads = log
      .filter(({ url }) => String(url).includes("page=1") && !String(url).includes("to="))
      .filter(({ url }) => String(url).startsWith("/networks/"))
      .map(({ time }) => Date.parse(String(time)) / pace);
    const gaps = reads.slice(1).map((at, index) => at - (reads[index] ?? 0));
    expect(reads.length).toBeGreaterThan(15);
    expect(reads.length).toBeLessThanOrEqual(31);
    // The first two are consecutive: the history, and the rows since then until the stream was open.
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1999);
    expect(rest.length).toBeLessThan(150);
  });

  test("an open stream with pings but without events delays rows by up to a minute", async () => {
    const folder = temporaryFolder();
    const log = path.join(folder, "events.ndjson");
    // Every stream is silent from the start: dexdata notices after 45 s and reconnects.
    const { exit, stderr, streams } = await follow(`--for 6m --events ${log}`, 4, {
      sandbox: { faults: "stream-silent=0" },
    });
    expect(exit).toBe(0);
    expect(streams).toBeGreaterThan(3);
    expect(stderr).toContain("no data for 45s, not even a ping");
    const kinds = eventsIn(log).map(({ event }) => event);
    expect(kinds.slice(0, 4)).toEqual(["open", "retry", "open", "gap"]);
    expect(kinds.filter((kind) => kind === "filled").length).toBeGreaterThan(2);
  });
});

describe("an interruption", () => {
  test("is reported with both times when the stream is open again, and as filled by the read after that", async () => {
    const log = path.join(temporaryFolder(), "events.ndjson");
    const { exit, stderr } = await follow(`--for 4m --events ${log}`, 30, {
      pace: 10,
      sandbox: { faults: "stream-cut=3x1" },
    });
    expect(exit).toBe(0);
    const [gap] = eventsIn(log).filter(({ event }) => event === "gap");
    const [filled] = eventsIn(log).filter(({ event }) => event === "filled");
    expect(String(gap?.["from"])).toMatch(/^2026-11-21T08:5/u);
    expect(filled).toMatchObject({ from: gap?.["from"], to: gap?.["to"] });
    // D4: every line has its time, and each line about the stream names its pool.
    for (const event of eventsIn(log)) {
      expect(event).toMatchObject({ at: expect.stringMatching(/^2026-11-21T08:5/u) });
      if (["open", "retry", "gap", "filled"].includes(String(event["event"])))
        expect(event["names"]).toEqual([expect.stringMatching(/^ethereum:0x[\da-f]{40}$/u)]);
    }
    const instants = `from ${String(gap?.["from"])} to ${String(gap?.["to"])}`;
    expect(stderr).toContain(`warning: stream disconnected ${instants} (`);
    expect(stderr).toContain(`note: gap filled ${instants}: `);
  });

  test("of REST does not end a follow: it is retried with growing waits, each reason is reported once, and the gap is filled", async () => {
    const log = path.join(temporaryFolder(), "events.ndjson");
    const { exit, stderr } = await follow(`--for 15m --retries 0 --events ${log}`, 8, {
      sandbox: { faults: "500@4-8/networks,503@9-10/networks,reset-body@11-12/networks" },
    });
    expect(exit).toBe(0);
    const waits = eventsIn(log).flatMap(({ event, wait_ms }) => (event === "read_failed" ? [wait_ms] : []));
    expect(waits.map((wait) => Number(wait) / 1000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
    const said = [...stderr.matchAll(/; retrying in (\S+)/gu)].map(([, wait]) => wait);
    expect(said).toEqual(["1s", "32s", "1m"]);
    expect(stderr).toMatch(/note: gap filled from 2026-11-21T0\S+Z to \S+Z: \d+ rows?/u);
  });
});

test.each([
  ["REST", "429=4000@4/networks"],
  ["the stream", "429=4000/sse"],
])("R7: %s requests a wait of more than an hour: exit 6 at once, with the wait", async (_, faults) => {
  const { exit, stderr } = await follow("--for 6h", 30, { sandbox: { faults } });
  expect(exit).toBe(6);
  expect(stderr).toContain("the service requested a wait of 1h6m40s, longer than the limit of 1h");
});

describe("without a stream", () => {
  test("--poll reads at intervals, reports the cost per hour once, and opens no stream", async () => {
    const { exit, stderr, rest, streams } = await follow("--for 5m --poll 15s", 2);
    expect({ exit, streams }).toEqual({ exit: 0, streams: 0 });
    expect(stderr).toMatch(
      /^note: reading every 15s: 240 credits\/hour, 172,800 a month, up to twice as many while new rows arrive\n$/u,
    );
    expect(rest.length).toBeGreaterThanOrEqual(20);
    expect(rest.length).toBeLessThanOrEqual(40);
  });

  test("an unreachable host is named, and a read every 15s replaces the stream", async () => {
    const { exit, stderr } = await follow("--for 5m", 2, {
      env: { DEXDATA_STREAMING_PRO_URL: "http://127.0.0.1:9" },
    });
    expect(exit).toBe(0);
    const [first, ...others] = stderr.split("\n");
    expect(first).toMatch(
      /^warning: cannot open the stream: connection to [^ ]* refused; reconnecting in 1s; meanwhile reading every 15s: 240 credits\/hour/u,
    );
    expect(others.filter((line) => line.includes("credits/hour"))).toEqual([]);
  });

  test.each([
    ["401", 4],
    ["402", 5],
    ["403", 4],
    ["404", 3],
    ["410", 3],
    ["400", 2],
  ])(
    "a stream rejected with %s ends the follow with exit %i, after the history",
    async (status, expected) => {
      const { exit, stderr } = await follow("", 30, { sandbox: { faults: `${status}/sse` } });
      expect(exit).toBe(expected);
      expect(stderr.split("\n").length).toBe(2);
    },
  );
});

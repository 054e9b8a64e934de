import { Foreign } from "../../src/client/stream-event.ts";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createFollowReport, reportEnd } from "../../src/cli/commands/follow/follow-report.ts";
import { followEvents } from "../../src/cli/commands/flags/lasting-flags.ts";
import { streamEvents } from "../../src/cli/commands/stream/stream-flags.ts";
import { createStreamReport } from "../../src/cli/commands/stream/stream-report.ts";
import { poolTransactions } from "../../src/api/endpoints/pool-transactions.ts";
import { StopReason } from "../../src/client/ending.ts";
import { fail } from "../../src/base/failure.ts";
import { openEventLog } from "../../src/cli/run/output/event-log.ts";
import type { Session } from "../../src/cli/commands/follow/open-session.ts";
import type { Run } from "../../src/cli/run/with-run.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext } from "../harness/test-context.ts";

const subjects = [
  { network: "base", address: "0x1", label: "WETH" },
  { network: "base", address: "0x2" },
];
const named = { assets: 2, names: ["base:0x1", "base:0x2"], labels: ["WETH", null] };
const shard = { number: 1, subjects };
const failure = fail("network", "connection lost");
const at = { now: 1_795_251_240_000, elapsed: 0 };
const gap = { from: at, to: at, reason: "connection lost", clockJump: -90_000_000.694_99 };

function openRun(): Run {
  const quiet = (): undefined => undefined;
  const report = { warn: quiet, info: quiet, hint: quiet, print: quiet };
  const run = { context: createTestContext(), options: { verbosity: 0, hasStats: false }, report };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the reports use only these parts
  return run as unknown as Run;
}

type Event = Readonly<Record<string, unknown>>;

const folder = temporaryFolder();

/** Writes to a real file. `read` also makes the file unwritable for a moment, so that the log reports itself. */
function openLog(name: string) {
  const file = path.join(folder, name, "events.ndjson");
  mkdirSync(path.dirname(file));
  const context = createTestContext();
  const log = openEventLog(file, { warn: () => undefined }, context.clock);
  const read = (end: () => void): readonly Event[] => {
    const before = readFileSync(file, "utf8");
    rmSync(path.dirname(file), { recursive: true });
    end();
    mkdirSync(path.dirname(file));
    end();
    return `${before}${readFileSync(file, "utf8")}`
      .split("\n")
      .filter(Boolean)
      .map((line): Event => JSON.parse(line));
  };
  return { log, read };
}

/** Events of the run concern no asset in particular. */
function expectComplete(
  events: readonly Event[],
  kinds: readonly string[],
  names: object,
  ofRun: readonly string[],
): void {
  expect([...new Set(events.map(({ event }) => String(event)))].toSorted()).toEqual(kinds.toSorted());
  for (const event of events) {
    expect(event).toMatchObject({ at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u) });
    if (!ofRun.includes(String(event["event"]))) expect(event).toMatchObject(names);
    if (event["event"] === "close") expect(event["reason"]).toBe("--for reached");
  }
}

test("stream: each kind of event has its time, and names every asset with its label", () => {
  const { log, read } = openLog("stream");
  const report = createStreamReport(openRun(), log, 1, () => undefined);
  const data = {
    name: "x",
    bytes: Buffer.alloc(0),
    start: 0,
    end: 0,
    isPlainJson: true,
    texts: undefined,
    firstText: 0,
    id: "",
    requestId: 0,
    owner: undefined,
  };
  report.opened(shard, at, gap);
  report.retrying(shard, failure, 1000, at);
  for (const kind of ["warning", "error", "unknown"] as const) report.said(shard, kind, "text");
  report.missed(shard, gap, "lost");
  report.closed(shard, "--for reached");
  report.dropped(subjects, failure);
  report.leftOut(shard, data);
  report.skipped(shard, data);
  report.foreign(shard, new Foreign("base:0x9", false));
  report.stray(shard, 1);
  report.unwritten(1);
  report.reloaded(subjects);
  report.reloadRefused(failure);
  const events = read(() => report.credits(1, 1));
  expect(events.find(({ event }) => event === "gap")).toMatchObject({ clock_jump: -90_000.001 });
  // Alerts report it.
  const kinds = streamEvents.filter((kind) => kind !== "alert_dropped");
  expectComplete(events, kinds, named, ["reload_refused", "unwritten", "credits", "log_lost"]);
});

const pool = { network: "base", address: "0x1" };

test.each([
  ["with its label", { ...pool, label: "WETH/USDC" }, { labels: ["WETH/USDC"] }],
  ["without a label", pool, {}],
])("txns --follow: each kind of event has its time, and names the pool %s", (name, subject, labels) => {
  const { log, read } = openLog(name);
  const rowAt = (seconds: number) => ({
    row: "{}",
    value: {},
    key: "",
    at: { seconds, fraction: "" },
    place: [],
  });
  const meter = {
    requests: 1,
    credits: 1,
    creditsInDoubt: 0,
    events: 0,
    plans: {},
    requestsInDoubt: 0,
    plan: undefined,
    creditsLeft: undefined,
    creditsBefore: undefined,
    asOf: undefined,
    age: 0,
  };
  const parts = {
    run: openRun(),
    flags: {},
    log,
    isOfMany: false,
    present: { latest: () => 1_795_251_240 },
    ending: { signal: AbortSignal.abort(new StopReason("time")) },
    quota: { count: 1 },
    open: { client: { meter } },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the reports use only these parts
  const session = parts as unknown as Session;
  const request = { endpoint: poolTransactions, args: new Map() };
  const report = createFollowReport(session, { name: "base:0x1", request, pool: subject });
  report.opened(at, gap);
  report.streamLost(failure, 1000);
  for (const kind of ["warning", "error", "unknown"] as const) report.said(kind, "text");
  report.readFailed(failure, 1000);
  report.caughtUp(at.elapsed + 1, 3);
  report.unwritten(1);
  report.written([rowAt(1_795_251_240), rowAt(1_795_251_238), rowAt(1_795_251_241)]);
  reportEnd(session, [{ pool: subject }]);
  const events = read(() => report.unwritten(1));
  // Of several pools; see test/tail/follow-many.test.ts. Alerts report the last one.
  const others = ["behind", "caught_up", "dropped", "reload", "reload_refused", "alert_dropped"];
  const ofOne = followEvents.filter((kind) => !others.includes(kind));
  expectComplete(events, ofOne, { assets: 1, names: ["base:0x1"], ...labels }, ["log_lost"]);
});

test("docs/streams.md explains each kind of event", () => {
  const [, table = ""] =
    /\n## Status events\n(.*?)\n## /su.exec(readFileSync("docs/streams.md", "utf8")) ?? [];
  const explained = table
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .flatMap((line) => [...(line.split("|")[1] ?? "").matchAll(/`(\w+)`/gu)].map(([, name]) => name));
  expect(new Set(explained)).toEqual(new Set<unknown>([...streamEvents, ...followEvents]));
});

test("an events file that cannot be written is reported again if it was written in between, once a minute", async () => {
  const [file, said] = [path.join(folder, "flapping", "events.ndjson"), [] as string[]];
  mkdirSync(path.dirname(file));
  const { clock } = createTestContext();
  const log = openEventLog(file, { warn: (line) => void said.push(line) }, clock);
  const breakFile = (): void => {
    rmSync(path.dirname(file), { recursive: true });
    for (let times = 0; times < 3; times += 1) log({ event: "x" });
    mkdirSync(path.dirname(file));
    log({ event: "x" });
  };
  for (let times = 0; times < 2; times += 1) breakFile();
  expect(said).toHaveLength(1);
  await clock.sleep(60_000);
  breakFile();
  expect(said).toHaveLength(2);
});

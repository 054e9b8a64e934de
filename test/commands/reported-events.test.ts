import { expect, test } from "vitest";
import { createFollowReport } from "../../src/commands/follow/follow-report.ts";
import { followEvents } from "../../src/commands/follow/follow-flags.ts";
import { streamEvents } from "../../src/commands/stream/stream-flags.ts";
import { createStreamReport } from "../../src/commands/stream/stream-report.ts";
import { fail } from "../../src/contract/failure.ts";
import type { LoggedEvent } from "../../src/run/output/event-log.ts";
import type { Run } from "../../src/run/with-run.ts";
import { createTestContext } from "../harness/test-context.ts";

const subjects = [
  { network: "base", address: "0x1", label: "WETH" },
  { network: "base", address: "0x2" },
];
const named = { assets: 2, names: ["base:0x1", "base:0x2"], labels: ["WETH", null] };
const shard = { number: 1, subjects };
const failure = fail("network", "connection lost");
const at = { now: 1_795_251_240_000, elapsed: 0 };
const gap = { from: at, to: at, reason: "connection lost" };

function openRun(): Run {
  const quiet = (): undefined => undefined;
  const report = { warn: quiet, note: quiet, remark: quiet, tell: quiet };
  const run = { context: createTestContext(), options: { verbosity: 0, hasStats: false }, report };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the reports use only these parts
  return run as unknown as Run;
}

const kindsOf = (events: readonly LoggedEvent<string>[]): readonly string[] =>
  [...new Set(events.map(({ event }) => event))].toSorted();

test("stream names every asset with its label in each kind of event about assets", () => {
  const events: LoggedEvent<string>[] = [];
  const report = createStreamReport(openRun(), (event) => events.push(event), 1);
  const data = {
    name: "x",
    bytes: Buffer.alloc(0),
    start: 0,
    end: 0,
    isPlainJson: true,
    id: "",
    requestId: 0,
  };
  report.opened(shard, at, gap);
  report.retrying(shard, failure, 1000);
  for (const kind of ["warning", "error", "unknown"] as const) report.said(shard, kind, "text");
  report.missed(shard, gap, "lost");
  report.closed(shard, "--for reached");
  report.moved(subjects, 1, failure);
  report.dropped(subjects, failure);
  report.leftOut(shard, data);
  report.skipped(shard, data);
  report.reloaded(subjects);
  for (const event of events) expect(event).toMatchObject(named);
  report.reloadRefused(failure);
  report.credits(1, 1);
  // The log writes this one about itself, after a failure to write.
  expect(kindsOf(events)).toEqual(streamEvents.filter((kind) => kind !== "log_lost").toSorted());
});

test("txns --follow names its pool in each kind of event", () => {
  const events: LoggedEvent<string>[] = [];
  const report = createFollowReport(openRun(), (event) => events.push(event), "base:0x1");
  report.opened(at, gap);
  report.streamLost(failure, 1000);
  for (const kind of ["warning", "error", "unknown"] as const) report.said(kind, "text");
  report.readFailed(failure, 1000);
  report.caughtUp(at.elapsed + 1, 3);
  report.unwritten(1);
  report.late(1, 2);
  report.ahead(1, { seconds: 1_795_251_240, fraction: "" });
  report.closed("SIGTERM");
  report.ended(1, {
    requests: 1,
    credits: 1,
    creditsInDoubt: 0,
    requestsInDoubt: 0,
    plan: undefined,
    creditsLeft: undefined,
    creditsBefore: undefined,
  });
  for (const event of events) expect(event).toMatchObject({ assets: 1, names: ["base:0x1"] });
  expect(kindsOf(events)).toEqual(followEvents.filter((kind) => kind !== "log_lost").toSorted());
});

import { setMaxListeners } from "node:events";
import { expect, test } from "vitest";
import { Failure } from "../../src/base/failure.ts";
import type { Client } from "../../src/client/client.ts";
import { createBehindReport, createReadQueue } from "../../src/cli/commands/follow/read-queue.ts";
import { followRows } from "../../src/client/follow.ts";
import { createSchedule } from "../../src/client/follow-wake.ts";
import { createFreshness } from "../../src/client/freshness.ts";
import { createTestContext } from "../harness/test-context.ts";

const nothing = (): void => {};

test("with a slow service, about 50 requests are open, and the others go when one is answered", async () => {
  const { clock, random, signal } = createTestContext({});
  setMaxListeners(0, signal);
  const handlers = { down: nothing, up: nothing, answered: nothing };
  let [open, most, answered] = [0, 0, 0];
  const ask = async (): Promise<undefined> => {
    open += 1;
    most = Math.max(most, open);
    await clock.sleep(5000);
    open -= 1;
    answered += 1;
    return undefined;
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only this member is called
  const service = { ask } as unknown as Client;
  const { client } = createReadQueue({ clock, random, signal }, service, 60_000, 0, handlers);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the endpoint is passed on unread
  const asked = [undefined, new Map()] as unknown as Parameters<Client["ask"]>;
  await Promise.all(Array.from({ length: 120 }, async () => await client.ask(...asked)));
  // The next one may be on its way when the last of them is sent.
  expect([Math.abs(most - 50) <= 1, answered]).toEqual([true, 120]);
});

test("after three failures in a row, one request at a time tries the host, and its end is reported once", async () => {
  const { clock, random, signal } = createTestContext({});
  setMaxListeners(0, signal);
  const said: string[] = [];
  const handlers = { down: () => void said.push("down"), up: () => void said.push("up"), answered: nothing };
  const outage = new Failure("503", { exit: 7, code: "unavailable", retryable: true });
  let replies: (Failure | undefined)[] = [];
  let [open, failed, most] = [0, 0, 0];
  const ask = async (): Promise<undefined> => {
    open += 1;
    // The first five were sent before the third failure.
    if (failed >= 5 && replies.length > 0) most = Math.max(most, open);
    await clock.sleep(100);
    open -= 1;
    const failure = replies.shift();
    if (failure === undefined) return undefined;
    failed += 1;
    throw failure;
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only this member is called
  const service = { ask } as unknown as Client;
  const { client } = createReadQueue({ clock, random, signal }, service, 60_000, 99, handlers);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the endpoint is passed on unread
  const asked = [undefined, new Map()] as unknown as Parameters<Client["ask"]>;
  const askAll = async (count: number) =>
    await Promise.allSettled(Array.from({ length: count }, async () => await client.ask(...asked)));
  replies = Array.from({ length: 8 }, () => outage);
  await askAll(5);
  expect([said, most]).toEqual([["down", "up"], 1]);
  // A response that is a rejection ends the series.
  replies = [outage, outage, new Failure("404", { exit: 3, code: "not_found" }), outage, outage];
  await askAll(1);
  await askAll(1);
  expect([said, replies]).toEqual([["down", "up"], []]);
});

test("late reads do not show whether the service or the rate limit is the cause", () => {
  const context = createTestContext({});
  const said: string[] = [];
  const report = {
    warn: (text: string) => void said.push(text),
    info: (text: string) => void said.push(text),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the report uses only these parts
  const behind = createBehindReport({ context, report } as never, nothing, 60_000);
  behind.answered(59_999);
  behind.answered(60_001);
  behind.answered(60_001);
  behind.answered(29_999);
  expect(said).toEqual([
    "reads are late: the service is slow, or other programs use the rate limit; no row will be lost",
    "reading on time again, after 1s",
  ]);
});

test("after an outage, the reads that waited for its end are not reported as late", () => {
  const context = createTestContext({});
  const warnings: string[] = [];
  const report = { warn: (text: string) => void warnings.push(text), info: nothing };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the report uses only these parts
  const behind = createBehindReport({ context, report } as never, nothing, 60_000);
  behind.down("HTTP 503");
  behind.up();
  behind.answered(90_000);
  context.clock.advance(120_000);
  behind.answered(90_000);
  expect(warnings).toEqual(["reads are paused: HTTP 503; no row will be lost"]);
  context.clock.advance(1);
  behind.answered(90_000);
  expect(warnings.length).toBe(2);
});

test("a list without rows reports none as unwritten when the run ends during its turn", async () => {
  const { clock, random } = createTestContext({});
  const ending = new AbortController();
  const unwritten: number[] = [];
  const found = { rows: [], isPresent: true, doubt: undefined, missing: 0, forgotten: 0 };
  const begin = { seconds: 0, fraction: "" };
  const following = followRows({
    context: { clock, random, signal: ending.signal },
    runSignal: ending.signal,
    polledAt: undefined,
    begin: async () =>
      await Promise.resolve({
        read: async function* read() {
          yield await Promise.resolve(found);
        },
        recheckAt: () => Number.POSITIVE_INFINITY,
        from: () => begin,
        giveUp: () => undefined,
        state: () => ({ from: 0, rows: [] }),
      }),
    schedule: createSchedule({ clock, signal: ending.signal }, () => 60_000),
    latest: () => 0,
    freshness: createFreshness(clock),
    isHostKnown: () => false,
    handlers: {
      progressed: () => undefined,
      write: async () => {
        ending.abort(new Error("ended"));
        // Another list writes.
        return await new Promise<boolean>(nothing);
      },
      caughtUp: nothing,
      readOld: nothing,
      unlisted: nothing,
      forgotten: nothing,
      unproved: nothing,
      retrying: nothing,
      unwritten: (rows) => unwritten.push(rows),
    },
  });
  await expect(following).rejects.toThrow("ended");
  expect(unwritten).toEqual([]);
});

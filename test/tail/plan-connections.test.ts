import { fc } from "../harness/properties.ts";
import { describe, expect, test } from "vitest";
import { Failure } from "../../src/base/failure.ts";
import { feeds } from "../../src/api/feeds.ts";
import { connectionsOfPlan } from "../../src/api/feed.ts";
import { planConnections, replanConnections, roomFor } from "../../src/client/plan-connections.ts";
import { distinctSubjects, subjectKey } from "../../src/client/subject.ts";

const subjects = (count: number, from = 0): { network: string; address: string }[] =>
  Array.from({ length: count }, (_, index) => ({
    network: "base",
    address: `0x${(from + index).toString(16)}`,
  }));
const sizes = (shards: readonly (readonly unknown[])[]): readonly number[] =>
  shards.map(({ length }) => length);
const failureOf = (plan: () => unknown): Failure => {
  try {
    plan();
  } catch (cause) {
    if (cause instanceof Failure) return cause;
    throw cause;
  }
  throw new Error("it was planned");
};
const prices = (cap: number): { perConnection: number; cap: number } => ({ perConnection: 25, cap });

describe("assets on connections", () => {
  test("240 prices on the free plan are 10 connections of 24", () => {
    expect(sizes(planConnections(subjects(240), prices(connectionsOfPlan.free)))).toEqual(
      Array.from({ length: 10 }, () => 24),
    );
  });

  test("260 are rejected, and the 10 that do not fit are named", () => {
    const failure = failureOf(() => planConnections(subjects(260), prices(10)));
    expect(failure.exit).toBe(6);
    expect(failure.message).toBe(
      "too many assets: 260, but 10 connections with 25 assets each can hold only 250",
    );
    expect(failure.details.body?.get("assets_fit")).toBe("250");
    const left = subjects(10, 250).map(({ network, address }) => `${network}:${address}`);
    expect(JSON.parse(failure.details.body?.get("assets_left") ?? "")).toEqual(left);
    expect(failure.details.next).toBe(`assets that do not fit: ${left.slice(0, 7).join(", ")} and 3 more`);
  });

  test("a long list of what does not fit is left out, instead of being cut", () => {
    const failure = failureOf(() => planConnections(subjects(1251), prices(10)));
    expect([...(failure.details.body ?? [])]).toEqual([["assets_fit", "250"]]);
  });

  test("connections per plan: 10, 10, 30, 100", () => {
    const { keyless, free, dev, pro } = connectionsOfPlan;
    expect([keyless, free, dev, pro]).toEqual([10, 10, 30, 100]);
  });

  test("a repeated asset counts once, in any letter case if the case is insignificant", () => {
    const same = ["0xAB", "0xab", "So1", "so1"].map((address) => ({ network: "x", address }));
    expect(distinctSubjects(same).map(({ address }) => address)).toEqual(["0xAB", "So1", "so1"]);
  });

  test("each connection has one asset, unless the feed always accepts more, or might and the assets would not fit otherwise", () => {
    const perConnection = (feed: keyof typeof feeds, assets: number): number =>
      roomFor(feeds[feed], assets, 10).perConnection;
    expect([perConnection("prices", 1), perConnection("prices", 240)]).toEqual([25, 25]);
    expect([perConnection("transactions", 10), perConnection("transactions", 11)]).toEqual([1, 25]);
    expect([perConnection("reserves", 10), perConnection("reserves", 11)]).toEqual([1, 25]);
    expect([perConnection("ohlcv", 10), perConnection("ohlcv", 11)]).toEqual([1, 1]);
  });

  test("any number: each asset once, no connection over its limit, as few as possible, with sizes that differ by at most one", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 600 }),
        fc.integer({ min: 1, max: 25 }),
        (count, perConnection) => {
          const shards = planConnections(subjects(count), { perConnection, cap: 1000 });
          expect(shards.flat()).toEqual(subjects(count));
          expect(shards.length).toBe(Math.ceil(count / perConnection));
          expect(Math.max(...sizes(shards))).toBeLessThanOrEqual(perConnection);
          expect(Math.max(...sizes(shards)) - Math.min(...sizes(shards))).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});

describe("a changed list", () => {
  test("an unchanged shard stays as it is; new assets go to connections that change anyway", () => {
    const before = [subjects(24), subjects(24, 24)];
    const wanted = [...subjects(24), ...subjects(20, 24), ...subjects(4, 100)];
    const after = replanConnections(before, wanted, prices(10));
    expect(after.map(({ from }) => from)).toEqual([0, 1]);
    expect(after[0]?.subjects).toEqual(before[0]);
    expect(after[1]?.subjects).toEqual([...subjects(20, 24), ...subjects(4, 100)]);
  });

  test("an asset that does not fit makes dexdata reject the complete list", () => {
    expect(failureOf(() => replanConnections([subjects(25)], subjects(51), prices(2))).exit).toBe(6);
  });

  test("any two lists: exactly the requested assets once, no connection over its limit, unchanged ones untouched", () => {
    const list = fc.uniqueArray(fc.integer({ min: 0, max: 80 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(list, list, fc.integer({ min: 1, max: 25 }), (old, fresh, perConnection) => {
        const toSubject = (id: number): { network: string; address: string } => ({
          network: "x",
          address: `a${id}`,
        });
        const room = { perConnection, cap: 1000 };
        const before = planConnections(old.map(toSubject), room);
        const after = replanConnections(before, fresh.map(toSubject), room);
        const keys = after.flatMap((shard) => shard.subjects.map(subjectKey));
        expect(keys.toSorted()).toEqual(fresh.map(toSubject).map(subjectKey).toSorted());
        for (const shard of after) {
          expect(shard.subjects.length).toBeLessThanOrEqual(perConnection);
          expect(shard.subjects.length).toBeGreaterThan(0);
        }
        expect(new Set(after.map(({ from }) => from ?? Symbol("new"))).size).toBe(after.length);
      }),
    );
  });
});

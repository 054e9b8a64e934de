import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createTestContext } from "../harness/test-context.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { startFollowing } from "./following.ts";
import { ping, price, stream } from "./keeping.ts";
import { listen, logged } from "./stream-run.ts";

const asset = "ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

/** Returns the events that a service sends when a stream opens. */
const burst = (events: number): string =>
  Array.from({ length: events }, (_, index) => price(String(index))).join("");

function newState(): string {
  return path.join(createTestContext().home, "state");
}

function spentIn(state: string): unknown {
  const [name = ""] = readdirSync(state).filter((each) => each.startsWith("budget-"));
  return JSON.parse(readFileSync(path.join(state, name), "utf8")).credits;
}

describe("budget.daily and streams", () => {
  test("a restarted stream records what it received, and opens nothing once the budget is spent", async () => {
    const server = await serveInTest(() => stream([burst(25)]));
    const state = newState();
    const env = { DEXDATA_BUDGET_DAILY: "10", DEXDATA_STATE_DIR: state };
    const exits: number[] = [];
    for (let restart = 0; restart < 6; restart += 1) {
      const { exit, stdout, stderr } = await listen(asset, server, { env }).outcome;
      exits.push(exit);
      // The events that are paid for are written.
      expect(stdout.split("\n").filter(Boolean)).toHaveLength(restart === 0 ? 25 : 0);
      expect(stderr).toContain(
        "budget.daily of 10 reached: 25 spent today, next event costs 1; resets at 2026-11-22T00:00:00Z",
      );
    }
    expect({ exits, openings: server.requests.length, spent: spentIn(state) }).toEqual({
      exits: [5, 5, 5, 5, 5, 5],
      openings: 1,
      spent: 25,
    });
  });

  test("a stream that the service keeps closing is reopened only while a credit is left", async () => {
    const server = await serveInTest(() => stream([burst(3)], { stayOpen: false }));
    const state = newState();
    const env = { DEXDATA_BUDGET_DAILY: "10", DEXDATA_STATE_DIR: state };
    const { exit } = await listen(asset, server, { env }).outcome;
    expect({ exit, openings: server.requests.length, spent: spentIn(state) }).toEqual({
      exit: 5,
      openings: 4,
      spent: 12,
    });
  });

  test("events that are repeated after a reconnect, and those that do not fit --limit, are recorded too", async () => {
    const same = price("1", "7");
    const server = await serveInTest((_, index) =>
      index === 0 ? stream([same], { stayOpen: false }) : stream([`${same}${burst(4)}`]),
    );
    const state = newState();
    const env = { DEXDATA_BUDGET_DAILY: "100", DEXDATA_STATE_DIR: state };
    const log = path.join(createTestContext().home, "events.ndjson");
    const words = [asset, "--limit", "3", "--stats", "--events", log];
    const { exit, stdout, stderr } = await listen(words, server, { env }).outcome;
    expect({ exit, lines: stdout.split("\n").filter(Boolean).length, spent: spentIn(state) }).toEqual({
      exit: 0,
      lines: 3,
      spent: 6,
    });
    expect(stderr).toContain("3 events, 6 credits, ");
    expect(logged(log).at(-1)).toMatchObject({ event: "credits", events: 3, credits: 6 });
  });

  test("events that arrived just before an interruption are recorded", async () => {
    const server = await serveInTest(() => stream([burst(5)]));
    const state = newState();
    const env = { DEXDATA_BUDGET_DAILY: "100", DEXDATA_STATE_DIR: state };
    const running = listen(asset, server, { env });
    await running.until(() => running.lines().length > 0);
    await running.interrupted();
    expect(spentIn(state)).toBe(5);
  });

  test("without a budget that can be recorded, nothing is opened", async () => {
    const server = await serveInTest(() => stream([ping]));
    const state = path.join(import.meta.filename, "state");
    const env = { DEXDATA_BUDGET_DAILY: "10", DEXDATA_STATE_DIR: state };
    const { exit } = await listen(asset, server, { env }).outcome;
    expect({ exit, openings: server.requests.length }).toEqual({ exit: 2, openings: 0 });
  });

  test("--max-credits 0 opens nothing", async () => {
    const server = await serveInTest(() => stream([burst(1)]));
    const { exit, stderr } = await listen(`${asset} --max-credits 0`, server).outcome;
    expect({ exit, openings: server.requests.length }).toEqual({ exit: 5, openings: 0 });
    expect(stderr).toContain("--max-credits of 0 reached: 0 spent, next event costs 1");
  });

  test("--max-credits writes as many events as it allows, however they arrive", async () => {
    const server = await serveInTest(() => stream([burst(2), burst(3)]));
    const { exit, stdout, stderr } = await listen(`${asset} --max-credits 3`, server).outcome;
    expect([exit, stdout.split("\n").filter(Boolean).length]).toEqual([5, 3]);
    expect(stderr).toContain("--max-credits of 3 reached: 5 spent");
  });

  test("follow: requests and events are on the closing line, in --events and in the budget file alike", async () => {
    const state = newState();
    const log = path.join(createTestContext().home, "events.ndjson");
    const env = { DEXDATA_BUDGET_DAILY: "100000", DEXDATA_STATE_DIR: state };
    const words = `--from 2026-11-21T08:50:00Z --for 1m --stats --events ${log} -o ndjson`;
    const following = await startFollowing(words, { pace: 15, env });
    const { stderr } = await following.outcome;
    const last = logged(log).at(-1);
    const [events = 0, credits = 0, inDoubt = 0] = ["events", "credits", "in_doubt"].map((name) =>
      Number(last?.[name]),
    );
    expect(events).toBeGreaterThan(10);
    const charged = events + following.log.reduce((sum, each) => sum + Number(each["credits"]), 0);
    expect(charged).toBeGreaterThanOrEqual(credits);
    expect(charged).toBeLessThanOrEqual(credits + inDoubt);
    const doubt = inDoubt === 0 ? "" : ", plus up to 1 for an incomplete response";
    expect(stderr).toContain(`, ${events} events, ${credits} credits${doubt} (`);
    expect(spentIn(state)).toBe(credits + inDoubt);
  });
});

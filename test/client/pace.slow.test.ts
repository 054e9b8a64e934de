import { fc } from "../harness/properties.ts";
import { describe, expect, test } from "vitest";
import { takeTurn, createPace, memoryStore, type PaceStore } from "../../src/client/pace.ts";
import {
  learn,
  current,
  fixedAllowance,
  noState,
  type PaceRate,
  type PaceState,
  planAllowance,
  type RateNews,
  readPaceState,
  rateInForce,
} from "../../src/client/pace-state.ts";
import { isLong } from "../harness/long.ts";
import { createTestContext, type TestContextOptions } from "../harness/test-context.ts";

const { array, assert, constant, integer, maxSafeNat, nat, oneof, option, property, record } = fc;

const plan = (perMinute: number | undefined): PaceRate => ({ kind: "plan", perMinute, plan: "pro" });
const fixed = (perMinute: number): PaceRate => ({ kind: "fixed", perMinute, where: "--rpm" });
const unlimited: PaceRate = { kind: "unlimited" };

function news(status: number, headers: Record<string, string> = {}, retryAfter?: number): RateNews {
  return { status, headers: new Map(Object.entries(headers)), retryAfter };
}

/** Sends a key's requests one after another, on a clock that the test sets. */
function key(rate: PaceRate, before: PaceState = noState) {
  let state = before;
  return {
    state: (): PaceState => state,
    /** Returns the milliseconds until a request may be sent; 0 if it was sent. */
    send: (now: number): number => {
      const { after, result } = takeTurn(state, rate, now, "request");
      state = after;
      return "turn" in result ? 0 : result.wait;
    },
    /** Returns the milliseconds until a request might be sent. */
    wait: (now: number): number => {
      const { result } = takeTurn(state, rate, now, "request");
      return "turn" in result ? 0 : result.wait;
    },
    /** Sends a request and records the response; a request must be allowed at this time. */
    exchange: (now: number, answer: RateNews, heardAt = now): void => {
      const { after, result } = takeTurn(state, rate, now, "request");
      if (!("turn" in result)) throw new Error(`no place at ${now}: ${JSON.stringify(result)}`);
      state = learn(current(after, heardAt), answer, result.turn, rate, heardAt);
    },
    /** Sends a request if it is allowed, and records the response; otherwise returns the milliseconds to wait. */
    attempt: (now: number, answer: (now: number) => RateNews): RateNews | number => {
      const { after, result } = takeTurn(state, rate, now, "request");
      if (!("turn" in result)) return result.wait;
      const heard = answer(now);
      state = learn(current(after, now), heard, result.turn, rate, now);
      return heard;
    },
    rate: (now: number): number | undefined => rateInForce(rate, current(state, now)),
  };
}

describe("the number of requests allowed", () => {
  test.each([
    [300, { sends: 30, window: 6220 }],
    [1, { sends: 1, window: 61_300 }],
    [7, { sends: 1, window: 8843 }],
    [19, { sends: 1, window: 3322 }],
    [100_000, { sends: 10_000, window: 6220 }],
  ])(
    "--rpm %i is spread: a tenth of it per tenth of a minute, plus 2 %% and 100 ms",
    (perMinute, allowance) => {
      expect(fixedAllowance(perMinute)).toMatchObject(allowance);
    },
  );

  test("a plan's requests per minute may all be sent at once, then none for 61.2 s", () => {
    expect(planAllowance(15)).toMatchObject({ sends: 15, window: 61_200 });
    const keyless = key(plan(15));
    expect(Array.from({ length: 15 }, () => keyless.send(1000))).toEqual(Array.from({ length: 15 }, () => 0));
    expect(keyless.send(1000)).toBe(61_200);
    expect(keyless.send(62_199)).toBe(1);
    expect(keyless.send(62_200)).toBe(0);
  });

  test("unused requests are not saved beyond the window", () => {
    const idle = key(plan(3));
    for (const at of [0, 3_600_000, 3_600_100, 3_600_200]) expect(idle.send(at)).toBe(0);
    expect(idle.send(3_600_300)).toBe(60_900);
  });

  test("requests are allowed again one by one, in the order they were sent", () => {
    const steady = key(plan(3));
    for (const at of [0, 20_000, 40_000]) steady.send(at);
    expect(steady.send(41_000)).toBe(20_200);
    expect([steady.send(61_200), steady.send(61_201), steady.send(81_200)]).toEqual([0, 19_999, 0]);
  });

  test("a lower rate waits until enough requests have left the window", () => {
    const many = key(plan(10));
    for (let at = 0; at < 10_000; at += 1000) many.send(at);
    // Seven have to leave the window: the seventh was sent at 6000.
    expect(key(plan(4), many.state()).send(10_000)).toBe(57_200);
  });

  test("a plan without a known rate has no rate limit, and neither does unlimited", () => {
    for (const rate of [plan(undefined), unlimited]) {
      const free = key(rate);
      expect(Array.from({ length: 2000 }, () => free.send(5)).every((wait) => wait === 0)).toBe(true);
    }
  });

  test("a spread rate and a plan rate count each other's requests", () => {
    const spread = key(fixed(300));
    for (let sent = 0; sent < 15; sent += 1) spread.send(100);
    expect(key(plan(15), spread.state()).send(20_000)).toBe(41_300);
  });

  test("a high rate does not make the file large", () => {
    const fast = key(fixed(100_000));
    for (let at = 0; at < 12_000; at += 1) fast.send(at);
    expect(JSON.stringify(fast.state()).length).toBeLessThan(30_000);
  });

  const rates = oneof(
    integer({ min: 1, max: 60 }).map((perMinute) => plan(perMinute)),
    integer({ min: 1, max: 600 }).map((perMinute) => fixed(perMinute)),
  );

  test("no window exceeds the limit for any sequence of requests, and a request is sent after the given wait", () => {
    const isKept = (rate: PaceRate, pauses: readonly number[]): void => {
      if (rate.kind === "unlimited" || rate.perMinute === undefined) return;
      const { sends, window } =
        rate.kind === "fixed" ? fixedAllowance(rate.perMinute) : planAllowance(rate.perMinute);
      const asking = key(rate);
      const times: number[] = [];
      let now = 7;
      for (const pause of pauses) {
        now += pause;
        const wait = asking.send(now);
        expect(wait).toBeLessThanOrEqual(window);
        if (wait > 0) expect(asking.send(now + wait)).toBe(0);
        now += wait;
        times.push(now);
      }
      for (const [index, time] of times.entries()) {
        const next = times[index + sends];
        if (next !== undefined) expect(next - time).toBeGreaterThanOrEqual(window);
      }
    };
    const pauses = array(oneof(constant(0), nat(50), nat(9000)), {
      minLength: 20,
      maxLength: 150,
    });
    assert(property(rates, pauses, isKept), { numRuns: 300 });
  });
});

describe("times from another clock", () => {
  /** Sent at 900 s, before the machine restarted. */
  const before = (() => {
    const full = key(plan(3));
    for (let sent = 0; sent < 3; sent += 1) full.exchange(900_000, news(200));
    full.exchange(990_000, news(429, {}, 3_600_000));
    return full.state();
  })();

  test("delay nothing", () => {
    const restarted = key(plan(3), before);
    expect([1, 2, 3, 4].map(() => restarted.send(5000))).toEqual([0, 0, 0, 61_200]);
  });

  test("any state allows a request within two windows", () => {
    const time = oneof(nat(200_000), maxSafeNat());
    const sends = array(record({ at: time, count: oneof(nat(5), maxSafeNat()) }), {
      maxLength: 20,
    });
    const learned = option(record({ perMinute: oneof(nat(20), maxSafeNat()), at: time }));
    const states = record({
      sends,
      refused: sends,
      openings: sends,
      hold: option(record({ heard: integer({ min: 100_001 }), until: maxSafeNat() })),
      told: learned,
      learned,
      suspect: option(record({ at: time, accepted: nat(), oldest: time })),
      peak: option(record({ accepted: nat(), at: time })),
    });
    const isBounded = (content: unknown): void => {
      const asking = key(plan(5), readPaceState(content));
      let now = 100_000;
      let wait = asking.send(now);
      while (wait > 0) {
        now += wait;
        wait = asking.send(now);
      }
      expect(now).toBeLessThanOrEqual(100_000 + 2 * 61_200);
    };
    assert(property(states, isBounded), { numRuns: 500 });
  });

  test.each([
    [undefined],
    [{}],
    [{ sends: "x", hold: 5, learned: { perMinute: -3, at: 1 }, told: { at: 1 } }],
    [{ sends: [1, null, { at: 0.5, count: 1 }, { at: 1 }, { at: "1", count: 1 }] }],
    [{ sends: [{ at: 1e300, count: 1 }], hold: { heard: null, until: 5 } }],
  ])("a file that contains %j counts as empty", (content) => {
    expect(readPaceState(content)).toEqual(noState);
  });

  test("the saved state is read back unchanged", () => {
    const learnt: PaceState = {
      ...before,
      suspect: { at: 5, accepted: 3, oldest: 1 },
      peak: { accepted: 9, at: 4 },
    };
    expect(readPaceState(JSON.parse(JSON.stringify(learnt)))).toEqual(learnt);
  });
});

describe("after a 429", () => {
  test.each([["plan"], ["fixed"], ["unlimited"]] as const)(
    "with %s, no request is sent before its Retry-After has passed",
    (kind) => {
      const held = key({ plan: plan(500), fixed: fixed(300), unlimited }[kind]);
      held.exchange(1000, news(429, {}, 7000), 1200);
      expect([held.send(1200), held.send(8199), held.send(8200)]).toEqual([7000, 1, 0]);
    },
  );

  test("a shorter Retry-After received later does not shorten the wait", () => {
    const held = key(plan(500));
    const parallel = key(plan(500));
    parallel.exchange(0, news(429, {}, 30_000));
    const state = learn(parallel.state(), news(429, {}, 1000), { at: 0, before: 0 }, plan(500), 10);
    expect(held.send(10)).toBe(0);
    expect(key(plan(500), state).send(1010)).toBe(28_990);
  });

  test("no Retry-After stops other commands with the key for more than an hour", () => {
    for (const wait of [3_600_001, 86_400_000, 1e15, 1e300, Number.MAX_VALUE, Number.POSITIVE_INFINITY]) {
      const held = key(plan(500));
      held.exchange(1000, news(429, {}, wait));
      expect(held.send(2000)).toBe(3_599_000);
      expect(held.send(3_601_000)).toBe(0);
    }
  });

  test("neither does one that an earlier version saved in the file", () => {
    const kept = { sends: [], refused: [], hold: { heard: 1000, until: 1e15 } };
    const held = key(plan(500), readPaceState(kept));
    expect([held.send(2000), held.send(3_601_000)]).toEqual([3_599_000, 0]);
  });

  test("Retry-After of another status affects only the retry", () => {
    const other = key(plan(500));
    other.exchange(1000, news(503, {}, 7000));
    expect(other.send(1000)).toBe(0);
  });
});

/** Simulates a service that accepts this many requests in any minute and sends Retry-After. */
function service(limit: number) {
  const times: number[] = [];
  let refusals = 0;
  return {
    refusals: () => refusals,
    answer: (now: number): RateNews => {
      const inside = times.filter((at) => at > now - 60_000);
      if (inside.length < limit) {
        times.push(now);
        return news(200);
      }
      refusals += 1;
      const wait = (inside.at(-limit) ?? now) + 60_000 - now;
      return news(429, {}, Math.ceil(wait / 1000) * 1000);
    },
  };
}

/** Sends requests until then, one every so often, and waits when required. */
function pull(
  asking: ReturnType<typeof key>,
  answer: (now: number) => RateNews,
  { from = 0, until, every }: { from?: number; until: number; every: number },
): { readonly accepted: number; readonly end: number } {
  let accepted = 0;
  let now = from;
  while (now < until) {
    const heard = asking.attempt(now, answer);
    if (typeof heard === "number") {
      now += heard;
      continue;
    }
    if (heard.status === 200) accepted += 1;
    now += every;
  }
  return { accepted, end: now };
}

describe("the rate is learned", () => {
  test("from two 429s at the same number of accepted requests", () => {
    const asking = key(plan(500));
    const limited = service(300);
    const { accepted } = pull(asking, limited.answer, { until: 540_000, every: 20 });
    expect(limited.refusals()).toBe(2);
    expect(asking.rate(540_000)).toBe(300);
    // Nine minutes at the actual rate.
    expect(accepted).toBeGreaterThan(300 * 8.6);
  });

  test.each([[25], [70], [150], [190]])("for any request duration: %i ms", (every) => {
    const asking = key(plan(500));
    const limited = service(290);
    const { accepted } = pull(asking, limited.answer, { until: 540_000, every });
    expect(limited.refusals()).toBeLessThanOrEqual(4);
    expect(accepted).toBeGreaterThan(290 * 8.5);
  });

  test("but not below a tenth of the plan's rate", () => {
    const asking = key(plan(500));
    pull(asking, service(20).answer, { until: 300_000, every: 50 });
    expect(asking.rate(300_000)).toBe(50);
  });

  test("but not if no request was accepted", () => {
    const asking = key(plan(500));
    for (let at = 0; at < 500_000; at += 70_000) asking.exchange(at, news(429, {}, 1000));
    expect(asking.rate(500_000)).toBe(500);
  });

  test("for a plan whose rate is unknown", () => {
    const asking = key(plan(undefined));
    const limited = service(40);
    pull(asking, limited.answer, { until: 400_000, every: 100 });
    expect(asking.rate(400_000)).toBe(40);
    expect(limited.refusals()).toBe(2);
  });

  test("and forgotten after ten minutes", () => {
    const asking = key(plan(500));
    const { end } = pull(asking, service(100).answer, { until: 120_000, every: 20 });
    expect([asking.rate(end), asking.rate(end + 600_000)]).toEqual([100, 500]);
  });

  test("but not from one 429, nor from several in a row", () => {
    const asking = key(plan(500));
    const limited = service(100);
    let strikes = 0;
    const once = (now: number): RateNews => {
      if (strikes === 5) return news(200);
      const heard = limited.answer(now);
      strikes += heard.status === 429 ? 1 : 0;
      return heard.status === 429 ? news(429) : heard;
    };
    pull(asking, once, { until: 300_000, every: 20 });
    expect([strikes, asking.rate(300_000)]).toEqual([5, 500]);
  });

  test.each([300, 150])(
    "and rarely from a service that rejects at random, with a request every %i ms",
    (every) => {
      for (let seed = 1; seed <= (isLong ? 10 : 4); seed += 1) {
        const stumbling = (): (() => RateNews) => {
          let drawn = seed;
          return () => {
            // Lehmer's generator: the same draws in every run.
            drawn = (drawn * 48_271) % 2_147_483_647;
            return drawn < 2_147_483_647 * 0.05 ? news(429, {}, 1000) : news(200);
          };
        };
        const { accepted } = pull(key(plan(500)), stumbling(), { until: 600_000, every });
        const { accepted: without } = pull(key(unlimited), stumbling(), { until: 600_000, every });
        expect(accepted).toBeGreaterThan(without * 0.85);
      }
    },
  );

  test("an explicit rate is never lowered", () => {
    const limited = service(20);
    const asking = key(fixed(600));
    const headers = new Map([["ratelimit-limit", "20"]]);
    pull(asking, (now) => ({ ...limited.answer(now), headers }), { until: 300_000, every: 100 });
    expect([asking.rate(300_000), asking.state().learned, asking.state().told]).toEqual([
      600,
      undefined,
      undefined,
    ]);
  });
});

describe("RateLimit-*", () => {
  const heardWith = (headers: Record<string, string>, rate = plan(100)): ReturnType<typeof key> => {
    const asking = key(rate);
    asking.exchange(1000, news(200, headers));
    return asking;
  };

  test("Limit lowers the rate, and never raises it", () => {
    expect(heardWith({ "ratelimit-limit": "40" }).rate(1000)).toBe(40);
    expect(heardWith({ "ratelimit-limit": "4000" }).rate(1000)).toBe(100);
    expect(heardWith({ "ratelimit-limit": "40" }, plan(undefined)).rate(1000)).toBe(40);
    expect(heardWith({ "ratelimit-limit": "40" }).rate(601_000)).toBe(100);
  });

  test("Remaining 0 delays requests until Reset", () => {
    const held = heardWith({ "ratelimit-remaining": "0", "ratelimit-reset": "9" });
    expect([held.send(1000), held.send(10_000)]).toEqual([9000, 0]);
    const free = heardWith({ "ratelimit-remaining": "1", "ratelimit-reset": "9" });
    expect(free.send(1000)).toBe(0);
  });

  test("K4: delays requests by a minute at most, because the limit is per minute", () => {
    for (const reset of ["61", "500", "600"]) {
      const held = heardWith({ "ratelimit-remaining": "0", "ratelimit-reset": reset });
      expect([held.send(1000), held.send(61_000)]).toEqual([60_000, 0]);
    }
  });

  test("K4: Retry-After decides where it exists", () => {
    const asking = key(plan(100));
    const headers = { "ratelimit-remaining": "0", "ratelimit-reset": "500" };
    asking.exchange(1000, { ...news(429, headers), retryAfter: 2000 });
    expect([asking.send(1000), asking.send(3000)]).toEqual([2000, 0]);
  });

  test.each([["0"], ["-5"], ["1e3"], ["abc"], [""], ["1.5"], ["99999999"], ["100, 100;w=60"], ["\u0663"]])(
    "Limit %j is ignored",
    (limit) => {
      expect(heardWith({ "ratelimit-limit": limit }).rate(1000)).toBe(100);
    },
  );

  test.each([["0"], ["-5"], ["abc"], [""], ["601"], ["1795251240"], ["1e2"], ["9 s"]])(
    "Reset %j is ignored",
    (reset) => {
      const asking = heardWith({ "ratelimit-remaining": "0", "ratelimit-reset": reset });
      expect(asking.send(1000)).toBe(0);
    },
  );
});

describe("waiting requests", () => {
  const open = (rate: PaceRate, options: TestContextOptions & { store?: PaceStore } = {}) => {
    const context = createTestContext(options);
    const said: string[] = [];
    const store = options.store ?? memoryStore();
    const pausing = (_: number, line: string | undefined): void => {
      if (line !== undefined) said.push(line);
    };
    return { context, said, pace: createPace(context, { rate, store, pausing }) };
  };

  test("32 concurrent requests are sent in order", async () => {
    const { pace, context } = open(plan(8));
    const left: [number, number][] = [];
    const ask = async (number: number): Promise<void> => {
      const { at } = await pace.turn();
      left.push([number, at]);
    };
    await Promise.all(Array.from({ length: 32 }, (_, number) => ask(number)));
    expect(left.map(([number]) => number)).toEqual(Array.from({ length: 32 }, (_, number) => number));
    expect(left.map(([, at]) => at)).toEqual(
      [0, 61_200, 122_400, 183_600].flatMap((at) => Array.from({ length: 8 }, () => at)),
    );
    expect(context.clock.pending()).toBe(0);
  });

  test.each([
    [plan(15), 15],
    [plan(120), 120],
    [fixed(30), 30],
    [fixed(300), 300],
  ])("streams that reconnect repeatedly leave half of the rate to requests: %j", async (rate, perMinute) => {
    const { pace, context, said } = open(rate);
    const { clock } = context;
    const until = 5 * 61_200;
    const sent = { request: 0, reopening: 0 };
    const ask = async (kind: keyof typeof sent): Promise<void> => {
      while (clock.elapsed() < until) {
        await pace.turn(kind);
        sent[kind] += 1;
        await clock.sleep(20);
      }
    };
    await Promise.all([...Array.from({ length: 20 }, () => ask("reopening")), ask("request")]);
    expect(sent.request).toBeGreaterThanOrEqual((5 * perMinute) / 2);
    expect(sent.reopening).toBeGreaterThanOrEqual(4 * Math.floor(perMinute / 2));
    // One more of each may be sent as the time ends.
    expect(sent.reopening).toBeLessThanOrEqual((5 * perMinute) / 2 + Math.ceil(perMinute / 2) + 20);
    expect(said.some((line) => line.includes("reconnects may use at most half of the rate limit"))).toBe(
      true,
    );
  });

  test("a stream that waits to reconnect lets requests pass, and leaves the queue when it is aborted", async () => {
    const { pace, context } = open(plan(4));
    await pace.turn("opening");
    await pace.turn("opening");
    const left = new AbortController();
    const waiting = pace.turn("reopening", left.signal).catch((cause: unknown) => cause);
    expect([(await pace.turn()).at, (await pace.turn()).at]).toEqual([0, 0]);
    left.abort("left");
    expect(await waiting).toBe("left");
    expect(context.clock.pending()).toBe(0);
    expect((await pace.turn("reopening")).at).toBe(61_200);
  });

  test("only the first of them reads the store", async () => {
    const { store, looks } = countingStore();
    const { pace } = open(plan(8), { store });
    await Promise.all(Array.from({ length: 32 }, () => pace.turn()));
    expect(looks()).toBe(32 + 3);
  });

  test("an ordinary response does not read the store", async () => {
    const { store, looks } = countingStore();
    const { pace } = open(plan(100), { store });
    const headers = { "ratelimit-limit": "50", "ratelimit-remaining": "7", "ratelimit-reset": "9" };
    await pace.record(news(200, headers), await pace.turn());
    expect(looks()).toBe(2);
    for (let more = 0; more < 10; more += 1) await pace.record(news(200, headers), await pace.turn());
    expect(looks()).toBe(12);
  });

  test("all of them end with the run", async () => {
    const { pace, context } = open(plan(1));
    await pace.turn();
    const waiting = [pace.turn(), pace.turn(), pace.turn()].map((each) =>
      each.catch((reason: unknown) => reason),
    );
    await new Promise(setImmediate);
    context.interrupt({ cause: "SIGINT" });
    expect(await Promise.all(waiting)).toEqual([1, 2, 3].map(() => ({ cause: "SIGINT" })));
    expect(context.clock.pending()).toBe(0);
  });

  test("a slow response may have been counted late, so its slot is reused later", async () => {
    const { pace, context } = open(plan(1));
    const turn = await pace.turn();
    context.clock.advance(5000);
    await pace.record(news(200), turn);
    expect((await pace.turn()).at).toBe(66_200);
  });

  test("a response time within the slack of the window changes nothing", async () => {
    const { pace, context } = open(plan(1));
    const turn = await pace.turn();
    context.clock.advance(1200);
    await pace.record(news(200), turn);
    expect((await pace.turn()).at).toBe(61_200);
  });

  test("delayed requests resume with jitter", async () => {
    const { pace } = open(unlimited, { random: 0.5 });
    await pace.record(news(429, {}, 3000), await pace.turn());
    expect((await pace.turn()).at).toBe(3125);
  });

  test.each([
    [plan(1), "waiting 1m2s for the rate limit of 1 request/min (pro plan; see --rpm)"],
    [fixed(9), "waiting 7s for the rate limit of 9 requests/min (set by --rpm)"],
  ])("a wait of more than 2 s is reported once: %j", async (rate, line) => {
    const { pace, said } = open(rate);
    for (let sent = 0; sent < 4; sent += 1) await pace.turn();
    expect(said).toEqual([line]);
  });

  test("a learned rate and a pause that the service requests are reported too", async () => {
    const { pace, said } = open(plan(20));
    await pace.record(news(200, { "ratelimit-limit": "2" }), await pace.turn());
    await pace.turn();
    await pace.turn();
    expect(said).toEqual([
      "waiting 1m2s for the rate limit of 2 requests/min (learned from the service; see --rpm)",
    ]);
    await pace.record(news(429, {}, 30_000), await pace.turn());
    await pace.turn();
    expect(said.slice(1)).toEqual(["waiting 30s: the service requested a pause for this key"]);
  });

  test("a short wait is not reported", async () => {
    const { pace, said } = open(fixed(60));
    for (let sent = 0; sent < 20; sent += 1) await pace.turn();
    await pace.record(news(429, {}, 1500), await pace.turn());
    await pace.turn();
    expect(said.filter((line) => line.includes("requested a pause"))).toEqual([]);
  });

  test("a pause longer than any rate limit wait is left to the retry policy", async () => {
    const { pace, said } = open(plan(100));
    await pace.record(news(429, {}, 3_600_000), await pace.turn());
    await expect(pace.turn()).rejects.toMatchObject({
      details: { exit: 6, code: "rate_limited", retryable: true, retryAfter: 3_600_000 },
    });
    expect(said).toEqual([]);
  });
});

/** Counts how often the store is read. */
function countingStore(): { readonly store: PaceStore; readonly looks: () => number } {
  let count = 0;
  const memory = memoryStore();
  const update: PaceStore["update"] = async (change) => {
    count += 1;
    return await memory.update(change);
  };
  return { store: { update }, looks: () => count };
}

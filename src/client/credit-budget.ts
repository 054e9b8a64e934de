import { fail, Failure } from "../base/failure.ts";

/** A limit on the credits that requests and events may spend. */
export interface Budget {
  /** Before a request. Throws a Failure if the request would exceed the budget. */
  readonly claim: (credits: number) => Promise<Claim>;
  /**
   * After events have arrived. Their credits are spent, so they are always added, even above the limit. Throws a
   * Failure afterward if no credit is left, also for 0 credits, before a stream is opened.
   */
  readonly record: (credits: number) => Promise<void>;
  /** Resolves when everything is recorded. */
  readonly settled: () => Promise<void>;
}

interface Claim {
  /** Until this call, all reserved credits count as spent: a request without a response may cost credits too. */
  readonly settle: (credits: number) => Promise<void>;
}

const done = (): Promise<void> => Promise.resolve();

export const unbounded: Budget = {
  claim: () => Promise.resolve({ settle: done }),
  record: done,
  settled: done,
};

export function bothBudgets(first: Budget, second: Budget): Budget {
  return {
    claim: async (credits) => {
      const one = await first.claim(credits);
      try {
        const other = await second.claim(credits);
        return {
          settle: async (cost) => {
            await one.settle(cost);
            await other.settle(cost);
          },
        };
      } catch (cause) {
        await one.settle(0);
        throw cause;
      }
    },
    record: async (credits) => {
      // The credits are added to both, and the first limit that is reached is reported.
      const [one, other] = await Promise.allSettled([first.record(credits), second.record(credits)]);
      if (one.status === "rejected") throw one.reason;
      if (other.status === "rejected") throw other.reason;
    },
    settled: async () => {
      await Promise.all([first.settled(), second.settled()]);
    },
  };
}

/**
 * Rejects all claims that follow a rejected one. Otherwise, a smaller request for later rows could take the remaining
 * credits, although its rows would never be output.
 */
export function inTurn(budget: Budget): Pick<Budget, "claim"> {
  let last: Promise<Claim | undefined> = Promise.resolve(undefined);
  return {
    claim: async (credits) => {
      const turn = last.then(async () => await budget.claim(credits));
      last = turn;
      return await turn;
    },
  };
}

export type Reservation = ReturnType<typeof reserveCredits>;

/**
 * If an attempt costs nothing, its credits stay reserved for the next one; otherwise, requests for later rows could
 * take them during the wait. `turns` is the same budget with claims in order; attempts after a paid one skip that
 * queue, because it contains only later rows. Returns undefined if spending is unlimited.
 */
export function reserveCredits(budget: Budget, turns: Pick<Budget, "claim">, credits: number) {
  if (budget === unbounded) return undefined;
  let claim: Claim | undefined;
  let isPaid = false;
  const settle = async (cost: number): Promise<void> => {
    const settled = claim;
    claim = undefined;
    await settled?.settle(cost);
  };
  return {
    open: async (): Promise<void> => {
      claim ??= await (isPaid ? budget : turns).claim(credits);
    },
    /** Credits that the attempt may or may not have cost count too. The next attempt needs a new claim. */
    pay: async (cost: number): Promise<void> => {
      isPaid = true;
      await settle(cost);
    },
    close: async (): Promise<void> => await settle(0),
  };
}

/**
 * A request that exceeds the budget only when combined with pending requests waits for them, because they may cost
 * nothing. The error therefore reports the final number of credits spent.
 */
export function runBudget(most: number, name: string, before = 0): Budget {
  let spent = before;
  let pending = 0;
  let waiting: (() => void)[] = [];
  const settlement = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
  const wakeAll = (): void => {
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };

  return {
    record: async (credits) => {
      spent += credits;
      wakeAll();
      if (spent >= most) throw passed(name, most, spent, "next event costs 1");
      await done();
    },
    settled: done,
    claim: async (credits) => {
      const fits = (): boolean => spent + pending + credits <= most;
      while (!fits()) {
        if (pending === 0) throw passed(name, most, spent, `next request costs ${credits}`);
        await settlement();
      }
      pending += credits;
      return {
        settle: (cost) => {
          pending -= credits;
          spent += cost;
          wakeAll();
          return done();
        },
      };
    },
  };
}

function passed(name: string, most: number, spent: number, cost: string): Failure {
  const problem = `${name} of ${most} reached: ${spent} spent, ${cost}`;
  return fail("max_credits", problem, { next: `raise ${name}` });
}

/** A run's account of stream events, which the service charges as it delivers them. */
export type EventLedger = Readonly<ReturnType<typeof createEventLedger>>;

/**
 * A stream cannot reserve credits, because the service decides how many events it sends. Therefore, a stream is opened
 * only while a credit is left, and everything that arrives is recorded. `count` adds events to the run's meter.
 */
export function createEventLedger(budget: Pick<Budget, "record">, count: (events: number) => void) {
  let unrecorded = 0;
  let recording: Promise<void> = Promise.resolve();
  let spent: Failure | undefined;

  /** Events that arrive while earlier ones are being recorded are recorded together. */
  const record = async (): Promise<void> => {
    const events = unrecorded;
    unrecorded = 0;
    if (events === 0) return;
    try {
      await budget.record(events);
    } catch (cause) {
      if (!(cause instanceof Failure)) throw cause;
      spent ??= cause;
    }
  };

  /** Returns the failure that ends the streams: no credit is left, or the credits could not be recorded. */
  const recorded = async (): Promise<Failure | undefined> => {
    await recording;
    return spent;
  };

  return {
    recorded,
    /** Throws a Failure if no stream may be opened. */
    check: async (): Promise<void> => {
      const failure = await recorded();
      if (failure !== undefined) throw failure;
      await budget.record(0);
    },
    /** Recording starts at once, so that little is lost if the process is killed. `recorded` returns the result. */
    delivered: (events: number): void => {
      count(events);
      unrecorded += events;
      recording = recording.then(record);
      recording.catch(() => undefined);
    },
  };
}

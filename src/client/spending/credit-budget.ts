import { fail, type Failure } from "../../contract/failure.ts";

/** Limits the credits that may be spent. */
export interface Budget {
  /** Reserves credits before a request. Throws a Failure if the request would exceed the budget. */
  readonly claim: (credits: number) => Promise<Claim>;
}

export interface Claim {
  /**
   * Reports the actual cost. Until then, all reserved credits count as spent, because a request without a response may
   * cost credits too.
   */
  readonly settle: (credits: number) => Promise<void>;
}

export const unbounded: Budget = {
  claim: () => Promise.resolve({ settle: () => Promise.resolve() }),
};

/** Combines two budgets. A claim has to fit into both. */
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
  };
}

/**
 * Handles claims one at a time, and rejects all claims that follow a rejected one. Otherwise a smaller request for
 * later rows could take the remaining credits, although its rows would never be output.
 */
export function inTurn(budget: Budget): Budget {
  let last: Promise<Claim | undefined> = Promise.resolve(undefined);
  return {
    claim: async (credits) => {
      const turn = last.then(async () => await budget.claim(credits));
      last = turn;
      return await turn;
    },
  };
}

export type Tab = ReturnType<typeof openTab>;

/**
 * Holds the credits of one request over all its attempts. If a rejected attempt cost nothing, its credits stay reserved
 * for the next attempt: otherwise requests for later rows could take them during the wait, and the earlier rows would
 * never be read. `turns` is the same budget with claims in order. Attempts after a paid one skip that queue, because
 * the requests waiting in it are for later rows. Returns undefined if spending is unlimited.
 */
export function openTab(budget: Budget, turns: Budget, credits: number) {
  if (budget === unbounded) return undefined;
  let claim: Claim | undefined;
  let isPaid = false;
  const settle = async (cost: number): Promise<void> => {
    const settled = claim;
    claim = undefined;
    await settled?.settle(cost);
  };
  return {
    /** Reserves the credits, unless they are still reserved from an earlier attempt that cost nothing. */
    open: async (): Promise<void> => {
      claim ??= await (isPaid ? budget : turns).claim(credits);
    },
    /** Records that the attempt cost the credits, or may have cost them. The next attempt needs a new claim. */
    pay: async (): Promise<void> => {
      isPaid = true;
      await settle(credits);
    },
    /** Releases credits that are still reserved. */
    close: async (): Promise<void> => await settle(0),
  };
}

/**
 * The budget of this run, set with `--max-credits`. If a request exceeds the budget only together with pending
 * requests, it waits for them, because they may turn out to cost nothing. The error therefore reports the final number
 * of credits spent.
 */
export function runBudget(most: number, name = "--max-credits"): Budget {
  let spent = 0;
  let pending = 0;
  let waiting: (() => void)[] = [];
  const settlement = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));

  return {
    claim: async (credits) => {
      const fits = (): boolean => spent + pending + credits <= most;
      while (!fits()) {
        if (pending === 0) throw passed(name, most, spent, credits);
        await settlement();
      }
      pending += credits;
      return {
        settle: (cost) => {
          pending -= credits;
          spent += cost;
          const woken = waiting;
          waiting = [];
          for (const wake of woken) wake();
          return Promise.resolve();
        },
      };
    },
  };
}

function passed(name: string, most: number, spent: number, credits: number): Failure {
  const problem = `${name} of ${most} reached: ${countedAsSpent(spent)}, next request costs ${credits}`;
  return fail("max_credits", problem, { next: `raise ${name}` });
}

export function countedAsSpent(credits: number): string {
  return `${credits} spent`;
}

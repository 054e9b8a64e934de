import { fail, type Failure } from "../../contract/failure.ts";

/** Credits that may be spent. */
export interface Budget {
  /** Reserves credits before a request; a Failure if that would exceed the budget. */
  readonly claim: (credits: number) => Promise<Claim>;
}

export interface Claim {
  /** Reports the actual cost. Without this call all credits count: a request without a response may cost too. */
  readonly settle: (credits: number) => Promise<void>;
}

export const unbounded: Budget = {
  claim: () => Promise.resolve({ settle: () => Promise.resolve() }),
};

/** Both budgets have to grant each claim. */
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
 * One claim after the other, and none after one that was rejected: otherwise a smaller request for later rows would take the
 * remaining credits, and its rows would never be output.
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
 * The credits of one request over all its attempts. Credits that a rejected attempt did not cost stay reserved for the next
 * one: if they were returned during the wait, requests for later rows would take them, and the first rows would never be
 * read. `turns`: the same budget, claimed in turn; attempts after a paid one skip the queue, because their rows come before
 * the rows of the requests that wait there. Undefined if spending is unlimited.
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
    /** Reserves the credits, unless an earlier attempt that cost nothing has left them reserved. */
    open: async (): Promise<void> => {
      claim ??= await (isPaid ? budget : turns).claim(credits);
    },
    /** The attempt cost the credits, or may have: the next one needs its own. */
    pay: async (): Promise<void> => {
      isPaid = true;
      await settle(credits);
    },
    /** Returns the credits that no attempt has cost. */
    close: async (): Promise<void> => await settle(0),
  };
}

/**
 * `--max-credits`: the budget of this run. A request that exceeds it together with the pending ones waits for them, because
 * they may turn out to cost nothing; so a rejection reports the final number of credits spent.
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

/** Credits that may be spent. */
export interface Budget {
  /** Sets credits aside before a request; a Failure when that would pass what may be spent. */
  readonly claim: (credits: number) => Promise<Claim>;
}

export interface Claim {
  /** What the request cost after all. Without this call all of it counts: a request without an answer may cost too. */
  readonly settle: (credits: number) => Promise<void>;
}

export const unbounded: Budget = {
  claim: () => Promise.resolve({ settle: () => Promise.resolve() }),
};

/** Both of them have to grant it. */
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
 * One claim after the other, and none after one that was refused: a smaller request for later rows would else take
 * what is left, and nobody would see its rows.
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

/** The credits of one request over all its attempts. */
export interface Tab {
  /** Sets them aside, unless an earlier attempt that cost nothing has left them so. */
  readonly open: () => Promise<void>;
  /** The attempt cost them, or may have: the next one needs its own. */
  readonly pay: () => Promise<void>;
  /** Gives back what no attempt has cost. */
  readonly close: () => Promise<void>;
}

/**
 * What a refused attempt did not cost stays set aside for the next one: given back while it waits, it would go to
 * requests for later rows, and the rows that come first would be the ones that are never had. `budget` is claimed from
 * in turn, but for attempts after one that was paid: the rows of these come before those of whoever waits. There is none
 * where nothing bounds what is spent.
 */
export function openTab(budget: Budget, turns: Budget, credits: number): Tab | undefined {
  if (budget === unbounded) return undefined;
  let claim: Claim | undefined;
  let isPaid = false;
  const settle = async (cost: number): Promise<void> => {
    const settled = claim;
    claim = undefined;
    await settled?.settle(cost);
  };
  return {
    open: async () => {
      claim ??= await (isPaid ? budget : turns).claim(credits);
    },
    pay: async () => {
      isPaid = true;
      await settle(credits);
    },
    close: async () => await settle(0),
  };
}

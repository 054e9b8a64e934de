import { fail, type Failure } from "../../contract/failure.ts";
import type { Budget } from "./budget.ts";

/**
 * `--max-credits`: what this run may spend. A request that does not fit beside those under way waits for them, as
 * they may turn out to cost nothing; so whoever is refused learns what was spent in the end.
 */
export function runBudget(most: number, name = "--max-credits"): Budget {
  let spent = 0;
  let underWay = 0;
  let waiting: (() => void)[] = [];
  const settlement = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));

  return {
    claim: async (credits) => {
      const fits = (): boolean => spent + underWay + credits <= most;
      while (!fits()) {
        if (underWay === 0) throw passed(name, most, spent, credits);
        await settlement();
      }
      underWay += credits;
      return {
        settle: (cost) => {
          underWay -= credits;
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
  return fail(
    "max_credits",
    `${name} ${most}: ${countedAsSpent(spent)}, and the next request would cost ${credits}`,
    {
      next: `allow more with a higher ${name}`,
    },
  );
}

export function countedAsSpent(credits: number): string {
  return `${credits} ${credits === 1 ? "credit is" : "credits are"} counted as spent`;
}

import { describe, expect, test } from "vitest";
import {
  bothBudgets,
  type Budget,
  inTurn,
  reserveCredits,
  runBudget,
  unbounded,
} from "../../src/client/credit-budget.ts";
import { Failure } from "../../src/base/failure.ts";

describe("the budget of a run", () => {
  test("a claim that exceeds the budget waits for pending claims and is granted if those cost nothing", async () => {
    const budget = runBudget(2, "--max-credits");
    const [one, two] = [await budget.claim(1), await budget.claim(1)];
    let isGranted = false;
    const third = budget.claim(1).then((claim) => {
      isGranted = true;
      return claim;
    });
    await one.settle(1);
    expect(isGranted).toBe(false);
    await two.settle(0);
    await (await third).settle(1);
    await expect(budget.claim(1)).rejects.toThrow("--max-credits of 2 reached: 2 spent");
  });

  test("only as many waiting claims are granted as the budget allows", async () => {
    const budget = runBudget(10, "--max-credits");
    const first = await budget.claim(10);
    const waiting = [budget.claim(6), budget.claim(4), budget.claim(1)].map(
      async (claim) => await claim.then(({ settle }) => settle(0)).catch((cause: unknown) => cause),
    );
    await first.settle(5);
    const [six, four, one] = await Promise.all(waiting);
    expect(six).toBeInstanceOf(Failure);
    expect([four, one]).toEqual([undefined, undefined]);
  });

  test("with inTurn, a smaller request does not get the credits that an earlier, larger request was denied", async () => {
    const budget = inTurn(runBudget(12, "--max-credits"));
    const first = await budget.claim(10);
    const [ten, two] = [budget.claim(10), budget.claim(2)].map(
      async (claim) => await claim.catch((cause: unknown) => cause),
    );
    await first.settle(10);
    expect(await Promise.all([ten, two])).toEqual([expect.any(Failure), expect.any(Failure)]);
  });

  test("if one of two budgets rejects a claim, the other gets its credits back", async () => {
    const [wide, narrow] = [runBudget(5, "--max-credits"), runBudget(1, "--max-credits")];
    await expect(bothBudgets(wide, narrow).claim(5)).rejects.toThrow("--max-credits of 1 reached: 0 spent");
    await expect(wide.claim(5)).resolves.toBeDefined();
    await expect(unbounded.claim(1_000_000)).resolves.toBeDefined();
  });

  test("a response settles the claims of both budgets", async () => {
    const [wide, narrow] = [runBudget(2, "--max-credits"), runBudget(3, "budget.daily")];
    for (const budget of [bothBudgets(wide, narrow), bothBudgets(narrow, wide)]) {
      const { settle } = await budget.claim(1);
      await settle(1);
    }
    await expect(wide.claim(1)).rejects.toThrow("--max-credits of 2 reached: 2 spent");
    await expect(narrow.claim(2)).rejects.toThrow("budget.daily of 3 reached: 2 spent");
  });
});

describe("the tab of a request", () => {
  function recorded(): { readonly budget: Budget; readonly steps: string[] } {
    const steps: string[] = [];
    const budget: Budget = {
      ...unbounded,
      claim: async (credits) => {
        steps.push(`claim ${credits}`);
        return await Promise.resolve({
          settle: async (cost) => {
            await Promise.resolve(steps.push(`settle ${cost}`));
          },
        });
      },
    };
    return { budget, steps };
  }

  test("a free attempt passes its credits on to the next attempt", async () => {
    const { budget, steps } = recorded();
    const tab = reserveCredits(budget, budget, 3);
    await tab?.open();
    await tab?.open();
    await tab?.pay(3);
    await tab?.close();
    expect(steps).toEqual(["claim 3", "settle 3"]);
  });

  test("after an attempt that may have cost credits, the next attempt makes a new claim; the remainder is returned", async () => {
    const { budget, steps } = recorded();
    const tab = reserveCredits(budget, budget, 3);
    await tab?.open();
    await tab?.pay(3);
    await tab?.open();
    await tab?.close();
    expect(steps).toEqual(["claim 3", "settle 3", "claim 3", "settle 0"]);
  });

  test("no tab is opened without a spending limit", () => {
    expect(reserveCredits(unbounded, inTurn(unbounded), 3)).toBe(undefined);
  });
});

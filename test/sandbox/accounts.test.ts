import { describe, expect, test } from "vitest";
import { createAccounts } from "../../src/sandbox/service/accounts.ts";
import { defaultSettings } from "../../src/sandbox/sandbox-exchange.ts";
import { createSandboxState, handle } from "../harness/bundled-sandbox.ts";
import { NOON } from "./contract/service.ts";

const minute = 60_000;

describe("sandbox accounts", () => {
  test("an 8,000-character key has its own account", () => {
    const accountOf = createAccounts(defaultSettings);
    const creditsOf = (end: string) => {
      const key = `api_free_${"x".repeat(8000)}${end}`;
      return accountOf({ kind: "keyed", tier: "free", key }, "127.0.0.1").credits;
    };
    creditsOf("a").charge(3, NOON);
    expect([creditsOf("a").used(NOON), creditsOf("b").used(NOON)]).toEqual([3, 0]);
  });

  test("a paid account that is charged for weeks stores one sum", () => {
    const accountOf = createAccounts(defaultSettings);
    const { credits } = accountOf({ kind: "keyed", tier: "pro", key: "api_pro_busy" }, "127.0.0.1");
    const begin = NOON;
    for (let second = 0; second < 20 * 86_400; second += 60) credits.charge(2, begin + second);
    expect(credits.used(begin + 20 * 86_400)).toBe(2 * 20 * 1440);
    const next = Date.UTC(2026, 10, 1) / 1000;
    expect([credits.used(next - 1), credits.used(next)]).toEqual([2 * 20 * 1440, 0]);
  });

  test("an exhausted key stays rejected while 13,000 other keys send requests", () => {
    let elapsed = 0;
    const state = createSandboxState({ now: () => NOON * 1000, elapsed: () => elapsed, credits: 2 });
    const ask = (key: string): number =>
      handle(
        {
          method: "GET",
          target: "/nothing",
          headers: { authorization: key },
          remoteAddress: "127.0.0.1",
          host: "rest_paid",
        },
        state,
      ).status;
    const exhausted = "api_dev_exhausted";
    expect([ask(exhausted), ask(exhausted), ask(exhausted)]).toEqual([404, 404, 402]);
    for (let round = 0; round < 13; round += 1) {
      for (let index = 0; index < 1000; index += 1) ask(`api_dev_${round}_${index}`);
      elapsed += minute / 2;
      expect(ask(exhausted)).toBe(402);
    }
  });
});

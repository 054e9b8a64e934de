import { describe, expect, test } from "vitest";
import {
  type Accounts,
  type Caller,
  createAccounts,
  maxAccounts,
} from "../../src/sandbox/service/accounts.ts";
import { defaultSettings, type SandboxOptions } from "../../src/sandbox/sandbox-exchange.ts";
import { createSandboxState, handle } from "../harness/bundled-sandbox.ts";
import { NOON } from "./contract/service.ts";

const minute = 60_000;
const day = 86_400_000;

/** Accounts on two clocks that the test sets: `now` is simulated and `elapsed` real, both in milliseconds. */
function open(more: Partial<SandboxOptions> = {}) {
  const clock = { now: NOON * 1000, elapsed: 0 };
  const options = { ...defaultSettings, elapsed: () => clock.elapsed, ...more };
  const accounts = createAccounts(options, () => Math.floor(clock.now / 1000));
  return { clock, accounts, at: () => Math.floor(clock.now / 1000) };
}

const keyed = (name: string): Caller => ({ kind: "keyed", tier: "free", key: `api_free_${name}` });

/** Creates this many accounts, each of which spends one credit. */
function fill(accounts: Accounts, at: number, count: number, name = "filler"): void {
  for (let index = 0; index < count; index += 1) {
    const account = accounts.of(keyed(`${name}_${index}`), "127.0.0.1");
    account.rate?.take(0);
    account.credits.charge(1, at);
  }
}

describe("sandbox accounts", () => {
  test("25,000 keys leave no more than the maximum number of accounts", () => {
    const { accounts, clock, at } = open();
    for (let round = 0; round < 5; round += 1) {
      fill(accounts, at(), 5000, `round_${round}`);
      clock.elapsed += minute;
      expect(accounts.size()).toBeLessThanOrEqual(maxAccounts);
    }
  });

  test("an account in use keeps its state when many others are added", () => {
    const { accounts, clock, at } = open();
    const used = keyed("used");
    for (let round = 0; round < 8; round += 1) {
      const account = accounts.of(used, "127.0.0.1");
      expect(account.credits.used(at())).toBe(round);
      account.credits.charge(1, at());
      fill(accounts, at(), 3000, `round_${round}`);
      clock.elapsed += minute;
    }
  });

  test("an account used within the last minute stays, even above the maximum", () => {
    const { accounts, clock, at } = open();
    const first = accounts.of(keyed("first"), "127.0.0.1");
    first.credits.charge(5, at());
    clock.elapsed += minute - 1;
    fill(accounts, at(), 2 * maxAccounts);
    expect(accounts.size()).toBe(2 * maxAccounts + 1);
    expect(accounts.of(keyed("first"), "127.0.0.1").credits.used(at())).toBe(5);
  });

  test("an account with an open stream stays, however old its last request is", () => {
    const { accounts, clock, at } = open();
    const streaming = accounts.of(keyed("streaming"), "127.0.0.1");
    streaming.credits.charge(7, at());
    const release = accounts.hold(streaming);
    const flood = (name: string): void => {
      for (let round = 0; round < 4; round += 1) {
        clock.elapsed += minute;
        fill(accounts, at(), 5000, `${name}_${round}`);
      }
    };
    flood("during");
    expect(accounts.of(keyed("streaming"), "127.0.0.1")).toBe(streaming);
    release();
    flood("after");
    expect(accounts.of(keyed("streaming"), "127.0.0.1")).not.toBe(streaming);
  });

  test("accounts with all their credits are dropped before accounts that spent some, even if used more recently", () => {
    const { accounts, clock, at } = open();
    const spender = accounts.of(keyed("spender"), "127.0.0.1");
    spender.credits.charge(1, at());
    // An account without charges has no state left after its minute.
    for (let index = 0; index < maxAccounts - 1; index += 1)
      accounts.of(keyed(`whole_${index}`), "127.0.0.1");
    clock.elapsed += minute;
    accounts.of(keyed("one more"), "127.0.0.1");
    expect(accounts.size()).toBe(2);
    expect(accounts.of(keyed("spender"), "127.0.0.1")).toBe(spender);
  });

  test("an account can be dropped once its spent credits have returned", () => {
    const { accounts, clock, at } = open();
    fill(accounts, at(), maxAccounts);
    clock.elapsed += minute;
    clock.now += 30 * day;
    accounts.of(keyed("one more"), "127.0.0.1");
    expect(accounts.size()).toBe(1);
  });

  test("an 8,000-character key is not stored verbatim and still has its own account", () => {
    const { accounts, at } = open();
    const long = (end: string): Caller => keyed("x".repeat(8000) + end);
    accounts.of(long("a"), "127.0.0.1").credits.charge(3, at());
    expect(accounts.of(long("a"), "127.0.0.1").credits.used(at())).toBe(3);
    expect(accounts.of(long("b"), "127.0.0.1").credits.used(at())).toBe(0);
  });

  test("a paid account that is charged for weeks stores one sum", () => {
    const { accounts, at } = open();
    const { credits } = accounts.of({ kind: "keyed", tier: "pro", key: "api_pro_busy" }, "127.0.0.1");
    const begin = at();
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

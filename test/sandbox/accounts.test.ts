import { describe, expect, test } from "vitest";
import { type Accounts, createAccounts, maxAccounts } from "../../src/sandbox/accounts.ts";
import type { Caller } from "../../src/sandbox/caller.ts";
import type { SandboxOptions } from "../../src/sandbox/exchange.ts";
import { createSandboxState, handle } from "../harness/bundled-sandbox.ts";
import { NOON } from "./contract/service.ts";

const minute = 60_000;
const day = 86_400_000;

/** Accounts on two clocks that the test sets: `now` is simulated and `elapsed` real, both in milliseconds. */
function open(more: Partial<SandboxOptions> = {}) {
  const clock = { now: NOON * 1000, elapsed: 0 };
  const options = { now: () => clock.now, elapsed: () => clock.elapsed, ...more };
  const accounts = createAccounts(options, () => Math.floor(clock.now / 1000));
  return { clock, accounts, at: () => Math.floor(clock.now / 1000) };
}

const keyed = (name: string): Caller => ({ kind: "keyed", tier: "free", key: `api_free_${name}` });

/** So many accounts that each spent a credit. */
function fill(accounts: Accounts, at: number, count: number, name = "filler"): void {
  for (let index = 0; index < count; index += 1) {
    const account = accounts.of(keyed(`${name}_${index}`), "127.0.0.1");
    account.rate?.take(0);
    account.credits.charge(1, at);
  }
}

describe("accounts of the sandbox", () => {
  test("40,000 keys leave no more than the bound behind", () => {
    const { accounts, clock, at } = open();
    for (let round = 0; round < 8; round += 1) {
      fill(accounts, at(), 5000, `round_${round}`);
      clock.elapsed += minute;
      expect(accounts.size()).toBeLessThanOrEqual(maxAccounts);
    }
  });

  test("one that is used goes on where it was, whatever others come", () => {
    const { accounts, clock, at } = open();
    const used = keyed("used");
    for (let round = 0; round < 30; round += 1) {
      const account = accounts.of(used, "127.0.0.1");
      expect(account.credits.used(at())).toBe(round);
      account.credits.charge(1, at());
      fill(accounts, at(), 3000, `round_${round}`);
      clock.elapsed += minute;
    }
  });

  test("one that was used within the last minute is kept beyond the bound", () => {
    const { accounts, clock, at } = open();
    const first = accounts.of(keyed("first"), "127.0.0.1");
    first.credits.charge(5, at());
    clock.elapsed += minute - 1;
    fill(accounts, at(), 2 * maxAccounts);
    expect(accounts.size()).toBe(2 * maxAccounts + 1);
    expect(accounts.of(keyed("first"), "127.0.0.1").credits.used(at())).toBe(5);
  });

  test("one with an open stream is kept, however long ago it asked", () => {
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

  test("those whose credits are whole go before those that spent some, however recently they were used", () => {
    const { accounts, clock, at } = open();
    const spender = accounts.of(keyed("spender"), "127.0.0.1");
    spender.credits.charge(1, at());
    // Without a charge they remember nothing once their minute is over.
    for (let index = 0; index < maxAccounts - 1; index += 1)
      accounts.of(keyed(`whole_${index}`), "127.0.0.1");
    clock.elapsed += minute;
    accounts.of(keyed("one more"), "127.0.0.1");
    expect(accounts.size()).toBe(2);
    expect(accounts.of(keyed("spender"), "127.0.0.1")).toBe(spender);
  });

  test("what was spent is forgotten with it once it has returned", () => {
    const { accounts, clock, at } = open();
    fill(accounts, at(), maxAccounts);
    clock.elapsed += minute;
    clock.now += 30 * day;
    accounts.of(keyed("one more"), "127.0.0.1");
    expect(accounts.size()).toBe(1);
  });

  test("a key as long as a header is not kept as it is, and is still its own", () => {
    const { accounts, at } = open();
    const long = (end: string): Caller => keyed("x".repeat(8000) + end);
    accounts.of(long("a"), "127.0.0.1").credits.charge(3, at());
    expect(accounts.of(long("a"), "127.0.0.1").credits.used(at())).toBe(3);
    expect(accounts.of(long("b"), "127.0.0.1").credits.used(at())).toBe(0);
  });

  test("a paid account that is charged every second for a month keeps one sum", () => {
    const { accounts, at } = open();
    const { credits } = accounts.of({ kind: "keyed", tier: "pro", key: "api_pro_busy" }, "127.0.0.1");
    const begin = at();
    for (let second = 0; second < 20 * 86_400; second += 60) credits.charge(2, begin + second);
    expect(credits.used(begin + 20 * 86_400)).toBe(2 * 20 * 1440);
    const next = Date.UTC(2026, 10, 1) / 1000;
    expect([credits.used(next - 1), credits.used(next)]).toEqual([2 * 20 * 1440, 0]);
  });

  test("an exhausted key stays refused while 25,000 others ask", () => {
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
    for (let round = 0; round < 25; round += 1) {
      for (let index = 0; index < 1000; index += 1) ask(`api_dev_${round}_${index}`);
      elapsed += minute / 2;
      expect(ask(exhausted)).toBe(402);
    }
  });
});

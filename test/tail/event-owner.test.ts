import { describe, expect, test } from "vitest";
import type { EventId, StreamEvent } from "../../src/client/stream-event.ts";
import { Foreign, idOf, type Owner } from "../../src/client/stream-event.ts";
import { EventOwners } from "../../src/client/event-owner.ts";
import type { Subject } from "../../src/client/subject.ts";

const event = (data: unknown, requestId?: EventId): StreamEvent => {
  const bytes = Buffer.from(typeof data === "string" ? data : JSON.stringify(data));
  return {
    name: "x",
    bytes,
    start: 0,
    end: bytes.length,
    isPlainJson: true,
    id: "",
    requestId,
    texts: undefined,
    firstText: 0,
    owner: undefined,
  };
};
/** Each event is of a connection with these assets. */
const createOwners = (by: "token" | "pool" = "token") => {
  const owners = new EventOwners({ by });
  const of = (each: StreamEvent, subjects: readonly Subject[]): Owner => {
    owners.claim([each], subjects, 0);
    return each.owner;
  };
  return { of };
};
const assets = ["0x1", "0x2", "0x3"].map((address) => ({ network: "base", address }));
const [one, two, three] = assets;
const nameOf = (owner: Owner): string | undefined =>
  owner instanceof Foreign ? `foreign ${owner.name}` : owner && `${owner.network}:${owner.address}`;

describe("without an address in the row", () => {
  test("an event belongs to the only asset, or to the asset at its position in the batch", () => {
    const owners = createOwners();
    expect(owners.of(event({ p: "1" }), [{ network: "base", address: "0x1" }])).toEqual(one);
    expect(owners.of(event({ p: "1" }, 1), assets)).toBe(two);
    expect(owners.of(event({ p: "1" }, 7), assets)).toBeUndefined();
    expect(owners.of(event({ p: "1" }), assets)).toBeUndefined();
  });

  test.each(["", " ", "0x1", "1e0", "+1", "01", "1.0", "-0"])(
    "T1: a request_id of %j is not an index",
    (text) => {
      const owners = createOwners();
      const bytes = Buffer.from(text);
      expect(owners.of(event({ p: "1" }, idOf(bytes, 0, bytes.length)), assets)).toBeUndefined();
    },
  );
});

test("the quietest asset is that without an event for longest, on whichever connection, since it is known", () => {
  const owners = new EventOwners({ by: "token" });
  const hear = (address: string, id: number | undefined, now: number, subjects = assets): void =>
    owners.claim([event({ address, chain: "base" }, id)], subjects, now);
  expect(owners.quietest(assets, 100)).toBe(100);
  // Without an index, with that of another asset, and an event of no asset.
  hear("0x1", undefined, 200);
  for (const now of [200, 210]) hear("0x2", 0, now);
  hear("0x9", 2, 220);
  expect(owners.quietest(assets, 300)).toBe(100);
  hear("0x3", 0, 230);
  expect(owners.quietest(assets, 300)).toBe(200);
  const moved = [...assets.slice(1), { network: "base", address: "0x4" }];
  expect([owners.quietest(moved.slice(0, 2), 400), owners.quietest(moved.slice(2), 400)]).toEqual([210, 400]);
  expect(owners.quietest([], 500)).toBe(500);
  // They were not listed meanwhile.
  expect(owners.quietest(assets, 600)).toBe(600);
});

describe("T1: the row's own address decides", () => {
  const rows: readonly (readonly [by: "token" | "pool", row: object, owner: string])[] = [
    ["token", { address: "0x3", chain: "base" }, "base:0x3"],
    ["token", { a: "0x3", c: "base" }, "base:0x3"],
    ["token", { chain: "base", token_id: "0x3", open: 1 }, "base:0x3"],
    ["token", { chain: "base", pool_id: "0x9", token_0: "0x8", token_1: "0x3" }, "base:0x3"],
    ["token", { token_id: "0x3" }, "base:0x3"],
    ["token", { address: "0X3", chain: "BASE" }, "base:0x3"],
    ["token", { address: "0x0003", chain: "base" }, "base:0x3"],
    ["token", { address: "0x3", chain: "solana" }, "foreign solana:0x3"],
    ["token", { address: "0x4", chain: "base" }, "foreign base:0x4"],
    ["token", { address: "0x4" }, "foreign 0x4"],
    ["pool", { chain: "base", pool_id: "0x3", token_0: "0x1" }, "base:0x3"],
    ["pool", { chain: "base", pool_id: "0x4", token_0: "0x1" }, "foreign base:0x4"],
  ];
  test.each(rows)("%s %j", (by, row, owner) => {
    for (const id of [undefined, 0, 1, 2, 9])
      expect(nameOf(createOwners(by).of(event(row, id), assets))).toBe(owner);
  });

  test("also on a stream of one asset", () => {
    const owners = createOwners();
    expect(nameOf(owners.of(event({ address: "0x2", chain: "base" }, 0), assets.slice(0, 1)))).toBe(
      "foreign base:0x2",
    );
  });

  test("of the two tokens of a trade, the one at the index", () => {
    const owners = createOwners();
    const trade = { chain: "base", pool_id: "0x9", token_0: "0x1", token_1: "0x3" };
    expect(owners.of(event(trade, 2), assets)).toBe(three);
    expect(owners.of(event(trade, 0), assets)).toBe(one);
    expect(owners.of(event(trade, 1), assets)).toBe(one);
  });

  test("rows that are recognized by their first bytes have the same owner as when they are read", () => {
    const owners = createOwners();
    for (let number = 0; number < 2000; number += 1) {
      const address = `0x${(number * 7) % 5}`;
      const first = number % 3 === 0 ? { n: number } : {};
      const row = event({ ...first, address, chain: number % 11 === 0 ? "solana" : "base" }, number % 4);
      const fresh = createOwners();
      expect(nameOf(owners.of(row, assets))).toBe(nameOf(fresh.of(row, assets)));
    }
    // A longer address that begins alike.
    expect(nameOf(owners.of(event({ address: "0x31", chain: "base" }, 2), assets))).toBe("foreign base:0x31");
  });
});

import { writeInstant } from "../instant.ts";
import type { Query } from "../query.ts";
import { invalidParam, missingParam } from "../refusal.ts";
import { type Answer, networkOf } from "./answer.ts";

interface PriceItem {
  readonly [name: string]: string | number;
  readonly id: string;
}

const MAX_ADDRESSES = 10;
const MAX_CHARACTERS = 2000;

/** Specification, endpoint 2. */
export const answerMultiPrices: Answer = (asked) => {
  const network = networkOf(asked);
  const { market, at } = asked;
  const items = readAddresses(asked.query).flatMap((address): PriceItem[] => {
    const token = market.token(network, address, at);
    const price = token === undefined ? undefined : market.tokenPriceUsd(token, at);
    if (token === undefined || price === undefined) return [];
    const item = { id: token.address, chain: network.id, price_usd: price };
    return [asked.dialect === "public" ? { ...item, last_updated: writeInstant(at) } : item];
  });
  return shuffle(items);
};

/** What the batch costs: a credit an address, unpriced ones included. A batch that will be refused costs one. */
export function countAddresses(query: Query): number {
  return Math.min(MAX_ADDRESSES, Math.max(1, splitAddresses(query).length));
}

/** The comma form, or `tokens` once an address; bounds hold for all of them together. */
function readAddresses(query: Query): readonly string[] {
  const values = query.all("tokens");
  if (values.length === 0) throw missingParam("tokens");
  if (values.join(",").length > MAX_CHARACTERS) {
    throw invalidParam("tokens", `must not be longer than ${MAX_CHARACTERS} characters`);
  }
  const addresses = splitAddresses(query);
  if (addresses.length === 0) throw invalidParam("tokens", "must hold at least one address");
  if (addresses.length > MAX_ADDRESSES) {
    throw invalidParam("tokens", `must not hold more than ${MAX_ADDRESSES} addresses`);
  }
  return addresses;
}

function splitAddresses(query: Query): readonly string[] {
  return query
    .all("tokens")
    .flatMap((value) => value.split(","))
    .filter((address) => address !== "");
}

/**
 * The specification promises no order, so a client that counts on the order asked has to fail here: never the same
 * order where there are two different items, and always the same for the same request.
 */
function shuffle(items: readonly PriceItem[]): readonly PriceItem[] {
  const shuffled = items.toSorted((a, b) => mix(a.id) - mix(b.id));
  const isUnmoved = shuffled.every((item, index) => item.id === items[index]?.id);
  return isUnmoved ? [...shuffled.slice(1), ...shuffled.slice(0, 1)] : shuffled;
}

/** FNV-1a. */
function mix(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

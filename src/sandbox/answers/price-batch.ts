import { writeInstant } from "../wire/request-times.ts";
import type { Query } from "../wire/query.ts";
import { invalidParam, missingParam } from "../wire/service-refusal.ts";
import { type Answer, networkOf } from "./answer.ts";

const MAX_ADDRESSES = 10;
const MAX_CHARACTERS = 2000;

/** Specification, endpoint 2. */
export const answerMultiPrices: Answer = (asked) => {
  const network = networkOf(asked);
  const { market, at } = asked;
  const items = readAddresses(asked.query).flatMap((address) => {
    const token = market.token(network, address, at);
    const price = token && market.tokenPriceUsd(token, at);
    if (token === undefined || price === undefined) return [];
    const updated = asked.dialect === "public" ? writeInstant(at) : undefined;
    return [{ id: token.address, chain: network.id, price_usd: price, last_updated: updated }];
  });
  return shuffle(items);
};

/** One credit per address, even if it has no price. A batch that will be rejected costs one credit. */
export function countAddresses(query: Query): number {
  return Math.min(MAX_ADDRESSES, Math.max(1, query.list("tokens").length));
}

/** Reads a comma-separated list or repeated `tokens` parameters. The limits apply to the total. */
function readAddresses(query: Query): readonly string[] {
  const values = query.all("tokens");
  if (values.length === 0) throw missingParam("tokens");
  if (values.join(",").length > MAX_CHARACTERS) {
    throw invalidParam("tokens", `must not be longer than ${MAX_CHARACTERS} characters`);
  }
  const addresses = query.list("tokens");
  if (addresses.length === 0) throw invalidParam("tokens", "must contain at least one address");
  if (addresses.length > MAX_ADDRESSES) {
    throw invalidParam("tokens", `must not contain more than ${MAX_ADDRESSES} addresses`);
  }
  return addresses;
}

/** The specification guarantees no order. A shuffled but stable order exposes clients that rely on one. */
function shuffle<Item extends { readonly id: string }>(items: readonly Item[]): readonly Item[] {
  const shuffled = items.toSorted((a, b) => mix(a.id) - mix(b.id));
  const isUnmoved = shuffled.every((item, index) => item.id === items[index]?.id);
  return isUnmoved ? [...shuffled.slice(1), ...shuffled.slice(0, 1)] : shuffled;
}

function mix(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

import type { Endpoint, Args } from "../../../api/endpoint.ts";
import { traitsOf } from "../../../api/reply.ts";
import { visibleText } from "../../../base/text/unsafe-text.ts";
import type { FindAsset } from "./cell.ts";

/** `of` is the token whose price it is, and `in` the currency. */
export interface Quote {
  readonly of: string | undefined;
  readonly in: string;
}

/**
 * What the prices of candles mean. A pool's price is that of its first token, and with `inversed` that of the second
 * one.
 */
export function quoteOf({ reply }: Endpoint, args: Args, find: FindAsset | undefined): Quote | undefined {
  if (!traitsOf(reply).isCandles) return undefined;
  const pool = args.get("pool_address");
  const isInversed = args.get("inversed") === "true";
  const label = find?.(pool ?? args.get("token_address") ?? "", args.get("network"))?.label;
  if (pool === undefined) return { of: label && visibleText(label), in: "USD" };
  const named = visibleText(label ?? "").split("/");
  const tokens = named.length === 2 ? named : ["token 0", "token 1"];
  const [base = "", other = ""] = isInversed ? tokens.toReversed() : tokens;
  return { of: base, in: other };
}

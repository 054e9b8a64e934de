import type { Args } from "../../../api/args.ts";
import type { Endpoint } from "../../../api/endpoint.ts";
import { visibleText } from "../sanitize.ts";
import type { FindAsset } from "./cell.ts";

/** `of` is the symbol whose price it is, if known; `in` is the currency: `USD`, `WETH` or `the pool's other token`. */
export interface Quote {
  readonly of?: string;
  readonly in: string;
}

/**
 * What the prices of candles mean. A pool's price is that of its first token, and with `inversed` that of the second
 * one.
 */
export function quoteOf({ quote }: Endpoint, args: Args, find: FindAsset | undefined): Quote | undefined {
  if (quote === undefined) return undefined;
  const pool = args.get("pool_address");
  const isInversed = args.get("inversed") === "true";
  const label = find?.(pool ?? args.get("token_address") ?? "", args.get("network"))?.label;
  const unnamed = { in: isInversed ? `${quote}, inversed` : quote };
  if (label === undefined) return unnamed;
  if (pool === undefined) return { of: visibleText(label), in: quote };
  const tokens = visibleText(label).split("/");
  const [base, other] = isInversed ? tokens.toReversed() : tokens;
  return base === undefined || other === undefined || tokens.length !== 2 ? unnamed : { of: base, in: other };
}

import type { Args } from "../../contract/args.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import { visibleText } from "../sanitize.ts";
import type { FindAsset } from "./cell.ts";

/**
 * What the prices of candles mean: `of WETH in USD`, `of USDC in WETH`, or `in the pool's other token` if the symbols
 * are unknown. A pool's price is that of its first token, and with `inversed` that of the second one.
 */
export function quoteText({ quote }: Endpoint, args: Args, find: FindAsset | undefined): string | undefined {
  if (quote === undefined) return undefined;
  const pool = args.get("pool_address");
  const isInversed = args.get("inversed") === "true";
  const label = find?.(pool ?? args.get("token_address") ?? "", args.get("network"))?.label;
  if (label === undefined) return isInversed ? `${quote}, inversed` : quote;
  if (pool === undefined) return `of ${visibleText(label)} ${quote}`;
  const tokens = visibleText(label).split("/");
  const [base, other] = isInversed ? tokens.toReversed() : tokens;
  if (tokens.length !== 2) return isInversed ? `${quote}, inversed` : quote;
  return `of ${base} in ${other}`;
}

import { matchTemplate } from "../endpoints/templates.ts";
import type { Dialect } from "./dialect.ts";
import { documentation } from "./links.ts";
import { Refusal } from "./refusal.ts";

/** Specification, Removed endpoints. */
const replacements: readonly (readonly [template: string, replacement: string])[] = [
  ["/pools", "/pools/search"],
  ["/networks/{network}/pools", "/networks/{network}/pools/search"],
  ["/networks/{network}/pools/filter", "/networks/{network}/pools/search"],
  ["/networks/{network}/dexes/{dex}/pools", "/networks/{network}/pools/search?dex_name={dex}"],
  [
    "/networks/{network}/tokens/{token_address}/pools",
    "/networks/{network}/pools/search?token_address={token_address}",
  ],
  ["/networks/{network}/tokens/filter", "/networks/{network}/tokens/search"],
  ["/networks/{network}/tokens/top", "/networks/{network}/tokens/search"],
];

/** The 410 of a removed path; undefined for any other. The placeholders stay as the specification writes them. */
export function removedPath(segments: readonly string[], dialect: Dialect): Refusal | undefined {
  for (const [template, replacement] of replacements) {
    if (matchTemplate(template, segments) === undefined) continue;
    if (dialect === "public")
      return new Refusal(410, { code: 410, message: "endpoint removed", replacement });
    const message = `endpoint removed; use ${replacement}`;
    return new Refusal(410, { error: "endpoint_removed", code: 410, message, replacement, documentation });
  }
  return undefined;
}

import { orUndefined } from "../base/failure.ts";
import type { ContractEndpoint } from "./endpoint.ts";
import { endpoints } from "./endpoints/all.ts";

/** `carried` maps placeholders in the old path to the parameters that replaced them. */
const removed = (path: string, replacement: string, carried: Readonly<Record<string, string>> = {}) => ({
  path,
  replacement,
  carried,
});

/** Specification, "Removed endpoints", except the path on the streaming host. The paths permanently return 410. */
export const removedEndpoints = [
  removed("/pools", "/pools/search"),
  removed("/networks/{network}/pools", "/networks/{network}/pools/search"),
  removed("/networks/{network}/pools/filter", "/networks/{network}/pools/search"),
  removed("/networks/{network}/dexes/{dex}/pools", "/networks/{network}/pools/search", { dex: "dex_name" }),
  removed("/networks/{network}/tokens/{token_address}/pools", "/networks/{network}/pools/search", {
    token_address: "token_address",
  }),
  removed("/networks/{network}/tokens/filter", "/networks/{network}/tokens/search"),
  removed("/networks/{network}/tokens/top", "/networks/{network}/tokens/search"),
];

/** Both streaming hosts removed this path for GET and POST. An asset's method determines its current feed. */
export const removedStream = "/stream";

export type FoundEndpoint = NonNullable<ReturnType<typeof findEndpoint>>;

/** A fixed word takes precedence over an identifier: `tokens/search` does not name a token. */
const byFixedWords = endpoints.toSorted((a, b) => placeholders(a) - placeholders(b));

/** `path` contains the values of the placeholders in the path. */
export function findEndpoint(segments: readonly string[]) {
  for (const endpoint of byFixedWords) {
    const path = matchTemplate(endpoint.path, segments);
    if (path !== undefined) return { endpoint, path };
  }
  return undefined;
}

function placeholders(endpoint: ContractEndpoint): number {
  return endpoint.path.split("{").length - 1;
}

/** None if one cannot be decoded. A trailing slash adds an empty segment. */
export function pathSegments(path: string): readonly string[] {
  return orUndefined(() => path.split("/").slice(1).map(decodeURIComponent)) ?? [];
}

/** Undefined if the path does not match. Empty values do not match. */
export function matchTemplate(
  template: string,
  segments: readonly string[],
): ReadonlyMap<string, string> | undefined {
  const parts = template.split("/").slice(1);
  if (parts.length !== segments.length) return undefined;
  const values = new Map<string, string>();
  for (const [index, part] of parts.entries()) {
    const segment = segments[index] ?? "";
    if (!part.startsWith("{")) {
      if (part !== segment) return undefined;
    } else if (segment === "") return undefined;
    else values.set(part.slice(1, -1), segment);
  }
  return values;
}

import type { Args } from "../model/args.ts";
import type { Endpoint } from "../model/endpoint.ts";

/**
 * The URL of one request: each path parameter one percent-encoded segment, query parameters in the contract's
 * order, so that the same question is the same URL.
 */
export function requestUrl(base: string, endpoint: Endpoint, args: Args): URL {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/gu, (_, name: string) =>
    encodeURIComponent(args.get(name) ?? ""),
  );
  const query = endpoint.params
    .filter((param) => param.place === "query" && args.has(param.name))
    .map((param) => `${param.name}=${encodeQueryValue(args.get(param.name) ?? "")}`);
  return new URL(base + path + (query.length === 0 ? "" : `?${query.join("&")}`));
}

/** Commas stay readable: they separate, and no address holds one. */
function encodeQueryValue(text: string): string {
  return encodeURIComponent(text).replaceAll("%2C", ",");
}

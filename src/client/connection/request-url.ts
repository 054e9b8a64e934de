import type { Args } from "../../model/args.ts";
import type { Endpoint } from "../../model/endpoint.ts";
import { usageFailure } from "../../model/failure.ts";

/**
 * The URL of one request: each path parameter one percent-encoded segment, query parameters in the contract's
 * order, so that the same question is the same URL. It lies below the base, or there is no request: the key goes
 * where the URL leads.
 */
export function requestUrl(base: string, endpoint: Endpoint, args: Args): URL {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/gu, (_, name: string) =>
    encodeValue(args.get(name) ?? ""),
  );
  const query = endpoint.params
    .filter((param) => param.place === "query" && args.has(param.name))
    .map((param) => `${encodeURIComponent(param.name)}=${encodeQueryValue(args.get(param.name) ?? "")}`);
  const url = new URL(base + path + (query.length === 0 ? "" : `?${query.join("&")}`));
  const { origin, pathname } = new URL(base);
  if (url.origin === origin && url.pathname.startsWith(`${pathname.replace(/\/$/u, "")}/`)) return url;
  throw usageFailure(`"${path}": is no path below ${base}`);
}

/** Commas stay readable: they separate, and no address holds one. */
function encodeQueryValue(text: string): string {
  return encodeValue(text).replaceAll("%2C", ",");
}

/** Rows of stdin and of the service can hold half a surrogate pair, which has no bytes. */
function encodeValue(text: string): string {
  if (/\p{Surrogate}/u.test(text)) throw usageFailure(`"${text}": is no whole text`);
  return encodeURIComponent(text);
}

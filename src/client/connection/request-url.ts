import type { Args } from "../../model/args.ts";
import type { Endpoint } from "../../model/endpoint.ts";
import { usageFailure } from "../../model/failure.ts";

/**
 * The URLs of requests below a base: each path parameter one percent-encoded segment, query parameters in the contract's
 * order, so that the same question is the same URL. It lies below the base, or there is no request: the key goes
 * where the URL leads.
 */
export function createRequestUrls(base: string): (endpoint: Endpoint, args: Args) => URL {
  const { origin, pathname } = new URL(base);
  const below = `${pathname.replace(/\/$/u, "")}/`;
  return (endpoint, args) => {
    const [path, query] = [pathOf(endpoint, args), queryOf(endpoint, args)];
    const url = new URL(base + path + query);
    if (url.origin === origin && url.pathname.startsWith(below)) return url;
    throw usageFailure(`"${path}": is no path below ${base}`);
  };
}

function pathOf({ path }: Endpoint, args: Args): string {
  return path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => encodeValue(args.get(name) ?? ""));
}

function queryOf({ params }: Endpoint, args: Args): string {
  let query = "";
  for (const { name, place } of params) {
    const value = place === "query" ? args.get(name) : undefined;
    if (value === undefined) continue;
    query += `${query === "" ? "?" : "&"}${encodeURIComponent(name)}=${encodeQueryValue(value)}`;
  }
  return query;
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

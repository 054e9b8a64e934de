import type { Args } from "../../contract/args.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import { usageFailure } from "../../contract/failure.ts";

/**
 * The URLs of requests below a base: each path parameter one percent-encoded segment, query parameters in the contract's
 * order, so that the same question is the same URL. It lies below the base, or there is no request: the key goes
 * where the URL leads.
 */
export function createRequestUrls(base: string): (endpoint: Endpoint, args: Args) => URL {
  const { origin, pathname } = new URL(base);
  const below = `${pathname.replace(/\/$/u, "")}/`;
  return (endpoint, args) => {
    const path = endpoint.path.replaceAll(/\{(\w+)\}/gu, (_, name: string) =>
      encodeValue(args.get(name) ?? ""),
    );
    const url = new URL(base + path + queryOf(endpoint, args));
    if (url.origin === origin && url.pathname.startsWith(below)) return url;
    throw usageFailure(`"${path}": is no path below ${base}`);
  };
}

function queryOf({ params, repeated }: Endpoint, args: Args): string {
  const parts = params.flatMap(({ name, place }) => {
    if (place !== "query") return [];
    const [value, more] = [args.get(name), repeated?.get(name) ?? []];
    const values = value === undefined ? more : [value, ...more];
    return values.map((each) => `${encodeURIComponent(name)}=${encodeQueryValue(each)}`);
  });
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

/** Commas stay readable: they separate, and no address holds one. */
function encodeQueryValue(text: string): string {
  return encodeValue(text).replaceAll("%2C", ",");
}

/** Rows of stdin and of the service can hold half a surrogate pair, which has no bytes. */
function encodeValue(text: string): string {
  if (!text.isWellFormed()) throw usageFailure(`"${text}": is no whole text`);
  return encodeURIComponent(text);
}

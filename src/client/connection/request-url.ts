import type { Args } from "../../api/args.ts";
import type { Endpoint } from "../../api/endpoint.ts";
import { usageFailure } from "../../base/failure.ts";

/**
 * Query parameters are in the contract's order, so the same request always has the same URL. A URL outside the base is
 * rejected, because the key is sent with it.
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
    throw usageFailure(`"${path}": must be a path below ${base}`);
  };
}

function queryOf({ params, raw }: Endpoint, args: Args): string {
  const parts = params.flatMap(({ name, place }) => {
    if (place !== "query") return [];
    const [value, more] = [args.get(name), raw?.repeated.get(name) ?? []];
    const values = value === undefined ? more : [value, ...more];
    // Commas stay unescaped for readability: they separate values, and no address contains one.
    return values.map((each) => `${encodeURIComponent(name)}=${encodeValue(each).replaceAll("%2C", ",")}`);
  });
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

/** Input from stdin or rows can contain a lone surrogate, which has no UTF-8 encoding. */
function encodeValue(text: string): string {
  if (!text.isWellFormed()) throw usageFailure(`"${text}": must be valid Unicode`);
  return encodeURIComponent(text);
}

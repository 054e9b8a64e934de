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
  const forms = new WeakMap<Endpoint, UrlForm>();
  return (endpoint, args) => {
    const form = forms.get(endpoint) ?? formOf(endpoint);
    if (!forms.has(endpoint)) forms.set(endpoint, form);
    const path = pathOf(form, args);
    const query = queryOf(form, args);
    const url = new URL(base + path + query);
    if (url.origin === origin && url.pathname.startsWith(below)) return url;
    throw usageFailure(`"${path}": is no path below ${base}`);
  };
}

/** What all requests of an endpoint have in common: a list asks thousands of times. */
interface UrlForm {
  /** By turns what stands in the path and the name of a parameter. */
  readonly path: readonly string[];
  /** Each parameter of the query in the contract's order: its name, the same in a URL, and further values of it. */
  readonly query: readonly (readonly [string, string, readonly string[]])[];
}

function formOf({ path, params, repeated }: Endpoint): UrlForm {
  const names = params.filter(({ place }) => place === "query").map(({ name }) => name);
  return {
    path: path.split(/\{(\w+)\}/u),
    query: names.map((name) => [name, encodeURIComponent(name), repeated?.get(name) ?? []]),
  };
}

function pathOf({ path }: UrlForm, args: Args): string {
  let text = "";
  for (const [index, part] of path.entries())
    text += index % 2 === 0 ? part : encodeValue(args.get(part) ?? "");
  return text;
}

function queryOf({ query }: UrlForm, args: Args): string {
  let text = "";
  for (const [name, written, repeated] of query) {
    const value = args.get(name);
    if (value !== undefined) text += `${text === "" ? "?" : "&"}${written}=${encodeQueryValue(value)}`;
    for (const another of repeated) text += `&${written}=${encodeQueryValue(another)}`;
  }
  return text;
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

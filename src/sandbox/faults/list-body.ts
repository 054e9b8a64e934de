import { findEndpoint } from "../../contract/endpoints/find-endpoint.ts";
import { splitPath } from "../../contract/endpoints/templates.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import { rawElements } from "../../json/raw-json.ts";

/** The body of a response that lists rows, cut around them. */
export interface ListBody {
  /** Up to and including the bracket that opens the rows. */
  readonly before: string;
  readonly rows: readonly string[];
  /** From the bracket that closes them. */
  readonly after: string;
}

// The rows come first, and a quotation mark in a text is escaped, so these match at the edges of the rows and nowhere else.
const ROWS_BEGIN = /^\{"(?:transactions|results|dexes)":\[/u;
const ROWS_END = /\],"(?:has_next_page|page_info)":/u;

/** Undefined for a body that is not a list. */
export function cutList(body: string): ListBody | undefined {
  if (body.startsWith("[")) return { before: "[", rows: rawElements(body), after: "]" };
  const before = ROWS_BEGIN.exec(body)?.[0];
  const end = ROWS_END.exec(body)?.index;
  if (before === undefined || end === undefined) return undefined;
  return { before, rows: rawElements(body.slice(before.length - 1, end + 1)), after: body.slice(end) };
}

export function joinList({ before, rows, after }: ListBody): string {
  return before + rows.join(",") + after;
}

/** The endpoint of a request; undefined for a stream and for a path that does not exist. */
export function endpointOf(target: string): Endpoint | undefined {
  return findEndpoint(splitPath(pathOf(target)) ?? [])?.endpoint;
}

/** Whether the endpoint returns a list that page faults can strike. A single object and the groups of a search are none. */
export function isListed({ reply }: Endpoint): boolean {
  return reply.kind !== "single" && reply.kind !== "groups";
}

/** Parameters that choose a part of a list, and not the list. */
const POSITIONS = ["page", "cursor", "start", "end", "to", "count_back", "tokens"];

/** The same text for all parts of one list. */
export function listKey(target: string): string {
  const params = new URLSearchParams(searchOf(target));
  for (const name of POSITIONS) params.delete(name);
  params.sort();
  return `${pathOf(target)}?${params.toString()}`;
}

export function pathOf(target: string): string {
  return target.split("?", 1)[0] ?? "";
}

export function searchOf(target: string): string {
  return target.split("?", 2)[1] ?? "";
}

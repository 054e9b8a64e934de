import { findEndpoint, type FoundEndpoint, pathSegments } from "../../api/find-endpoint.ts";
import { rawElements } from "../../base/json/json-scan.ts";

export interface ListBody {
  /** Includes the rows' opening bracket. */
  readonly before: string;
  readonly rows: readonly string[];
  /** Starts at the rows' closing bracket. */
  readonly after: string;
}

// The rows come first, and quotes inside strings are escaped, so these patterns match only at the rows' edges.
const ROWS_BEGIN = /^\{"(?:transactions|results|dexes)":\[/u;
const ROWS_END = /\],"(?:has_next_page|page_info)":/u;

/** Returns undefined for a body that is not a list. */
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

/** The endpoint of a path, and the network, pool or token in it. Undefined for streams and unknown paths. */
export function routeOf(target: string): FoundEndpoint | undefined {
  return findEndpoint(pathSegments(pathOf(target)));
}

/** Parameters that select a part of a list instead of a different list. */
const POSITIONS = ["page", "cursor", "start", "end", "to", "count_back", "tokens"];

/** Identical for all parts of a list. */
export function listKey(target: string): string {
  const params = paramsOf(target);
  for (const name of POSITIONS) params.delete(name);
  params.sort();
  return `${pathOf(target)}?${params.toString()}`;
}

export function pathOf(target: string): string {
  return target.split("?", 1)[0] ?? "";
}

export function paramsOf(target: string): URLSearchParams {
  return new URLSearchParams(target.split("?", 2)[1]);
}

export function cursorOf(target: string): string {
  return paramsOf(target).get("cursor") ?? "";
}

export function pageOf(target: string): number {
  return Number(paramsOf(target).get("page") ?? 1);
}

export function withParam(target: string, name: string, value: string | undefined): string {
  const params = paramsOf(target);
  if (value === undefined) params.delete(name);
  else params.set(name, value);
  return `${pathOf(target)}?${params.toString()}`;
}

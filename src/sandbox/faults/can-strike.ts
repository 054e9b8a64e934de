import type { Fault } from "./fault.ts";

/**
 * Whether the fault has a hold on the request. A duplicate page needs a page before it and a dropped filter a filter:
 * requests without are not counted, so that `duplicate-page x1` strikes the first page that can repeat one.
 */
export function canStrike(fault: Fault, target: string): boolean {
  const [path = "", search = ""] = target.split("?", 2);
  if (fault.path !== undefined && !path.includes(fault.path)) return false;
  if (fault.kind === "duplicate-page") return cursorOf(search) !== "" || pageOf(search) > 1;
  if (fault.kind === "repeat-cursor") return cursorOf(search) !== "";
  return fault.kind !== "drop-filter" || droppedFilter(fault, target) !== undefined;
}

export function cursorOf(search: string): string {
  return new URLSearchParams(search).get("cursor") ?? "";
}

export function pageOf(search: string): number {
  return Number(new URLSearchParams(search).get("page") ?? 1);
}

/** Of the filters a search was asked with, the one named, or the first. */
export function droppedFilter(fault: Fault, target: string): string | undefined {
  const [path = "", search = ""] = target.split("?", 2);
  if (!path.endsWith("/search")) return undefined;
  const names = [...new URLSearchParams(search).keys()];
  return names.find((name) => (fault.filter === undefined ? isFilter(name) : name === fault.filter));
}

/** Specification, endpoint 3 and pool search. */
function isFilter(name: string): boolean {
  return /_(min|max)$|^created_(after|before)$|^(dex_name|token_address)$/.test(name);
}

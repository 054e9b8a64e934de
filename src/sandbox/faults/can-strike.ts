import type { Fault } from "./fault.ts";
import { endpointOf, isListed, pathOf, searchOf } from "./list-body.ts";

/**
 * Whether the fault has a hold on the request. A duplicate page needs a page before it and a dropped filter a filter:
 * requests without are not counted, so that `duplicate-page x1` strikes the first page that can repeat one.
 * `hasEarlier`: the same list has been returned before.
 */
export function canStrike(fault: Fault, target: string, hasEarlier: boolean): boolean {
  if (fault.path !== undefined && !pathOf(target).includes(fault.path)) return false;
  if (fault.kind === "drop-filter") return droppedFilter(fault, target) !== undefined;
  return pageFaults[fault.kind]?.(target, hasEarlier) ?? true;
}

/** Faults of lists, and the requests that each can strike; all others strike any request. */
const pageFaults: Partial<Record<Fault["kind"], (target: string, hasEarlier: boolean) => boolean>> = {
  "empty-page": isList,
  "short-page": isList,
  "stale-page": (target, hasEarlier) => hasEarlier && isList(target),
  "duplicate-page": (target, hasEarlier) =>
    cursorOf(target) !== "" || pageOf(target) > 1 || (hasEarlier && isBareList(target)),
  "missing-cursor": hasCursor,
  "repeat-cursor": (target) => cursorOf(target) !== "",
};

function isList(target: string): boolean {
  const endpoint = endpointOf(target);
  return endpoint !== undefined && isListed(endpoint);
}

/** Lists without pages: their parts are asked for by time or by address. */
function isBareList(target: string): boolean {
  const kind = endpointOf(target)?.reply.kind;
  return kind === "candles" || kind === "batch";
}

/** Whether the response can hold a `next_cursor`. */
function hasCursor(target: string): boolean {
  const kind = endpointOf(target)?.reply.kind;
  return kind === "cursor-pages" || (kind === "numbered-pages" && cursorOf(target) !== "");
}

export function cursorOf(target: string): string {
  return new URLSearchParams(searchOf(target)).get("cursor") ?? "";
}

export function pageOf(target: string): number {
  return Number(new URLSearchParams(searchOf(target)).get("page") ?? 1);
}

/** Of the filters a search was asked with, the one named, or the first. */
export function droppedFilter(fault: Fault, target: string): string | undefined {
  if (!pathOf(target).endsWith("/search")) return undefined;
  const names = [...new URLSearchParams(searchOf(target)).keys()];
  return names.find((name) => (fault.filter === undefined ? isFilter(name) : name === fault.filter));
}

/** Specification, endpoint 3 and pool search. */
function isFilter(name: string): boolean {
  return /_(min|max)$|^created_(after|before)$|^(dex_name|token_address)$/.test(name);
}

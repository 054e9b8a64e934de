import { type Fault, type Faults, traitsOf } from "./fault-kinds.ts";
import { cutList, endpointOf, isListed, listKey, pathOf, searchOf } from "./list-body.ts";
import { hashText, unitAt } from "../market/hash.ts";

/** What goes wrong in one stream. */
export interface StreamFault {
  readonly kind: "stream-cut" | "stream-silent" | "stream-error";
  /** Events to deliver before; 0 strikes at once. */
  readonly afterEvents: number;
  /** As typed. */
  readonly text: string;
}

/** Counts the requests each fault can strike, and keeps the last response of each list; all else about faults is pure. */
export interface FaultCounter {
  /** To be asked once a request, of either kind of host. */
  readonly forRequest: (target: string) => DueFaults | undefined;
  /** To be asked once a stream that opens. */
  readonly forStream: (target: string) => StreamFault | undefined;
  /** The body that was last returned for another part of the same list, or for this one. */
  readonly earlier: (target: string) => string | undefined;
  /** To be called with each body that was returned, as it was before any fault. */
  readonly returned: (target: string, body: string) => void;
}

/** Lists whose last response is kept. */
const LISTS_KEPT = 100;

export function createFaultCounter(faults: Faults, seed: number): FaultCounter {
  const counts = new Map<Fault, number>();
  const earlier = new Map<string, string>();
  const keepsLists = faults.some(({ kind }) => kind === "stale-page" || kind === "duplicate-page");
  const strikes = (fault: Fault, target: string): boolean => {
    if (!canStrike(fault, target, earlier.has(listKey(target)))) return false;
    const number = (counts.get(fault) ?? 0) + 1;
    counts.set(fault, number);
    return isDue(fault, number, seed);
  };
  const ofRequests = faults.filter(({ kind }) => traitsOf(kind).layer !== "stream");
  const ofStreams = faults.filter(({ kind }) => traitsOf(kind).layer === "stream");
  return {
    forRequest: (target) => chooseFaults(ofRequests.filter((fault) => strikes(fault, target))),
    forStream: (target) => {
      // All of them count, whether or not one before them strikes.
      const [due] = ofStreams.filter((fault) => strikes(fault, target));
      if (due === undefined || !isStreamKind(due.kind)) return undefined;
      return { kind: due.kind, afterEvents: due.amount ?? 0, text: due.text };
    },
    earlier: (target) => earlier.get(listKey(target)),
    returned: (target, body) => {
      if (!keepsLists || cutList(body) === undefined) return;
      earlier.set(listKey(target), body);
      const [oldest] = earlier.keys();
      if (earlier.size > LISTS_KEPT && oldest !== undefined) earlier.delete(oldest);
    },
  };
}

function isStreamKind(kind: Fault["kind"]): kind is StreamFault["kind"] {
  return kind === "stream-cut" || kind === "stream-silent" || kind === "stream-error";
}

/** What happens to one request. */
export interface DueFaults {
  readonly answer: Fault | undefined;
  readonly delivery: Fault | undefined;
  readonly changes: Faults;
  readonly headers: Faults;
}

/**
 * Whether the fault strikes the number-th of the requests it can strike, from 1. Nothing but seed, fault and number
 * decides, so a second run fares like the first.
 */
export function isDue({ kind, amount, path, when }: Fault, number: number, seed: number): boolean {
  if (when.by === "range") return number >= when.from && number <= when.to;
  const key = hashText(seed, `fault ${kind} ${amount ?? ""} ${path ?? ""}`);
  const first = Math.max(1, number - when.length + 1);
  for (let begin = first; begin <= number; begin += 1) if (unitAt(key, begin) < when.share) return true;
  return false;
}

/** Of the faults that are due, what one request can suffer: the first named wins where only one can. */
function chooseFaults(due: Faults): DueFaults | undefined {
  if (due.length === 0) return undefined;
  const of = (layer: string): Faults => due.filter(({ kind }) => traitsOf(kind).layer === layer);
  return {
    answer: of("answer")[0],
    delivery: of("delivery")[0],
    changes: of("change"),
    headers: of("header"),
  };
}

/**
 * Whether the fault has a hold on the request. A duplicate page needs a page before it and a dropped filter a filter:
 * requests without are not counted, so that `duplicate-page x1` strikes the first page that can repeat one.
 * `hasEarlier`: the same list has been returned before.
 */
function canStrike(fault: Fault, target: string, hasEarlier: boolean): boolean {
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

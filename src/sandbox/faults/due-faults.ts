import { type Fault, type Faults, traitsOf } from "./fault-kinds.ts";
import { cursorOf, cutList, endpointOf, isListed, listKey, pageOf, paramsOf, pathOf } from "./list-body.ts";
import { hashText, unitAt } from "../market/hash.ts";
import { makeRecent } from "../market/recent.ts";

/** The fault of one stream. */
export interface StreamFault {
  readonly kind: "stream-cut" | "stream-silent" | "stream-error";
  /** Events to deliver first; 0 strikes at once. */
  readonly afterEvents: number;
  /** As typed. */
  readonly text: string;
}

/** Counts the requests each fault applies to, and keeps the last response of each list; everything else about faults is pure. */
export interface FaultCounter {
  /** To be called once per request, of either kind of host. */
  readonly forRequest: (target: string) => DueFaults | undefined;
  /** To be called once per stream that opens. */
  readonly forStream: (target: string) => StreamFault | undefined;
  /** The body that was last returned for another part of the same list, or for this one. */
  readonly earlier: (target: string) => string | undefined;
  /** To be called with each body returned, as it is before any fault. */
  readonly returned: (target: string, body: string) => void;
}

/** Number of lists whose last response stays in memory. */
const LISTS_KEPT = 200;

export function createFaultCounter(faults: Faults, seed: number): FaultCounter {
  const counts = new Map<Fault, number>();
  const earlier = makeRecent<string, string>(LISTS_KEPT);
  const keepsLists = faults.some(({ kind }) => kind === "stale-page" || kind === "duplicate-page");
  const strikes = (fault: Fault, target: string): boolean => {
    if (!canStrike(fault, target, earlier.get(listKey(target)) !== undefined)) return false;
    const number = (counts.get(fault) ?? 0) + 1;
    counts.set(fault, number);
    return isDue(fault, number, seed);
  };
  const ofRequests = faults.filter(({ kind }) => traitsOf(kind).layer !== "stream");
  const ofStreams = faults.filter(({ kind }) => traitsOf(kind).layer === "stream");
  return {
    forRequest: (target) => chooseFaults(ofRequests.filter((fault) => strikes(fault, target))),
    forStream: (target) => {
      // All of them count, whether or not an earlier one strikes.
      const [due] = ofStreams.filter((fault) => strikes(fault, target));
      if (due === undefined || !isStreamKind(due.kind)) return undefined;
      return { kind: due.kind, afterEvents: due.amount ?? 0, text: due.text };
    },
    earlier: (target) => earlier.get(listKey(target)),
    returned: (target, body) => {
      if (keepsLists && cutList(body) !== undefined) earlier.set(listKey(target), body);
    },
  };
}

function isStreamKind(kind: Fault["kind"]): kind is StreamFault["kind"] {
  return kind === "stream-cut" || kind === "stream-silent" || kind === "stream-error";
}

/** The faults of one request. */
export interface DueFaults {
  readonly answer: Fault | undefined;
  readonly delivery: Fault | undefined;
  readonly changes: Faults;
  readonly headers: Faults;
}

/**
 * Whether the fault strikes the number-th of the requests it applies to, from 1. Only seed, fault and number decide, so a
 * second run has the same faults as the first.
 */
export function isDue({ kind, amount, path, when }: Fault, number: number, seed: number): boolean {
  if (when.by === "range") return number >= when.from && number <= when.to;
  const key = hashText(seed, `fault ${kind} ${amount ?? ""} ${path ?? ""}`);
  const first = Math.max(1, number - when.length + 1);
  for (let begin = first; begin <= number; begin += 1) if (unitAt(key, begin) < when.share) return true;
  return false;
}

/** The due faults that one request can have. Where only one is possible, the first named wins. */
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
 * Whether the fault applies to the request. A duplicate page needs a page before it, and a dropped filter needs a filter.
 * Other requests are not counted, so that `duplicate-page x1` strikes the first page that can repeat one. `hasEarlier`:
 * the same list has been returned before.
 */
function canStrike(fault: Fault, target: string, hasEarlier: boolean): boolean {
  if (fault.path !== undefined && !pathOf(target).includes(fault.path)) return false;
  if (fault.kind === "drop-filter") return droppedFilter(fault, target) !== undefined;
  return pageFaults[fault.kind]?.(target, hasEarlier) ?? true;
}

/** Faults of lists, and the requests that each applies to; all others apply to any request. */
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

/** Lists without pages: their parts are requested by time or by address. */
function isBareList(target: string): boolean {
  const kind = endpointOf(target)?.reply.kind;
  return kind === "candles" || kind === "batch";
}

/** Whether the response can have a `next_cursor`. */
function hasCursor(target: string): boolean {
  const kind = endpointOf(target)?.reply.kind;
  return kind === "cursor-pages" || (kind === "numbered-pages" && cursorOf(target) !== "");
}

/** The filter of a search that the fault names, or the first one. */
export function droppedFilter(fault: Fault, target: string): string | undefined {
  if (!pathOf(target).endsWith("/search")) return undefined;
  const names = [...paramsOf(target).keys()];
  return names.find((name) => (fault.filter === undefined ? isFilter(name) : name === fault.filter));
}

/** Specification, endpoint 3 and pool search. */
function isFilter(name: string): boolean {
  return /_(min|max)$|^created_(after|before)$|^(dex_name|token_address)$/.test(name);
}

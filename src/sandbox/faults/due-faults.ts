import { type Fault, type Faults, traitsOf } from "../fault-kinds.ts";
import {
  cursorOf,
  cutList,
  endpointOf,
  listKey,
  pageOf,
  paramsOf,
  pathOf,
  pathValuesOf,
} from "./list-body.ts";
import { hashText, unitAt } from "../market/hash.ts";
import { makeRecent } from "../market/recent.ts";

const LISTS_KEPT = 200;

const usesEarlierPages: ReadonlySet<Fault["kind"]> = new Set([
  "stale-page",
  "duplicate-page",
  "overlap-page",
]);

/** Counts the requests that each fault applies to, and stores the last response of each list. */
export function createFaultCounter(faults: Faults, seed: number) {
  const counts = new Map<Fault, number>();
  const earlier = makeRecent<string, string>(LISTS_KEPT);
  const keepsLists = faults.some(({ kind }) => usesEarlierPages.has(kind));
  const strikes = (fault: Fault, target: string): boolean => {
    if (!canStrike(fault, target, earlier.get(listKey(target)) !== undefined)) return false;
    const number = (counts.get(fault) ?? 0) + 1;
    counts.set(fault, number);
    return isDue(fault, number, seed);
  };
  const ofRequests = faults.filter(
    ({ kind }) => !["stream", "market", "cache"].includes(traitsOf(kind).layer),
  );
  const ofStreams = faults.filter(({ kind }) => traitsOf(kind).layer === "stream");
  return {
    /** Must be called once per request to any host. */
    forRequest: (target: string) => chooseFaults(ofRequests.filter((fault) => strikes(fault, target))),
    /** Must be called once per opened stream. Each fault must record this stream even if another one is injected. */
    forStream: (target: string) => ofStreams.filter((fault) => strikes(fault, target))[0],
    /** Returns the last body for any part of the same list. */
    earlier: (target: string) => earlier.get(listKey(target)),
    /** Must be called with each body before any fault changes it. */
    returned: (target: string, body: string): void => {
      if (keepsLists && cutList(body) !== undefined) earlier.set(listKey(target), body);
    },
  };
}

/** Depends only on the seed, fault and number (from 1), so a second run has the same faults. */
export function isDue({ kind, amount, path, when }: Fault, number: number, seed: number): boolean {
  if (when.by === "range") return number >= when.from && number <= when.to;
  const key = hashText(seed, `fault ${kind} ${amount ?? ""} ${path ?? ""}`);
  const first = Math.max(1, number - when.length + 1);
  for (let begin = first; begin <= number; begin += 1) if (unitAt(key, begin) < when.share) return true;
  return false;
}

export type DueFaults = NonNullable<ReturnType<typeof chooseFaults>>;

/** If a layer allows only one fault, the first one in `--faults` is used. */
function chooseFaults(due: Faults) {
  if (due.length === 0) return undefined;
  const of = (layer: string): Faults => due.filter(({ kind }) => traitsOf(kind).layer === layer);
  return {
    answer: of("answer")[0],
    delivery: of("delivery")[0],
    changes: of("change"),
    headers: of("header"),
  };
}

/** Other requests are not counted, so `duplicate-page x1` affects the first page that can repeat another. */
function canStrike(fault: Fault, target: string, hasEarlier: boolean): boolean {
  if (fault.path !== undefined && !pathOf(target).includes(fault.path)) return false;
  if (fault.kind === "drop-filter") return droppedFilter(fault, target) !== undefined;
  return pageFaults[fault.kind]?.(target, hasEarlier) ?? true;
}

/** Faults that are not listed here apply to any request. */
const pageFaults: Partial<Record<Fault["kind"], (target: string, hasEarlier: boolean) => boolean>> = {
  "empty-page": isList,
  "no-rows": isList,
  "short-page": isList,
  "stale-page": (target, hasEarlier) => hasEarlier && isList(target),
  "duplicate-page": followsPage,
  "overlap-page": followsPage,
  "foreign-page": isOfOne,
  "missing-cursor": hasCursor,
  "repeat-cursor": (target) => cursorOf(target) !== "",
};

function followsPage(target: string, hasEarlier: boolean): boolean {
  return cursorOf(target) !== "" || pageOf(target) > 1 || (hasEarlier && isBareList(target));
}

/** Whether the request names a network, pool or token, so that there is another one. */
function isOfOne(target: string): boolean {
  return pathValuesOf(target)?.has("network") === true || paramsOf(target).has("chains");
}

function isList(target: string): boolean {
  const kind = endpointOf(target)?.reply.kind;
  return kind !== undefined && kind !== "single" && kind !== "groups";
}

function isBareList(target: string): boolean {
  const kind = endpointOf(target)?.reply.kind;
  return kind === "candles" || kind === "batch";
}

function hasCursor(target: string): boolean {
  const kind = endpointOf(target)?.reply.kind;
  return kind === "cursor-pages" || (kind === "numbered-pages" && cursorOf(target) !== "");
}

/** The filter in the fault, or the first one in the request. */
export function droppedFilter(fault: Fault, target: string): string | undefined {
  if (!pathOf(target).endsWith("/search")) return undefined;
  const names = [...paramsOf(target).keys()];
  return names.find((name) => (fault.filter === undefined ? isFilter(name) : name === fault.filter));
}

/** Specification, endpoint 3 and "Pool search". */
function isFilter(name: string): boolean {
  return /_(min|max)$|^created_(after|before)$|^(dex_name|token_address)$/.test(name);
}

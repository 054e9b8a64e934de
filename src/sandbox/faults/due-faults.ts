import { type Fault, type Faults, traitsOf } from "../fault-kinds.ts";
import { cursorOf, cutList, listKey, pageOf, paramsOf, pathOf, routeOf } from "./list-body.ts";
import { hashText, unitAt } from "../market/hash.ts";
import { makeRecent } from "../recent.ts";
import type { Market } from "../market/market.ts";
import type { SandboxResponse } from "../sandbox-exchange.ts";

const LISTS_KEPT = 200;

/** Counts the requests that each fault applies to, and stores the last response of each list. */
export function createFaultCounter(faults: Faults, seed: number) {
  const counts = new Map<Fault, number>();
  const earlier = makeRecent<string, string>(LISTS_KEPT);
  const keepsLists = faults.some(({ kind }) =>
    ["stale-page", "duplicate-page", "overlap-page"].includes(kind),
  );
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

export type DueFaults = ReturnType<typeof chooseFaults>;

/** If a layer allows only one fault, the first one in `--faults` is used. */
function chooseFaults(due: Faults) {
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
  if (!pathOf(target).includes(fault.path ?? "")) return false;
  const route = routeOf(target);
  const kind = route?.endpoint.reply.kind;
  const hasCursor = cursorOf(target) !== "";
  const isList = kind !== undefined && kind !== "single" && kind !== "groups";
  const isBareList = kind === "candles" || kind === "batch";
  const followsPage = hasCursor || pageOf(target) > 1 || (hasEarlier && isBareList);
  // Faults that are not listed here apply to any request.
  const pageFaults: Partial<Record<Fault["kind"], boolean>> = {
    "empty-page": isList,
    "no-rows": isList,
    "short-page": isList,
    "stale-page": isList && hasEarlier,
    "duplicate-page": followsPage,
    "overlap-page": followsPage,
    // The request names a network, pool or token, so there is another one.
    "foreign-page": route?.path.has("network") === true || paramsOf(target).has("chains"),
    "missing-cursor": kind === "cursor-pages" || (kind === "numbered-pages" && hasCursor),
    "repeat-cursor": hasCursor,
    "drop-filter": droppedFilter(fault, target) !== undefined,
  };
  return pageFaults[fault.kind] ?? true;
}

/** The filter in the fault, or the first one in the request. */
export function droppedFilter(fault: Fault, target: string): string | undefined {
  if (!pathOf(target).endsWith("/search")) return undefined;
  const names = [...paramsOf(target).keys()];
  return names.find((name) => (fault.word === undefined ? isFilter(name) : name === fault.word));
}

/** Specification, endpoint 3 and "Pool search". */
function isFilter(name: string): boolean {
  return /_(min|max)$|^created_(after|before)$|^(dex_name|token_address)$/.test(name);
}

/** Returns the market as requests with a given path see it. Without market faults, it is the market itself. */
export function createSeenMarkets(faults: Faults): (market: Market, path: string) => Market {
  const ofMarket = faults.filter(({ kind }) => traitsOf(kind).layer === "market");
  const made = new Map<string, Market>();
  return (market, path) => {
    const chosen = ofMarket.filter((fault) => path.includes(fault.path ?? ""));
    if (chosen.length === 0) return market;
    const name = chosen.map(({ text }) => text).join();
    const seen = made.get(name) ?? market.withFaults(chosen);
    made.set(name, seen);
    return seen;
  };
}

type Response = Omit<SandboxResponse, "account">;

/** Wire-facts 2.3: `stale-if-error=600`, in milliseconds. */
const staleMs = 600_000;
const maxCopies = 1000;

/** The cache in front of the service, for the paths that have one. A copy keeps the `Date` of its original. */
export function createEdgeCache(faults: Faults, elapsed: () => number) {
  const caches = faults.filter(({ kind }) => kind === "edge-cache");
  /** `at` is in real milliseconds. */
  const copies = makeRecent<string, Response & { readonly at: number }>(maxCopies);
  return (host: string, target: string) => {
    const path = pathOf(target);
    const fault = caches.find((each) => path.includes(each.path ?? ""));
    if (fault === undefined || path.startsWith("/usage")) return undefined;
    const { amount = 0, text } = fault;
    const [words = ""] = text.split("/", 1);
    const key = `${host} ${words.includes(":path") ? path : target}`;
    const control = `public, max-age=${Math.floor(amount / 1000)}, stale-if-error=${staleMs / 1000}`;
    /** `headers` are those of the present time. */
    const copyOf = (longest: number, headers: Response["headers"] = {}): Response | undefined => {
      const copy = copies.get(key);
      const age = elapsed() - (copy?.at ?? Number.NEGATIVE_INFINITY);
      if (copy === undefined || age >= longest) return undefined;
      const kept = { Date: copy.headers["Date"] ?? "", Age: String(Math.floor(age / 1000)) };
      const { status, body } = copy;
      return { status, body, headers: { ...copy.headers, ...headers, ...kept, "Cache-Control": control } };
    };
    return {
      /** A copy for which the service is not asked. */
      free: () => (words.includes(":free") ? copyOf(amount) : undefined),
      /** What a caller gets when the service has responded like this. */
      pass: (response: Response): Response => {
        const { status, headers } = response;
        if (status >= 500) return copyOf(staleMs) ?? response;
        if (status !== 200) return response;
        const copy = copyOf(amount, headers);
        if (copy !== undefined) return copy;
        copies.set(key, { ...response, at: elapsed() });
        return { ...response, headers: { ...headers, Age: "0", "Cache-Control": control } };
      },
    };
  };
}

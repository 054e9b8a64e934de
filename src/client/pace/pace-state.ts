import { member } from "../../base/json/raw-json.ts";
import { minute, planAllowance } from "./pace.ts";
import { maxServiceWait } from "../response/retry-after.ts";

/** Shared by all processes that use the same key. All times are integer milliseconds from `Clock.elapsed`. */
export type PaceState = Readonly<ReturnType<typeof readPaceState>>;
export type Sends = NumbersOf<"at" | "count">;
type NumbersOf<Name extends string> = Readonly<Record<Name, number>>;

export const noState: PaceState = readPaceState(undefined);

/** In milliseconds. Limits expire, because the plan and an IP address's other users can change. */
const memory = 10 * minute;
/** The longest window is 61.3 s, for one request per minute. The minute that `withPeak` uses begins even earlier. */
const kept = 63_000;
/** Requests sent within this many milliseconds share an entry, so that the file stays small even at a high rate. */
const together = 25;

/**
 * Drops expired entries. A future time comes from another clock (the machine was restarted, or several machines share
 * the directory). A request with a future time counts as sent now, and a hold with one lasts at most one window.
 */
export function current(state: PaceState, now: number): PaceState {
  return {
    sends: recent(state.sends, now),
    refused: recent(state.refused, now),
    openings: recent(state.openings, now),
    hold: currentHold(state.hold, now),
    told: remembered(state.told, now),
    learned: remembered(state.learned, now),
    suspect: remembered(state.suspect, now),
    peak: remembered(state.peak, now),
  };
}

function recent(all: readonly Sends[], now: number): readonly Sends[] {
  if (all.length === 0) return all;
  return all
    .filter(({ at }) => at > now - kept)
    .map((sends) => (sends.at > now ? { ...sends, at: now } : sends))
    .toSorted((one, other) => one.at - other.at);
}

function currentHold(hold: PaceState["hold"], now: number): PaceState["hold"] {
  if (hold === undefined) return undefined;
  const isForeign = hold.heard > now;
  const heard = isForeign ? now : hold.heard;
  const longest = isForeign ? planAllowance(1).window : maxServiceWait;
  const until = Math.min(hold.until, heard + longest);
  return until > now ? { heard, until } : undefined;
}

function remembered<T extends { readonly at: number }>(entry: T | undefined, now: number): T | undefined {
  return entry !== undefined && entry.at <= now && now - entry.at < memory ? entry : undefined;
}

/** No earlier entry may be later than `at`. */
export function withSend(all: readonly Sends[], at: number): readonly Sends[] {
  const last = all.at(-1);
  if (last === undefined || Math.floor(last.at / together) !== Math.floor(at / together))
    return [...all, { at, count: 1 }];
  return [...all.slice(0, -1), { at: Math.max(at, last.at), count: last.count + 1 }];
}

/** Excludes `after` and includes `until`. */
export function countBetween(all: readonly Sends[], after: number, until: number): number {
  return all.reduce((sum, { at, count }) => (at > after && at <= until ? sum + count : sum), 0);
}

/** Values in an unknown format are treated as missing. */
export function readPaceState(value: unknown) {
  const sends = (name: string): readonly Sends[] => {
    const list: unknown = member(value, name);
    const entries = Array.isArray(list) ? list.map((each) => readNumbers(each, "at", "count")) : [];
    return entries.filter((each) => each !== undefined);
  };
  const entry = <T extends string>(name: string, ...names: readonly T[]): NumbersOf<T> | undefined =>
    readNumbers(member(value, name), ...names);
  return {
    /** Requests sent within the longest possible window, oldest first. */
    sends: sends("sends"),
    /** Requests rejected with a 429, grouped by the time they were sent. */
    refused: sends("refused"),
    openings: sends("openings"),
    /** Requested by the service; no process sends requests until the hold ends. */
    hold: entry("hold", "heard", "until"),
    /** From the `RateLimit-Limit` header. */
    told: entry("told", "perMinute", "at"),
    /** The limit that two 429s revealed. */
    learned: entry("learned", "perMinute", "at"),
    /**
     * The first of two 429s that may reveal a limit: how many requests were accepted in the minute before, and when the
     * oldest of them was sent.
     */
    suspect: entry("suspect", "at", "accepted", "oldest"),
    /** The highest number of requests accepted in one minute. */
    peak: entry("peak", "accepted", "at"),
  };
}

function readNumbers<T extends string>(value: unknown, ...names: readonly T[]): NumbersOf<T> | undefined {
  const entries = names.map((name) => [name, member(value, name)] as const);
  if (!entries.every(([, number]) => Number.isSafeInteger(number) && Number(number) >= 0)) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one entry for each of the names, each a number
  return Object.fromEntries(entries) as NumbersOf<T>;
}

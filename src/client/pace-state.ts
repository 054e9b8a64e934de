import { member } from "../base/json/json-scan.ts";
import { plans, type Tier } from "../api/tier.ts";
import { maxServiceWait } from "./retry.ts";

export interface Turn {
  /** When the request was sent, on a clock that all processes on this machine share. */
  readonly at: number;
  /** Requests sent in the minute before this one. */
  readonly before: number;
}

export interface RateNews {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** In milliseconds, as requested by the service. */
  readonly retryAfter: number | undefined;
}

export type PaceRate =
  /** `perMinute` is undefined if unknown; limits that the service reports can lower it. */
  | { readonly kind: "plan"; readonly perMinute: number | undefined; readonly plan: string }
  /** Set with `--rpm`. Requests are spread over the minute, and the limit is never lowered. */
  | { readonly kind: "fixed"; readonly perMinute: number; readonly where: string }
  | { readonly kind: "unlimited" };

/** The rate that the user has set, and otherwise that of the plan. */
export function chooseRate(
  { value, where }: { readonly value: number | "unlimited" | undefined; readonly where: string },
  tier: Tier,
): PaceRate {
  if (value === "unlimited") return { kind: "unlimited" };
  if (value !== undefined) return { kind: "fixed", perMinute: value, where };
  return { kind: "plan", perMinute: plans[tier].requestsPerMinute, plan: tier };
}

/** Up to `sends` requests within any period of `window` milliseconds. */
export interface Allowance {
  readonly sends: number;
  readonly window: number;
  /** How many milliseconds longer this window is than the service's own, and thus how late a request may arrive. */
  readonly slack: number;
}

/** In milliseconds. The client's window is 2% longer, because some requests take longer to arrive than others. */
export const minute = 60_000;
const range = 1.02;

/** Allows all of a minute's requests to be sent at once, because the service counts them per minute. */
export function planAllowance(perMinute: number): Allowance {
  return { sends: perMinute, window: minute * range, slack: minute * (range - 1) };
}

/**
 * A tenth of the requests in a tenth of a minute. For such a short window, 2% is not enough, so another 100 ms is
 * added: a program that has just started may need that long to connect.
 */
export function fixedAllowance(perMinute: number): Allowance {
  const sends = Math.max(1, Math.floor(perMinute / 10));
  const span = (sends / perMinute) * minute;
  const window = Math.ceil(span * range + 100);
  return { sends, window, slack: window - span };
}

export function allowanceOf(rate: PaceRate, perMinute: number): Allowance {
  return rate.kind === "fixed" ? fixedAllowance(perMinute) : planAllowance(perMinute);
}

/** Shared by all processes that use the same key. All times are integer milliseconds from `Clock.elapsed`. */
export type PaceState = Readonly<ReturnType<typeof readPaceState>>;
export type Sends = NumbersOf<"at" | "count">;
type NumbersOf<Name extends string> = Readonly<Record<Name, number>>;

export const noState: PaceState = readPaceState(undefined);

/** In milliseconds. Limits expire, because the plan and an IP address's other users can change. */
const memory = 10 * minute;
/** The longest window is 61.3 s, for one request per minute. The minute that `withPeak` uses begins even earlier. */
const kept = 63_000;

/** Drops expired entries, and those with a future time, which are from before a restart of the machine. */
export function current(state: PaceState, now: number): PaceState {
  const { hold } = state;
  const isHeld = hold !== undefined && hold.heard <= now && hold.until > now;
  return {
    sends: recent(state.sends, now),
    refused: recent(state.refused, now),
    openings: recent(state.openings, now),
    // An earlier version has stored longer ones.
    hold: isHeld ? { ...hold, until: Math.min(hold.until, hold.heard + maxServiceWait) } : undefined,
    told: remembered(state.told, now),
    learned: remembered(state.learned, now),
    suspect: remembered(state.suspect, now),
    peak: remembered(state.peak, now),
  };
}

function recent(all: readonly Sends[], now: number): readonly Sends[] {
  if (all.length === 0) return all;
  return all.filter(({ at }) => at > now - kept && at <= now).toSorted((one, other) => one.at - other.at);
}

function remembered<T extends { readonly at: number }>(entry: T | undefined, now: number): T | undefined {
  return entry !== undefined && entry.at <= now && now - entry.at < memory ? entry : undefined;
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

/** In requests per minute; undefined if unknown. `state` must be current. */
export function rateInForce(rate: PaceRate, state: PaceState): number | undefined {
  if (rate.kind === "unlimited") return undefined;
  if (rate.kind === "fixed") return rate.perMinute;
  const rates = [rate.perMinute, state.told?.perMinute, state.learned?.perMinute];
  const known = rates.filter((each) => each !== undefined);
  if (known.length === 0) return undefined;
  // The limit never drops below a tenth of the plan's rate, so that one odd response does not stall a pull.
  return Math.max(1, Math.ceil((rate.perMinute ?? 0) / 10), Math.min(...known));
}

/** Requests sent within this many milliseconds share an entry, so that the file stays small even at a high rate. */
const together = 25;

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

/** The new state applies to every process that uses the key. `state` must be current. */
export function learn(
  state: PaceState,
  { status, headers, retryAfter }: RateNews,
  turn: Turn,
  rate: PaceRate,
  now: number,
): PaceState {
  const isRefused = status === 429;
  const wait = (isRefused ? retryAfter : undefined) ?? resetAfter(headers) ?? -1;
  const held = wait < 0 ? state : holdUntil(state, now, wait);
  if (rate.kind !== "plan") return held;
  const perMinute = toldRate(headers);
  const before = state.told;
  const isKnown = before?.perMinute === perMinute && now - (before?.at ?? now) <= minute;
  const told = perMinute === undefined || isKnown ? held : { ...held, told: { perMinute, at: now } };
  return isRefused ? refusedAt(told, turn, rate.perMinute, now) : told;
}

function holdUntil(state: PaceState, now: number, wait: number): PaceState {
  const until = Math.ceil(now + Math.min(wait, maxServiceWait));
  return { ...state, hold: { heard: now, until: Math.max(until, state.hold?.until ?? 0) } };
}

function toldRate(headers: RateNews["headers"]): number | undefined {
  const text = headers.get("ratelimit-limit") ?? "";
  return /^[1-9]\d{0,6}$/u.test(text) ? Number(text) : undefined;
}

/**
 * The time until the reset in milliseconds (the header uses seconds), if no requests remain until then: at most a
 * minute, because the limit is per minute. Clients must not depend on these headers (specification, Headers), so they
 * may delay requests, but never end a run. A reset more than ten minutes away is ignored.
 */
function resetAfter(headers: RateNews["headers"]): number | undefined {
  if (headers.get("ratelimit-remaining") !== "0") return undefined;
  const text = headers.get("ratelimit-reset") ?? "";
  const seconds = /^[1-9]\d{0,2}$/u.test(text) ? Number(text) : Number.NaN;
  return seconds <= 600 ? Math.min(seconds * 1000, minute) : undefined;
}

/**
 * Two 429s reveal a limit if both come after nearly the same number of accepted requests, close to the highest number
 * ever accepted, and if requests from the minute before the first 429 have expired in between. A failing service, by
 * contrast, rejects requests at any number, and a service that requested a wait accepts more requests afterward.
 */
function refusedAt(state: PaceState, turn: Turn, plan: number | undefined, now: number): PaceState {
  const refused = withSend(state.refused, turn.at).toSorted((one, other) => one.at - other.at);
  const accepted = Math.max(0, turn.before - countBetween(state.refused, turn.at - minute, turn.at));
  const { suspect, peak } = state;
  // One burst reaches one limit: all of its requests were sent before the first rejection arrived.
  const isSameBurst = suspect !== undefined && turn.at <= suspect.at;
  const isBelow = peak !== undefined && accepted + tolerance(peak) < peak.accepted;
  if (accepted === 0 || isSameBurst || isBelow) return { ...state, refused };
  const oldest = state.sends.find(({ at }) => at > turn.at - minute)?.at ?? turn.at;
  const seen = { at: now, accepted, oldest };
  const isShown =
    suspect !== undefined &&
    suspect.oldest <= turn.at - minute &&
    Math.abs(suspect.accepted - accepted) <= tolerance(suspect);
  if (!isShown) return { ...state, refused, suspect: seen };
  const least = Math.ceil((plan ?? 0) / 10);
  const shown = Math.max(1, least, peak?.accepted ?? 0, Math.min(accepted, suspect.accepted));
  const isPlan = plan !== undefined && shown >= plan;
  const learned = isPlan ? state.learned : lower(state.learned, shown, now);
  return { ...state, refused, suspect: seen, learned };
}

/** A limit in force keeps observed counts close to it; only a clearly lower count is a new limit. */
function lower(learned: PaceState["learned"], shown: number, now: number): PaceState["learned"] {
  return learned !== undefined && shown >= learned.perMinute * 0.9 ? learned : { perMinute: shown, at: now };
}

/** Some tolerance is needed because concurrent requests arrive in any order. */
function tolerance({ accepted }: { readonly accepted: number }): number {
  return Math.max(2, Math.floor(accepted / 20));
}

/** In milliseconds. More recent requests may still be rejected, so the peak is taken from an earlier minute. */
const answeredBy = 2000;

export function withPeak(state: PaceState, now: number): PaceState {
  const until = now - answeredBy;
  const from = until - minute;
  const accepted = countBetween(state.sends, from, until) - countBetween(state.refused, from, until);
  return accepted > (state.peak?.accepted ?? 0) ? { ...state, peak: { accepted, at: now } } : state;
}

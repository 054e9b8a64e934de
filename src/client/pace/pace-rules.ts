import {
  type Allowance,
  current,
  fixedAllowance,
  minute,
  type PaceRate,
  type PaceState,
  planAllowance,
  type RateNews,
  type SendKind,
  type Sends,
  type Turn,
} from "../pace.ts";
import { maxServiceWait } from "../retry.ts";

type Attempt =
  | { readonly turn: Turn }
  | { readonly wait: number; readonly because: "hold"; readonly until: number }
  | { readonly wait: number; readonly because: "reopening" }
  | { readonly wait: number; readonly because: "rate"; readonly perMinute: number };

export function takeTurn(
  before: PaceState,
  rate: PaceRate,
  now: number,
  kind: SendKind = "request",
): { readonly after: PaceState; readonly result: Attempt } {
  const state = current(before, now);
  if (state.hold !== undefined) {
    const { until } = state.hold;
    return { after: state, result: { wait: until - now, because: "hold", until } };
  }
  const turn = { at: now, before: countBetween(state.sends, now - minute, now) };
  if (rate.kind === "unlimited") return { after: state, result: { turn } };
  const perMinute = rateInForce(rate, state);
  if (perMinute !== undefined) {
    const half = Math.max(1, Math.floor(perMinute / 2));
    const reopening = kind === "reopening" ? freeAt(state.openings, allowanceOf(rate, half), now) : now;
    if (reopening > now) return { after: state, result: { wait: reopening - now, because: "reopening" } };
    const free = freeAt(state.sends, allowanceOf(rate, perMinute), now);
    if (free > now) return { after: state, result: { wait: free - now, because: "rate", perMinute } };
  }
  const openings = kind === "request" ? state.openings : withSend(state.openings, now);
  const sends = withSend(state.sends, now);
  return { after: withPeak({ ...state, openings, sends }, now), result: { turn } };
}

function allowanceOf(rate: PaceRate, perMinute: number): Allowance {
  return rate.kind === "fixed" ? fixedAllowance(perMinute) : planAllowance(perMinute);
}

function freeAt(all: readonly Sends[], { sends, window }: Allowance, now: number): number {
  let used = countBetween(all, now - window, Number.POSITIVE_INFINITY);
  for (const { at, count } of all) {
    if (used < sends) break;
    if (at <= now - window) continue;
    used -= count;
    if (used < sends) return Math.ceil(at + window);
  }
  return now;
}

export function isLate(rate: PaceRate, known: PaceState, turn: Turn, now: number): boolean {
  const perMinute = rateInForce(rate, known);
  return perMinute !== undefined && now - turn.at > allowanceOf(rate, perMinute).slack;
}

/**
 * Moves a late request to its response time, because the service counts requests when they arrive. Otherwise, its turn
 * would be given to another request too early.
 */
export function arrivedLate(state: PaceState, turn: Turn, now: number): PaceState {
  const index = state.sends.findIndex(({ at }) => at >= turn.at);
  const found = state.sends[index];
  if (found === undefined) return state;
  const rest = { ...found, count: found.count - 1 };
  const others = state.sends.toSpliced(index, 1, ...(rest.count > 0 ? [rest] : []));
  return { ...state, sends: withSend(others, now) };
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
  const told = perMinute === undefined ? held : { ...held, told: { perMinute, at: now } };
  return isRefused ? refusedAt(told, turn, rate.perMinute, now) : told;
}

/** Whether the file has to be updated. */
export function isNews({ status, headers }: RateNews, known: PaceState, now: number): boolean {
  if (status === 429 || resetAfter(headers) !== undefined) return true;
  const told = toldRate(headers);
  if (told === undefined) return false;
  return known.told?.perMinute !== told || now - known.told.at > minute;
}

function holdUntil(state: PaceState, now: number, wait: number): PaceState {
  const until = Math.ceil(now + Math.min(wait, maxServiceWait));
  return { ...state, hold: { heard: now, until: Math.max(until, state.hold?.until ?? 0) } };
}

function toldRate(headers: RateNews["headers"]): number | undefined {
  const text = headers.get("ratelimit-limit")?.trim() ?? "";
  return /^[1-9]\d{0,6}$/u.test(text) ? Number(text) : undefined;
}

/**
 * The time until the reset in milliseconds (the header uses seconds), if no requests remain until then: at most a
 * minute, because the limit is per minute. Clients must not depend on these headers (specification, Headers), so they
 * may delay requests, but never end a run. A reset more than ten minutes away is ignored.
 */
function resetAfter(headers: RateNews["headers"]): number | undefined {
  if (headers.get("ratelimit-remaining")?.trim() !== "0") return undefined;
  const text = headers.get("ratelimit-reset")?.trim() ?? "";
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

function withPeak(state: PaceState, now: number): PaceState {
  const until = now - answeredBy;
  const from = until - minute;
  const accepted = countBetween(state.sends, from, until) - countBetween(state.refused, from, until);
  return accepted > (state.peak?.accepted ?? 0) ? { ...state, peak: { accepted, at: now } } : state;
}

/** Requests sent within this many milliseconds share an entry, so that the file stays small even at a high rate. */
const together = 25;

/** No earlier entry may be later than `at`. */
function withSend(all: readonly Sends[], at: number): readonly Sends[] {
  const last = all.at(-1);
  if (last === undefined || Math.floor(last.at / together) !== Math.floor(at / together))
    return [...all, { at, count: 1 }];
  return [...all.slice(0, -1), { at: Math.max(at, last.at), count: last.count + 1 }];
}

/** Excludes `after` and includes `until`. */
function countBetween(all: readonly Sends[], after: number, until: number): number {
  return all.reduce((sum, { at, count }) => (at > after && at <= until ? sum + count : sum), 0);
}

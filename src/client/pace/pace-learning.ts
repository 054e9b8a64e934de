import { minute, type PaceRate, type RateNews, type Turn } from "./pace.ts";
import { countBetween, type Learned, type PaceState, type Suspect, withSend } from "./pace-state.ts";
import { maxServiceWait } from "./retry-after.ts";

/** Requests a minute; undefined where nobody has said or shown a limit yet. `state` is current. */
export function rateInForce(rate: PaceRate, state: PaceState): number | undefined {
  if (rate.kind === "unlimited") return undefined;
  if (rate.kind === "fixed") return rate.perMinute;
  const rates = [rate.perMinute, state.told?.perMinute, state.learned?.perMinute];
  const known = rates.filter((each) => each !== undefined);
  if (known.length === 0) return undefined;
  // Whatever was said or learned: a tenth of the plan's rate is kept, so that one odd answer does not stop a pull.
  return Math.max(1, Math.ceil((rate.perMinute ?? 0) / 10), Math.min(...known));
}

/** What one answer changes for everybody who uses the key. `state` is current. */
export function learn(
  state: PaceState,
  { status, headers, retryAfter }: RateNews,
  turn: Turn,
  rate: PaceRate,
  now: number,
): PaceState {
  const isRefused = status === 429;
  const waits = [isRefused ? retryAfter : undefined, resetAfter(headers)].filter(
    (each) => each !== undefined,
  );
  const held = waits.length === 0 ? state : holdUntil(state, now, Math.max(...waits));
  if (rate.kind !== "plan") return held;
  const perMinute = toldRate(headers);
  const told = perMinute === undefined ? held : { ...held, told: { perMinute, at: now } };
  return isRefused ? refusedAt(told, turn, rate.perMinute, now) : told;
}

/** Whether an answer changes anything that is worth a look into the file. */
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

/** `RateLimit-Limit`, where it is a number of requests. */
function toldRate(headers: RateNews["headers"]): number | undefined {
  const text = headers.get("ratelimit-limit")?.trim() ?? "";
  return /^[1-9]\d{0,6}$/u.test(text) ? Number(text) : undefined;
}

/** Milliseconds of `RateLimit-Reset`, seconds, where nothing remains until then. Beyond ten minutes it is no minute's. */
function resetAfter(headers: RateNews["headers"]): number | undefined {
  if (headers.get("ratelimit-remaining")?.trim() !== "0") return undefined;
  const text = headers.get("ratelimit-reset")?.trim() ?? "";
  const seconds = /^[1-9]\d{0,2}$/u.test(text) ? Number(text) : Number.NaN;
  return seconds <= 600 ? seconds * 1000 : undefined;
}

/**
 * A limit shows in two 429s at nearly the same number of accepted requests, near the most that ever were, with
 * sends of the first one's minute gone between them: a service that merely stumbles refuses at any number, and one
 * that said when to come back has room then.
 */
function refusedAt(state: PaceState, turn: Turn, plan: number | undefined, now: number): PaceState {
  const refused = withSend(state.refused, turn.at).toSorted((one, other) => one.at - other.at);
  const accepted = Math.max(0, turn.before - countBetween(state.refused, turn.at - minute, turn.at));
  const { suspect, peak } = state;
  // One burst that met one limit: all of it was sent before the first refusal was heard.
  const isSameBurst = suspect !== undefined && turn.at <= suspect.at;
  const isBelow = peak !== undefined && accepted + tolerance(peak) < peak.accepted;
  if (accepted === 0 || isSameBurst || isBelow) return { ...state, refused };
  const oldest = state.sends.find(({ at }) => at > turn.at - minute)?.at ?? turn.at;
  const seen: Suspect = { at: now, accepted, oldest };
  const isShown =
    suspect !== undefined &&
    suspect.oldest <= turn.at - minute &&
    Math.abs(suspect.accepted - accepted) <= tolerance(suspect);
  if (!isShown) return { ...state, refused, suspect: seen };
  const least = Math.ceil((plan ?? 0) / 10);
  const shown = Math.max(1, least, peak?.accepted ?? 0, Math.min(accepted, suspect.accepted));
  const isPlan = plan !== undefined && shown >= plan;
  return {
    ...state,
    refused,
    suspect: seen,
    learned: isPlan ? state.learned : lower(state.learned, shown, now),
  };
}

/** What is in force keeps the number near itself, so only a clearly lower one is another limit. */
function lower(learned: Learned | undefined, shown: number, now: number): Learned {
  return learned !== undefined && shown >= learned.perMinute * 0.9 ? learned : { perMinute: shown, at: now };
}

/** Requests under way at once arrive in any order. */
function tolerance({ accepted }: { readonly accepted: number }): number {
  return Math.max(2, Math.floor(accepted / 20));
}

/** Of a minute that ended two seconds ago: what was sent since may yet be refused. */
const answeredBy = 2000;

export function withPeak(state: PaceState, now: number): PaceState {
  const until = now - answeredBy;
  const from = until - minute;
  const accepted = countBetween(state.sends, from, until) - countBetween(state.refused, from, until);
  return accepted > (state.peak?.accepted ?? 0) ? { ...state, peak: { accepted, at: now } } : state;
}

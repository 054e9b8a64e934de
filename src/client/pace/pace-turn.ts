import {
  type Allowance,
  fixedAllowance,
  minute,
  type PaceRate,
  planAllowance,
  type SendKind,
  type Turn,
} from "./pace.ts";
import { rateInForce, withPeak } from "./pace-learning.ts";
import { countBetween, current, type PaceState, type Sends, withSend } from "./pace-state.ts";

/** A place that was taken, or how long none is free. */
export type Attempt =
  | { readonly turn: Turn }
  | { readonly wait: number; readonly because: "hold"; readonly until: number }
  | { readonly wait: number; readonly because: "rate" | "reopening"; readonly perMinute: number };

/** Takes a place for a request that leaves now, if one is free. */
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
    if (reopening > now)
      return { after: state, result: { wait: reopening - now, because: "reopening", perMinute } };
    const free = freeAt(state.sends, allowanceOf(rate, perMinute), now);
    if (free > now) return { after: state, result: { wait: free - now, because: "rate", perMinute } };
  }
  const openings = kind === "request" ? state.openings : withSend(state.openings, now);
  return {
    after: withPeak({ ...state, openings, sends: withSend(state.sends, now) }, now),
    result: { turn },
  };
}

function allowanceOf(rate: PaceRate, perMinute: number): Allowance {
  return rate.kind === "fixed" ? fixedAllowance(perMinute) : planAllowance(perMinute);
}

/** When enough of them have left the window that one more fits. */
function freeAt(all: readonly Sends[], { sends, window }: Allowance, now: number): number {
  const inside = all.filter(({ at }) => at > now - window);
  let used = inside.reduce((sum, { count }) => sum + count, 0);
  for (const { at, count } of inside) {
    if (used < sends) break;
    used -= count;
    if (used < sends) return Math.ceil(at + window);
  }
  return now;
}

/**
 * The service counts a request when it arrives, at the latest when its answer does. One that took longer than the
 * window's slack is moved to the end of its answer, lest the place be given away too early.
 */
export function arrivedLate(state: PaceState, turn: Turn, now: number): PaceState {
  const index = state.sends.findIndex(({ at }) => at >= turn.at);
  const found = state.sends[index];
  if (found === undefined) return state;
  const rest = { ...found, count: found.count - 1 };
  const others = state.sends.toSpliced(index, 1, ...(rest.count > 0 ? [rest] : []));
  return { ...state, sends: withSend(others, now) };
}

export function isLate(rate: PaceRate, known: PaceState, turn: Turn, now: number): boolean {
  const perMinute = rateInForce(rate, known);
  return perMinute !== undefined && now - turn.at > allowanceOf(rate, perMinute).slack;
}

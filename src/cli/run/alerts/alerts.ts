import { createHash } from "node:crypto";
import type { Condition, Test } from "./condition.ts";

/** One event or row. */
export interface Candidate {
  /** `network:address`. */
  readonly asset: string;
  readonly label: string | undefined;
  /** Equal if the same row is read again, although its values may differ; undefined if only the JSON identifies it. */
  readonly key: string | undefined;
  /** The texts of `fields`, without the quotes of strings; undefined where the row does not have the field. */
  readonly texts: readonly (string | undefined)[];
  /** The row's JSON. */
  readonly row: () => string;
  /** Unix milliseconds. */
  readonly at: number;
}

export interface Alert {
  /** For rows, equal if the same row matches again. */
  readonly id: string;
  readonly alert: "match" | "blind" | "back";
  readonly condition: string;
  readonly asset: string;
  readonly label: string | undefined;
  /** One line of JSON for stdout, or for a command's stdin. The row keeps the digits of its numbers. */
  readonly line: string;
}

export interface AlertOptions {
  readonly conditions: readonly Condition[];
  /** Either each crossing is an alert, or each row that matches. */
  readonly by: "crossing" | "row";
  /** In milliseconds, for one condition and one asset. */
  readonly cooldown: number;
  /** After this many alerts, nothing matches. */
  readonly limit: number;
  readonly fire: (alert: Alert) => void;
  /** Stores which conditions are true, and which alerts were acted on, across restarts. */
  readonly memory: Memory | undefined;
}

export interface Memory {
  /** Milliseconds since the condition last fired for the asset; undefined if it is not true and has no cooldown. */
  readonly firedFor: (condition: string, asset: string) => number | undefined;
  readonly isTrue: (condition: string, asset: string) => boolean;
  readonly becameFalse: (condition: string, asset: string) => void;
  /** Whether an earlier run has acted on it. */
  readonly isDone: (alert: Alert) => boolean;
}

/** Of one condition and one asset. */
interface State {
  readonly condition: Condition;
  /** One for each test, with the index of its field. */
  readonly testers: readonly {
    readonly test: Test;
    passes: ReturnType<Test["create"]>;
    readonly place: number;
  }[];
  isTrue: boolean;
  /** When the condition last fired. */
  fired: number;
  /** The last crossing within the cooldown, if it is still true. Not the event, because its memory is reused. */
  late: Alert | undefined;
}

/** Decides which events and rows match. `now` is on the monotonic clock. */
export function createAlerts({ conditions, by, cooldown, limit, fire, memory }: AlertOptions) {
  /** For each asset, one state for each condition. */
  const assets = new Map<string, readonly State[]>();
  const fields = [...new Set(conditions.flatMap(({ tests }) => tests.map(({ field }) => field)))];
  const bounds = conditions.flatMap(({ tests }) => tests.map(({ bound = Number.NaN }) => bound));
  let count = 0;
  /** Undefined before a list is reloaded. Values of other assets that were on their way then have no effect. */
  let watched: ReadonlySet<string> | undefined;

  const statesOf = (asset: string, now: number): readonly State[] => {
    const states =
      assets.get(asset) ?? conditions.map((condition) => stateOf(condition, fields, asset, now, memory));
    assets.set(asset, states);
    return states;
  };
  const start = (state: State, alert: Alert, now: number): void => {
    state.late = undefined;
    if (count >= limit || memory?.isDone(alert) === true) return;
    state.fired = now;
    count += 1;
    fire(alert);
  };
  const isCool = ({ fired }: State, now: number): boolean => now - fired >= cooldown;
  /** After a cooldown, fires for a crossing within it if the condition is still true. */
  const settle = (state: State, now: number): void => {
    if (state.late !== undefined && isCool(state, now)) start(state, state.late, state.fired + cooldown);
  };
  return {
    /** Every field that a condition needs. */
    fields,
    count: () => count,
    isOver: () => count >= limit,
    /** Whether a condition is true for the asset. */
    isOn: (asset: string) => assets.get(asset)?.some(({ isTrue }) => isTrue) === true,
    /** Of an asset, around a value of the only field. */
    rangeAround: by === "crossing" && fields.length === 1 ? createRanges(bounds) : () => noRange,
    see: (candidate: Candidate, now: number): void => {
      const { asset, texts, at } = candidate;
      for (const state of watched?.has(asset) === false ? [] : statesOf(asset, now)) {
        const { condition, testers } = state;
        settle(state, now);
        // Every test sees every value, because a series needs all of them.
        const results = testers.map(({ passes, place }) => passes(texts[place], at));
        const isTrue = results.every((result) => result === true);
        // An unknown result is neither true nor false, unless another test has failed.
        if (!isTrue && !results.includes(false)) continue;
        const isMatch = isTrue && (by === "row" || !state.isTrue);
        if (by === "crossing" && state.isTrue && !isTrue) memory?.becameFalse(condition.text, asset);
        state.isTrue = isTrue;
        if (!isTrue) state.late = undefined;
        if (!isMatch) continue;
        if (isCool(state, now)) start(state, alertOf(state, by, candidate), now);
        else if (by === "crossing") state.late = alertOf(state, by, candidate);
      }
    },
    /** Milliseconds without values. Series that could not see their window start over. */
    missed: (names: readonly string[], duration: number): void => {
      for (const state of names.flatMap((name) => assets.get(name) ?? [])) startOver(state, duration);
    },
    /** Others are no longer watched. */
    keepOnly: (names: ReadonlySet<string>, now: number): void => {
      watched = names;
      for (const [asset, states] of assets) {
        if (names.has(asset)) continue;
        for (const state of states) stopWatching(state);
        if (states.every((state) => !state.isTrue && isCool(state, now))) assets.delete(asset);
      }
    },
    /** Cooldowns also end while nothing arrives. */
    tick: (now: number): void => {
      for (const [asset, states] of assets) {
        for (const state of states) settle(state, now);
        // A search keeps finding new pools. Rows are judged one by one, so nothing has to be remembered after a cooldown.
        if (by === "row" && states.every((state) => isCool(state, now))) assets.delete(asset);
      }
    },
  };
}

function stateOf(
  condition: Condition,
  fields: readonly string[],
  asset: string,
  now: number,
  memory: Memory | undefined,
): State {
  const fired = now - (memory?.firedFor(condition.text, asset) ?? Number.POSITIVE_INFINITY);
  const isTrue = memory?.isTrue(condition.text, asset) === true;
  const testers = condition.tests.map((test) => ({
    test,
    passes: test.create(),
    place: fields.indexOf(test.field),
  }));
  return { condition, testers, isTrue, fired, late: undefined };
}

function stopWatching(state: State): void {
  // A crossing that was not reported counts again if the asset returns.
  if (state.late !== undefined) [state.isTrue, state.late] = [false, undefined];
  startOver(state, Number.POSITIVE_INFINITY);
}

/** After `duration` milliseconds without values, a series whose window is not longer has nothing to compare with. */
function startOver({ testers }: State, duration: number): void {
  for (const each of testers)
    if (each.test.window !== undefined && duration >= each.test.window) each.passes = each.test.create();
}

const precision = 1e-12;

/** Values in it change nothing, because it contains no bound. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const noRange: Range = { from: Number.NaN, to: Number.NaN };

/** Values can differ from their texts by a part in 10^13. */
function createRanges(bounds: readonly number[]): (value: number) => Range {
  const around = bounds.map((bound) => ({
    below: bound - Math.abs(bound) * precision,
    above: bound + Math.abs(bound) * precision,
  }));
  return (value) => {
    if (!around.every(({ below, above }) => value < below || value > above)) return noRange;
    const from = Math.max(...around.map(({ above }) => (above < value ? above : Number.NEGATIVE_INFINITY)));
    const to = Math.min(...around.map(({ below }) => (below > value ? below : Number.POSITIVE_INFINITY)));
    return { from, to };
  };
}

function alertOf({ condition, testers }: State, by: AlertOptions["by"], candidate: Candidate): Alert {
  const { asset, label, key, texts, row } = candidate;
  const at = new Date(candidate.at).toISOString();
  // A price may cross a limit again with an equal event.
  const text = row();
  const facts = [condition.text, asset, key ?? text, ...(by === "crossing" ? [at] : [])];
  const alert = { id: idOf(facts), alert: "match" as const, condition: condition.text, asset, label };
  const value = texts[testers[0]?.place ?? -1] ?? null;
  const start = JSON.stringify({ ...alert, at, value }).slice(0, -1);
  return { ...alert, line: `${start},"row":${text}}\n` };
}

export function idOf(facts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 32);
}

import { createHash } from "node:crypto";
import { toDouble } from "../../../base/json/compare-decimals.ts";
import { type Condition, createTester, readValue } from "./condition.ts";

/** One event or row. */
export interface Candidate {
  /** `network:address`. */
  readonly asset: string;
  readonly label: string | undefined;
  /** Returns the text of a field, without the quotes of a string; undefined if the row does not have it. */
  readonly read: (field: string) => string | undefined;
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
  /** Milliseconds since the condition, which is still true, fired for the asset; undefined if it is not true. */
  readonly firedFor: (condition: string, asset: string) => number | undefined;
  readonly becameFalse: (condition: string, asset: string) => void;
  /** Whether an earlier run has acted on it. */
  readonly isDone: (alert: Alert) => boolean;
}

/** The values of an asset that change nothing: those between two doubles, and the same text as the last one. */
export interface Quiet {
  text: string | undefined;
  low: number;
  high: number;
  /** In Unix milliseconds. An earlier time than `from` means that the clock was set back. */
  from: number;
  until: number;
}

/** Of one condition and one asset. */
interface State {
  readonly condition: Condition;
  readonly testers: readonly ReturnType<typeof createTester>[];
  isTrue: boolean;
  /** When the condition last fired. */
  fired: number;
  /** The last crossing within the cooldown, if it is still true. Not the event, because its memory is reused. */
  late: Alert | undefined;
}

/** Decides which events and rows match. `now` is on the monotonic clock. */
export function createAlerts({ conditions, by, cooldown, limit, fire, memory }: AlertOptions) {
  /** For each asset, one state for each condition. */
  const assets = new Map<string, { readonly states: readonly State[]; readonly quiet: Quiet }>();
  const fields = [...new Set(conditions.flatMap(({ tests }) => tests.map(({ field }) => field)))];
  let count = 0;

  const assetOf = (asset: string, now: number) => {
    const known = assets.get(asset);
    if (known !== undefined) return known;
    const states = conditions.map((condition): State => {
      const age = memory?.firedFor(condition.text, asset);
      const fired = now - (age ?? Number.POSITIVE_INFINITY);
      const testers = condition.tests.map(createTester);
      return { condition, testers, isTrue: age !== undefined, fired, late: undefined };
    });
    const made = { states, quiet: { text: undefined, low: 0, high: 0, from: 0, until: 0 } };
    assets.set(asset, made);
    return made;
  };
  const start = (state: State, alert: Alert, now: number): void => {
    state.late = undefined;
    if (count >= limit || memory?.isDone(alert) === true) return;
    state.fired = now;
    count += 1;
    fire(alert);
  };
  /** After a cooldown, fires for a crossing within it if the condition is still true. */
  const settle = (state: State, now: number): void => {
    const { fired, late } = state;
    if (late !== undefined && now - fired >= cooldown) start(state, late, fired + cooldown);
  };
  return {
    /** Every field that a condition needs. */
    fields,
    count: () => count,
    isOver: () => count >= limit,
    /** Whether a condition is true for the asset. */
    isOn: (asset: string) => assets.get(asset)?.states.some(({ isTrue }) => isTrue) === true,
    /** Returns which of the asset's next values can be left out. The object stays the same. */
    see: (candidate: Candidate, now: number): Quiet => {
      const { states, quiet } = assetOf(candidate.asset, now);
      for (const state of states) {
        const { condition } = state;
        settle(state, now);
        // Every test sees every value, because a series needs all of them.
        const results = state.testers.map((each) => each.passes(candidate.read(each.field), candidate.at));
        const isTrue = results.every((result) => result === true);
        // An unknown result is neither true nor false, unless another test has failed.
        if (!isTrue && !results.includes(false)) continue;
        const isMatch = isTrue && (by === "row" || !state.isTrue);
        if (by === "crossing" && state.isTrue && !isTrue)
          memory?.becameFalse(condition.text, candidate.asset);
        state.isTrue = isTrue;
        if (!isTrue) state.late = undefined;
        if (!isMatch) continue;
        if (now - state.fired >= cooldown) start(state, alertOf(condition, by, candidate), now);
        else if (by === "crossing") state.late = alertOf(condition, by, candidate);
      }
      [quiet.from, quiet.until] = [candidate.at, Number.NEGATIVE_INFINITY];
      const firesAgain = by === "row" && states.some(({ isTrue }) => isTrue);
      if (fields.length === 1 && !firesAgain) narrow(quiet, candidate.read(fields[0] ?? ""), states);
      return quiet;
    },
    /** Cooldowns also end while nothing arrives. */
    tick: (now: number): void => {
      for (const state of [...assets.values()].flatMap(({ states }) => states)) settle(state, now);
    },
  };
}

/** If the value or a pivot is not a number, no value is between the bounds. */
function narrow(quiet: Quiet, text: string | undefined, states: readonly State[]): void {
  const decimal = readValue(text);
  const value = decimal === undefined ? Number.NaN : toDouble(decimal);
  const testers = states.flatMap((state) => state.testers);
  const pivots = testers.flatMap((tester) => tester.pivots());
  quiet.text = text;
  quiet.low = Math.max(...pivots.filter((each) => !(each > value)));
  quiet.high = Math.min(...pivots.filter((each) => !(each < value)));
  quiet.until = Math.min(...testers.map((tester) => tester.until()));
}

function alertOf(condition: Condition, by: AlertOptions["by"], candidate: Candidate): Alert {
  const { asset, label, read, row } = candidate;
  const at = new Date(candidate.at).toISOString();
  // A price may cross a limit again with an equal event.
  const text = row();
  const facts = [condition.text, asset, text, ...(by === "crossing" ? [at] : [])];
  const alert = { id: idOf(facts), alert: "match" as const, condition: condition.text, asset, label };
  const value = read(condition.tests[0]?.field ?? "") ?? null;
  const start = JSON.stringify({ ...alert, at, value }).slice(0, -1);
  return { ...alert, line: `${start},"row":${text}}\n` };
}

export function idOf(facts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 32);
}

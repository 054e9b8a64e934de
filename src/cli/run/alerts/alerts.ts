import { createHash } from "node:crypto";
import { type Condition, passes, type Test } from "./condition.ts";
import { createSeries } from "./series.ts";

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

/** What commands get on stdin. */
export interface Alert {
  /** Equal if the same row matches again. */
  readonly id: string;
  readonly alert: "match";
  readonly condition: string;
  readonly asset: string;
  readonly label: string | undefined;
  readonly at: string;
  /** The value of the first test's field. */
  readonly value: string | null;
  readonly row: string;
}

export interface AlertOptions {
  readonly conditions: readonly Condition[];
  /** Crossings are reported once; of rows, each that matches. */
  readonly by: "crossing" | "row";
  /** In milliseconds, for one condition and one asset. */
  readonly cooldown: number;
  /** The number of alerts after which nothing matches any more. */
  readonly limit: number;
  readonly fire: (alert: Alert) => void;
}

interface State {
  isTrue: boolean;
  /** When the condition last fired. */
  fired: number;
  /** The last crossing within the cooldown, if it is still true. Not the event, because its memory is reused. */
  late: Alert | undefined;
  readonly tests: readonly ((candidate: Candidate) => boolean | undefined)[];
}

/** Decides which events and rows match. `now` is on the monotonic clock. */
export function createAlerts({ conditions, by, cooldown, limit, fire }: AlertOptions) {
  const states = new Map<string, State>();
  let count = 0;

  const stateOf = (condition: Condition, index: number, asset: string): State => {
    const key = `${index} ${asset}`;
    const known = states.get(key);
    if (known !== undefined) return known;
    const tests = condition.tests.map(testerOf);
    const state: State = { isTrue: false, fired: Number.NEGATIVE_INFINITY, late: undefined, tests };
    states.set(key, state);
    return state;
  };
  const start = (state: State, alert: Alert, now: number): void => {
    state.late = undefined;
    if (count >= limit) return;
    state.fired = now;
    count += 1;
    fire(alert);
  };
  /** Fires what crossed within a cooldown that has ended, and is still true. */
  const settle = (state: State, now: number): void => {
    const { fired, late } = state;
    if (late !== undefined && now - fired >= cooldown) start(state, late, fired + cooldown);
  };
  return {
    /** Every field that a condition needs. */
    fields: [...new Set(conditions.flatMap(({ tests }) => tests.map(({ field }) => field)))],
    count: () => count,
    isOver: () => count >= limit,
    see: (candidate: Candidate, now: number): void => {
      for (const [index, condition] of conditions.entries()) {
        const state = stateOf(condition, index, candidate.asset);
        settle(state, now);
        // Every test sees every value, because a series needs all of them.
        const results = state.tests.map((test) => test(candidate));
        const isTrue = results.every((result) => result === true);
        // An unknown result is neither true nor false, unless another test has failed.
        if (!isTrue && !results.includes(false)) continue;
        const isMatch = isTrue && (by === "row" || !state.isTrue);
        state.isTrue = isTrue;
        if (!isTrue) state.late = undefined;
        if (!isMatch) continue;
        if (now - state.fired >= cooldown) start(state, alertOf(condition, candidate), now);
        else if (by === "crossing") state.late = alertOf(condition, candidate);
      }
    },
    /** Cooldowns also end while nothing arrives. */
    tick: (now: number): void => {
      for (const state of states.values()) settle(state, now);
    },
  };
}

function testerOf(test: Test): State["tests"][number] {
  if (test.kind !== "change") return ({ read }) => passes(test, read(test.field));
  const series = createSeries(test);
  return ({ read, at }) => series.passes(read(test.field), at);
}

function alertOf(condition: Condition, { asset, label, read, row, at }: Candidate): Alert {
  const text = row();
  const hash = createHash("sha256").update(JSON.stringify([condition.text, asset, text]));
  return {
    id: hash.digest("hex").slice(0, 32),
    alert: "match",
    condition: condition.text,
    asset,
    label,
    at: new Date(at).toISOString(),
    value: read(condition.tests[0]?.field ?? "") ?? null,
    row: text,
  };
}

/** One line. The row keeps the digits of its numbers. */
export function alertLine({ row, ...facts }: Alert): string {
  return `${JSON.stringify(facts).slice(0, -1)},"row":${row}}\n`;
}

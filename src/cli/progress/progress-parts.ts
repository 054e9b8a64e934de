import { visibleText } from "../../render/sanitise.ts";
import { counted, grouped } from "../../text/counted.ts";
import type { PullState } from "./pull-state.ts";

/** What a pull was when it began, and how long ago that was, in milliseconds. */
export interface Since {
  readonly state: PullState;
  readonly elapsed: number;
}

/** What is waited for, and for how many more milliseconds. */
export interface Wait {
  readonly left: number;
  readonly why: string;
}

/** The parts of one line on a pull, most telling first. */
export function progressParts(state: PullState, since: Since, wait: Wait | undefined): readonly string[] {
  const left = timeLeft(state, since, wait);
  return [
    rowsPart(state),
    ...(wait === undefined ? [] : [`waiting ${Math.ceil(wait.left / 1000)} s ${visibleText(wait.why)}`]),
    ...(left === undefined ? [] : [`about ${duration(left)} left`]),
    counted(state.requests, "request"),
    counted(state.credits, "credit"),
    ...ratePart(state, since),
  ];
}

function rowsPart({ rows, rowsInAll, inputs }: PullState): string {
  if (inputs !== undefined) return `${number(inputs.answered)} of ${counted(inputs.of, "input")} answered`;
  if (rowsInAll !== undefined) return `${number(rows)} of ${counted(rowsInAll, "row")}`;
  return rows === 0 ? "asking" : counted(rows, "row");
}

/** A rate over less than this, in milliseconds, is chance. */
const shortest = 1000;

function ratePart({ rows }: PullState, since: Since): readonly string[] {
  const brought = rows - since.state.rows;
  if (brought === 0 || since.elapsed < shortest) return [];
  const rate = (brought * 1000) / since.elapsed;
  return [`${rate < 10 ? rate.toFixed(1) : number(Math.round(rate))} rows/s`];
}

/** As long as so far, in the measure of what is still to be done; a wait under way belongs to what was done. */
function timeLeft(state: PullState, since: Since, wait: Wait | undefined): number | undefined {
  const { part } = state;
  const before = since.state.part ?? 0;
  if (part === undefined || part >= 1 || part <= before || since.elapsed < shortest) return undefined;
  const waiting = wait?.left ?? 0;
  return waiting + ((since.elapsed + waiting) * (1 - part)) / (part - before);
}

/** `8 s`, `3 min`, `2 h 5 min`; rounded up. */
function duration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  return `${number(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

const number = (value: number): string => grouped(String(value));

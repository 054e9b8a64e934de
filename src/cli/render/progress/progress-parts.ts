import { visibleText } from "../sanitize.ts";
import { formatSeconds } from "../../../api/duration.ts";
import { counted, grouped } from "../../../base/text/words.ts";

export interface PullState {
  /** Includes rows from earlier runs. */
  readonly rows: number;
  /** Undefined if unknown. */
  readonly rowsInAll: number | undefined;
  /** Undefined for a single input. */
  readonly inputs:
    | {
        readonly answered: number;
        readonly of: number;
        /** Of the asset that is being fetched, if it is known. */
        readonly label: string | undefined;
        /** Such as `file`. */
        readonly noun: string;
      }
    | undefined;
  /** From 0 to 1; undefined if unknown. */
  readonly part: number | undefined;
  /** Undefined for a run without requests, which costs nothing. */
  readonly requests: number | undefined;
  readonly credits: number;
}

/** The state when this run started, and the milliseconds since then. */
interface Since {
  readonly state: PullState;
  readonly elapsed: number;
}

export interface Wait {
  readonly left: number;
  readonly why: string;
}

/** The most important parts come first. */
export function progressParts(state: PullState, since: Since, wait: Wait | undefined): readonly string[] {
  const left = timeLeft(state, since, wait);
  return [
    rowsPart(state),
    ...(state.inputs?.label === undefined ? [] : [visibleText(state.inputs.label)]),
    ...(wait === undefined ? [] : [`waiting ${formatSeconds(wait.left)} ${visibleText(wait.why)}`]),
    ...(left === undefined ? [] : [`about ${duration(left)} left`]),
    ...(state.requests === undefined
      ? []
      : [counted(state.requests, "request"), counted(state.credits, "credit")]),
    ...ratePart(state, since),
  ];
}

function rowsPart({ rows, rowsInAll, inputs, requests }: PullState): string {
  if (inputs !== undefined) return `${number(inputs.answered)} of ${counted(inputs.of, inputs.noun)} done`;
  if (rowsInAll !== undefined) return `${number(rows)} of ${counted(rowsInAll, "row")}`;
  return rows === 0 && requests !== undefined ? "requesting" : counted(rows, "row");
}

/** Milliseconds. Over a shorter time, a rate would be meaningless. */
const shortest = 1000;

function ratePart({ rows }: PullState, since: Since): readonly string[] {
  const brought = rows - since.state.rows;
  if (brought === 0 || since.elapsed < shortest) return [];
  const rate = (brought * 1000) / since.elapsed;
  return [`${rate < 10 ? rate.toFixed(1) : number(Math.round(rate))} rows/s`];
}

/** Assumes the same rate as so far. An ongoing wait counts as time already spent. */
function timeLeft({ part }: PullState, since: Since, wait: Wait | undefined): number | undefined {
  const before = since.state.part ?? 0;
  if (part === undefined || part >= 1 || part <= before || since.elapsed < shortest) return undefined;
  const waiting = wait?.left ?? 0;
  return waiting + ((since.elapsed + waiting) * (1 - part)) / (part - before);
}

/** `8s`, `3m`, `2h5m`. Times of 100 seconds or more are rounded up to minutes. */
function duration(milliseconds: number): string {
  return formatSeconds(milliseconds < 100_000 ? milliseconds : Math.ceil(milliseconds / 60_000) * 60_000);
}

const number = (value: number): string => grouped(String(value));

import type { Context, Output } from "../../base/context/context.ts";
import type { ProgressMode } from "./flags/shared-flags.ts";
import { readsUnicode } from "../render/terminal.ts";
import type { Countdown } from "./report.ts";
import type { RunOptions } from "./run-options.ts";
import type { LiveLine } from "../render/live-line.ts";
import { visibleText } from "../../base/text/unsafe-text.ts";
import { formatSeconds } from "../../api/duration.ts";
import { counted, grouped } from "../../base/text/words.ts";
import { createYieldingOutput, withWrite, type YieldingOutput } from "../render/held-output.ts";

export type Progress = Readonly<ReturnType<typeof createProgress>>;

/** In milliseconds: before a progress line appears, between frames, and between log lines. */
const [brief, tick, logged] = [500, 100, 10_000];

export function createProgress(
  context: Context,
  mode: ProgressMode,
  { isQuiet }: Pick<RunOptions, "isQuiet">,
) {
  const { clock, signal, env } = context;
  const isLive = mode === "auto" && !isQuiet && canRedraw(context);
  const done = new AbortController();
  const waits = createWaits(clock);
  let line: LiveLine | undefined;

  const makeRoom = async (): Promise<void> => await line?.clear();
  const yielding = (output: Output): YieldingOutput | undefined =>
    isLive && output.isTerminal ? createYieldingOutput(output, makeRoom) : undefined;
  /** The program that reads a pipe may print to the same terminal, so nothing is drawn once it has been sent data. */
  const endedBy = (output: Output): Output =>
    withWrite(output, async (text) => {
      if (text.length > 0) await close();
      await output.write(text);
    });
  const [stdout, stderr] = [yielding(context.stdout), yielding(context.stderr)];
  const hasRoom = (): boolean => [stdout, stderr].every((output) => output?.isWhole() !== false);
  const isBusy = (): boolean => [stdout, stderr].some((output) => output?.isBusy() === true);

  const describe = (state: () => PullState): (() => readonly string[]) => {
    const [begun, started] = [state(), clock.elapsed()];
    return () =>
      progressParts(state(), { state: begun, elapsed: clock.elapsed() - started }, waits.longest());
  };

  const keepDrawing = async (parts: () => readonly string[]): Promise<void> => {
    await clock.sleep(brief, done.signal);
    const { createLiveLine } = await import("../render/live-line.ts");
    const drawn = createLiveLine(context.stderr, readsUnicode(env));
    line = drawn;
    const release = context.onSuspend(drawn.clear, () => undefined);
    try {
      while (!done.signal.aborted) {
        if (hasRoom() && !isBusy()) drawn.draw(parts());
        await clock.sleep(tick, done.signal);
      }
    } finally {
      release();
    }
  };

  const close = async (): Promise<void> => {
    done.abort();
    signal.removeEventListener("abort", closeAtOnce);
    await line?.clear();
  };
  const closeAtOnce = (): void => void close();
  if (signal.aborted) done.abort();
  signal.addEventListener("abort", closeAtOnce, { once: true });

  const countdown: Countdown = {
    begin: waits.add,
    isShown: () => isLive && !done.signal.aborted && hasRoom(),
  };
  return {
    /** Text written to these does not mix with the progress display. */
    outputs: {
      stdout:
        stdout ?? (isLive && context.stdout.target === "pipe" ? endedBy(context.stdout) : context.stdout),
      stderr: stderr ?? context.stderr,
    },
    countdown,
    /** Shows the progress once the pull has taken long enough. `say` prints a line on stderr. */
    begin: (state: () => PullState, say: (line: string) => void) => {
      const parts = describe(state);
      if (isLive) keepDrawing(parts).catch(() => undefined);
      if (mode === "plain")
        keepSaying(clock, done.signal, () => say(`progress: ${parts().join(", ")}`)).catch(() => undefined);
    },
    /** Erases the progress display. */
    close,
  };
}

/** The pending wait that ends last. One that ends before it is never shown. */
function createWaits(clock: Pick<Context["clock"], "elapsed">) {
  let last = { until: 0, why: "" };
  return {
    add: (milliseconds: number, why: string): void => {
      const until = clock.elapsed() + milliseconds;
      if (until > last.until) last = { until, why };
    },
    longest: (): Wait | undefined => {
      const left = last.until - clock.elapsed();
      return left > 0 ? { left, why: last.why } : undefined;
    },
  };
}

/** A terminal without TERM may not be able to clear a line, but Windows never sets TERM. */
function canRedraw({ stderr, env, platform }: Context): boolean {
  const { TERM: terminal = "" } = env;
  return stderr.isTerminal && terminal !== "dumb" && (terminal !== "" || platform === "win32");
}

async function keepSaying(
  clock: Pick<Context["clock"], "sleep">,
  signal: AbortSignal,
  sayLine: () => void,
): Promise<void> {
  for (;;) {
    await clock.sleep(logged, signal);
    sayLine();
  }
}

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

interface Wait {
  readonly left: number;
  readonly why: string;
}

/** The most important parts come first. */
function progressParts(state: PullState, since: Since, wait: Wait | undefined): readonly string[] {
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
  if (inputs !== undefined && inputs.of > 0)
    return `${number(inputs.answered)} of ${counted(inputs.of, inputs.noun)} done`;
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

import type { Target } from "../client/connection/target.ts";
import type { Context } from "../context/context.ts";
import type { SharedValues } from "./flags/shared-flags.ts";
import { createListSources, type ListSources } from "./list-sources.ts";
import { openClient, type OpenClient } from "./open-client.ts";
import { createHeldOutput, type HeldOutput } from "../render/held-output.ts";
import { createProgress, type Progress } from "./progress.ts";
import { createReport, type Report } from "./report.ts";
import { type OtherValues, readRunOptions, type RunOptions } from "./run-options.ts";
import { fail, type Failure } from "../contract/failure.ts";

/** One run: what its command line, the environment and config.json make of it. */
export interface Run {
  /** Its signal ends at `--deadline` too; its outputs make room for what is drawn. */
  readonly context: Context;
  readonly options: RunOptions;
  /** Everything that is said to people. */
  readonly report: Report;
  /** Where the lists that the command line names come from. */
  readonly sources: ListSources;
  /** Held back while a picture fills its terminal. */
  readonly stderr: HeldOutput;
  readonly progress: Progress;
  /** Closes something when the run is over: first what was opened last. */
  readonly onClose: (close: () => unknown) => void;
  readonly open: (how?: Opening) => Promise<OpenClient>;
}

export interface Opening {
  /** Where it ends before the run does. */
  readonly context?: Context;
  /** How fast the sandbox's time runs, where that is asked; 0 for not at all. */
  readonly speed?: number;
  /** The host, where that is not the one that flags and settings lead to. */
  readonly target?: Target;
  /** Told in place of the report. */
  readonly observer?: Partial<Report>;
  /** What there is to say once the client is closed; else what it was and what it cost. */
  readonly over?: (open: OpenClient) => void;
}

interface Kind {
  /** What the command makes of the options, such as the only format that it can write. */
  readonly adjust?: (options: RunOptions) => RunOptions;
  /** Rows go into a file, so they are written as for a pipe. */
  readonly isFile?: boolean;
  /** It takes a while and ends by itself: how far it is may be shown. */
  readonly hasProgress?: boolean;
  /** It has no end of its own, so it does not wait for its reader when it is over. */
  readonly isTail?: boolean;
}

/**
 * The life of every run that asks the service: options, deadline, outputs, report, client; and when it is over, however it
 * ends, everything that was opened is closed, the last thing first, and what was said is handed over.
 */
export async function withRun<Result>(
  flags: SharedValues & OtherValues,
  outer: Context,
  work: (run: Run) => Promise<Result>,
  { adjust = (options) => options, isFile = false, hasProgress = false, isTail = false }: Kind = {},
): Promise<Result> {
  const { stdout } = outer;
  const pipe = { isTerminal: false, columns: undefined, write: stdout.write };
  const options = adjust(readRunOptions(flags, isFile ? { ...outer, stdout: pipe } : outer));
  const progress = createProgress(outer, hasProgress ? (flags.progress ?? "auto") : "none", options);
  const { context: timed, release } = bounded({ ...outer, ...progress.outputs }, options.deadline);
  const stderr = createHeldOutput(timed.stderr);
  const context = { ...timed, stderr };
  const report = createReport(context, options, progress.countdown);
  const closers: (() => unknown)[] = [];
  const onClose: Run["onClose"] = (close) => closers.push(close);
  const open: Run["open"] = async ({ context: own = context, speed = 0, target, observer, over } = {}) => {
    const opened = await openClient(own, options, { ...report, ...observer }, { speed, target });
    onClose(async () => {
      await progress.close();
      await opened.close();
      if (over === undefined) sayWhatItWas(opened, report);
      else over(opened);
    });
    return opened;
  };
  const sources = createListSources(context, report.tell);
  try {
    return await work({ context, options, report, sources, stderr, progress, onClose, open });
  } finally {
    try {
      await closeAll(closers);
    } finally {
      release();
      await progress.close();
      if (isTail) outer.leaveReader();
      await report.settled();
    }
  }
}

/** A failure of one keeps none of the others open. */
async function closeAll(closers: (() => unknown)[]): Promise<void> {
  const close = closers.pop();
  if (close === undefined) return;
  try {
    await close();
  } finally {
    await closeAll(closers);
  }
}

/** After the rows: whose they were, what they cost, and where their list goes on. */
export function sayWhatItWas({ client: { meter, target } }: OpenClient, report: Report, rest?: string): void {
  if (target.isSimulated) report.remark("simulated data: the sandbox's made-up market, not the real one");
  const { plan } = meter;
  // A key that the service does not count under its plan is a silent loss: it is said whoever listens.
  if (plan !== undefined && plan !== target.tier) {
    const why = target.key !== undefined && plan === "keyless" ? ": the key was not counted" : "";
    report.warn(`the service counted this as ${plan}, not ${target.tier}${why}; see: dexdata auth status`);
  }
  report.close(meter, rest);
}

/** A context that also ends when `--deadline` has passed; `release` stops the clock. */
export function bounded(
  context: Context,
  deadline: number | undefined,
): { readonly context: Context; readonly release: () => void } {
  if (deadline === undefined) return { context, release: () => undefined };
  const late = new AbortController();
  const done = new AbortController();
  context.clock.sleep(deadline, done.signal).then(
    () => late.abort(deadlineFailure(deadline)),
    () => undefined,
  );
  const signal = AbortSignal.any([context.signal, late.signal]);
  return { context: { ...context, signal }, release: () => done.abort() };
}

function deadlineFailure(milliseconds: number): Failure {
  return fail("timeout", `not done within the --deadline of ${milliseconds / 1000} s`, {
    next: "allow more time, or ask for less",
  });
}

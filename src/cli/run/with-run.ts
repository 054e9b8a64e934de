import type { Exchange } from "../../client/client.ts";
import type { Metrics } from "./output/metrics-file.ts";
import type { Target } from "../../client/target.ts";
import { formatDuration } from "../../api/duration.ts";
import type { Context } from "../../base/context/context.ts";
import { createNameFinder, type NameFinder } from "./asset-names.ts";
import type { RetryPolicy } from "../../client/retry.ts";
import { openClient, type OpenClient, type RunObserver } from "./open-client.ts";
import { createBufferedOutput, type HeldOutput } from "../render/held-output.ts";
import { createProgress, type Progress } from "./progress.ts";
import { createReport, type Report } from "./report.ts";
import { nameServiceOf, readRunOptions, type RunInput, type RunOptions } from "./run-options.ts";
import { fail, invalidInput, usageFailure } from "../../base/failure.ts";
import { withoutSecrets } from "../../base/key.ts";
import { cannotBeRead } from "../../base/files/file-errors.ts";
import { isNameOf, mayBeSame } from "../../rows/out-file.ts";
import { readBounded } from "../../base/files/bounded-read.ts";

export interface Run {
  /**
   * The signal also aborts at `--deadline`. The outputs do not interfere with progress lines, and stderr can be held while
   * a picture fills the terminal.
   */
  readonly context: Context & { readonly stderr: HeldOutput };
  readonly options: RunOptions;
  readonly report: Report;
  readonly sources: AssetSources;
  readonly progress: Progress;
  /** The most recently registered function runs first. */
  readonly onClose: (close: () => unknown) => void;
  readonly metrics: Metrics | undefined;
  readonly open: (how?: Opening) => Promise<OpenClient>;
}

export interface Opening {
  /** A context for a client that is closed before the run ends. */
  readonly context?: Context;
  /** 0 stops the sandbox clock. */
  readonly speed?: number;
  /** Set if flags and settings do not determine the host. */
  readonly target?: Target;
  /** Instead of that of the options. */
  readonly retry?: RetryPolicy;
  /** Receives events instead of the report; `answered` in addition to it. */
  readonly observer?: Partial<RunObserver>;
  /** Prints a summary, by default the cost, after the client is closed. */
  readonly onClosed?: (open: OpenClient) => void;
}

/** Without these, a run has a few requests. */
interface Kind {
  /** Changes the options, for example to the only format that the command supports. */
  readonly adjust: (options: RunOptions) => RunOptions;
  /** Rows in a file have the same format as rows in a pipe. */
  readonly isFile: boolean;
  /** The run takes a while and ends without a signal. */
  readonly hasProgress: boolean;
  /** The run lasts until it is stopped, so it does not wait for its reader at the end. */
  readonly isEndless: boolean;
  /** The run is meant for days or for cron, so a service that is unavailable at its start is not its end. */
  readonly outlastsOutages: boolean;
}

/** A run that lasts until it is stopped. */
export const endless = { isEndless: true, outlastsOutages: true } as const;

/**
 * Sets up the options, deadline, outputs, report and client. However the run ends, everything is closed in reverse
 * order and all remaining output is written.
 */
export async function withRun<Result>(
  input: RunInput,
  outer: Context,
  work: (run: Run) => Promise<Result>,
  { adjust, isFile = false, hasProgress, isEndless, outlastsOutages = false }: Partial<Kind> = {},
): Promise<Result> {
  const { stdout } = outer;
  checkOwnFiles(input, stdout);
  const pipe = { isTerminal: false, columns: undefined, write: stdout.write };
  const typed = readRunOptions(input, isFile ? { ...outer, stdout: pipe } : outer);
  const usual = { ...typed, retry: { ...typed.retry, outlastsOutages } };
  const options = adjust?.(usual) ?? usual;
  const progress = createProgress(outer, hasProgress === true ? options.progress : "none", options);
  const { context: timed, release } = withRunDeadline({ ...outer, ...progress.outputs }, options.deadline);
  const context = { ...timed, stderr: createBufferedOutput(timed.stderr) };
  const report = createReport(context, options, progress.countdown);
  const closers: (() => unknown)[] = [];
  const onClose: Run["onClose"] = (close) => closers.push(close);
  const file = input.flags.metrics;
  const metrics =
    file === undefined
      ? undefined
      : (await import("./output/metrics-file.ts")).openMetrics(context, file, report);
  if (metrics !== undefined) onClose(metrics.close);
  // This command line does not request simulated data, so the note is printed even with --quiet. A choice has printed it.
  let isUnannounced = options.sandbox?.isFlagged === false && input.spent === undefined;
  const open: Run["open"] = async (how = {}) => {
    const { context: own = context, speed = 0, target, retry, observer, onClosed } = how;
    if (isUnannounced) report.info("simulated data, because DEXDATA_SANDBOX is set");
    isUnannounced = false;
    const answered = (exchange: Exchange): void => {
      metrics?.answered(exchange.answer?.status);
      observer?.answered?.(exchange);
      report.answered(exchange);
    };
    const seen = { answered, opened: (status?: number) => metrics?.answered(status) };
    const chosen = retry === undefined ? options : { ...options, retry };
    const opened = await openClient(own, chosen, { ...report, ...observer, ...seen }, speed, target);
    metrics?.shows({ credits_total: () => opened.client.meter.credits });
    onClose(async () => {
      await progress.close();
      await opened.close();
      if (onClosed === undefined) reportCost({ options, report }, opened, undefined);
      else onClosed(opened);
    });
    return opened;
  };
  const sources = createAssetSources(context, report.warn, createNameFinder(context, nameServiceOf(options)));
  try {
    return await work({ context, options, report, sources, progress, onClose, metrics, open });
  } finally {
    try {
      await closeAll(closers);
    } finally {
      release();
      await progress.close();
      if (isEndless === true) outer.stopWaitingForReader();
      await report.settled();
    }
  }
}

/** An error in one cleanup function does not prevent the others from running. */
async function closeAll(closers: (() => unknown)[]): Promise<void> {
  const close = closers.pop();
  if (close === undefined) return;
  try {
    await close();
  } finally {
    await closeAll(closers);
  }
}

/** Call this after printing the rows. */
export function reportCost(
  { options, report }: Pick<Run, "options" | "report">,
  { client: { meter } }: OpenClient,
  rest: string | undefined,
): void {
  if (options.sandbox?.isFlagged === true) report.hint("simulated data from the sandbox");
  report.close(meter, rest);
}

/** Also aborts at `--deadline`. `release` stops the timer. */
function withRunDeadline(context: Context, deadline: number | undefined) {
  if (deadline === undefined) return { context, release: () => undefined };
  const late = new AbortController();
  const next = "raise --deadline, or reduce the request";
  const release = context.clock.after(deadline, () =>
    late.abort(fail("timeout", `--deadline of ${formatDuration(deadline)} reached`, { next })),
  );
  const signal = AbortSignal.any([context.signal, late.signal]);
  return { context: { ...context, signal }, release };
}

/** The flags that name a file that is written during the run. */
const written = ["out", "events", "state", "metrics", "receipt"] as const;

/** These files are replaced as a whole. */
const replaced: ReadonlySet<string> = new Set(["state", "metrics", "receipt"]);

/** Throws if two of a run's files are the same one, because one would be lost in the other. */
function checkOwnFiles({ typed, words }: RunInput, { target }: Context["stdout"]): void {
  const lists = words.filter((word) => word.startsWith("@")).map((word) => word.slice(1));
  const taken = lists.map((file) => ({ file, use: "list that this run reads" }));
  for (const name of written) {
    const file = typed.get(name)?.at(-1);
    if (file === undefined) continue;
    const isStdout = typeof target === "object" && replaced.has(name) && isNameOf(file, target);
    const use = isStdout
      ? "file that stdout is redirected to"
      : taken.find((each) => mayBeSame(file, each.file))?.use;
    if (use !== undefined)
      throw invalidInput(`--${name} "${withoutSecrets(file)}"`, `must not be the ${use}`, "use another file");
    taken.push({ file, use: `--${name} file` });
  }
}

/** Lists of assets, whose lines can be names. */
export type AssetSources = ReturnType<typeof createAssetSources>;

/** A run with a limit for a list throws, before more is made of the assets than their number. */
const acceptAny: (assets: number) => void = () => undefined;

/** stdin returns the same text each time, and each warning is printed only once. */
function createAssetSources(
  { stdin, signal }: Pick<Context, "stdin" | "signal">,
  warn: (line: string) => void,
  names: NameFinder,
) {
  let text: Promise<string> | undefined;
  const given = new Set<string>();
  return {
    names,
    checkCount: acceptAny,
    /** `-` is stdin, and `@name` a file, whose current content is read. `until` defaults to the run's signal. */
    read: async (word: string, until = signal) => {
      const isStdin = word === "-";
      const source = isStdin ? "stdin" : withoutSecrets(word.slice(1));
      const list = await (isStdin ? (text ??= stdin.read(signal)) : readListFile(word.slice(1), until));
      // Programs on Windows write a byte order mark.
      if (!list.includes("\0")) return { source, text: list.replace(/^\uFEFF/u, "") };
      throw usageFailure(
        `${source} must be UTF-8, but it contains NUL characters, so it may be UTF-16`,
        "save it as UTF-8, e.g. with iconv -f UTF-16 -t UTF-8",
      );
    },
    /** Prints a warning about skipped lines. */
    warn: (line: string): void => {
      if (!given.has(line)) warn(line);
      given.add(line);
    },
  };
}

/** In bytes. This is enough for about 50,000 rows from the service. */
const maxListBytes = 64 * 1024 * 1024;

async function readListFile(name: string, signal: AbortSignal): Promise<string> {
  const label = `"@${withoutSecrets(name)}"`;
  const { bytes } = await readBounded(name, maxListBytes, signal).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw usageFailure(`${label}: ${cannotBeRead(cause)}`, "check the file name and its permissions");
  });
  if (bytes.length > maxListBytes)
    throw usageFailure(`${label}: larger than 64 MiB, the limit for a list of assets`);
  return bytes.toString("utf8");
}

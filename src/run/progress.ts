import type { Context, Output } from "../context/context.ts";
import type { SharedValues } from "./flags/shared-flags.ts";
import { readsUnicode } from "./output/terminal.ts";
import type { Countdown } from "./report.ts";
import type { RunOptions } from "./run-options.ts";
import type { LiveLine } from "../render/progress/live-line.ts";
import { progressParts, type PullState, type Wait } from "../render/progress/progress-parts.ts";
import { createYieldingOutput, type YieldingOutput } from "../render/held-output.ts";

/** What a person sees of a run that takes a while. */
export interface Progress {
  /** The outputs of the run: what is written there and what is drawn never meet. */
  readonly outputs: Pick<Context, "stdout" | "stderr">;
  readonly countdown: Countdown;
  /** Shows the pull from now on, once it takes long enough. `say` writes a line on stderr. */
  readonly begin: (state: () => PullState, say: (line: string) => void) => void;
  /** Nothing is drawn any more, and nothing of it is left. */
  readonly close: () => Promise<void>;
}

/** Milliseconds of work that are not worth a line; between two pictures; between two lines of a log. */
const [brief, tick, logged] = [500, 100, 10_000];

export function createProgress(
  context: Context,
  flags: Pick<SharedValues, "progress">,
  { isQuiet }: Pick<RunOptions, "isQuiet">,
): Progress {
  const { clock, signal, env } = context;
  const mode = flags.progress ?? "auto";
  const isLive = mode === "auto" && !isQuiet && canRedraw(context);
  const done = new AbortController();
  let waits: readonly { readonly until: number; readonly why: string }[] = [];
  let line: LiveLine | undefined;

  const makeRoom = async (): Promise<void> => await line?.clear();
  const yielding = (output: Output): YieldingOutput | undefined =>
    isLive && output.isTerminal ? createYieldingOutput(output, makeRoom) : undefined;
  const [stdout, stderr] = [yielding(context.stdout), yielding(context.stderr)];
  const hasRoom = (): boolean => [stdout, stderr].every((output) => output?.isWhole() !== false);
  const isBusy = (): boolean => [stdout, stderr].some((output) => output?.isBusy() === true);

  /** Of a pull of days only the waits under way are kept. */
  const underWay = (now: number): typeof waits => waits.filter(({ until }) => until > now);
  const longestWait = (): Wait | undefined => {
    const now = clock.elapsed();
    const last = underWay(now).toSorted((a, b) => b.until - a.until)[0];
    return last === undefined ? undefined : { left: last.until - now, why: last.why };
  };

  const describe = (state: () => PullState): (() => readonly string[]) => {
    const [begun, started] = [state(), clock.elapsed()];
    return () => progressParts(state(), { state: begun, elapsed: clock.elapsed() - started }, longestWait());
  };

  const keepDrawing = async (parts: () => readonly string[]): Promise<void> => {
    await clock.sleep(brief, done.signal);
    const { createLiveLine } = await import("../render/progress/live-line.ts");
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

  return {
    outputs: { stdout: stdout ?? context.stdout, stderr: stderr ?? context.stderr },
    countdown: {
      begin: (milliseconds, why) => {
        const now = clock.elapsed();
        waits = [...underWay(now), { until: now + milliseconds, why }];
      },
      isShown: () => isLive && !done.signal.aborted && hasRoom(),
    },
    begin: (state, say) => {
      const parts = describe(state);
      if (isLive) keepDrawing(parts).catch(() => undefined);
      if (mode === "plain")
        keepSaying(clock, done.signal, () => say(`progress: ${parts().join(", ")}`)).catch(() => undefined);
    },
    close,
  };
}

/** A terminal that does not say what it is may not know how to clear a line; Windows has no such word. */
function canRedraw({ stderr, env, platform }: Context): boolean {
  const { TERM: terminal = "" } = env;
  return stderr.isTerminal && terminal !== "dumb" && (terminal !== "" || platform === "win32");
}

/** A line of a log now and then. */
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

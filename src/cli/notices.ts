import { counted, grouped } from "../text/counted.ts";
import type { ClientObserver, Exchange, Waiting } from "../client/client.ts";
import type { Meter } from "../client/spending/meter.ts";
import type { Context } from "../context/context.ts";
import type { Failure } from "../contract/failure.ts";
import type { RunOptions } from "./run-options.ts";
import { say } from "./say.ts";

/** Everything a run says besides its rows and its failure: one line each, on stderr. */
export interface Notices extends ClientObserver {
  /** Something the user should know whether or not anybody watches. */
  readonly warn: (text: string) => void;
  /** Only for somebody who watches: stderr is a terminal and `--quiet` is not set. */
  readonly remark: (text: string) => void;
  /** Nothing leaves for so many milliseconds, at the pace of the key; with a line where that is worth one. */
  readonly pausing: (milliseconds: number, line: string | undefined) => void;
  /** The closing line: requests, credits spent and left, time; with --stats also `rest`, where the list goes on. */
  readonly close: (meter: Meter, rest?: string) => void;
  /** Resolves when all of it has been handed over, or a reader that does not read has had its time. */
  readonly settled: () => Promise<void>;
}

/** Counts down what is waited for, where people see it do so. */
export interface Countdown {
  readonly begin: (milliseconds: number, why: string) => void;
  /** Whether it is seen: then a line on the same would say it twice. */
  readonly isShown: () => boolean;
}

/** Waits up to this long, in milliseconds, are not worth a line. */
const shortWait = 2000;
/** Milliseconds for a reader of stderr at the end. */
const patience = 300;
/** So many lines wait for it. */
const mostWaiting = 1000;

export function createNotices(
  context: Context,
  options: Pick<RunOptions, "isQuiet" | "hasStats" | "verbosity">,
  countdown?: Countdown,
): Notices {
  const started = context.clock.elapsed();
  const isWatched = context.stderr.isTerminal && !options.isQuiet;
  let written: Promise<void> = Promise.resolve();
  let [waiting, leftOut] = [0, 0];
  const append = (text: string): void => {
    waiting += 1;
    written = written
      .then(async () => await say(context, text))
      .catch(() => undefined)
      .then(() => {
        waiting -= 1;
        if (leftOut === 0) return;
        const lines = counted(leftOut, "line");
        leftOut = 0;
        append(`dexdata: ${lines} left out here: stderr was not read`);
      });
  };
  // Written in order and never awaited by the pull: a stuck stderr must stop no rows, and fill no memory.
  const write = (text: string): void => {
    if (waiting < mostWaiting) append(text);
    else leftOut += 1;
  };
  return {
    warn: write,
    remark: (text) => {
      if (isWatched) write(text);
    },
    answered: (exchange) => {
      if (options.verbosity > 0) for (const line of exchangeLines(exchange, options.verbosity)) write(line);
    },
    waiting: (wait) => {
      countdown?.begin(wait.milliseconds, whyAgain(wait));
      if (wait.milliseconds > shortWait && countdown?.isShown() !== true) write(waitingLine(wait));
    },
    pausing: (milliseconds, line) => {
      countdown?.begin(milliseconds, "for the rate limit");
      if (line !== undefined && countdown?.isShown() !== true) write(line);
    },
    close: (meter, rest) => {
      const line = closingLine(meter, context.clock.elapsed() - started);
      if (options.hasStats && rest !== undefined) write(`${line}, ${rest}`);
      else if (isWatched || options.hasStats) write(line);
    },
    settled: async () => {
      if (waiting === 0) return;
      const done = new AbortController();
      const late = context.clock.sleep(patience, done.signal).catch(() => undefined);
      await Promise.race([written, late]);
      done.abort();
    },
  };
}

function closingLine(meter: Meter, milliseconds: number): string {
  const left = meter.creditsLeft === undefined ? "" : ` (${grouped(meter.creditsLeft)} left)`;
  const seconds = (milliseconds / 1000).toFixed(1);
  return `${counted(meter.requests, "request")}, ${counted(meter.credits, "credit")}${inDoubt(meter)}${left}, ${seconds} s`;
}

/** Whether the service charged for an answer that never came whole is not known here. */
function inDoubt({ creditsInDoubt, requestsInDoubt }: Meter): string {
  if (requestsInDoubt === 0) return "";
  const which =
    requestsInDoubt === 1
      ? "an answer that did not come whole"
      : `${requestsInDoubt} answers that did not come whole`;
  return ` and perhaps ${grouped(String(creditsInDoubt))} more for ${which}`;
}

function waitingLine({ milliseconds, failure }: Waiting): string {
  return `waiting ${Math.ceil(milliseconds / 1000)} s (${reasonOf(failure)})`;
}

function whyAgain({ attempt, failure }: Waiting): string {
  return failure.details.status === 429
    ? `for the rate limit (429, try ${attempt + 1})`
    : `before try ${attempt + 1} (${reasonOf(failure)})`;
}

function reasonOf({ details: { status }, message }: Failure): string {
  return status === undefined ? message : `status ${status}`;
}

/** `GET /networks 200 12 ms 1 credit…`; the key is in a header that is never shown. */
function exchangeLines({ url, answer, milliseconds }: Exchange, verbosity: number): readonly string[] {
  const left = answer?.headers.get("x-credits-remaining");
  const outcome = answer === undefined ? "no answer" : String(answer.status);
  const line = `GET ${url.href} ${outcome} ${Math.round(milliseconds)} ms${left === undefined ? "" : `, ${left} credits left`}`;
  const headers =
    verbosity > 1 ? [...(answer?.headers ?? [])].map(([name, value]) => `  ${name}: ${value}`) : [];
  return [line, ...headers];
}

import { counted, grouped } from "../text/counted.ts";
import type { ClientObserver, Exchange, Waiting } from "../client/client.ts";
import type { Meter } from "../client/spending/meter.ts";
import { formatDuration, formatSeconds } from "../contract/duration.ts";
import type { Context } from "../context/context.ts";
import type { Failure } from "../contract/failure.ts";
import type { RunOptions } from "./run-options.ts";
import { hideSecrets } from "../contract/key.ts";
import { visibleText } from "../render/sanitize.ts";

/** Prints everything except rows and the final failure. Each message is one line on stderr. */
export interface Report extends ClientObserver {
  /** One of several inputs failed. */
  readonly fault: (text: string) => void;
  /** Data may be missing, or an input was ignored. */
  readonly warn: (text: string) => void;
  /** A long run changed state: it resumed, reconnected or filled a gap, for example. */
  readonly note: (text: string) => void;
  /** Prints a line without a prefix, even if stderr is a pipe. */
  readonly tell: (text: string) => void;
  /** Prints a line without a prefix if stderr is a terminal and `--quiet` is not set. */
  readonly remark: (text: string) => void;
  /** `line` describes the pause if it is long enough to mention. */
  readonly pausing: (milliseconds: number, line: string | undefined) => void;
  /** Prints the requests, the credits and the elapsed time. With --stats, `rest` adds where the list continues. */
  readonly close: (meter: Meter, rest?: string) => void;
  /** Resolves when everything is written, or after a time limit if nothing reads stderr. */
  readonly settled: () => Promise<void>;
}

/** Shows a countdown during each wait if a user can see it. */
export interface Countdown {
  readonly begin: (milliseconds: number, why: string) => void;
  /** Another line about the same wait would be redundant. */
  readonly isShown: () => boolean;
}

/** No other code adds prefixes. */
export const prefixes = { error: "error: ", warning: "warning: ", note: "note: " } as const;
/** In milliseconds. Shorter waits are not reported. */
const shortWait = 2000;
/** Milliseconds to wait for a reader of stderr at the end of the run. */
const patience = 300;
const mostWaiting = 1000;

export function createReport(
  context: Context,
  options: Pick<RunOptions, "isQuiet" | "hasStats" | "verbosity">,
  countdown?: Countdown,
): Report {
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
        const lines = counted(leftOut, "message");
        leftOut = 0;
        append(`${prefixes.warning}${lines} dropped because stderr was blocked`);
      });
  };
  // Lines are written in order, and the pull never awaits them. A blocked stderr must neither stop the rows nor fill up
  // memory.
  const write = (text: string): void => {
    if (waiting < mostWaiting) append(text);
    else leftOut += 1;
  };
  const note = (text: string): void => write(`${prefixes.note}${text}`);
  return {
    fault: (text) => write(`${prefixes.error}${text}`),
    warn: (text) => write(`${prefixes.warning}${text}`),
    note,
    tell: write,
    remark: (text) => {
      if (isWatched) write(text);
    },
    answered: (exchange) => {
      if (options.verbosity > 0) for (const line of exchangeLines(exchange, options.verbosity)) write(line);
    },
    waiting: (wait) => {
      countdown?.begin(wait.milliseconds, whyAgain(wait));
      if (wait.milliseconds > shortWait && countdown?.isShown() !== true) note(waitingLine(wait));
    },
    pausing: (milliseconds, line) => {
      countdown?.begin(milliseconds, "for the rate limit");
      if (line !== undefined && countdown?.isShown() !== true) note(line);
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
  return `${counted(meter.requests, "request")}, ${counted(meter.credits, "credit")}${inDoubt(meter)}${left}, ${formatDuration(milliseconds)}`;
}

/** If a response is truncated, only the service knows whether it charged for the request. */
function inDoubt({ creditsInDoubt, requestsInDoubt }: Meter): string {
  if (requestsInDoubt === 0) return "";
  const which = requestsInDoubt === 1 ? "an incomplete response" : `${requestsInDoubt} incomplete responses`;
  return `, plus up to ${grouped(String(creditsInDoubt))} for ${which}`;
}

function waitingLine({ milliseconds, failure }: Waiting): string {
  const why = failure.details.status === 429 ? "rate limited (HTTP 429)" : failure.message;
  return `${why}; retrying in ${formatSeconds(milliseconds)}`;
}

function whyAgain({ attempt, failure }: Waiting): string {
  return failure.details.status === 429
    ? `for the rate limit (HTTP 429, attempt ${attempt + 1})`
    : `before attempt ${attempt + 1} (${reasonOf(failure)})`;
}

function reasonOf({ details: { status }, message }: Failure): string {
  return status === undefined ? message : `HTTP ${status}`;
}

/** For example, `GET /networks 200 12 ms 1 credit…`. Never prints request headers, because they contain the key. */
function exchangeLines({ url, answer, milliseconds }: Exchange, verbosity: number): readonly string[] {
  const left = answer?.headers.get("x-credits-remaining");
  const outcome = answer === undefined ? "no response" : String(answer.status);
  const line = `GET ${url.href} ${outcome} ${Math.round(milliseconds)} ms${left === undefined ? "" : `, ${left} credits left`}`;
  const headers =
    verbosity > 1 ? [...(answer?.headers ?? [])].map(([name, value]) => `  ${name}: ${value}`) : [];
  return [line, ...headers];
}

/** Escapes line breaks and other control characters, and hides keys. */
export async function say({ stderr }: Pick<Context, "stderr">, line: string): Promise<void> {
  await stderr.write(`${visibleText(hideSecrets(line))}\n`);
}

export async function sayWarning(context: Pick<Context, "stderr">, line: string): Promise<void> {
  await say(context, `${prefixes.warning}${line}`);
}

export async function sayNote(context: Pick<Context, "stderr">, line: string): Promise<void> {
  await say(context, `${prefixes.note}${line}`);
}

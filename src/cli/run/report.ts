import { counted, grouped, instant } from "../../base/text/words.ts";
import type { Exchange, Waiting } from "../../client/client.ts";
import { creditsIn, type Meter } from "../../client/meter.ts";
import { formatDuration, formatSeconds } from "../../api/duration.ts";
import type { Context } from "../../base/context/context.ts";
import type { RunOptions } from "./run-options.ts";
import { createSeries } from "./repeat-limiter.ts";
import { hideSecrets } from "../../base/key.ts";
import { visibleText } from "../../base/text/unsafe-text.ts";

/** Shows a countdown during each wait if a user can see it. */
export interface Countdown {
  readonly begin: (milliseconds: number, why: string) => void;
  /** Another line about the same wait would be redundant. */
  readonly isShown: () => boolean;
}

/** SGR 2 and 22. Loading chalk for one line would take longer than the line. */
const dim = { open: "\u001B[2m", close: "\u001B[22m" };

/** No other code adds prefixes. */
export const prefixes = { error: "error: ", warning: "warning: ", note: "note: " } as const;
/** In milliseconds. Shorter waits are not reported. */
const shortWait = 2000;

/** The commands that send requests. */
const requesting =
  "api|auth status|dexes|doctor|name|networks|ohlcv|pools?|prices|search|stream|sync|tokens?|txns|usage";

/** Commands in a hint end before a sign or a word that continues the sentence. */
const commandInHint = new RegExp(
  `(?<!usage: )\\bdexdata (?:${requesting})\\b(?:(?! (?:and|or) )[^;,()])*(?<!-h|--help)(?=$|[;,()]| (?:and|or) )`,
  "gu",
);

/** A command copied from a hint must not send requests to the service if this run sent none to it. */
export function inSandbox(hint: string): string {
  return hint.includes("--sandbox") ? hint : hint.replaceAll(commandInHint, "$& --sandbox");
}

/** Prints everything except rows and the final failure. Each message is one line on stderr. */
export function createReport(
  context: Context,
  options: Pick<RunOptions, "isQuiet" | "hasDimRemarks" | "hasStats" | "verbosity" | "sandbox" | "retry">,
  countdown: Countdown | undefined,
) {
  const started = context.clock.elapsed();
  const isWatched = context.stderr.isTerminal && !options.isQuiet;
  const { write, settled } = createLineQueue(context);
  const waits = createSeries(context.clock);
  const writeWith = (prefix: string) => (text: string) => write(`${prefix}${text}`);
  const info = writeWith(prefixes.note);
  const withNext = (text: string): string => (options.sandbox?.isFlagged === true ? inSandbox(text) : text);
  return {
    /** One of several inputs failed. */
    fault: writeWith(prefixes.error),
    /** Data may be missing, or an input was ignored. */
    warn: (text: string) => writeWith(prefixes.warning)(withNext(text)),
    /** A long run changed state: it resumed, reconnected or filled a gap, for example. */
    info,
    /** Prints a line without a prefix, even if stderr is a pipe. */
    print: (text: string) => write(text),
    /** Prints a line without a prefix if stderr is a terminal and `--quiet` is not set. */
    hint: (text: string) => {
      if (isWatched) write(withNext(text), options.hasDimRemarks);
    },
    answered: (exchange: Exchange) => {
      if (exchange.age !== undefined) waits.end();
      if (options.verbosity > 0) for (const line of exchangeLines(exchange, options.verbosity)) write(line);
    },
    waiting: (wait: Waiting) => {
      countdown?.begin(wait.milliseconds, whyAgain(wait));
      if (wait.milliseconds <= shortWait || countdown?.isShown() === true) return;
      // An outage may last for days.
      const isNews = waits.isNews(wait.failure.message);
      if (isNews || !options.retry.outlastsOutages) info(waitingLine(wait));
    },
    /** Why a request waits for more than two seconds to be sent again; undefined after the next response with data. */
    outage: waits.reason,
    /** `line` describes the pause if it is long enough to mention. */
    pausing: (milliseconds: number, line: string | undefined) => {
      countdown?.begin(milliseconds, "for the rate limit");
      if (line !== undefined && countdown?.isShown() !== true) info(line);
    },
    /** Prints the requests, the credits and the elapsed time. With --stats, `rest` adds where the list continues. */
    close: (meter: Meter, rest?: string) => {
      const line = closingLine(meter, context.clock.elapsed() - started);
      if (options.hasStats && rest !== undefined) write(`${line}, ${rest}`);
      else if (isWatched || options.hasStats) write(line, isWatched && options.hasDimRemarks);
    },
    settled,
  };
}

export type Report = Readonly<ReturnType<typeof createReport>>;

/** Milliseconds to wait for a reader of stderr at the end of the run. */
const maxWait = 300;
const maxWaiting = 1000;

/**
 * Writes lines to stderr in order, and the pull never awaits them: a blocked stderr must neither stop the rows nor fill up
 * memory.
 */
function createLineQueue(context: Pick<Context, "stderr" | "clock">) {
  let written: Promise<void> = Promise.resolve();
  let [waiting, leftOut] = [0, 0];
  const append = (text: string, isDim = false): void => {
    waiting += 1;
    written = written
      .then(async () => await writeLine(context, text, isDim))
      .catch(() => undefined)
      .then(() => {
        waiting -= 1;
        if (leftOut === 0) return;
        const lines = counted(leftOut, "message");
        leftOut = 0;
        append(`${prefixes.warning}${lines} dropped because stderr was blocked`);
      });
  };
  return {
    write: (text: string, isDim = false): void => {
      if (waiting < maxWaiting) append(text, isDim);
      else leftOut += 1;
    },
    /** Resolves when everything is written, or after a time limit if nothing reads stderr. */
    settled: async () => {
      if (waiting === 0) return;
      const done = new AbortController();
      const late = context.clock.sleep(maxWait, done.signal).catch(() => undefined);
      await Promise.race([written, late]);
      done.abort();
    },
  };
}

function closingLine(meter: Meter, milliseconds: number): string {
  const left = meter.creditsLeft === undefined ? "" : ` (${grouped(meter.creditsLeft)} left)`;
  const events = meter.events === 0 ? "" : `, ${counted(meter.events, "event")}`;
  return `${counted(meter.requests, "request")}${events}, ${costOfRun(meter)}${left}, ${formatDuration(milliseconds)}`;
}

/** Every summary shows this number, which is also in receipts, `--events` and the count of `budget.daily`. */
export function costOfRun({ credits, creditsInDoubt, requestsInDoubt }: Meter): string {
  const cost = counted(credits, "credit");
  if (requestsInDoubt === 0) return cost;
  // If a response is truncated, only the service knows whether it charged for the request.
  const which = requestsInDoubt === 1 ? "an incomplete response" : `${requestsInDoubt} incomplete responses`;
  return `${cost}, plus up to ${grouped(String(creditsInDoubt))} for ${which}`;
}

function waitingLine({ milliseconds, failure }: Waiting): string {
  const why = failure.details.status === 429 ? "rate limited (HTTP 429)" : failure.message;
  return `${why}; retrying in ${formatSeconds(milliseconds)}`;
}

function whyAgain({ attempt, failure: { details, message } }: Waiting): string {
  const { status } = details;
  return status === 429
    ? `for the rate limit (HTTP 429, attempt ${attempt + 1})`
    : `before attempt ${attempt + 1} (${status === undefined ? message : `HTTP ${status}`})`;
}

/** For example, `GET /networks 200 12 ms 1 credit…`. Never prints request headers, because they contain the key. */
function exchangeLines({ url, answer, milliseconds, age }: Exchange, verbosity: number): readonly string[] {
  const left = creditsIn(answer?.headers.get("x-credits-remaining"));
  const outcome = answer === undefined ? "no response" : String(answer.status);
  const line = `GET ${url.href} ${outcome} ${Math.round(milliseconds)}ms${left === undefined ? "" : `, ${left} credits left`}`;
  const headers =
    verbosity > 1 ? [...(answer?.headers ?? [])].map(([name, value]) => `  ${name}: ${value}`) : [];
  if (verbosity > 1 && age !== undefined) headers.push(`  (as of ${instant(age.asOf)})`);
  return [line, ...headers];
}

/** Escapes line breaks and other control characters, and hides keys. */
export async function writeLine(
  { stderr }: Pick<Context, "stderr">,
  line: string,
  isDim = false,
): Promise<void> {
  const text = visibleText(hideSecrets(line));
  await stderr.write(isDim ? `${dim.open}${text}${dim.close}\n` : `${text}\n`);
}

export async function writeWarning(context: Pick<Context, "stderr">, line: string): Promise<void> {
  await writeLine(context, `${prefixes.warning}${line}`);
}

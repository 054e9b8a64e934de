import { setMaxListeners } from "node:events";
import type { Context } from "../base/context/context.ts";
import type { Endpoint, Args, ApiRequest } from "../api/endpoint.ts";
import { Failure, invalidResponse, usageFailure } from "../base/failure.ts";
import { type Budget, createEventLedger, inTurn, reserveCredits, type Reservation } from "./credit-budget.ts";
import { chargedFor, costOf, createMeter, type Meter } from "./meter.ts";
import { unlessAborted } from "./ending.ts";
import type { Pace } from "./pace.ts";
import { type AnswerAge, createAgeReader } from "./http-times.ts";
import { refusal } from "./response/request-refusal.ts";
import {
  appliedPlan,
  checkAppliedPlan,
  createAuthorization,
  hideKey,
  refuseKey,
  type Target,
} from "./target.ts";
import { createTransport } from "./connection/transport.ts";
import { backoffAfter, type RetryPolicy, waitBeforeRetry } from "./retry.ts";
import type { Answer } from "./connection/answer-body.ts";
import { createDocument, type Document } from "./document.ts";

/** Sends requests to the service: within the budget and the rate limit, checked, and retried where that may help. */
export type Client = ReturnType<typeof createClient>;

export interface ClientOptions {
  /** In milliseconds, for one request, including the connection, headers and body. */
  readonly timeout: number;
  readonly retry: RetryPolicy;
  readonly pace: Pace;
  readonly budget: Budget;
  /** By an earlier client of the same run. */
  readonly spent: Meter | undefined;
  /** The plan that a response must name if it names a plan at all. */
  readonly requiredPlan: string | undefined;
  /** A pull's maximum number of concurrent requests. */
  readonly width: number;
  readonly observer: ClientObserver;
}

export interface ClientObserver {
  readonly answered: (exchange: Exchange) => void;
  /** The status of a stream that was opened or rejected; undefined without a response. */
  readonly opened: (status: number | undefined) => void;
  readonly waiting: (wait: Waiting) => void;
  /** The plan that the service named in a response. */
  readonly applied: (plan: string) => void;
}

export interface Exchange {
  readonly url: URL;
  /** Undefined if there was no response. */
  readonly answer: Answer | undefined;
  readonly milliseconds: number;
  /** Undefined unless the response has data. */
  readonly age: AnswerAge | undefined;
}

/** `age` is undefined for a document that was kept from an earlier run. */
type DatedDocument = Document & Pick<Exchange, "age">;

export interface Waiting {
  readonly milliseconds: number;
  /** Includes the first request. */
  readonly attempt: number;
  readonly failure: Failure;
}

type ClientContext = Pick<Context, "clock" | "env" | "random" | "signal">;

/** The number of retries for a page before a contradiction becomes a doubt. */
const maxRepeats = 3;

export function createClient(context: ClientContext, target: Target, options: ClientOptions) {
  // Without this call, Node would show the user a leak warning from the eleventh concurrent request on.
  setMaxListeners(0, context.signal);
  const { clock, random, signal } = context;
  const { budget, retry, pace, timeout, observer, width } = options;
  const { meter, delivered, plan, attempt, close } = createAttempts(context, target, options);
  const ledger = createEventLedger(budget, delivered);
  /** For the streams of the run. */
  const opening = { target, context, pace, ledger, timeout, plan };
  const turns = inTurn(budget);
  const urlOf = createRequestUrls(target.rest);

  let hasAnswered = false;
  let pending = 0;
  /**
   * Aborted when the service reports that the credits are used up, because requests that are still waiting would be
   * rejected as well. Later requests are sent, because credits can return.
   */
  let spent = new AbortController();

  const wait = async (waiting: Waiting, until = signal): Promise<void> => {
    observer.waiting(waiting);
    await clock.sleep(waiting.milliseconds, until);
  };

  /**
   * Returns a 2xx response; any other response is thrown as a Failure. `until` is a child of `signal` that aborts when
   * the response is no longer needed: a request that was not yet sent is dropped, and one that was sent is billed.
   */
  const ask = async (endpoint: Endpoint, args: Args, until = signal): Promise<DatedDocument> => {
    refuseKeys(endpoint.path, args, target.key);
    const url = urlOf(endpoint, args);
    const reservation = reserveCredits(budget, turns, costOf(endpoint, args));
    let waited = 0;
    pending += 1;
    try {
      for (let sends = 1; ; sends += 1) {
        try {
          const document = await attempt(url, { endpoint, args }, reservation, until, spent.signal);
          hasAnswered = true;
          return document;
        } catch (cause) {
          if (!(cause instanceof Failure)) throw cause;
          // A budget on this machine has already reserved the credits of the requests that wait.
          if (cause.exit === 5 && cause.status !== undefined) spent.abort(cause);
          // Do not retry without credits, after a signal or the --deadline, or if nothing waits for the response.
          if (until.aborted || cause === spent.signal.reason) throw cause;
          const tries = { attempt: sends, waited, hasAnswered, random: random() };
          const milliseconds = waitBeforeRetry(cause, retry, tries);
          await unlessAborted(wait({ milliseconds, attempt: sends, failure: cause }, until), spent.signal);
          waited += milliseconds;
        }
      }
    } finally {
      pending -= 1;
      if (pending === 0 && spent.signal.aborted) spent = new AbortController();
      await reservation?.close();
    }
  };

  /** The number of retries for a response that cannot be correct. */
  const most = Math.min(maxRepeats, retry.repeats ?? retry.retries);
  /** Waits before the next retry. Returns false when no retries are left. */
  const again = async (repeats: number, problem: string): Promise<boolean> => {
    if (repeats > most) return false;
    const milliseconds = backoffAfter(repeats, random());
    await wait({ milliseconds, attempt: repeats, failure: invalidResponse(problem) });
    return true;
  };

  const closeAll = async (): Promise<void> => {
    await close();
    await ledger.recorded();
    await budget.settled();
  };

  return { target, meter, ledger, opening, width, signal, ask, maxRepeats: most, again, close: closeAll };
}

/** A cursor of the service may look like another key. */
function refuseKeys(path: string, args: Args, key: Target["key"]): void {
  refuseKey(path, key);
  for (const [name, text] of args) if (name !== "cursor" || text === key) refuseKey(text, key);
}

/**
 * Query parameters are in the contract's order, so the same request always has the same URL. A URL outside the base is
 * rejected, because the key is sent with it.
 */
export function createRequestUrls(base: string): (endpoint: Endpoint, args: Args) => URL {
  const { origin, pathname } = new URL(base);
  const below = `${pathname.replace(/\/$/u, "")}/`;
  return (endpoint, args) => {
    const path = endpoint.path.replaceAll(/\{(\w+)\}/gu, (_, name: string) =>
      encodeValue(args.get(name) ?? ""),
    );
    const url = new URL(base + path + queryOf(endpoint, args));
    if (url.origin === origin && url.pathname.startsWith(below)) return url;
    throw usageFailure(`"${path}": must be a path below ${base}`);
  };
}

function queryOf({ params, raw }: Endpoint, args: Args): string {
  const parts = params.flatMap(({ name, place }) => {
    if (place !== "query") return [];
    const [value, more] = [args.get(name), raw?.repeated.get(name) ?? []];
    const values = value === undefined ? more : [value, ...more];
    // Commas stay unescaped for readability: they separate values, and no address contains one.
    return values.map((each) => `${encodeURIComponent(name)}=${encodeValue(each).replaceAll("%2C", ",")}`);
  });
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

/** Input from stdin or rows can contain a lone surrogate, which has no UTF-8 encoding. */
function encodeValue(text: string): string {
  if (!text.isWellFormed()) throw usageFailure(`"${text}": must be valid Unicode`);
  return encodeURIComponent(text);
}

function createAttempts(context: ClientContext, target: Target, options: ClientOptions) {
  const { pace, timeout, observer, requiredPlan } = options;
  const transport = createTransport(context);
  const { meter, sent, delivered, applied } = createMeter(options.spent);
  const authorize = createAuthorization(target);
  const readAge = createAgeReader(target.tier);

  const notePlan = (plan: string): void => {
    const shown = plan.slice(0, 100);
    applied(shown);
    observer.applied(shown);
  };
  const answered = (status: number | undefined, plan: string | undefined): void => {
    observer.opened(status);
    if (plan !== undefined) notePlan(plan);
  };

  const attempt = async (
    url: URL,
    request: ApiRequest,
    reservation: Reservation | undefined,
    until: AbortSignal,
    spent: AbortSignal,
  ): Promise<DatedDocument> => {
    await reservation?.open();
    const turn = await unlessAborted(pace.turn(), spent);
    until.throwIfAborted();
    const started = context.clock.elapsed();
    let answer: Answer | undefined;
    let age: AnswerAge | undefined;
    const items = costOf(request.endpoint, request.args);
    const metered = sent(items);
    try {
      const received = await transport.get(url, authorize(url), { timeout, signal: until });
      answer = hideKey(received, target.key);
      if (answer.status === 200) age = readAge(answer);
    } catch (cause) {
      if (cause instanceof Failure && cause.details.isUnsent === true) metered.unsent();
      else {
        metered.lost();
        await reservation?.pay(items);
      }
      throw cause;
    } finally {
      observer.answered({ url, answer, milliseconds: context.clock.elapsed() - started, age });
    }
    const { status, headers } = answer;
    metered.answered(answer, age);
    const plan = appliedPlan(answer);
    if (plan !== undefined) notePlan(plan);
    const cost = chargedFor(status, items);
    if (cost > 0) await reservation?.pay(cost);
    const refused = status < 200 || status >= 300 ? refusal(answer, request, target) : undefined;
    await pace.record({ status, headers, retryAfter: refused?.details.retryAfter }, turn);
    checkAppliedPlan(plan, requiredPlan, refused);
    if (refused !== undefined) throw refused;
    return { ...createDocument({ ...answer, asOf: age?.asOf }), age };
  };

  const plan = { answered, required: requiredPlan };
  return { meter, delivered, plan, attempt, close: transport.close };
}

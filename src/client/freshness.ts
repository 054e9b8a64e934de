import type { Args } from "../api/endpoint.ts";
import type { Clock } from "../base/context/context.ts";
import type { Exchange } from "./client.ts";
import { type AnswerAge, parseHttpDate } from "./http-times.ts";

const isCopy = ({ age, isBound }: AnswerAge): boolean => age > 0 && !isBound;

/** Whether a response has the newest rows of a list: the first page of a list without an end. */
export const isOfNewest = (args: Args): boolean =>
  !args.has("to") && !args.has("cursor") && Number(args.get("page") ?? 1) <= 1;

/** When another request for the newest rows of a list can return something new. One per list. */
export function createFreshness({ elapsed }: Pick<Clock, "elapsed">) {
  let last = { from: "", until: Number.NEGATIVE_INFINITY, isAny: false, age: 0 };
  let asOf: number | undefined;
  return {
    /** Call this for each response to a request for the list. */
    record: (args: Args, age: AnswerAge | undefined): void => {
      const from = args.get("from");
      asOf = age?.asOf;
      if (age === undefined || from === undefined || !isOfNewest(args)) return;
      // If this URL was not requested before, the cache ignores the query.
      const isAny = isCopy(age) && (last.isAny || last.from !== from);
      last = { from, until: elapsed() + age.sameFor, isAny, age: age.age };
    },
    /** On the monotonic clock. A request with another `from` has another copy, unless the cache ignores the query. */
    differsAt: (from: string): number =>
      last.isAny || last.from === from ? last.until : Number.NEGATIVE_INFINITY,
    isForeignCopy: (): boolean => last.isAny,
    /** Milliseconds by which the last response was older than its receipt. */
    age: (): number => last.age,
    /** The `asOf` of the last response of any kind; see `AnswerAge`. */
    asOf: (): number | undefined => asOf,
  };
}

export type Freshness = ReturnType<typeof createFreshness>;

/** The same for requests that are repeated in rounds: the time when the first of them can return something new. */
export function createRoundFreshness({ elapsed }: Pick<Clock, "elapsed">) {
  let [before, round, isBound] = [new Map<string, number>(), new Map<string, number>(), false];
  let readTo = Number.POSITIVE_INFINITY;
  return {
    begin: (): void => {
      [before, round, isBound, readTo] = [round, new Map(), false, Number.POSITIVE_INFINITY];
    },
    record: ({ url: { href }, age, milliseconds }: Pick<Exchange, "url" | "age" | "milliseconds">): void => {
      if (age === undefined) return;
      readTo = Math.min(readTo, elapsed() - milliseconds - age.age);
      isBound ||= age.isBound;
      // A URL that differs from those of the round before has a relative time, and its next one differs as well.
      const isSame = isCopy(age) || before.has(href);
      round.set(href, isSame ? elapsed() + age.sameFor : Number.NEGATIVE_INFINITY);
    },
    /** Nothing before this time, on the monotonic clock, can be missing. Requests that failed before do not count. */
    readTo: (): number => Math.min(readTo, elapsed()),
    /** Whether a response of the round may be newer than that. */
    isBound: (): boolean => isBound,
    differsAt: (): number =>
      round.size === 0 ? Number.NEGATIVE_INFINITY : [...round.values()].reduce((a, b) => Math.min(a, b)),
  };
}

/** Once per run, as soon as the age is worth mentioning. */
export function createAgeNote(note: (line: string) => void) {
  let isSaid = false;
  return (age: AnswerAge | undefined): void => {
    if (isSaid || age === undefined || age.isBound || age.age < worthSaying) return;
    isSaid = true;
    note(`responses from the service are up to ${Math.round(age.age / 1000)}s old`);
  };
}

/** In milliseconds. */
const worthSaying = 5000;

/** Block producers may set times a few seconds ahead. The `Date` header has no fractions of a second. */
const toleranceSeconds = 60;

/**
 * In milliseconds. A cached response may be this much older than the one before. Beyond it, or if no `Date` confirms the
 * latest one for this long, the latest one was wrong, or the service's clock was set back.
 */
const [cachedFor, unconfirmedFor] = [86_400_000, 300_000];

/** The service's present, by the `Date` headers of its responses, or by the local clock if they have none. */
export function createServicePresent(clock: Pick<Clock, "now" | "elapsed">) {
  let said: number | undefined;
  let saidAt = 0;
  const seconds = (): number => Math.floor((said ?? clock.now()) / 1000);
  return {
    record: (date: string | undefined): void => {
      const milliseconds = parseHttpDate(date ?? "");
      if (milliseconds === undefined) return;
      const isCached = said !== undefined && milliseconds < said && said - milliseconds < cachedFor;
      const isKept = isCached && clock.elapsed() - saidAt < unconfirmedFor;
      if (!isKept) [said, saidAt] = [milliseconds, clock.elapsed()];
    },
    /**
     * In Unix seconds. A row with a later time has a wrong date. It is written, but does not show how far the service
     * has progressed: otherwise, one row dated in the next century would keep all earlier rows from being read.
     */
    latest: () => seconds() + toleranceSeconds,
    /** In Unix seconds. */
    seconds,
    isKnown: () => said !== undefined,
  };
}

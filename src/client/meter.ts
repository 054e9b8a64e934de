import { batchParam } from "../api/reply.ts";
import { type Endpoint, type Args, withRepeated } from "../api/endpoint.ts";
import type { AnswerAge } from "./http-times.ts";
import type { Answer } from "./connection/answer-body.ts";

/** What the service has charged for in this run, and what its responses showed about the plan. */
export type Meter = Readonly<Counters>;

class Counters {
  requests = 0;
  /**
   * For complete responses and stream events. According to the API, 2xx, 400, 404 and 410 cost credits; other statuses
   * do not.
   */
  credits = 0;
  /** Stream events, at one credit each. */
  events = 0;
  /** Additional credits that requests without a complete response may have cost. */
  creditsInDoubt = 0;
  requestsInDoubt = 0;
  /** What the requests that wait for a response may cost. If the run is killed, these are in doubt, too. */
  creditsAwaited = 0;
  /** The balance before the first request that cost credits, as derived from the responses. */
  creditsBefore: string | undefined;
  /** The most recent X-Credits-Remaining, with its original digits. */
  creditsLeft: string | undefined;
  /** The oldest `asOf` of a response with data, and the longest age, in milliseconds; see `AnswerAge`. */
  asOf: number | undefined;
  age = 0;
  /** The most recent X-Api-Plan. */
  plan: string | undefined;
  /**
   * The number of responses, including streams that opened, for each plan that the service applied. Without a prototype,
   * because the names come from a header.
   */
  readonly plans: Record<string, number> = Object.create(null);
}

/** More than the service has. Without a limit, changing texts in a header could fill memory. */
const maxPlans = 20;

export function addPlans(
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const sum = new Map(Object.entries(one));
  for (const [plan, count] of Object.entries(other))
    if (sum.has(plan) || sum.size < maxPlans) sum.set(plan, (sum.get(plan) ?? 0) + count);
  return Object.fromEntries(sum);
}

/** Continues the count of an earlier client, except for the age of its responses. */
export function createMeter(before: Meter = new Counters()) {
  const meter: Counters = { ...before, asOf: undefined, age: 0 };
  const { plans } = meter;
  let answers = meter.requests;
  /** The number of responses received when `creditsLeft` was set. */
  let leftAt = 0;

  /** The responses to requests that were sent before the first response arrived. */
  const first: { readonly left: bigint; readonly cost: bigint }[] = [];

  /** Responses arrive in any order, so the lowest number is the most recent. */
  const noteLeft = (left: string, cost: number, answersBefore: number): void => {
    if (answersBefore >= leftAt || BigInt(left) <= BigInt(meter.creditsLeft ?? left)) {
      meter.creditsLeft = left;
      leftAt = answers;
    }
    if (answersBefore > 0) return;
    first.push({ left: BigInt(left), cost: BigInt(cost) });
    // A response that left as much or more was charged earlier, and its cost is missing from what is left.
    const costsUpTo = (until: bigint): bigint =>
      first.reduce((sum, each) => (each.left >= until ? sum + each.cost : sum), 0n);
    const found = first.map((each) => each.left + costsUpTo(each.left));
    meter.creditsBefore = String(found.reduce((most, each) => (each > most ? each : most)));
  };

  return {
    meter: meter as Meter,
    applied: (plan: string): void => {
      meter.plan = plan;
      const count = plans[plan];
      if (count !== undefined || Object.keys(plans).length < maxPlans) plans[plan] = (count ?? 0) + 1;
    },
    delivered: (events: number): void => {
      meter.events += events;
      meter.credits += events;
    },
    sent: (items: number) => {
      meter.requests += 1;
      meter.creditsAwaited += items;
      const answersBefore = answers;
      const ended = (): void => void (meter.creditsAwaited -= items);
      return {
        answered: ({ status, headers }: Answer, age?: AnswerAge): void => {
          ended();
          answers += 1;
          if (age !== undefined) {
            meter.asOf = earlierOf(meter.asOf, age.asOf);
            meter.age = Math.max(meter.age, age.age);
          }
          const cost = chargedFor(status, items);
          meter.credits += cost;
          const left = creditsIn(headers.get("x-credits-remaining"));
          if (left !== undefined) noteLeft(left, cost, answersBefore);
        },
        /** For a request that the service may have received but did not answer completely. */
        lost: (): void => {
          ended();
          meter.creditsInDoubt += items;
          meter.requestsInDoubt += 1;
        },
        unsent: ended,
      };
    },
  };
}

/** The earlier one of two times, if there are two. */
export function earlierOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

/** In credits. A batch costs one credit per item only if it succeeds. */
export function chargedFor(status: number, items: number): number {
  if (status >= 200 && status < 300) return items;
  return status === 400 || status === 404 || status === 410 ? 1 : 0;
}

/** The digits; undefined for any other text, because a header or a body may contain anything. */
export function creditsIn(text: string | undefined): string | undefined {
  return text !== undefined && /^(?:0|[1-9]\d{0,18})$/u.test(text) ? text : undefined;
}

/** One credit per item for a batch (specification, Endpoints); one credit for any other endpoint. */
export function costOf(endpoint: Endpoint, args: Args): number {
  const inputs = batchParam(endpoint.reply);
  if (inputs === undefined) return 1;
  return (withRepeated(endpoint, args).get(inputs) ?? "").split(",").length;
}

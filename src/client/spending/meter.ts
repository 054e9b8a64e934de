import { type Args, withRepeated } from "../../contract/args.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import type { Answer } from "../answer/answer-body.ts";

/** What a run has cost so far, and what the service last said is left. */
export interface Meter {
  readonly requests: number;
  /** Of whole answers. By the rule of the interface: 2xx, 400, 404 and 410 cost; refusals and faults do not. */
  readonly credits: number;
  /** What requests without a whole answer may have cost beside them. */
  readonly creditsInDoubt: number;
  /** How many requests that were. */
  readonly requestsInDoubt: number;
  /** Before the first request that cost something, as its answer lets it be known. */
  readonly creditsBefore: string | undefined;
  /** From X-Credits-Remaining, the newest answer that had it; the service's own digits. */
  readonly creditsLeft: string | undefined;
  /** From X-Api-Plan: what the service counted the newest request under. */
  readonly plan: string | undefined;
}

export function createMeter() {
  const meter: { -readonly [Name in keyof Meter]: Meter[Name] } = {
    requests: 0,
    credits: 0,
    creditsInDoubt: 0,
    requestsInDoubt: 0,
    creditsBefore: undefined,
    creditsLeft: undefined,
    plan: undefined,
  };
  let answers = 0;
  /** Which answer `creditsLeft` is of. */
  let leftAt = 0;

  /**
   * Answers to requests that were under way together come in any order: of these the lowest figure is the newest
   * one, and the highest is nearest to what was there before.
   */
  const noteLeft = (left: string, cost: number, answersBefore: number): void => {
    if (answersBefore >= leftAt || isAtMost(left, meter.creditsLeft)) {
      meter.creditsLeft = left;
      leftAt = answers;
    }
    const told = answersBefore > 0 ? undefined : asCredits(left);
    if (told === undefined) return;
    const before = told + BigInt(cost);
    if (before > (asCredits(meter.creditsBefore) ?? -1n)) meter.creditsBefore = String(before);
  };

  const read: Meter = meter;
  return {
    meter: read,
    /** One request, from its leaving on. */
    sent: (items: number) => {
      meter.requests += 1;
      const answersBefore = answers;
      return {
        answered: ({ status, headers }: Answer): void => {
          answers += 1;
          const cost = isCharged(status) ? items : 0;
          meter.credits += cost;
          const left = headers.get("x-credits-remaining");
          if (left !== undefined) noteLeft(left, cost, answersBefore);
          meter.plan = headers.get("x-api-plan") ?? meter.plan;
        },
        /** No whole answer came, though the service may have seen the request. */
        lost: (): void => {
          meter.creditsInDoubt += items;
          meter.requestsInDoubt += 1;
        },
      };
    },
  };
}

/** Which answers cost. */
export function isCharged(status: number): boolean {
  return (status >= 200 && status < 300) || status === 400 || status === 404 || status === 410;
}

/** Also where one of them is no number, and nobody can tell. */
function isAtMost(left: string, known: string | undefined): boolean {
  const [one, other] = [asCredits(left), asCredits(known)];
  return one === undefined || other === undefined || one <= other;
}

/** The header is the service's to fill: undefined for what is no number. */
function asCredits(text: string | undefined): bigint | undefined {
  return text !== undefined && /^\d{1,18}$/u.test(text) ? BigInt(text) : undefined;
}

/** Credits of one request. A batch costs one an item (specification, Endpoints), anything else one a request. */
export function costOf(endpoint: Endpoint, args: Args): number {
  if (endpoint.reply.kind !== "batch") return 1;
  return (withRepeated(endpoint, args).get(endpoint.reply.param) ?? "").split(",").length;
}

import { type Args, withRepeated } from "../../contract/args.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import type { Answer } from "../answer/answer-body.ts";

/** The cost of a run so far, and the remaining credits that the service reported last. */
export interface Meter {
  readonly requests: number;
  /** For complete responses. By the rule of the API, 2xx, 400, 404 and 410 cost credits; other rejections and errors do not. */
  readonly credits: number;
  /** Credits that requests without a complete response may have cost in addition. */
  readonly creditsInDoubt: number;
  /** The number of those requests. */
  readonly requestsInDoubt: number;
  /** The credits before the first request that cost any, as far as its response shows. */
  readonly creditsBefore: string | undefined;
  /** From X-Credits-Remaining in the newest response that has it; the service's own digits. */
  readonly creditsLeft: string | undefined;
  /** From X-Api-Plan: the plan that the service applied to the newest request. */
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
  /** The number of the response that `creditsLeft` is from. */
  let leftAt = 0;

  /**
   * Responses to concurrent requests arrive in any order: the lowest figure among them is the newest, and the highest is
   * nearest to the credits before them.
   */
  const noteLeft = (left: string, cost: number, answersBefore: number): void => {
    if (answersBefore >= leftAt || isAtMost(left, meter.creditsLeft)) {
      meter.creditsLeft = left;
      leftAt = answers;
    }
    const remaining = answersBefore > 0 ? undefined : asCredits(left);
    if (remaining === undefined) return;
    const before = remaining + BigInt(cost);
    if (before > (asCredits(meter.creditsBefore) ?? -1n)) meter.creditsBefore = String(before);
  };

  return {
    meter: meter as Meter,
    /** Counts one request that is sent now. */
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
        /** There is no complete response, but the service may have received the request. */
        lost: (): void => {
          meter.creditsInDoubt += items;
          meter.requestsInDoubt += 1;
        },
      };
    },
  };
}

/** Whether a response with this status costs credits. */
export function isCharged(status: number): boolean {
  return (status >= 200 && status < 300) || status === 400 || status === 404 || status === 410;
}

/** Also true if one of them is not a number. */
function isAtMost(left: string, known: string | undefined): boolean {
  const [one, other] = [asCredits(left), asCredits(known)];
  return one === undefined || other === undefined || one <= other;
}

/** Undefined for text that is not a number: the service may send any. */
function asCredits(text: string | undefined): bigint | undefined {
  return text !== undefined && /^\d{1,18}$/u.test(text) ? BigInt(text) : undefined;
}

/** Credits of one request: 1 per item for a batch (specification, Endpoints), 1 for any other. */
export function costOf(endpoint: Endpoint, args: Args): number {
  if (endpoint.reply.kind !== "batch") return 1;
  return (withRepeated(endpoint, args).get(endpoint.reply.param) ?? "").split(",").length;
}

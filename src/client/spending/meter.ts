import type { Answer } from "../connection/transport.ts";

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

/** One request, from its leaving on. */
export interface Metered {
  readonly answered: (answer: Answer) => void;
  /** No whole answer came, though the service may have seen the request. */
  readonly lost: () => void;
}

export interface MeterWithEntry {
  readonly meter: Meter;
  readonly sent: (items: number) => Metered;
}

export function createMeter(): MeterWithEntry {
  const meter = {
    requests: 0,
    credits: 0,
    creditsInDoubt: 0,
    requestsInDoubt: 0,
    creditsBefore: undefined as string | undefined,
    creditsLeft: undefined as string | undefined,
    plan: undefined as string | undefined,
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

  return {
    meter,
    sent: (items) => {
      meter.requests += 1;
      const answersBefore = answers;
      return {
        answered: ({ status, headers }) => {
          answers += 1;
          const cost = isCharged(status) ? items : 0;
          meter.credits += cost;
          const left = headers.get("x-credits-remaining");
          if (left !== undefined) noteLeft(left, cost, answersBefore);
          meter.plan = headers.get("x-api-plan") ?? meter.plan;
        },
        lost: () => {
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

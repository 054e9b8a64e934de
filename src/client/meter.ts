import type { Answer } from "./transport.ts";

/** What a run has cost so far, and what the service last said is left. */
export interface Meter {
  readonly requests: number;
  /** By the rule of the interface: 2xx, 400, 404 and 410 cost; refusals and faults do not. */
  readonly credits: number;
  /** From X-Credits-Remaining, the newest answer that had it; the service's own digits. */
  readonly creditsLeft: string | undefined;
  /** From X-Api-Plan: what the service counted the newest request under. */
  readonly plan: string | undefined;
}

export function createMeter(): {
  readonly meter: Meter;
  readonly sent: () => void;
  readonly answered: (answer: Answer, items: number) => void;
} {
  const meter = {
    requests: 0,
    credits: 0,
    creditsLeft: undefined as string | undefined,
    plan: undefined as string | undefined,
  };
  return {
    meter,
    sent: () => {
      meter.requests += 1;
    },
    answered: (answer, items) => {
      if (isCharged(answer.status)) meter.credits += items;
      meter.creditsLeft = answer.headers.get("x-credits-remaining") ?? meter.creditsLeft;
      meter.plan = answer.headers.get("x-api-plan") ?? meter.plan;
    },
  };
}

/** Which answers cost. */
export function isCharged(status: number): boolean {
  return (status >= 200 && status < 300) || status === 400 || status === 404 || status === 410;
}

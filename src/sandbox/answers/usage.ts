import { describeCredits, describeOverage } from "../billing-refusals.ts";
import { writeInstant } from "../instant.ts";
import type { Answer } from "./answer.ts";

/**
 * Specification, "Other endpoints": the plan for everybody, and the period's use with a key on the paid host. The
 * names of the use are those of the billing bodies.
 */
export const answerUsage: Answer = ({ account, at, host }) => {
  const { tier, credits } = account;
  if (host === "rest_free") return { plan: tier };
  return {
    plan: tier,
    credits: describeCredits(tier, credits, at),
    overage: tier === "pro" ? describeOverage(credits, at) : undefined,
    resets_at: writeInstant(credits.resetsAt(at)),
  };
};

import { fail, type Failure } from "../../contract/failure.ts";

/**
 * `--require-plan`: an answer that was counted under another plan is not used. One that names no plan is, and a
 * refusal of key or plan says more about the same.
 */
export function checkPlan(
  seen: string | undefined,
  required: string | undefined,
  refused: Failure | undefined,
): void {
  if (required === undefined || seen === undefined || seen === required || refused?.exit === 4) return;
  throw fail("other_plan", `the service counted this as ${seen}, not ${required} as --require-plan wants`, {
    status: refused?.details.status,
  });
}

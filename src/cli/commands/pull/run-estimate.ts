import type { ApiRequest } from "../../../api/endpoint.ts";
import type { Client } from "../../../client/client.ts";
import { fixedAllowance, planAllowance } from "../../../client/pace.ts";
import { networks, usage } from "../../../api/endpoints/whole-service.ts";
import type { Context } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { Failure } from "../../../base/failure.ts";
import { rawAt } from "../../../base/json/path-reader.ts";
import { plans } from "../../../api/tier.ts";
import { estimate, requestBefore } from "../../run/spending/estimate.ts";
import { exactNumber } from "../../run/output/local-output.ts";
import { writeEstimate } from "../../run/spending/cost-over-time.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { writeWarning } from "../../run/report.ts";
import { withSuggestion } from "../input/suggestion.ts";
import { beyondPlan } from "../../../client/target.ts";
import type { OpenedPull } from "./pull.ts";

/** Sends at most one request, plus retries. */
export async function runEstimate({ context, flags, options, plan, client }: OpenedPull): Promise<ExitCode> {
  const before = requestBefore(plan, networks);
  const told = before === undefined ? undefined : await countRows(context, client, before);
  const { timed } = plan;
  const timedEstimate = timed && (await import("../prices/timed-plan.ts"));
  const figures =
    timed && timedEstimate ? await timedEstimate.estimateTimed(timed, client.target) : estimate(plan, told);
  const creditsLeft = before === undefined ? await askCreditsLeft(client) : client.meter.creditsLeft;
  const { command, plan: needed } = plan.endpoint;
  const beyond = beyondPlan(timed ? "prices --at" : command, needed, client.target);
  if (beyond !== undefined) await writeWarning(context, beyond);
  const perMinute = options.rpm.value ?? plans[client.target.tier].requestsPerMinute;
  const others =
    timed &&
    (await timedEstimate?.otherPlans(timed, client.target, (rate, requests) =>
      secondsAt(rate, undefined, requests),
    ));
  return await writeEstimate(context, flags, {
    requests: figures.requests ?? null,
    credits: figures.credits ?? null,
    credits_at_most: figures.creditsAtMost,
    credits_per_100_rows: figures.certainty === "unknown" ? Math.ceil(100 / plan.list.pageSize) : undefined,
    rows_at_most: figures.rows ?? null,
    certainty: figures.certainty,
    basis: figures.basis,
    requests_per_minute: perMinute,
    seconds:
      typeof perMinute === "number" ? secondsAt(perMinute, options.rpm.value, figures.requests) : undefined,
    ...others,
    credits_left: exactNumber(creditsLeft) ?? null,
    estimate_requests: client.meter.requests,
    estimate_credits: client.meter.credits + client.meter.creditsInDoubt,
  });
}

async function countRows(context: Context, client: Client, request: ApiRequest): Promise<unknown> {
  try {
    return (await client.ask(request.endpoint, request.args)).read().value;
  } catch (cause) {
    throw await withSuggestion(cause, { context, client, request });
  }
}

/** Every response contains the remaining credits. If the estimate did not need a request, this one costs a credit. */
async function askCreditsLeft(client: Client): Promise<string | undefined> {
  try {
    const { text } = (await client.ask(usage, new Map())).read();
    return rawAt(text, ["credits", "remaining"]) ?? client.meter.creditsLeft;
  } catch (cause) {
    // If there is no credit for this request, the estimate is still useful.
    if (cause instanceof Failure && cause.exit === 5) return client.meter.creditsLeft;
    throw cause;
  }
}

/** Only the rate limit counts, because response times are unknown. */
function secondsAt(
  perMinute: number,
  rpm: RunOptions["rpm"]["value"],
  requests: number | undefined,
): number | null {
  if (requests === undefined) return null;
  const { sends, window } = rpm === undefined ? planAllowance(perMinute) : fixedAllowance(perMinute);
  return Math.max(1, Math.ceil(((Math.ceil(requests / sends) - 1) * window) / 1000));
}

import type { Exchange } from "../../client/client.ts";
import { usage } from "../../contract/endpoints/usage.ts";
import { accountOf } from "../commands/find-plan.ts";
import type { OpenClient } from "../open-client.ts";
import { grouped } from "../../text/counted.ts";
import { checkClock } from "./clock.ts";
import { type Finding, failed, ok, took, warn } from "./finding.ts";

/** One question to the REST host, which says plan, credits and time. */
export async function checkAnswer(
  { client }: OpenClient,
  exchanges: readonly Exchange[],
  now: () => number,
): Promise<readonly Finding[]> {
  const { ask, meter, target } = client;
  const findings: Finding[] = [];
  try {
    const { plan, creditsLeft } = accountOf((await ask(usage, new Map())).read(), meter);
    const credits = creditsLeft === undefined ? "" : `, ${grouped(creditsLeft)} credits left`;
    findings.push(
      ok("answer", `${new URL(target.rest).host} answered in ${took(exchanges.at(-1)?.milliseconds ?? 0)}`),
    );
    findings.push(
      plan === target.tier
        ? ok("plan", `${plan}, as expected${credits}`)
        : warn(
            "plan",
            `the service counts this as ${plan}, not ${target.tier}${credits}`,
            nextOfPlan(target.key),
          ),
    );
  } catch (cause) {
    findings.push(failed("answer", cause));
  }
  const last = exchanges.at(-1);
  if (last?.answer !== undefined) {
    const date = last.answer.headers.get("date");
    findings.push(checkClock({ date, now: now(), milliseconds: last.milliseconds }));
  }
  return findings;
}

function nextOfPlan(key: string | undefined): string {
  return key === undefined
    ? "unset DEXDATA_TIER, or store a key: dexdata auth login"
    : "let the service say the plan again: dexdata auth login";
}

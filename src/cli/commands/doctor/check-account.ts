import type { Exchange } from "../../../client/client.ts";
import { parseHttpDate } from "../../../client/http-times.ts";
import { lookUpOf, type Target, tierHint } from "../../../client/target.ts";
import type { Context } from "../../../base/context/context.ts";
import { formatDuration } from "../../../api/duration.ts";
import { usage } from "../../../api/endpoints/whole-service.ts";
import { maskKey } from "../../../base/key.ts";
import { answerAge, isTier, plans } from "../../../api/tier.ts";
import { readJsonFile } from "../../../base/files/json-file.ts";
import type { OpenClient } from "../../run/open-client.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { spentToday, accountFile } from "../../run/spending/shared-limits.ts";
import { checkKeyHosts, findKey } from "../../settings/find-key.ts";
import { counted, grouped } from "../../../base/text/words.ts";
import { accountOf, type SeenPlan } from "../auth/find-plan.ts";
import { fail, type Finding, findingsOf, ok, type Outcome, warn } from "./findings.ts";
import { current, readPaceState } from "../../../client/pace-state.ts";

/** Checks the key's format and whether its tier is known, because the tier determines the hosts. */
export async function checkKey(context: Context, options: RunOptions): Promise<Outcome> {
  const { settings } = options;
  const { found } = await findKey(context, options, settings);
  if (found !== undefined) {
    checkKeyHosts(found, options);
    const shown = `${maskKey(found.key)} from ${found.source}`;
    if (found.tier !== undefined && found.tier !== "keyless") return ok(`${shown}, ${found.tier}`);
    return fail(`the plan of the key ${shown} is unknown; dexdata needs it to choose the host`, tierHint);
  }
  const tier = settings.tier.value;
  if (tier === undefined || tier === "keyless")
    return ok("none: keyless plan, 15 requests/min (to add a key: dexdata auth login)");
  return fail(
    `the plan is set to ${tier}, but no key is set`,
    "unset DEXDATA_TIER, or add a key: dexdata auth login",
  );
}

/** The sandbox has its own keys, so stored keys are not read here. */
export function sandboxKey({ key, tier }: Target): Outcome {
  return ok(
    key === undefined
      ? "none: keyless plan of the sandbox"
      : `${maskKey(key)} from the sandbox, on the ${tier} plan`,
  );
}

/** Counts the requests from all processes on this machine in the last minute. */
export function checkPace(context: Context, { rpm }: RunOptions, target: Target): Outcome {
  const file = readJsonFile(accountFile(context, "pace", target));
  const now = context.clock.elapsed();
  const { sends, hold, told, learned } = current(
    readPaceState(file.state === "read" ? file.object : undefined),
    now,
  );
  const rate = rpm.value ?? plans[target.tier].requestsPerMinute ?? "unknown";
  const used = sends.reduce((sum, { at, count }) => (at > now - 60_000 ? sum + count : sum), 0);
  const lower = [told, learned].flatMap((each) => (each === undefined ? [] : [each.perMinute]));
  const found = `${counted(used, "request")} in the last minute (limit: ${rate})`;
  if (hold !== undefined)
    return warn(
      `${found}; the service rejected more requests, so the next one waits ${formatDuration(hold.until - now)}`,
      "wait, and check what else uses this key",
    );
  const heard = lower.length === 0 ? "" : `; the service allowed only ${Math.min(...lower)}/min`;
  return ok(`${found}${heard}`);
}

/** Records the spending as a command would, without a change, so that both agree about the file. */
export async function checkBudget(
  context: Context,
  options: RunOptions,
  target: Target,
): Promise<Outcome | undefined> {
  const warnings: string[] = [];
  const today = await spentToday(context, options, target, (line) => warnings.push(line));
  if (today === undefined) return undefined;
  const { spent, most, changedBy } = today;
  const found = `${spent} of ${most} credits spent today (UTC)`;
  const [warning] = warnings;
  if (warning !== undefined) return warn(`${found}: ${warning}`, "compare with: dexdata usage");
  if (spent < most) return ok(found);
  return fail(found, `wait until tomorrow (UTC), or change the budget with ${changedBy}`, 5);
}

/** The response contains the plan, the credits and the time. */
export async function checkAnswer(
  { client }: OpenClient,
  exchanges: readonly Exchange[],
  now: () => number,
): Promise<readonly Finding[]> {
  const { ask, meter, target } = client;
  const account = ask(usage, new Map()).then((answer) => accountOf(answer.read(), meter));
  const answer = await findingsOf("answer", async () => {
    await account;
    const elapsed = formatDuration(exchanges.at(-1)?.milliseconds ?? 0);
    return ok(`${new URL(target.rest).host} responded in ${elapsed}`);
  });
  const seen = await account.catch(() => undefined);
  return [
    ...answer,
    ...(await findingsOf("plan", () => seen && checkPlan(seen, target))),
    ...(await findingsOf("clock", () => checkClock(exchanges.at(-1), now()))),
    ...(await findingsOf("age", () => checkAge(exchanges.at(-1), target))),
  ];
}

/** The delay of the plan's data, and the time that the response spent in a cache. */
function checkAge(exchange: Exchange | undefined, { tier }: Target): Outcome | undefined {
  if (exchange?.age === undefined) return undefined;
  const { age, isBound } = exchange.age;
  const delay = answerAge(tier);
  const plan =
    delay === 0
      ? `data is not delayed on the ${tier} plan`
      : `data is up to ${delay}s old on the ${tier} plan`;
  if (age === 0) return ok(plan);
  return ok(`${plan}; a cache kept this response for ${isBound ? "up to " : ""}${Math.round(age / 1000)}s`);
}

function checkPlan({ plan = "unknown", creditsLeft }: SeenPlan, target: Target): Outcome {
  const { tier, key, tierSource } = target;
  const credits = creditsLeft === undefined ? "" : `, ${grouped(creditsLeft)} credits left`;
  if (plan === tier) return ok(`${plan}, as expected${credits}`);
  const found = `the service applied the ${plan} plan, not ${tier}${credits}`;
  if (key === undefined) return warn(found, "unset DEXDATA_TIER, or add a key: dexdata auth login");
  const next = `update the stored plan: ${lookUpOf(target)}`;
  const isSet = tierSource !== undefined && isTier(plan);
  return warn(found, isSet ? `unset ${tierSource}, or set it to ${plan}` : next);
}

/** In milliseconds. Time ranges such as `--from -15m` become inexact beyond the first and wrong beyond the second. */
const [doubtful, wrong] = [2000, 5 * 60_000];

/** Imprecise: the Date header has no fractional seconds and may be written at any time during the round trip. */
function checkClock(exchange: Exchange | undefined, now: number): Outcome | undefined {
  if (exchange?.answer === undefined) return undefined;
  const { answer, milliseconds } = exchange;
  const theirs = parseHttpDate(answer.headers.get("date") ?? "");
  if (theirs === undefined)
    return warn(
      "the response did not contain the service's time",
      "compare this machine's clock with another one: date -u",
    );
  const doubt = 500 + milliseconds / 2;
  const ahead = now - milliseconds / 2 - (theirs + 500);
  const off = Math.max(0, Math.abs(ahead) - doubt);
  if (off <= doubtful) return ok(`in sync with the service (±${formatDuration(doubt)})`);
  const side = ahead > 0 ? "ahead of" : "behind";
  const found = `at least ${formatDuration(off)} ${side} the service (${new Date(theirs).toISOString().replace(".000Z", "Z")})`;
  const next = "sync the clock, e.g. timedatectl set-ntp true";
  return off > wrong ? fail(found, next) : warn(found, next);
}

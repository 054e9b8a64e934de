import { fail, type Failure, invalidInput, usageFailure } from "../base/failure.ts";
import { isLoopback } from "../api/host.ts";
import { holdsKey, withoutSecrets } from "../base/key.ts";
import { isAtLeast, plans, type Tier } from "../api/tier.ts";
import { settings } from "./settings.ts";
import type { Answer } from "./connection/answer-body.ts";

/** Who sends the requests. */
interface Identity {
  /** Sent unchanged as the `Authorization` value; undefined for keyless. */
  readonly key: string | undefined;
  /** For messages. */
  readonly keySource: string | undefined;
  /** Undefined if no source specifies it: a key alone does not determine the host. */
  readonly tier: Tier | undefined;
  /** For messages; undefined if the service itself reported the tier. */
  readonly tierSource?: string | undefined;
  /** The command that looks up the plan of this key, and saves it. */
  readonly lookUp?: string | undefined;
}

export function lookUpOf({ lookUp = "dexdata auth status" }: Pick<Identity, "lookUp">): string {
  return lookUp;
}

/** The hosts of a run, and the key that only they get. */
export interface Target extends Identity {
  /** Has no trailing slash, but may contain a path. */
  readonly rest: string;
  readonly streaming: string;
  readonly tier: Tier;
  readonly isSimulated: boolean;
}

export interface Hosts {
  readonly rest: { readonly free: string; readonly paid: string };
  readonly streaming: { readonly free: string; readonly paid: string };
}

/** Keyless and free plans use the free hosts; all other plans use the paid ones (specification, Authentication 2). */
export function chooseTarget(
  hosts: Hosts,
  identity: Identity,
  override: { rest?: string; streaming?: string },
): Target {
  const tier = knownTier(identity);
  const pair = plans[tier].hosts;
  return {
    ...identity,
    rest: override.rest ?? hosts.rest[pair],
    streaming: override.streaming ?? hosts.streaming[pair],
    tier,
    isSimulated: false,
  };
}

export const tierHint =
  "set DEXDATA_TIER to free, dev, pro or enterprise, or store the key with its plan: dexdata auth login";

function knownTier({ key, keySource = "the settings", tier = "keyless" }: Identity): Tier {
  if (key === undefined && tier !== "keyless") {
    throw usageFailure(
      `the plan is set to ${tier}, but no key is set`,
      "set DEXDATA_API_KEY, or store a key: dexdata auth login",
    );
  }
  if (key !== undefined && tier === "keyless") {
    const problem = `the plan of the key from ${keySource} is unknown; dexdata needs it to choose the host`;
    throw usageFailure(problem, tierHint);
  }
  return tier;
}

const free = [settings.base_url.fallback, settings.streaming_url.fallback];
const paid = [settings.pro_base_url.fallback, settings.streaming_pro_url.fallback];

/** Throws if the service does not accept keys of this plan at this host. */
export function checkPlanHost(tier: Tier, source: string, asked: string, lookUp: string): void {
  const others = plans[tier].hosts === "paid" ? free : paid;
  if (!others.some((each) => isSameHost(each, asked))) return;
  throw usageFailure(
    `${asked} does not accept ${tier} keys, and the key from ${source} is on the ${tier} plan`,
    `use the default host, or look up the plan of the key again: ${lookUp}`,
  );
}

export function isServiceHost(url: string): boolean {
  return [...free, ...paid].some((each) => isSameHost(each, url));
}

export function isSameHost(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin;
}

/** For an estimate, which must not spend a request to find out what the plan includes. */
export function beyondPlan(what: string, needed: Tier, target: Target): string | undefined {
  return isAtLeast(target.tier, needed) ? undefined : planSentence(what, needed, target);
}

export function planSentence(
  what: string,
  required: string,
  { key, tier }: { key: string | undefined; tier: string },
) {
  const needed = required === "keyless" ? "a higher plan" : `a ${required} plan or higher`;
  // Requests with a key are on the keyless plan only if the service ignores the key.
  const withKey = tier === "keyless" ? "the service ignored your key" : `your key is on the ${tier} plan`;
  const who = key === undefined ? "no key is set" : withKey;
  return `${what} requires ${needed}; ${who}`;
}

/** The plan that the service applied, if the response names one. */
export const appliedPlan = ({ headers }: Pick<Answer, "headers">): string | undefined =>
  headers.get("x-api-plan")?.toLowerCase();

/**
 * Rejects a response for which the service applied a different plan. A response that does not name a plan is accepted.
 * A rejection of the key or plan takes precedence, because its message explains more.
 */
export function checkAppliedPlan(
  seen: string | undefined,
  required: string | undefined,
  refused: Failure | undefined,
): void {
  if (required === undefined || seen === undefined || seen === required || refused?.exit === 4) return;
  throw fail("other_plan", `the service applied the ${seen} plan, but --require-plan is ${required}`, {
    status: refused?.details.status,
  });
}

/** The only place that sets `Authorization`, and only for the target's origins over https or loopback. */
export function createAuthorization({ key, rest, streaming }: Target) {
  const own = [rest, streaming].map((base) => new URL(base).origin);
  return (url: URL): Readonly<Record<string, string>> => {
    const isPrivate = url.protocol === "https:" || isLoopback(url.hostname);
    return key !== undefined && isPrivate && own.includes(url.origin) ? { authorization: key } : {};
  };
}

/** For a host that repeats the key in a header or an error body. After this, only rows reach the output unchecked. */
export function hideKey(answer: Answer, key: string | undefined): Answer {
  if (key === undefined) return answer;
  const hide = (text: string): string => text.replaceAll(key, "api_…");
  const headers = new Map([...answer.headers].map(([name, text]) => [name, hide(text)]));
  const isRefusal = answer.status < 200 || answer.status >= 300;
  const body = Buffer.from(answer.body.buffer, answer.body.byteOffset, answer.body.byteLength);
  if (!isRefusal || !body.includes(key)) return { ...answer, headers };
  return { ...answer, headers, body: Buffer.from(hide(body.toString("utf8"))) };
}

/** A key in an argument or on stdin would become part of a URL, and hosts and proxies log URLs. */
export function refuseKey(text: string, key: string | undefined): void {
  if (!holdsKey(text) && (key === undefined || !text.includes(key))) return;
  throw invalidInput(
    `argument "${withoutSecrets(text)}"`,
    "must not contain an API key",
    "remove the key; to store it: dexdata auth login",
  );
}

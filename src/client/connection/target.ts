import { invalidInput, usageFailure } from "../../contract/failure.ts";
import { isLoopback } from "../../contract/host.ts";
import { holdsKey, withoutSecrets } from "../../contract/key.ts";
import { plans, type Tier } from "../../contract/tier.ts";
import type { Answer } from "../answer/answer-body.ts";

export interface Identity {
  /** The API key, sent unchanged as the `Authorization` value; undefined for keyless. */
  readonly key: string | undefined;
  /** The source of the key, for messages. */
  readonly keySource: string | undefined;
  /**
   * The plan of the key. Undefined if no source specifies it: the presence of a key alone does not determine the host.
   */
  readonly tier: Tier | undefined;
  /** The source of the tier, for messages; undefined if the service itself reported it. */
  readonly tierSource?: string | undefined;
}

/** The hosts of a run, and the credentials it uses for them. */
export interface Target extends Identity {
  /** REST base URL without a trailing slash; it may contain a path. */
  readonly rest: string;
  /** Streaming base URL. */
  readonly streaming: string;
  readonly tier: Tier;
  /** Whether the target is the sandbox, which returns simulated data. */
  readonly isSimulated: boolean;
}

/** The four hosts of the service. Each can be overridden. */
export interface Hosts {
  readonly rest: { readonly free: string; readonly paid: string };
  readonly streaming: { readonly free: string; readonly paid: string };
}

/**
 * Chooses the hosts by plan (specification, Authentication 2): keyless and free use the free hosts; dev, pro and
 * enterprise use the paid ones.
 */
export function chooseTarget(
  hosts: Hosts,
  identity: Identity,
  override: { rest?: string; streaming?: string },
): Target {
  const tier = knownTier(identity);
  const pair = plans[tier].hosts;
  return {
    rest: override.rest ?? hosts.rest[pair],
    streaming: override.streaming ?? hosts.streaming[pair],
    tier,
    tierSource: identity.tierSource,
    key: identity.key,
    keySource: identity.keySource,
    isSimulated: false,
  };
}

/** The hint for a key with an unknown plan. */
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

/**
 * The only place that sets `Authorization`. The key is sent unchanged, only to the origins of the target, and only over
 * https or loopback. All other requests are sent without it.
 */
export function createAuthorization({
  key,
  rest,
  streaming,
}: Target): (url: URL) => Readonly<Record<string, string>> {
  if (key === undefined) return () => noHeaders;
  const own = [rest, streaming].map((base) => new URL(base).origin);
  const headers = { authorization: key };
  return (url) => {
    const isPrivate = url.protocol === "https:" || isLoopback(url.hostname);
    return isPrivate && own.includes(url.origin) ? headers : noHeaders;
  };
}

const noHeaders = {};

/**
 * Hides the key if a host repeats it in a header or in an error body, so that dexdata never prints it. After this step,
 * only rows reach the output unchecked.
 */
export function hideKey(answer: Answer, key: string | undefined): Answer {
  if (key === undefined) return answer;
  const hide = (text: string): string => text.replaceAll(key, "api_…");
  const isLeaked = [...answer.headers.values()].some((value) => value.includes(key));
  const headers = isLeaked
    ? new Map([...answer.headers].map(([name, text]) => [name, hide(text)]))
    : answer.headers;
  const isRefusal = answer.status < 200 || answer.status >= 300;
  const body = Buffer.from(answer.body.buffer, answer.body.byteOffset, answer.body.byteLength);
  if (!isRefusal || !body.includes(key)) return isLeaked ? { ...answer, headers } : answer;
  return { ...answer, headers, body: Buffer.from(hide(body.toString("utf8"))) };
}

/**
 * Rejects a value that contains an API key. A key passed as an argument or on stdin would become part of a URL, and
 * hosts and proxies log URLs.
 */
export function refuseKey(text: string, key: string | undefined): void {
  if (!holdsKey(text) && (key === undefined || !text.includes(key))) return;
  throw invalidInput(
    `argument "${withoutSecrets(text)}"`,
    "must not contain an API key",
    "remove the key; to store it: dexdata auth login",
  );
}

import { isGatewayStatus, isServiceCode, meaningOf, type ServiceCode } from "../../api/service-errors.ts";
import { isObject, parseJson, rawMembers } from "../../base/json/json-scan.ts";
import { parseRfc3339, showSeconds } from "../../base/time/time.ts";
import { appliedPlan, lookUpOf, planSentence, type Target } from "../target.ts";
import { retryAfterMilliseconds } from "../http-times.ts";
import type { Answer } from "../connection/answer-body.ts";

export interface ErrorBody {
  /** A code from the specification; undefined if `error` contains a sentence instead. */
  readonly code: ServiceCode | undefined;
  readonly message: string | undefined;
  /** Raw JSON, so that 64-bit numbers keep all digits. */
  readonly fields: ReadonlyMap<string, string>;
  readonly isHtml: boolean;
}

/** A rejected request or stream. */
export interface Refused {
  readonly answer: Answer;
  readonly body: ErrorBody;
  readonly target: Target;
}

export function readRefusal(answer: Answer, target: Target): Refused {
  return { answer, body: readErrorBody(answer.body), target };
}

/**
 * Reads every format of the public API: the specification's envelope, a lone `message`, a sentence in `error`, an
 * object in `error` (5xx responses from the CDN edge), HTML, non-JSON text, `{}` and an empty body.
 */
export function readErrorBody(bytes: Uint8Array): ErrorBody {
  const text = new TextDecoder().decode(bytes);
  const fields = membersOf(text);
  if (fields === undefined) {
    const isHtml = /^\s*<(?:!doctype|html)/iu.test(text);
    return { code: undefined, message: undefined, fields: new Map(), isHtml };
  }
  const error = textField(fields, "error");
  const edge = membersOf(fields.get("error") ?? "");
  const code = error !== undefined && isServiceCode(error) ? error : undefined;
  const sentence = code === undefined ? error : undefined;
  const message =
    textField(fields, "message") ?? sentence ?? (edge === undefined ? undefined : textField(edge, "message"));
  return { code, message, fields, isHtml: false };
}

export function textField(fields: ReadonlyMap<string, string>, name: string): string | undefined {
  const value: unknown = JSON.parse(fields.get(name) ?? "null");
  return typeof value === "string" ? value : undefined;
}

function membersOf(text: string): ReadonlyMap<string, string> | undefined {
  return isObject(parseJson(text)) ? rawMembers(text) : undefined;
}

export interface Sentence {
  readonly message: string;
  readonly next?: string | undefined;
}

/** The service sends these as JSON, or without a body. */
const statusesInJson: ReadonlySet<number> = new Set([400, 401, 402, 404, 405, 410]);

/**
 * Whether the response is a page of another server, because the URL is wrong or an intermediary has an outage. It says
 * nothing about the key, the credits or an asset. The service itself sends HTML only with 403 (specification, Errors).
 */
function isOfOtherServer({ answer, body }: Refused): boolean {
  return body.isHtml && statusesInJson.has(answer.status);
}

/** The details that depend only on the response: based on its status and refined by its body. */
export function refusalDetails(refused: Refused, { next }: Sentence) {
  const { answer, body } = refused;
  const { status, headers, received } = answer;
  const isOther = isOfOtherServer(refused);
  const { exit, code, retryable } = meaningOf(isOther ? 503 : status);
  return {
    exit,
    code: body.code ?? code,
    status,
    why: body.message,
    next,
    retryable,
    isOutage: isOther || isGatewayStatus(status),
    body: body.fields,
    // A retry enabled by --retry-on, e.g. for 503, must not come too early either (RFC 9110, 10.2.3).
    retryAfter: retryAfterMilliseconds(headers, body, received),
  };
}

/** Any other 403 concerns the key or the host. */
export function isOfPlan({ answer, body: { code } }: Refused): boolean {
  return answer.status === 403 && (code === "plan_required" || code === "preview_only");
}

/** Undefined if the response may be about the request itself. */
export function otherServerSentence(refused: Refused, kind: "request" | "stream"): Sentence | undefined {
  if (!isOfOtherServer(refused)) return undefined;
  const { answer, target } = refused;
  const [url, name] = kind === "stream" ? [target.streaming, "streaming"] : [target.rest, "base"];
  return {
    message: `${new URL(url).host} responded with an HTML page (HTTP ${answer.status}) instead of JSON`,
    next: `check the ${name} URL: dexdata config list`,
  };
}

/** The message for a status that has nothing to do with the request itself. */
export function commonSentence(refused: Refused, kind: "request" | "stream"): Sentence {
  const { answer, target } = refused;
  const { status } = answer;
  const isStream = kind === "stream";
  if (status === 401 || status === 402 || status === 403)
    return callerSentence(refused, new URL(isStream ? target.streaming : target.rest));
  if (status === 429) {
    return {
      message: `rate limit of the ${planOf(refused)} plan exceeded`,
      next: "wait a minute; all processes that use this key share the limit",
    };
  }
  if (status >= 500) {
    const host = isStream ? "streaming host" : "service";
    return { message: `the ${host} failed (HTTP ${status})`, next: "try again later" };
  }
  if (status >= 300 && status < 400) {
    const host = isStream ? "streaming host" : "host";
    return {
      message: `the ${host} returned a redirect (HTTP ${status}), which dexdata does not follow`,
      next: `check the ${isStream ? "streaming" : "base"} URL: dexdata config list`,
    };
  }
  return { message: `the service rejected the ${kind} (HTTP ${status})` };
}

/** Explains 401, 402 and 403, which concern the key, the host or the credits. */
function callerSentence(refused: Refused, { host }: URL): Sentence {
  const { answer, body, target } = refused;
  // A host for other plans may also reject a request without a key like this.
  if (answer.status === 401 || (body.code === "wrong_host" && target.key === undefined))
    return keyRefused(target, host);
  if (answer.status === 402) return creditsUsedUp(refused);
  if (body.isHtml) {
    return {
      message: `${host} blocked the request before it reached the service (HTML response)`,
      next: "check the key and the host URLs: dexdata auth status",
    };
  }
  if (body.code === "wrong_host") return wrongHost(textField(body.fields, "tier"), host, target);
  return {
    message: `the ${planOf(refused)} plan does not allow this request`,
    next: hintAtIgnoredKey(refused) ?? "see what the plan includes: dexdata help credits",
  };
}

/** If the service does not name another plan than the one in use, the plan has to be looked up. */
function wrongHost(plan: string | undefined, host: string, target: Target): Sentence {
  const { tier, tierSource, keySource = "the settings" } = target;
  const message = `${host} does not accept ${plan === undefined ? `the key from ${keySource}` : `${plan} keys`}`;
  const next = `look up the plan of the key: ${lookUpOf(target)}`;
  if (tierSource === undefined) return { message, next };
  return {
    message: `${message}; dexdata chose this host because ${tierSource} sets the plan to ${tier}`,
    next: plan === undefined || plan === tier ? next : `unset ${tierSource}, or set it to ${plan}`,
  };
}

function keyRefused({ key, keySource = "the settings" }: Target, host: string): Sentence {
  if (key === undefined) return { message: `${host} requires a key`, next: "add one: dexdata auth login" };
  return {
    message: `the service rejected the key from ${keySource}`,
    // Other sources take precedence over a key that is stored now.
    next: keySource.startsWith("profile ")
      ? "store a valid key: dexdata auth login"
      : `replace the key in ${keySource}, or store one instead: dexdata auth login`,
  };
}

function creditsUsedUp(refused: Refused): Sentence {
  const { answer, body } = refused;
  const tier = planOf(refused);
  const resets = textField(body.fields, "resets_at") ?? readableReset(answer.headers.get("x-credits-reset"));
  const back =
    resets === undefined || tier === "keyless" || tier === "free" ? "" : `; they reset at ${resets}`;
  const message = `out of credits on the ${tier} plan${back}`;
  const register = `register for a free key${link(body, ": ", "register")}${offer(body)}`;
  if (tier === "keyless") return { message, next: hintAtIgnoredKey(refused) ?? register };
  if (tier === "free")
    return { message, next: `upgrade the plan${link(body, ": ", "upgrade")}${offer(body)}` };
  return { message, next: `enable overage or raise the spend cap${link(body, ": ", "portal", "packs")}` };
}

export function planOf({ answer, body, target }: Refused): string {
  return textField(body.fields, "tier") ?? appliedPlan(answer) ?? target.tier;
}

/** If the service ignored the key, which it does if it cannot read it (wire-facts 2.1), registering would not help. */
export function hintAtIgnoredKey(refused: Refused): string | undefined {
  const { target } = refused;
  const isIgnored = planOf(refused) === "keyless" && target.key !== undefined;
  return isIgnored ? `check the key in use: ${lookUpOf(target)}` : undefined;
}

/**
 * `plan`, which the contract requires, is used if the response names none. If that plan is keyless, the message
 * mentions only a higher plan, because the required one is unknown.
 */
export function planNeeded(what: string, plan: string, refused: Refused) {
  const { body, target } = refused;
  const required = textField(body.fields, "required_tier") ?? plan;
  const tier = planOf(refused);
  const register = required === "free" ? "register" : "register and upgrade";
  const next = target.isSimulated
    ? `simulate that plan: --tier ${required}`
    : tier === "keyless"
      ? (hintAtIgnoredKey(refused) ?? `${register}${link(body, " at ", "register")}`)
      : `upgrade${link(body, " at ", "upgrade", "pricing")}`;
  return { message: planSentence(what, required, { ...target, tier }), next };
}

/** The format of this header is undefined: Unix seconds and RFC 3339 are read, and any other text is ignored. */
function readableReset(reset: string | undefined): string | undefined {
  if (reset === undefined) return undefined;
  if (/^\d{9,11}$/u.test(reset)) return showSeconds(Number(reset));
  return parseRfc3339(reset) === undefined ? undefined : reset;
}

function offer(body: ErrorBody): string {
  const fields = membersUnder(body, "offer");
  const [description, end] = [textField(fields, "description"), textField(fields, "expires_at")];
  if (description === undefined) return "";
  return ` (offer: ${description}${end === undefined ? "" : `, until ${end}`})`;
}

/**
 * The first link with one of these names after the separator, or an empty string. The URL is only displayed, never
 * opened.
 */
export function link(body: ErrorBody, separator: ": " | " at ", ...names: readonly string[]): string {
  const links = membersUnder(body, "links");
  const found = names.map((name) => textField(links, name)).find((url) => url !== undefined);
  return found === undefined ? "" : `${separator}${found}`;
}

function membersUnder({ fields }: ErrorBody, name: string): ReadonlyMap<string, string> {
  const raw = fields.get(name);
  return raw?.startsWith("{") === true ? rawMembers(raw) : new Map();
}

export function removedSentence(body: ErrorBody, path: string, ...hints: readonly string[]): Sentence {
  const replacement = textField(body.fields, "replacement");
  const next = [...(replacement === undefined ? [] : [`use ${replacement} instead`]), ...hints];
  return { message: `${path} was removed from the API`, next: next.join("; ") || undefined };
}

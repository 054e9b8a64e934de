import type { Question } from "../../contract/args.ts";
import { inputName } from "../../contract/read-param.ts";
import { type ErrorBody, textField } from "./error-body.ts";
import type { Target } from "../connection/target.ts";
import type { Answer } from "../connection/transport.ts";
import { rawMembers } from "../../json/raw-json.ts";
import { formatInstant } from "../../time/time.ts";

export interface Sentence {
  readonly message: string;
  readonly next?: string | undefined;
}

/** Key, host, plan and credits: 401, 402 and 403. What to do depends on who asks. */
export function planSentence(answer: Answer, body: ErrorBody, question: Question, target: Target): Sentence {
  const isOfPlan = body.code === "plan_required" || body.code === "preview_only";
  if (answer.status === 403 && isOfPlan) return planRequired(body, question, target);
  return callerSentence(answer, body, target, target.rest);
}

/** The same where it is no matter of what was asked. `base`: the host that was asked. */
export function callerSentence(answer: Answer, body: ErrorBody, target: Target, base: string): Sentence {
  const { host } = new URL(base);
  if (answer.status === 401) return keyRefused(target, host);
  if (answer.status === 402) return creditsUsedUp(answer, body, target);
  if (body.isHtml) {
    return {
      message: `${host} refused the request before the service saw it (it answered with a web page)`,
      next: "check the form of the key and the hosts: dexdata auth status",
    };
  }
  if (body.code === "wrong_host") {
    const plan = textField(body.fields, "tier") ?? target.tier;
    return wrongHost(plan, host, target);
  }
  return {
    message: `the ${target.tier} plan may not do this`,
    next: "see what the plan includes: dexdata usage",
  };
}

function wrongHost(plan: string, host: string, { tier, tierSource }: Target): Sentence {
  const message = `a ${plan} key does not belong to ${host}`;
  if (tierSource === undefined)
    return { message, next: "let the service say where it belongs: dexdata auth login" };
  return {
    message: `${message}, where the tier ${tier} of ${tierSource} sends it`,
    next: `unset ${tierSource}, or set it to ${plan}`,
  };
}

function keyRefused(target: Target, host: string): Sentence {
  if (target.key === undefined) {
    return {
      message: `${host} wants a key, and none was sent`,
      next: "store one with: dexdata auth login",
    };
  }
  return {
    message: `the service does not accept the key from ${target.keySource ?? "the settings"}`,
    next: "store a valid one with: dexdata auth login",
  };
}

function creditsUsedUp(answer: Answer, body: ErrorBody, target: Target): Sentence {
  const tier = textField(body.fields, "tier") ?? answer.headers.get("x-api-plan") ?? target.tier;
  const resets = textField(body.fields, "resets_at") ?? readableReset(answer.headers.get("x-credits-reset"));
  const back =
    resets === undefined || tier === "keyless" || tier === "free" ? "" : `; they return at ${resets}`;
  const message = `the credits of the ${tier} plan are used up${back}`;
  if (tier === "keyless")
    return { message, next: `register for a free key${link(body, "register")}${offer(body)}` };
  if (tier === "free") return { message, next: `upgrade the plan${link(body, "upgrade")}${offer(body)}` };
  return { message, next: `enable overage or raise the spend cap${link(body, "portal", "packs")}` };
}

function planRequired(body: ErrorBody, question: Question, target: Target): Sentence {
  const required = planName(textField(body.fields, "required_tier") ?? question.endpoint.plan);
  const tier = textField(body.fields, "tier") ?? target.tier;
  const who = target.key === undefined ? "no key is set" : `this key is ${tier}`;
  const name = textField(body.fields, "param");
  const param = question.endpoint.params.find((each) => each.name === name);
  if (param !== undefined) {
    const typed = question.args.get(param.name);
    return {
      message: `${inputName(param)}${typed === undefined ? "" : ` "${typed}"`} needs ${required}; ${who}`,
      next: `ask for less, or ${tier === "keyless" ? "register and upgrade" : "upgrade"}${link(body, "upgrade", "pricing", "register")}`,
    };
  }
  const upgrade =
    tier === "keyless"
      ? `register and upgrade${link(body, "register")}`
      : `upgrade${link(body, "upgrade", "pricing")}`;
  return {
    message: `${question.endpoint.command} needs ${required}; ${who}`,
    next: `${upgrade}${alternative(question)}`,
  };
}

/** A contract that asks for no plan knows nothing of the one that was refused here. */
export function planName(tier: string): string {
  return tier === "keyless" ? "a higher plan" : `a ${tier} plan or higher`;
}

/** What works without the plan. */
function alternative({ endpoint, args }: Question): string {
  const network = args.get("network") ?? "";
  const pool = args.get("pool_address");
  const token = args.get("token_address");
  if (endpoint.id === "pool_transactions" && pool !== undefined)
    return `; without it: dexdata pool ${network} ${pool}`;
  if (endpoint.id === "token_ohlcv" && token !== undefined)
    return `; without it: dexdata token ${network} ${token}`;
  return "";
}

/** The header's form is not laid down: unix seconds are written as a time, anything else as it came. */
function readableReset(reset: string | undefined): string | undefined {
  if (reset === undefined || !/^\d{9,11}$/u.test(reset)) return reset;
  return formatInstant({ seconds: Number(reset), fraction: "" });
}

/** What the service offers a free caller whose credits are used up. */
function offer(body: ErrorBody): string {
  const raw = body.fields.get("offer");
  if (raw === undefined || !raw.startsWith("{")) return "";
  const fields = rawMembers(raw);
  const [description, end] = [textField(fields, "description"), textField(fields, "expires_at")];
  if (description === undefined) return "";
  return ` (offer: ${description}${end === undefined ? "" : `, until ${end}`})`;
}

/** The first of the body's links that is there, as text; it is never opened. */
export function link(body: ErrorBody, ...names: readonly string[]): string {
  const raw = body.fields.get("links");
  if (raw === undefined || !raw.startsWith("{")) return "";
  const links = rawMembers(raw);
  const found = names.map((name) => textField(links, name)).find((url) => url !== undefined);
  return found === undefined ? "" : `: ${found}`;
}

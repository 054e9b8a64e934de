import { fail, Failure } from "../../contract/failure.ts";
import { meaningOf } from "../../contract/service-errors.ts";
import { type ErrorBody, readErrorBody, textField } from "../answer/error-body.ts";
import { callerSentence, link, planName, type Sentence } from "../answer/plan-refusal.ts";
import { retryAfterMilliseconds } from "../pace/retry-after.ts";
import type { Target } from "../connection/target.ts";
import type { Answer } from "../answer/answer-body.ts";

/** What a stream was asked for, for messages. */
export interface StreamQuestion {
  /** What was typed: `stream --feed prices`, `txns --follow`. */
  readonly command: string;
  readonly path: string;
  readonly subjects: readonly { readonly network: string; readonly address: string }[];
  /** The lowest plan that may open it. */
  readonly plan: string;
}

/** Turns any answer but 2xx into a failure in the user's words (wire-facts 5.7, and the specification's forms). */
export function streamRefusal(answer: Answer, question: StreamQuestion, target: Target): Failure {
  const body = readErrorBody(new TextDecoder().decode(answer.body));
  const meaning = meaningOf(answer.status);
  const sentence = sentenceFor(answer, body, question, target);
  const details = {
    status: answer.status,
    why: body.message,
    next: sentence.next,
    body: body.fields,
    retryAfter: retryAfterMilliseconds(answer.headers, body),
  };
  if (isStreamLimit(answer.status, body)) return fail("stream_limit", sentence.message, details);
  return new Failure(sentence.message, {
    ...details,
    exit: meaning.exit,
    code: body.code ?? meaning.code,
    retryable: meaning.retried || answer.status >= 500,
  });
}

/** A place is wanted, not patience: specification, Events 3, and the sentence of the public service. */
function isStreamLimit(status: number, { message }: ErrorBody): boolean {
  return status === 429 && /\bstreams?\b.*\blimit\b/iu.test(message ?? "");
}

export function isStreamLimitFailure({ details }: Failure): boolean {
  return details.code === "stream_limit";
}

function sentenceFor(answer: Answer, body: ErrorBody, question: StreamQuestion, target: Target): Sentence {
  const { status } = answer;
  const isOfPlan = body.code === "plan_required" || body.code === "preview_only";
  if (status === 403 && isOfPlan) return planRefused(body, question, target);
  if (status === 401 || status === 402 || status === 403)
    return callerSentence(answer, body, target, target.streaming);
  if (status === 400) return badRequest(body, question);
  if (status === 404) return notFound(body, question, target);
  if (status === 405 && question.subjects.length > 1)
    return { message: `the service does not take several assets on one connection of ${question.path}` };
  if (status === 410) return removed(body, question);
  if (status === 429) return tooMany(answer, body, target);
  if (status >= 500)
    return { message: `the streaming host failed (status ${status})`, next: "try again later" };
  if (status >= 300 && status < 400) {
    return {
      message: `the streaming host answered with a redirect (status ${status}), which is not followed`,
      next: "check the streaming URL: dexdata config list",
    };
  }
  return { message: `the service refused the stream (status ${status})` };
}

function planRefused(body: ErrorBody, question: StreamQuestion, target: Target): Sentence {
  const tier = textField(body.fields, "tier") ?? target.tier;
  const who = target.key === undefined ? "no key is set" : `this key is ${tier}`;
  if (body.code === "preview_only") {
    const which = question.subjects.length === 1 ? `${named(question)} is none` : "not all of these are";
    return {
      message: `without a key, ${question.command} shows a few preview assets only, and ${which}`,
      next: `register for a free key${link(body, "register")}`,
    };
  }
  const required = planName(textField(body.fields, "required_tier") ?? question.plan);
  const next =
    tier === "keyless"
      ? `register and upgrade${link(body, "register")}`
      : `upgrade${link(body, "upgrade", "pricing")}`;
  return { message: `${question.command} needs ${required}; ${who}`, next };
}

function badRequest(body: ErrorBody, question: StreamQuestion): Sentence {
  const param = textField(body.fields, "param");
  if (param === "interval" || param === "since" || param === "method")
    return { message: `--${param === "method" ? "by" : param}: refused by the service` };
  return {
    message: `the service refused the stream of ${named(question)}`,
    next: "look the address up: dexdata search <address>",
  };
}

function notFound(body: ErrorBody, question: StreamQuestion, target: Target): Sentence {
  if (isOfAsset(body)) {
    return {
      message: `the service does not stream ${named(question)}`,
      next: "look the address up: dexdata search <address>",
    };
  }
  return {
    message: `${target.streaming} has no ${question.path}`,
    next: target.isSimulated
      ? "the sandbox has it beside the specification: dexdata sandbox --dialect public -- dexdata stream …"
      : "check the streaming URL: dexdata config list",
  };
}

/** A 404 is about the path unless it names what it looked for: its form is the only difference (wire-facts 5.7). */
function isOfAsset(body: ErrorBody): boolean {
  return body.fields.has("resource") || /\b(?:token|pool|asset)\b.*\bnot found\b/iu.test(body.message ?? "");
}

function removed(body: ErrorBody, question: StreamQuestion): Sentence {
  const replacement = textField(body.fields, "replacement");
  const message = `the service has removed ${question.path} for good`;
  return replacement === undefined ? { message } : { message, next: `its replacement: ${replacement}` };
}

function tooMany(answer: Answer, body: ErrorBody, target: Target): Sentence {
  const tier = textField(body.fields, "tier") ?? answer.headers.get("x-api-plan") ?? target.tier;
  if (isStreamLimit(answer.status, body)) {
    return {
      message: `no further stream may be open on the ${tier} plan, or from this address`,
      next: "close other streams, also of other programs, or ask for fewer assets",
    };
  }
  return {
    message: `too many requests for the ${tier} plan`,
    next: "wait a minute and try again; every process that uses this key counts",
  };
}

function named({ subjects }: StreamQuestion): string {
  const [first] = subjects;
  if (first === undefined) return "the assets";
  return subjects.length === 1 ? `${first.network}:${first.address}` : `these ${subjects.length} assets`;
}

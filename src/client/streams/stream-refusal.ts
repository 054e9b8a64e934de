import { Failure } from "../../base/failure.ts";
import { type ErrorBody, readErrorBody, textField } from "../response/error-body.ts";
import {
  commonSentence,
  isOfPlan,
  link,
  planNeeded,
  planOf,
  refusalDetails,
  removedSentence,
  type Sentence,
} from "../response/plan-refusal.ts";
import type { Target } from "../target.ts";
import type { Answer } from "../document.ts";

export interface StreamRequest {
  /** As typed, e.g. `stream --feed prices` or `txns --follow`. */
  readonly command: string;
  readonly path: string;
  readonly subjects: readonly { readonly network: string; readonly address: string }[];
  /** What the subjects are. */
  readonly by: "token" | "pool";
  /** The lowest plan that may open the stream. */
  readonly plan: string;
}

/** Supports the public service (wire-facts 5.7) and the specification, and names inputs as they were typed. */
export function streamRefusal(answer: Answer, request: StreamRequest, target: Target): Failure {
  const body = readErrorBody(new TextDecoder().decode(answer.body));
  const isLimit = isStreamLimit(answer.status, body);
  const sentence = isLimit ? streamLimit(answer, body, target) : sentenceFor(answer, body, request, target);
  const details = refusalDetails(answer, body, sentence);
  return new Failure(sentence.message, {
    ...details,
    code: isLimit ? "stream_limit" : details.code,
    retryable: details.retryable || answer.status >= 500,
  });
}

/**
 * Waiting does not help; another stream has to close first. The check covers both the specification (Events 3) and the
 * public service's message.
 */
function isStreamLimit(status: number, { message }: ErrorBody): boolean {
  return status === 429 && /\bstreams?\b.*\blimit\b/iu.test(message ?? "");
}

function streamLimit(answer: Answer, body: ErrorBody, target: Target): Sentence {
  const tier = planOf(answer, body, target);
  return {
    message: `stream limit of the ${tier} plan or this IP address exceeded`,
    next: "close other streams, including those in other programs, or request fewer assets",
  };
}

/**
 * Whether another server than the service rejected the stream: a balancer or proxy, which sends pages of its own while
 * the service is replaced. The service's bodies are JSON with `message` or `error`; 204 has none.
 */
export function isOfIntermediary({ details: { status, body } }: Failure): boolean {
  if (status === undefined || status === 204) return false;
  return body?.has("message") !== true && body?.has("error") !== true;
}

export function isStreamLimitFailure({ details }: Failure): boolean {
  return details.code === "stream_limit";
}

function sentenceFor(answer: Answer, body: ErrorBody, request: StreamRequest, target: Target): Sentence {
  const { status } = answer;
  const { path, subjects } = request;
  if (isOfPlan(answer, body)) return planRefused(body, request, target);
  if (status === 400) return badRequest(body, request);
  if (status === 404) return notFound(body, request, target);
  if (status === 405 && subjects.length > 1)
    return { message: `the service accepts only one asset per connection on ${path}` };
  if (status === 410) return removedSentence(body, path);
  return commonSentence(answer, body, target, "stream");
}

function planRefused(body: ErrorBody, request: StreamRequest, target: Target): Sentence {
  // No asset of the other feeds is a preview asset.
  if (body.code !== "preview_only" || request.plan !== "keyless") {
    const { message, next } = planNeeded(request.command, request.plan, body, target);
    const lacking = request.plan === "free" ? "a key" : "a paid plan";
    return { message, next: `${next}; alternative without ${lacking}: ${withoutStream(request)}` };
  }
  const which =
    request.subjects.length === 1
      ? `${named(request)} is not one of them`
      : "some of the requested assets are not among them";
  return {
    message: `without a key, ${request.command} is limited to preview assets; ${which}`,
    next: `register for a free key${link(body, ": ", "register")}; alternative without a key: ${withoutStream(request)}`,
  };
}

/** Shows the current state of the same assets, with any plan. */
function withoutStream({ by, subjects }: StreamRequest): string {
  const [first] = subjects;
  const asset = first === undefined ? "<asset>" : `${first.network}:${first.address}`;
  const others = subjects.length > 1 ? " …" : "";
  return `dexdata ${by === "pool" ? "pool" : "prices"} ${asset}${others} --watch 10s`;
}

const lookUp = "find the address: dexdata search <name>";

function badRequest(body: ErrorBody, request: StreamRequest): Sentence {
  const param = textField(body.fields, "param");
  if (param === "interval" || param === "since" || param === "method")
    return { message: `the service rejected --${param === "method" ? "by" : param} (HTTP 400)` };
  return { message: `the service rejected the stream for ${named(request)} (HTTP 400)`, next: lookUp };
}

function notFound(body: ErrorBody, request: StreamRequest, target: Target): Sentence {
  if (isOfAsset(body)) return { message: invalidAsset(request), next: lookUp };
  return {
    message: `${request.path} not found on ${target.streaming}`,
    next: "check the streaming URL: dexdata config list",
  };
}

/** A 404 is about the path unless the response's format names an asset (wire-facts 5.7). */
function isOfAsset(body: ErrorBody): boolean {
  return body.fields.has("resource") || /\b(?:token|pool|asset)\b.*\bnot found\b/iu.test(body.message ?? "");
}

function invalidAsset(request: StreamRequest): string {
  const { length } = request.subjects;
  return length === 1 ? `invalid asset ${named(request)}` : `invalid asset among ${named(request)}`;
}

function named({ subjects }: StreamRequest): string {
  const [first] = subjects;
  if (first === undefined) return "the assets";
  return subjects.length === 1 ? `${first.network}:${first.address}` : `these ${subjects.length} assets`;
}

import type { Feed, FeedKind } from "../../api/feed.ts";
import { Failure } from "../../base/failure.ts";
import {
  commonSentence,
  type ErrorBody,
  isOfPlan,
  link,
  hintAtIgnoredKey,
  otherServerSentence,
  planNeeded,
  planOf,
  readRefusal,
  refusalDetails,
  type Refused,
  removedSentence,
  type Sentence,
  textField,
} from "../response/refusal.ts";
import type { Opening, Subscription } from "../stream-options.ts";
import type { Target } from "../target.ts";
import type { Answer } from "../connection/answer-body.ts";

/** The rejected subscription; see `Opening` and `Subscription`. */
interface StreamRequest extends Pick<Opening, "command">, Pick<Subscription, "subjects"> {
  readonly feed: Pick<Feed, "path" | "plan">;
  readonly kind: Pick<FeedKind, "by">;
}

/** Supports the public service (wire-facts 5.7) and the specification, and names inputs as they were typed. */
export function streamRefusal(answer: Answer, request: StreamRequest, target: Target): Failure {
  const refused = readRefusal(answer, target);
  const isLimit = isStreamLimit(refused);
  const other = otherServerSentence(refused, "stream");
  const sentence = other ?? (isLimit ? streamLimit(refused) : sentenceFor(refused, request));
  const details = refusalDetails(refused, sentence);
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
function isStreamLimit({ answer, body }: Refused): boolean {
  return answer.status === 429 && /\bstreams?\b.*\blimit\b/iu.test(body.message ?? "");
}

function streamLimit(refused: Refused): Sentence {
  return {
    message: `stream limit of the ${planOf(refused)} plan or this IP address exceeded`,
    next: "close other streams, including those in other programs, or request fewer assets",
  };
}

export function isStreamLimitFailure({ details }: Failure): boolean {
  return details.code === "stream_limit";
}

function sentenceFor(refused: Refused, request: StreamRequest): Sentence {
  const { answer, body, target } = refused;
  const { status } = answer;
  const { feed, subjects } = request;
  if (isOfPlan(refused)) return planRefused(refused, request);
  if (status === 400) return badRequest(body, request);
  if (status === 404) return notFound(body, request, target);
  if (status === 405 && subjects.length > 1)
    return { message: `the service accepts only one asset per connection on ${feed.path}` };
  if (status === 410) return removedSentence(body, feed.path);
  return commonSentence(refused, "stream");
}

function planRefused(refused: Refused, request: StreamRequest): Sentence {
  const { body } = refused;
  // No asset of the other feeds is a preview asset.
  if (body.code !== "preview_only" || request.feed.plan !== "keyless") {
    const { message, next } = planNeeded(request.command, request.feed.plan, refused);
    const lacking = request.feed.plan === "free" ? "a key" : "a paid plan";
    return { message, next: `${next}; alternative without ${lacking}: ${withoutStream(request)}` };
  }
  const which =
    request.subjects.length === 1
      ? `${named(request)} is not one of them`
      : "some of the requested assets are not among them";
  const next = hintAtIgnoredKey(refused) ?? `register for a free key${link(body, ": ", "register")}`;
  return {
    message: `without a key, ${request.command} is limited to preview assets; ${which}`,
    next: `${next}; alternative without a key: ${withoutStream(request)}`,
  };
}

/** Shows the current state of the same assets, with any plan. */
function withoutStream({ kind, subjects }: StreamRequest): string {
  const [first] = subjects;
  const asset = first === undefined ? "<asset>" : `${first.network}:${first.address}`;
  const others = subjects.length > 1 ? " …" : "";
  return `dexdata ${kind.by === "pool" ? "pool" : "prices"} ${asset}${others} --watch 10s`;
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
    message: `${request.feed.path} not found on ${target.streaming}`,
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

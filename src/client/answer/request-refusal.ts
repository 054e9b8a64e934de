import type { Question } from "../../contract/args.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import { Failure } from "../../contract/failure.ts";
import { meaningOf } from "../../contract/service-errors.ts";
import { inputName } from "../../contract/read-param.ts";
import { type ErrorBody, readErrorBody, textField } from "./error-body.ts";
import { retryAfterMilliseconds } from "../pace/retry-after.ts";
import { planSentence, type Sentence } from "./plan-refusal.ts";
import type { Target } from "../connection/target.ts";
import type { Answer } from "./answer-body.ts";

/** Turns any answer but 2xx into the failure that `meanings` lays down, in the user's words. */
export function refusal(answer: Answer, question: Question, target: Target): Failure {
  const body = readErrorBody(new TextDecoder().decode(answer.body));
  const meaning = meaningOf(answer.status);
  const code = body.code ?? meaning.code;
  const sentence = sentenceFor(answer, body, question, target);
  return new Failure(sentence.message, {
    exit: meaning.exit,
    code,
    status: answer.status,
    why: body.message,
    next: sentence.next,
    retryable: meaning.retried,
    body: body.fields,
    // Of every status: what --retry-on asks for, such as 503, must not come earlier either (RFC 9110, 10.2.3).
    retryAfter: retryAfterMilliseconds(answer.headers, body),
  });
}

function sentenceFor(answer: Answer, body: ErrorBody, question: Question, target: Target): Sentence {
  const { status } = answer;
  if (status === 401 || status === 402 || status === 403) return planSentence(answer, body, question, target);
  if (status === 400) return badRequest(body, question);
  if (status === 404) return notFound(body, question, target);
  if (status === 410) return removed(body, question);
  if (status === 429) {
    return {
      message: `too many requests for the ${answer.headers.get("x-api-plan") ?? target.tier} plan`,
      next: "wait a minute and try again; every process that uses this key counts",
    };
  }
  if (status >= 500) return { message: `the service failed (status ${status})`, next: "try again later" };
  if (status >= 300 && status < 400) {
    return {
      message: `the host answered with a redirect (status ${status}), which is not followed`,
      next: "check the base URL: dexdata config list",
    };
  }
  return { message: `the service refused the request (status ${status})` };
}

function badRequest(body: ErrorBody, question: Question): Sentence {
  const name = textField(body.fields, "param");
  if (name === undefined) return { message: "the service refused the request as wrong" };
  const typed = question.args.get(name);
  const param = question.endpoint.params.find((each) => each.name === name);
  const flag = param?.givenAs !== undefined ? undefined : pagingFlags.get(name);
  const input = flag ?? (param === undefined ? name : inputName(param));
  if (body.code === "missing_param" || typed === undefined) return { message: `the service wants ${input}` };
  return { message: `${input} "${typed}": refused by the service` };
}

/** Parameters that no flag of their own stands for. */
const pagingFlags: ReadonlyMap<string, string> = new Map([
  ["limit", "--page-size"],
  ["cursor", "--cursor"],
  ["page", "--page"],
]);

function notFound(body: ErrorBody, question: Question, target: Target): Sentence {
  const network = question.args.get("network") ?? question.args.get("chains");
  const address = question.args.get("pool_address") ?? question.args.get("token_address");
  const search = address === undefined ? undefined : `look it up on all networks: dexdata search ${address}`;
  if (body.code === "unsupported_network" || textField(body.fields, "param") === "network") {
    return {
      message: `network "${network ?? ""}" is not known to the service`,
      next: "list them: dexdata networks",
    };
  }
  if (body.code === "route_not_found" && question.endpoint.rawPath !== undefined) {
    return {
      message: `the service has no path ${question.endpoint.rawPath}`,
      next: "see: dexdata api --help",
    };
  }
  if (body.code === "route_not_found") {
    return { message: `${target.rest} has no such path`, next: "check the base URL: dexdata config list" };
  }
  const resource = textField(body.fields, "resource") ?? resourceOf(question.endpoint);
  if (address === undefined) {
    return network === undefined
      ? { message: "the service has nothing there" }
      : {
          message: `the service has nothing there; it may not know the network "${network}"`,
          next: "list them: dexdata networks",
        };
  }
  // Public answers to an unknown network or address have an empty body: then both are possible.
  const doubt = body.code === undefined ? ", or the network is not known" : "";
  return { message: `no ${resource} "${address}" on ${network ?? "any network"}${doubt}`, next: search };
}

function resourceOf(endpoint: Endpoint): string {
  return endpoint.path.includes("{pool_address}") ? "pool" : "token";
}

function removed(body: ErrorBody, { endpoint }: Question): Sentence {
  const replacement = textField(body.fields, "replacement");
  const next = [
    ...(replacement === undefined ? [] : [`its replacement: ${replacement}`]),
    ...(endpoint.rawPath === undefined ? [] : [`the command for it: dexdata migrate '${endpoint.rawPath}'`]),
  ];
  const message = `the service has removed ${endpoint.path} for good`;
  return next.length === 0 ? { message } : { message, next: next.join("; ") };
}

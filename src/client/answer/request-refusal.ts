import type { Question } from "../../contract/args.ts";
import { Failure } from "../../contract/failure.ts";
import { inputName } from "../../contract/read-param.ts";
import type { Target } from "../connection/target.ts";
import type { Answer } from "./answer-body.ts";
import { type ErrorBody, readErrorBody, textField } from "./error-body.ts";
import {
  commonSentence,
  isOfPlan,
  link,
  planNeeded,
  refusalDetails,
  removedSentence,
  type Sentence,
} from "./plan-refusal.ts";

/** Turns any response other than 2xx into a failure, in the user's words. */
export function refusal(answer: Answer, question: Question, target: Target): Failure {
  const body = readErrorBody(new TextDecoder().decode(answer.body));
  const sentence = sentenceFor(answer, body, question, target);
  return new Failure(sentence.message, refusalDetails(answer, body, sentence));
}

function sentenceFor(answer: Answer, body: ErrorBody, question: Question, target: Target): Sentence {
  const { status } = answer;
  const { path, rawPath } = question.endpoint;
  if (isOfPlan(answer, body)) return planRequired(body, question, target);
  if (status === 400) return badRequest(body, question);
  if (status === 404) return notFound(body, question, target);
  if (status === 410) {
    const hints = rawPath === undefined ? [] : [`the command for it: dexdata migrate '${rawPath}'`];
    return removedSentence(body, path, ...hints);
  }
  return commonSentence(answer, body, target, "request");
}

function planRequired(body: ErrorBody, { endpoint, args }: Question, target: Target): Sentence {
  const name = textField(body.fields, "param");
  const param = endpoint.params.find((each) => each.name === name);
  if (param === undefined) {
    const { message, next } = planNeeded(endpoint.command, endpoint.plan, body, target);
    const { withoutPlan } = endpoint;
    const address = withoutPlan === undefined ? undefined : args.get(withoutPlan.param);
    if (address === undefined) return { message, next };
    const network = args.get("network") ?? "";
    return { message, next: `${next}; without it: dexdata ${withoutPlan?.command} ${network} ${address}` };
  }
  const typed = args.get(param.name);
  const input = `${inputName(param)}${typed === undefined ? "" : ` "${typed}"`}`;
  const { message, isKeyless } = planNeeded(input, endpoint.plan, body, target);
  const upgrade = isKeyless ? "register and upgrade" : "upgrade";
  return { message, next: `ask for less, or ${upgrade}${link(body, "upgrade", "pricing", "register")}` };
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

/** Parameters whose flags have other names. */
const pagingFlags: ReadonlyMap<string, string> = new Map([
  ["limit", "--page-size"],
  ["cursor", "--cursor"],
  ["page", "--page"],
]);

const listNetworks = "list them: dexdata networks";

function notFound(body: ErrorBody, { endpoint, args }: Question, target: Target): Sentence {
  const network = args.get("network") ?? args.get("chains");
  const address = args.get("pool_address") ?? args.get("token_address");
  if (body.code === "unsupported_network" || textField(body.fields, "param") === "network")
    return { message: `network "${network ?? ""}" is not known to the service`, next: listNetworks };
  if (body.code === "route_not_found" && endpoint.rawPath !== undefined)
    return { message: `the service has no path ${endpoint.rawPath}`, next: "see: dexdata api --help" };
  if (body.code === "route_not_found")
    return { message: `${target.rest} has no such path`, next: "check the base URL: dexdata config list" };
  if (address === undefined && network === undefined) return { message: "the service has nothing there" };
  if (address === undefined) {
    const message = `the service has nothing there; it may not know the network "${network}"`;
    return { message, next: listNetworks };
  }
  const requested = endpoint.path.includes("{pool_address}") ? "pool" : "token";
  const resource = textField(body.fields, "resource") ?? requested;
  // Public responses to an unknown network or address have an empty body: then both are possible.
  const doubt = body.code === undefined ? ", or the network is not known" : "";
  return {
    message: `no ${resource} "${address}" on ${network ?? "any network"}${doubt}`,
    next: `look it up on all networks: dexdata search ${address}`,
  };
}

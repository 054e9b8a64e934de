import type { ApiRequest, Args } from "../../api/endpoint.ts";
import { Failure } from "../../base/failure.ts";
import { inputName } from "../../api/read-param.ts";
import type { Param } from "../../api/param.ts";
import { quoted } from "../../base/text/words.ts";
import { formatInstant, fromWire } from "../../base/time/time.ts";
import type { Target } from "../target.ts";
import { hintAtNetworks, wellKnownNetworks } from "../../api/known-networks.ts";
import { networkDoubt, otherwise } from "../../api/service-errors.ts";
import {
  commonSentence,
  type ErrorBody,
  isOfPlan,
  otherServerSentence,
  planNeeded,
  readRefusal,
  refusalDetails,
  type Refused,
  removedSentence,
  type Sentence,
  textField,
} from "./refusal.ts";
import type { Answer } from "../connection/answer-body.ts";

/** Turns a non-2xx response into a failure that names inputs as the user typed them. */
export function refusal(answer: Answer, request: ApiRequest, target: Target): Failure {
  const refused = readRefusal(answer, target);
  const sentence = otherServerSentence(refused, "request") ?? sentenceFor(refused, request);
  return new Failure(sentence.message, refusalDetails(refused, sentence));
}

function sentenceFor(refused: Refused, request: ApiRequest): Sentence {
  const { answer, body } = refused;
  const { status } = answer;
  const { path, raw } = request.endpoint;
  if (isOfPlan(refused)) return planRequired(refused, request);
  if (status === 400) return badRequest(body, request);
  if (status === 404) return notFound(refused, request);
  if (status === 410) {
    const hints = raw === undefined ? [] : [`get the new command: dexdata explain ${quoted(raw.path)}`];
    return removedSentence(body, path, ...hints);
  }
  return commonSentence(refused, "request");
}

function planRequired(refused: Refused, { endpoint, args }: ApiRequest): Sentence {
  const { body } = refused;
  const name = textField(body.fields, "param");
  const param = endpoint.params.find((each) => each.name === name);
  if (param === undefined) {
    const { message, next } = planNeeded(endpoint.command, endpoint.plan, refused);
    const { withoutPlan } = endpoint;
    if (withoutPlan === undefined) return { message, next };
    return { message, next: `${next}; alternative without a paid plan: ${filledIn(withoutPlan, args)}` };
  }
  const input = args.has(param.name) ? shownInput(param, { endpoint, args }) : inputName(param);
  const { message, next } = planNeeded(input, endpoint.plan, refused);
  return { message, next: `choose a value that your plan includes (see: dexdata help credits), or ${next}` };
}

/** With the values of the request, e.g. for `{network}`. */
function filledIn(text: string, args: Args): string {
  return text.replaceAll(/\{(\w+)\}/gu, (field, name: string) => args.get(name) ?? field);
}

function badRequest(body: ErrorBody, request: ApiRequest): Sentence {
  const name = textField(body.fields, "param");
  if (name === undefined) return { message: "the service rejected the request (HTTP 400)" };
  const typed = request.args.get(name);
  const param = request.endpoint.params.find((each) => each.name === name);
  const flag = param !== undefined && param.givenAs !== "flag" ? undefined : pagingFlags.get(name);
  const input = flag ?? (param === undefined ? name : inputName(param));
  if (body.code === "missing_param" || typed === undefined)
    return { message: `the service requires ${input} (HTTP 400)` };
  const shown =
    param === undefined || flag !== undefined ? `${input} "${typed}"` : shownInput(param, request);
  return { message: `the service rejected ${shown} (HTTP 400)` };
}

/** As typed, or else as sent. */
function shownInput(param: Param, { endpoint, args }: ApiRequest): string {
  const typed = endpoint.typed?.get(param.name);
  if (typed !== undefined) return typed;
  const sent = args.get(param.name) ?? "";
  if (param.kind.kind !== "time" || param.givenAs === "field") return `${inputName(param)} "${sent}"`;
  const time = `(${formatInstant(fromWire(sent))})`;
  // The command line keeps what was typed.
  return endpoint.typed === undefined
    ? `${inputName(param)} "${sent}" ${time}`
    : `the default ${inputName(param)} ${time}`;
}

const pagingFlags: ReadonlyMap<string, string> = new Map([
  ["limit", "--limit or --page-size"],
  ["cursor", "--cursor"],
  ["page", "--page"],
]);

const listNetworks = "list all networks: dexdata networks";

function notFound({ body, target }: Refused, { endpoint, args }: ApiRequest): Sentence {
  const network = args.get("network") ?? args.get("chains");
  const address = args.get("pool_address") ?? args.get("token_address");
  const networks = network?.split(",") ?? [];
  if (body.code === "unsupported_network" || textField(body.fields, "param") === "network") {
    return { message: `unknown network "${network ?? ""}"`, next: hintAtNetworks(networks, listNetworks) };
  }
  if (body.code === "route_not_found" && endpoint.raw !== undefined)
    return { message: `path ${endpoint.raw.path} not found`, next: "see: dexdata api --help" };
  if (body.code === "route_not_found")
    return { message: `path not found on ${target.rest}`, next: "check the base URL: dexdata config list" };
  if (endpoint.raw !== undefined)
    return {
      message: `nothing found at ${endpoint.raw.path} (HTTP 404)`,
      next: "check the path and the addresses in it; see: dexdata api --help",
    };
  const dex = args.get("dex_name");
  if (dex !== undefined && textField(body.fields, "resource") === "dex")
    return {
      message: `DEX "${dex}" not found on ${network ?? "any network"}`,
      next: `list the DEX IDs: dexdata dexes ${network ?? "<network>"} --all`,
    };
  if (address === undefined && network === undefined) return { message: "not found (HTTP 404)" };
  if (address === undefined) {
    const message = `not found (HTTP 404); the network "${network}" may not exist`;
    return { message, next: hintAtNetworks(networks, listNetworks) };
  }
  const requested = endpoint.path.includes("{pool_address}") ? "pool" : "token";
  const resource = textField(body.fields, "resource") ?? requested;
  const isTyped =
    endpoint.path.includes("_address}") && endpoint.params.every(({ givenAs }) => givenAs === "flag");
  const otherKind =
    requested === "pool"
      ? `for a token, list its pools: dexdata pools search ${network ?? "<network>"} --token ${address}`
      : `for a pool, use: dexdata pool ${network ?? "<network>"} ${address}`;
  const ifOtherKind = isTyped ? [filledIn(endpoint.ifOtherKind ?? otherKind, args)] : [];
  const isDoubtful = body.code === undefined && !wellKnownNetworks.has(network ?? "");
  const hint = isDoubtful ? hintAtNetworks(networks, undefined) : undefined;
  return {
    message: `${resource} ${address} not found on ${network ?? "any network"}${isDoubtful ? networkDoubt : ""}`,
    next:
      (hint === undefined ? "" : `${hint} ${otherwise}`) +
      [...ifOtherKind, `search all networks: dexdata search ${address}`].join("; "),
  };
}

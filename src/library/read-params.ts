import { batchParam, traitsOf } from "../api/reply.ts";
import type { Endpoint, Args } from "../api/endpoint.ts";
import { endpoints } from "../api/endpoints/all.ts";
import { invalidInput, usageFailure } from "../base/failure.ts";
import { fullHelp, type Param } from "../api/param.ts";
import { writeUtc } from "../base/time/time.ts";
import { checkNames } from "./check-options.ts";
import type { Subject } from "../client/subject.ts";
import { completeWindow } from "../client/candle-windows.ts";
import { readArgs } from "../api/read-param.ts";

/** Values by API parameter name. */
export type GivenParams = Readonly<Record<string, unknown>>;

export interface EndpointCall {
  readonly args: Args;
  readonly subjects: readonly Subject[] | undefined;
}

/** Messages then contain the method name and the parameters' API names. */
export function asMethod(endpoint: Endpoint): Endpoint {
  const params = endpoint.params.map((param): Param => ({ ...param, givenAs: "property" }));
  return { ...endpoint, command: methodName(endpoint), params };
}

/** Paging sets all other parameters. */
export function isGiven({ place, flag, required }: Param): boolean {
  return place === "path" || flag !== undefined || required;
}

/** `now` is in milliseconds since the epoch. */
export function readParams(endpoint: Endpoint, given: GivenParams, now: number): EndpointCall {
  const { reply } = endpoint;
  const known = endpoint.params.filter(isGiven);
  const names = known.map(({ name }) => name);
  checkNames(given, "parameter", names, endpoint.command);
  const inputs = batchParam(reply);
  if (inputs !== undefined) return readBatch(endpoint, inputs, given, now);
  const typed = new Map<string, string>();
  for (const param of known) {
    const { [param.name]: value = defaultValues[param.name] } = given;
    const text = textOf(param, value);
    if (text !== undefined) typed.set(param.name, text);
  }
  const complete = traitsOf(reply).isCandles ? completeWindow(endpoint, typed, now) : typed;
  checkRequired(endpoint, (name) => complete.has(name));
  return { args: readArgs(endpoint, complete, now), subjects: undefined };
}

function checkRequired(endpoint: Endpoint, isThere: (name: string) => boolean): void {
  const missing = endpoint.params.find(({ name, required }) => required && !isThere(name));
  if (missing !== undefined)
    throw usageFailure(`missing parameter ${missing.name}`, parameterHelp(endpoint, missing));
}

/** Programs can read any field, but only detailed rows, which cost the same, contain names and symbols. */
const defaultValues: GivenParams = { detailed: true };

/** Reads inputs one by one, because there may be more of them than one request accepts. */
function readBatch(endpoint: Endpoint, name: string, given: GivenParams, now: number): EndpointCall {
  checkRequired(endpoint, (each) => given[each] !== undefined);
  const { network } = given;
  if (typeof network !== "string") throw invalidInput("network", "must be a string");
  const inputs = Array.isArray(given[name]) ? [...given[name]] : [given[name]];
  const subjects = inputs.map((input: unknown): Subject => {
    if (typeof input !== "string" || input === "" || input.includes(","))
      throw invalidInput(name, "must be an address or an array of addresses");
    readArgs(endpoint, new Map(Object.entries({ network, [name]: input })), now);
    return { network, address: input };
  });
  return { args: new Map(subjects.slice(0, 1).map((subject) => ["network", subject.network])), subjects };
}

/** The text that the command line would use; undefined if there is no value. */
function textOf({ name, kind }: Param, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (kind.kind === "toggle") {
    if (typeof value !== "boolean") throw invalidInput(name, "must be true or false");
    return value ? "true" : undefined;
  }
  if (kind.kind === "time") return timeText(name, value);
  if (Array.isArray(value) && kind.kind === "list") return value.join(",");
  // The service would look for one address with a comma in it, and charge for the empty list.
  if (kind.kind === "address" && typeof value === "string" && value.includes(","))
    throw invalidInput(name, "must be one address, without commas");
  if (typeof value === "string") return value;
  const isNumber = kind.kind === "integer" || kind.kind === "amount";
  if (typeof value === "number" && isNumber) return String(value);
  const isList = kind.kind === "list";
  throw invalidInput(
    name,
    `must be ${isNumber ? "a number or " : ""}a string${isList ? ", or an array of strings" : ""}`,
  );
}

export function timeText(name: string, value: unknown): string {
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw invalidInput(name, "must be a valid Date");
    return value.toISOString();
  }
  if (typeof value === "string") return value;
  if (typeof value === "number") return secondsText(name, value);
  throw invalidInput(name, "must be a Date, Unix seconds, or a string such as -24h");
}

/** A fraction keeps the digits that JavaScript prints. */
function secondsText(name: string, seconds: number): string {
  if (seconds < 0)
    throw invalidInput(
      `${name} "${seconds}"`,
      "as Unix seconds, must not be negative",
      "for a time before now, use a string such as -24h",
    );
  // The message about a larger number, e.g. of milliseconds, is about its whole digits.
  if (Number.isInteger(seconds) || !(seconds < 1e11)) return String(Math.floor(seconds));
  const fraction = /\.\d+$/u.exec(String(seconds))?.[0] ?? "";
  return `${writeUtc(Math.floor(seconds))}${fraction}Z`;
}

/** E.g. `networkPoolsSearch` for `network_pools_search`. */
export function methodName({ id }: Endpoint): string {
  return id.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase());
}

export function methodHelp(endpoint: Endpoint): string {
  const plan = endpoint.plan === "keyless" ? "" : ` Requires a ${endpoint.plan} plan or higher.`;
  return `${inLibrary(endpoint.summary, endpoint)}.${plan}`;
}

export function parameterHelp(endpoint: Endpoint, param: Param): string {
  // The details of a flag that can be repeated are about its repetition.
  const help = param.several === undefined ? fullHelp(param) : param.help;
  return `${inLibrary(help, endpoint)}${acceptedShape(endpoint, param)}`;
}

/** Help is written for the command line. Programs pass parameters and call methods instead of flags and commands. */
function inLibrary(help: string, endpoint: Endpoint): string {
  return help
    .replaceAll(/--([a-z-]+)/gu, (_, flag: string) => `\`${namedByFlag(flag, endpoint)}\``)
    .replaceAll(/\bdexdata ([a-z]+)/gu, (_, command: string) => `\`${methodOf(command)}()\``);
}

function namedByFlag(flag: string, endpoint: Endpoint): string {
  const chosen = endpoints.find(({ command, chosenBy }) => command === endpoint.command && chosenBy === flag);
  if (chosen !== undefined) return `${methodName(chosen)}()`;
  const params = [endpoint, ...endpoints].flatMap((each) => each.params);
  return params.find((param) => param.flag === flag)?.name ?? flag;
}

function methodOf(name: string): string {
  const called = endpoints.find(({ command }) => command === name);
  return called === undefined ? name : methodName(called);
}

/** What the parameter's type does not show. */
function acceptedShape({ reply }: Endpoint, { name, kind }: Param): string {
  if (name === "detailed") return " (default true)";
  if (batchParam(reply) === name) return " (one, or an array of any length)";
  if (kind.kind === "list") {
    const most = kind.max === undefined ? "" : `; at most ${kind.max}`;
    return ` (an array, or one string with commas${most})`;
  }
  if (kind.kind !== "integer") return "";
  return ` (a whole number, ${kind.max === undefined ? `${kind.min} or more` : `from ${kind.min} to ${kind.max}`})`;
}

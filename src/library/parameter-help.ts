import { batchParam } from "../api/reply.ts";
import type { Endpoint } from "../api/endpoint.ts";
import { endpoints } from "../api/endpoints/all.ts";
import { fullHelp, type Param } from "../api/param.ts";

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

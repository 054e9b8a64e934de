import type { Subject } from "../../client/batches.ts";
import type { Walk } from "../../client/pages/pages.ts";
import { type Args, readArgs, type Typed } from "../../contract/args.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import { usageFailure } from "../../contract/failure.ts";
import { path } from "../../contract/param.ts";
import { choiceFailure, readParam } from "../../contract/read-param.ts";
import { completeWindow } from "../../client/candles/default-window.ts";
import { chooseEndpoint } from "./choose-endpoint.ts";
import { showsDetails } from "./details.ts";
import type { FlagValues } from "../flags/flags.ts";
import { flagsOfReply } from "../flags/reply-flags.ts";
import { readWanted } from "./paging.ts";
import { takesAddress, takesMany, takesNetwork, usageOf } from "./positionals.ts";
import { readWord, type RunOptions } from "../run-options.ts";
import type { ListSources } from "./list-sources.ts";
import { isList, readSubjects } from "./subjects.ts";

/** A command line understood: what is asked, how often, and how much of it is wanted. Nothing was sent yet. */
export interface Questions {
  readonly endpoint: Endpoint;
  /** One walk each. */
  readonly asked: readonly Args[];
  readonly limit: number | undefined;
  readonly walk: Walk;
  readonly groups: readonly string[];
  readonly missing: "skip" | "null" | "fail";
  /** One object was asked for by name, so one object is shown. */
  readonly isRecord: boolean;
}

export async function readQuestions(
  group: readonly Endpoint[],
  words: readonly string[],
  flags: FlagValues,
  options: Pick<RunOptions, "now" | "format" | "settings" | "fields">,
  sources: ListSources,
): Promise<Questions> {
  const hasNetwork = words.length > 0;
  const endpoint = chooseEndpoint(group, flags, hasNetwork);
  const usage = `usage: dexdata ${usageOf(group)}`;
  const subjects = await readTargets(endpoint, words, sources, usage);
  const typed = typedParams(endpoint, flags, options);
  const { limit, walk } = readWanted(endpoint, flags, options.settings.page_size.value);
  const missing = readMissing(flags);
  const isBatch = endpoint.reply.kind === "batch";
  const asked = (isBatch ? subjects.slice(0, 1) : subjects).map((subject) =>
    readArgs(endpoint, completed(endpoint, new Map([...typed, ...subject]), options.now), options.now),
  );
  return {
    endpoint,
    asked,
    limit,
    walk: {
      ...walk,
      ...(isBatch && {
        subjects: subjects.map(checkedSubject(endpoint, options.now)),
        fillMissing: missing === "null",
      }),
      ...(endpoint.reply.kind === "candles" && { candles: { now: options.now, fill: readFill(flags) } }),
    },
    groups: readGroups(endpoint, flags),
    missing,
    isRecord: endpoint.reply.kind === "single" && subjects.length === 1 && !words.some(isList),
  };
}

/** The path parameters (or the search words) of each thing asked for. */
async function readTargets(
  endpoint: Endpoint,
  words: readonly string[],
  sources: ListSources,
  usage: string,
): Promise<readonly Typed[]> {
  const [first] = words;
  if (endpoint.id === "search") {
    if (first === undefined) throw usageFailure("a name, symbol or address to look for is needed", usage);
    return [new Map([["query", words.join(" ")]])];
  }
  if (!takesAddress(endpoint)) {
    if (words.length > 1 || (words.length === 1 && !takesNetwork(endpoint))) {
      throw usageFailure(`"${words.at(-1)}": one word too many`, usage);
    }
    if (first === undefined && takesNetwork(endpoint)) throw usageFailure("a network is needed", usage);
    return [new Map(first === undefined ? [] : [["network", first]])];
  }
  const takes = endpoint.path.includes("{pool_address}") ? "pool" : "token";
  const subjects = await readSubjects(words, sources, {
    command: endpoint.command,
    takes,
    checksForms: true,
    usage,
  });
  if (subjects.length > 1 && !takesMany(endpoint)) {
    throw usageFailure(`"${subjects[1]?.address}": ${endpoint.command} takes one address`, usage);
  }
  return subjects.map(
    ({ network, address }) =>
      new Map([
        ["network", network],
        [addressName(endpoint), address],
      ]),
  );
}

function addressName(endpoint: Endpoint): string {
  if (endpoint.reply.kind === "batch") return endpoint.reply.param;
  return endpoint.params.find(({ place, name }) => place === "path" && name !== "network")?.name ?? "";
}

function typedParams(
  endpoint: Endpoint,
  flags: FlagValues,
  options: Pick<RunOptions, "format" | "fields">,
): Typed {
  const typed = new Map<string, string>();
  for (const { name, flag } of endpoint.params) {
    if (flag !== undefined && flags[flag] !== undefined) typed.set(name, String(flags[flag]));
  }
  if (showsDetails(endpoint, options)) typed.set("detailed", "true");
  return typed;
}

function completed(endpoint: Endpoint, typed: Typed, now: number): Typed {
  return endpoint.reply.kind === "candles" ? completeWindow(endpoint, typed, now) : typed;
}

/** An address of a batch is checked like one of a path, though many go into one parameter. */
function checkedSubject(endpoint: Endpoint, now: number): (typed: Typed) => Subject {
  return (typed) => {
    const address = typed.get(addressName(endpoint)) ?? "";
    if (address.includes(",")) throw usageFailure(`"${address}": one address a word, without commas`);
    readParam(path("address", { kind: "address" }, ""), address, now);
    const args = readArgs(endpoint, typed, now);
    return { network: args.get("network") ?? "", address };
  };
}

export function readGroups(endpoint: Endpoint, flags: FlagValues): readonly string[] {
  if (endpoint.reply.kind !== "groups") return ["rows"];
  const { groups } = endpoint.reply;
  if (flags["type"] === undefined) return groups;
  const typed = String(flags["type"])
    .split(",")
    .map((word) => word.trim());
  const unknown = typed.find((word) => !groups.includes(word));
  if (unknown !== undefined) throw choiceFailure(`--type "${unknown}"`, unknown, groups);
  return groups.filter((name) => typed.includes(name));
}

function readMissing(flags: FlagValues): Questions["missing"] {
  const word = readWord(flags, "missing", flagsOfReply["batch"]);
  return word === "null" || word === "fail" ? word : "skip";
}

function readFill(flags: FlagValues): "null" | "previous" | undefined {
  const word = readWord(flags, "fill", flagsOfReply["candles"]);
  return word === "null" || word === "previous" ? word : undefined;
}

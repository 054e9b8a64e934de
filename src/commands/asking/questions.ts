import type { Subject, Walk } from "../../client/pages/page.ts";
import { type Args, readArgs, type Typed } from "../../contract/args.ts";
import { type Endpoint, rowShape } from "../../contract/endpoint.ts";
import { usageFailure } from "../../contract/failure.ts";
import { path } from "../../contract/param.ts";
import { readParam } from "../../contract/read-param.ts";
import { completeWindow } from "../../client/candles/candle-slices.ts";
import { chooseEndpoint } from "./choose-endpoint.ts";
import { type Input, usageOf } from "../command.ts";
import type { EndpointFlags } from "../endpoint/endpoint-flags.ts";
import type { TypedFlags, Values } from "../../run/flags/flag.ts";
import { readWanted } from "./paging.ts";
import { positionals, takesAddress, takesMany, takesNetwork } from "./positionals.ts";
import type { RunOptions } from "../../run/run-options.ts";
import type { ListSources } from "../../run/list-sources.ts";
import { isList, readSubjects } from "./subjects.ts";
import type { RecordShape } from "../../contract/record.ts";
import type { RowFormat } from "../../contract/output-format.ts";
import { hasColumns } from "../../render/formats/formats.ts";
import { splitPath } from "../../render/formats/row-text.ts";
import { fieldAt } from "../../render/values/value-at.ts";

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
  group: readonly [Endpoint, ...Endpoint[]],
  { words, flags, typed: given }: Input<EndpointFlags>,
  options: Pick<RunOptions, "now" | "format" | "settings" | "fields">,
  sources: ListSources,
): Promise<Questions> {
  const hasNetwork = words.length > 0;
  const endpoint = chooseEndpoint(group, given, hasNetwork);
  const usage = `usage: dexdata ${usageOf({ words: endpoint.command, positionals: positionals(group) })}`;
  const subjects = await readTargets(endpoint, words, sources, usage);
  const typed = typedParams(endpoint, given, options);
  const { limit, walk } = readWanted(endpoint, flags, options.settings.page_size.value);
  const missing = flags.missing ?? "skip";
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
      ...(endpoint.reply.kind === "candles" && { candles: { now: options.now, fill: flags.fill } }),
    },
    groups: groupsOf(endpoint, flags),
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
  if (endpoint.words !== undefined) {
    if (first === undefined) throw usageFailure("a name, symbol or address to look for is needed", usage);
    return [new Map([[endpoint.words, words.join(" ")]])];
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
  given: TypedFlags,
  options: Pick<RunOptions, "format" | "fields">,
): Typed {
  const typed = new Map<string, string>();
  for (const { name, flag } of endpoint.params) {
    const texts = flag === undefined ? undefined : given.get(flag);
    if (texts !== undefined) typed.set(name, texts.at(-1) ?? "true");
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

/** The groups of rows that are wanted, in the order of the answer. */
export function groupsOf(
  { reply }: Endpoint,
  { type: wanted }: Pick<Values<EndpointFlags>, "type">,
): readonly string[] {
  if (reply.kind !== "groups") return ["rows"];
  return reply.groups.filter((name) => wanted?.includes(name) ?? true);
}

/** Whether rows in full are needed: for one of the fields that are named, else for the usual columns. */
export function showsDetails(
  endpoint: Endpoint,
  { fields, format }: { readonly fields: readonly string[] | undefined; readonly format: RowFormat },
): boolean {
  if (endpoint.params.every(({ name }) => name !== "detailed")) return false;
  // Plain rows of the public service have neither name nor symbol, and columns without them say little.
  if (fields === undefined) return hasColumns(format);
  const { record } = rowShape(endpoint);
  return fields.some((field) => isDetail(record, splitPath(field)));
}

function isDetail(record: RecordShape, parts: readonly string[]): boolean {
  return parts.some((_, index) => fieldAt(record, parts.slice(0, index + 1))?.isDetail === true);
}

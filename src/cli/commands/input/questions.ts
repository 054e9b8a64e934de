import type { TimedWalk } from "../../../client/candles/timed-walk.ts";
import type { Position } from "../../../client/pages/position.ts";
import { readArgs, type Typed } from "../../../api/args.ts";
import { type Endpoint, ofManyAssets, onlyGroup, rowShape } from "../../../api/endpoint.ts";
import { invalidInput, usageFailure } from "../../../base/failure.ts";
import { path } from "../../../api/param.ts";
import { readParam } from "../../../api/read-param.ts";
import { completeWindow } from "../../../client/candles/candle-slices.ts";
import {
  chooseEndpoint,
  type EndpointGroup,
  positionals,
  takesAddress,
  takesNetwork,
} from "./positionals.ts";
import { type Input, usageOf } from "../command.ts";
import type { EndpointFlags, ReplyFlags } from "../flags/endpoint-flags.ts";
import type { TypedFlags, Values } from "../../run/flags/flag.ts";
import type { RunOptions } from "../../run/run-options.ts";
import type { ListSources } from "../../../base/files/list-sources.ts";
import { counted } from "../../../base/text/counted.ts";
import { isList, readSubjects } from "./subjects.ts";
import { hasColumns } from "../../render/formats/formats.ts";
import { checkFields } from "../../render/formats/missing-fields.ts";
import { splitPath } from "../../render/values/row-text.ts";
import { fieldAt } from "../../render/values/value-at.ts";
import type { Wanted } from "../../../rows/pull/estimate.ts";
import { distinctSubjects, type Subject } from "../../../client/subject.ts";

/** A parsed command line. Nothing has been sent yet. */
export interface Questions extends Wanted {
  /** Undefined unless the endpoint returns a batch. */
  readonly missing: "skip" | "null" | "fail" | undefined;
  /** The user named a single object, so the output is a single object. */
  readonly isRecord: boolean;
  /** The assets from the command line or a list, some of them with labels. */
  readonly named: readonly Subject[];
  /** Prices at times; undefined for anything else. */
  readonly timed?: TimedWalk | undefined;
  /** The names of the input's own columns, in front of those of CSV and TSV. */
  readonly lead?: readonly string[] | undefined;
}

export async function readQuestions(
  group: EndpointGroup,
  { words, flags, typed: given }: Input<EndpointFlags>,
  options: Pick<RunOptions, "now" | "format" | "settings" | "fields">,
  sources: ListSources,
): Promise<Questions> {
  const hasNetwork = words.length > 0;
  const endpoint = chooseEndpoint(group, given, hasNetwork);
  const usage = `usage: dexdata ${usageOf({ words: endpoint.command, positionals: positionals(group) })}`;
  const groups = groupsOf(endpoint, flags);
  checkFields(
    options.fields,
    groups.map((each) => rowShape(endpoint, each)),
  );
  const targets = await readTargets(endpoint, words, sources, usage);
  const isOfMany = targets.length > 1;
  checkOneAsset(endpoint, targets.length, flags);
  const typed = typedParams(endpoint, given, options);
  const { limit, walk } = readWanted(endpoint, flags, options.settings.page_size.value);
  const { missing } = flags;
  const isBatch = endpoint.reply.kind === "batch";
  const isCandles = endpoint.reply.kind === "candles";
  const batch = isBatch ? { subjects: targets.map(checkedSubject(endpoint, options.now)) } : undefined;
  const asked = (isBatch ? targets.slice(0, 1) : targets).map(({ args }) => {
    const all = new Map([...typed, ...args]);
    const complete = isCandles ? completeWindow(endpoint, all, options.now) : all;
    return readArgs(endpoint, complete, options.now);
  });
  return {
    endpoint: { ...(isOfMany ? ofManyAssets(endpoint) : endpoint), typed },
    asked,
    limit,
    walk: {
      ...walk,
      ...(batch !== undefined && { ...batch, fillMissing: missing === "null" }),
      ...(isCandles && {
        candles: { now: options.now, fill: flags.fill, ...(isOfMany && { address: addressName(endpoint) }) },
      }),
    },
    groups,
    missing,
    isRecord: endpoint.reply.kind === "single" && targets.length === 1 && !words.some(isList),
    named: targets.flatMap(({ subject }, index) =>
      subject === undefined ? [] : { ...subject, network: (asked[index] ?? asked[0])?.get("network") ?? "" },
    ),
  };
}

/** What one pull asks for. */
interface Target {
  readonly args: Typed;
  readonly subject?: Subject;
}

async function readTargets(
  endpoint: Endpoint,
  words: readonly string[],
  sources: ListSources,
  usage: string,
): Promise<readonly Target[]> {
  const [first] = words;
  if (endpoint.words !== undefined) {
    if (first === undefined) throw usageFailure("missing <query>: a name, symbol or address", usage);
    return [{ args: new Map([[endpoint.words, words.join(" ")]]) }];
  }
  if (!takesAddress(endpoint)) {
    if (words.length > 1 || (words.length === 1 && !takesNetwork(endpoint))) {
      throw usageFailure(`unexpected argument "${words.at(-1)}"`, usage);
    }
    if (first === undefined && takesNetwork(endpoint)) throw usageFailure("missing <network>", usage);
    return [{ args: new Map(first === undefined ? [] : [["network", first]]) }];
  }
  const takes = endpoint.path.includes("{pool_address}") ? "pool" : "token";
  const subjects = await readSubjects(words, sources, {
    command: endpoint.command,
    takes,
    ifOtherKind: endpoint.ifOtherKind,
    malformed: "fail",
    usage,
  });
  const named = addressName(endpoint);
  const isOneByOne = endpoint.reply.kind === "candles" || endpoint.reply.kind === "numbered-pages";
  return (isOneByOne ? withoutRepeats(subjects, sources) : subjects).map((subject) => ({
    args: new Map(Object.entries({ network: subject.network, [named]: subject.address })),
    subject,
  }));
}

/** Reading the same list again would cost credits and give the same rows. */
function withoutRepeats(subjects: readonly Subject[], { warn }: ListSources): readonly Subject[] {
  const distinct = distinctSubjects(subjects);
  const repeated = subjects.length - distinct.length;
  if (repeated > 0) warn(`skipping ${counted(repeated, "repeated asset")}`);
  return distinct;
}

/** Some flags make sense only for a single list of rows. */
function checkOneAsset(
  { command, reply }: Endpoint,
  count: number,
  { chart, watch, cursor }: Pick<Values<EndpointFlags>, "chart" | "watch" | "cursor">,
): void {
  if (count < 2 || (reply.kind !== "candles" && reply.kind !== "numbered-pages")) return;
  const given = { chart, watch, cursor };
  const flag = Object.entries(given).find(([, value]) => value !== undefined)?.[0];
  if (flag === undefined) return;
  throw usageFailure(
    `--${flag} cannot be used with several assets: ${command} was given ${count}`,
    `use one asset, or leave out --${flag}`,
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

/** A batch sends many addresses in one parameter, but each one is checked like an address in a path. */
function checkedSubject(endpoint: Endpoint, now: number): (target: Target) => Subject {
  return ({ args: typed, subject }) => {
    const address = subject?.address ?? "";
    if (address.includes(","))
      throw invalidInput(`<address> "${address}"`, "must be one address; separate addresses with spaces");
    readParam(path("address", { kind: "address", of: "token" }, ""), address, now);
    const args = readArgs(endpoint, typed, now);
    return { ...subject, network: args.get("network") ?? "", address };
  };
}

/** In response order. */
export function groupsOf(
  { reply }: Endpoint,
  { type: wanted }: Pick<Values<EndpointFlags>, "type">,
): readonly string[] {
  if (reply.kind !== "groups") return [onlyGroup];
  return reply.groups.filter((name) => wanted?.includes(name) ?? true);
}

/** Details are needed for a field that the user named or for the default columns. */
function showsDetails(
  endpoint: Endpoint,
  { fields, format }: Pick<RunOptions, "fields" | "format">,
): boolean {
  if (endpoint.params.every(({ name }) => name !== "detailed")) return false;
  // Plain rows from the public service do not contain names and symbols, and a table without them is hard to read.
  if (fields === undefined) return hasColumns(format);
  const { record } = rowShape(endpoint);
  return fields
    .map(splitPath)
    .some((parts) => parts.some((_, index) => fieldAt(record, parts.slice(0, index + 1))?.isDetail === true));
}

/** Ignores flags that the endpoint's list does not support. */
function readWanted(
  { reply }: Endpoint,
  flags: Values<ReplyFlags>,
  defaultPageSize: number | undefined,
): Pick<Questions, "limit" | "walk"> {
  if (reply.kind !== "cursor-pages" && reply.kind !== "numbered-pages") {
    return { limit: flags.limit, walk: { pageSize: 0, isStrict: true } };
  }
  const limit = flags.all === true ? undefined : flags.limit;
  const pageSize = flags["page-size"] ?? defaultPageSize ?? Math.min(limit ?? reply.maxLimit, reply.maxLimit);
  const start = positionOf(flags.cursor, flags.page);
  return { limit, walk: { pageSize, start, wanted: limit, isStrict: flags["no-strict"] !== true } };
}

export function positionOf(cursor: string | undefined, page: number | undefined): Position | undefined {
  // In the specification for pool transactions, an empty cursor means the first page.
  if (cursor === "") return undefined;
  if (cursor !== undefined) return { flag: "cursor", value: cursor };
  return page === undefined ? undefined : { flag: "page", value: String(page) };
}

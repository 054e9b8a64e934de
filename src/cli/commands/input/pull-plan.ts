import { type ListKind, type PageOptions, plainList, type TokensOfPool } from "../../../client/list-plan.ts";
import { batchParam, groupsIn, isPaged, traitsOf } from "../../../api/reply.ts";
import type { TimedPlan } from "../../../client/timed-legs.ts";
import {
  type Endpoint,
  ofManyAssets,
  onlyGroup,
  rowShape,
  takesNetwork,
  type Typed,
} from "../../../api/endpoint.ts";
import { withMadeCandles } from "../../../api/endpoints/ohlcv.ts";
import { withTokenAmounts } from "../../../api/endpoints/pool-transactions.ts";
import type { Param } from "../../../api/param.ts";
import { type EndpointGroup, type Input, positionalsOf, usageOf } from "../command.ts";
import type { EndpointFlags } from "../flags/endpoint-flags.ts";
import type { TypedFlags, Values } from "../../run/flags/flag.ts";
import type { RunOptions } from "../../run/run-options.ts";
import type { AssetSources } from "../../run/with-run.ts";
import { isList } from "./subjects.ts";
import { formats } from "../../render/formats/formats.ts";
import { checkFields } from "../../render/formats/missing-fields.ts";
import { checkPrefixFields, checkPrefixFormat } from "../../render/formats/row-prefix.ts";
import { checkColumns } from "../../render/table/choose-columns.ts";
import type { PullQuery } from "../../../rows/wanted-pages.ts";
import { addressKey, type Subject } from "../../../client/subject.ts";
import {
  addressName,
  checkInBatch,
  checkOneAsset,
  readDays,
  readTargets,
  shownInputs,
  typedParams,
} from "./targets.ts";
import { completeWindow, madeInterval } from "../../../client/candle-windows.ts";
import { usageFailure } from "../../../base/failure.ts";
import type { Position } from "../../../client/page.ts";
import { readArgs } from "../../../api/read-param.ts";

/** A parsed command line. Nothing has been sent yet. */
export interface PullPlan extends PullQuery {
  /** Undefined unless the endpoint returns a batch. */
  readonly missing: "skip" | "null" | "fail" | undefined;
  /** The user named a single object, so the output is a single object. */
  readonly isRecord: boolean;
  /** Amounts of trades in tokens are added to the rows. Tables show them anyway. */
  readonly amounts?: "tokens";
  /** The assets from the command line or a list, some of them with labels. */
  readonly named: readonly Subject[];
  /** Prices at times; undefined for anything else. */
  readonly timed?: TimedPlan;
}

export async function readPlan(
  group: EndpointGroup,
  { words, flags, typed: given }: Input<EndpointFlags>,
  options: Pick<RunOptions, "now" | "format" | "settings" | "fields">,
  sources: AssetSources,
): Promise<PullPlan> {
  const hasAmounts = flags.amounts === "tokens" && formats[options.format].columns !== "guessed";
  const endpoint = withAddedFields(chooseEndpoint(group, given, words.length > 0), hasAmounts, given);
  const usage = `usage: dexdata ${usageOf({ words: endpoint.command, positionals: positionalsOf(group) })}`;
  const groups = groupsOf(endpoint, flags);
  checkFields(
    options.fields,
    groups.map((each) => rowShape(endpoint, each)),
  );
  const { argSets, subjects: named } = await readTargets(endpoint, words, sources, usage);
  const isOfMany = named.length > 1;
  checkOneAsset(endpoint, named.length, flags);
  const days = readDays(flags.day, given, options.now);
  const typed = typedParams(endpoint, given, days, options);
  const ofPool = readSeveralTokens(endpoint, given, new Map([...typed, ...(argSets[0] ?? [])]), {
    now: options.now,
    maxRowsRead: flags["max-rows-read"],
  });
  if (ofPool !== undefined) typed.set(ofPool.param, ofPool.tokens.at(0) ?? "");
  const { limit, list } = readWanted(endpoint, flags, options.settings.page_size.value, ofPool);
  const { missing } = flags;
  const isBatch = batchParam(endpoint.reply) !== undefined;
  const { isCandles, isRecord } = traitsOf(endpoint.reply);
  if (isBatch) named.forEach(checkInBatch);
  const read = argSets.map((args) => {
    const all = new Map([...typed, ...args]);
    const complete = isCandles ? completeWindow(endpoint, all, options.now) : all;
    return readArgs(endpoint, complete, options.now);
  });
  const address = isOfMany ? addressName(endpoint) : undefined;
  let kind: ListKind = { kind: "list" };
  if (isBatch) kind = { kind: "batch", subjects: named, fillMissing: missing === "null" };
  else if (ofPool !== undefined) kind = { kind: "pools", ...ofPool };
  else if (isCandles)
    kind = { kind: "candles", now: options.now, expectedTo: options.now, fill: flags.fill, address };
  return {
    endpoint: {
      ...(isOfMany ? ofManyAssets(endpoint) : endpoint),
      typed: shownInputs(endpoint, typed, flags.day, options.now),
    },
    argSets: read,
    limit,
    list: { ...list, ...kind },
    groups,
    ...(days !== undefined && { days }),
    ...(hasAmounts && { amounts: "tokens" as const }),
    missing,
    isRecord: isRecord && !isOfMany && !words.some(isList),
    named,
  };
}

/** Throws if `--columns` or `--prefix` does not fit the rows or the format. `--fields` was checked with the plan. */
export function checkShown(
  { columns, prefix, format }: Pick<RunOptions, "columns" | "prefix" | "format">,
  { endpoint, groups }: PullPlan,
): void {
  if (columns !== undefined) {
    const tables = new Map(groups.map((group) => [group, rowShape(endpoint, group)]));
    checkColumns(tables, columns, format);
  }
  if (prefix === undefined) return;
  checkPrefixFormat({ prefix, format });
  for (const group of groups) checkPrefixFields(prefix, rowShape(endpoint, group));
}

/**
 * Selects an endpoint by a flag (`ohlcv --pool`) or by whether a network is named (`pools search [network]`). Rejects
 * flags for the other endpoints, because the service would silently ignore them.
 */
export function chooseEndpoint(group: readonly Endpoint[], typed: TypedFlags, hasNetwork: boolean): Endpoint {
  const byFlag = group.find(({ chosenBy }) => chosenBy !== undefined && typed.has(chosenBy));
  const usual = group.filter(({ chosenBy }) => chosenBy === undefined);
  const chosen = byFlag ?? usual.find((endpoint) => takesNetwork(endpoint) === hasNetwork) ?? usual[0];
  if (chosen === undefined) throw new Error("a command without an endpoint");
  for (const other of group) {
    const foreign = other.params.find(
      ({ flag }) => flag !== undefined && typed.has(flag) && !chosen.params.some((own) => own.flag === flag),
    );
    if (foreign !== undefined) throw foreignFlag(foreign, other, hasNetwork);
  }
  return chosen;
}

function foreignFlag(param: Param, owner: Endpoint, hasNetwork: boolean): Error {
  if (owner.chosenBy !== undefined) return usageFailure(`--${param.flag} requires --${owner.chosenBy}`);
  if (hasNetwork)
    return usageFailure(`--${param.flag} cannot be used with a network argument`, "use only one of them");
  return usageFailure(
    `--${param.flag} requires a network: the search across networks ignores it`,
    `dexdata ${owner.command} <network> --${param.flag} …`,
  );
}

/** The endpoint with the fields that dexdata adds to its rows because of a flag. */
export function withAddedFields(chosen: Endpoint, hasAmounts: boolean, given: TypedFlags): Endpoint {
  if (hasAmounts) return withTokenAmounts(chosen);
  if (!traitsOf(chosen.reply).isCandles) return chosen;
  return madeInterval(given.get("interval")?.at(-1)) === undefined ? chosen : withMadeCandles(chosen);
}

/** In response order. */
export function groupsOf(
  { reply }: Endpoint,
  { type: wanted }: Pick<Values<EndpointFlags>, "type">,
): readonly string[] {
  return groupsIn(reply)?.filter((name) => wanted?.includes(name) ?? true) ?? [onlyGroup];
}

/** Undefined unless a flag has several different values. Each of them is checked like a single one. */
function readSeveralTokens(
  endpoint: Endpoint,
  given: TypedFlags,
  args: Typed,
  { now, maxRowsRead }: { readonly now: number; readonly maxRowsRead: number | undefined },
): TokensOfPool | undefined {
  const param = endpoint.params.find(({ several }) => several !== undefined);
  if (param?.flag === undefined || maxRowsRead === undefined) return undefined;
  const typed = (given.get(param.flag) ?? []).flatMap((text) => text?.split(",") ?? []);
  const distinct = new Map(typed.map((text) => [addressKey(text), text]));
  if (distinct.size < 2) {
    if (!given.has("max-rows-read")) return undefined;
    throw usageFailure(`--max-rows-read requires several tokens`, `repeat --${param.flag}`);
  }
  if (distinct.size > (param.several ?? 0))
    throw usageFailure(
      `--${param.flag}: at most ${param.several} tokens are accepted, but ${distinct.size} were given`,
    );
  if (given.has("cursor"))
    throw usageFailure("--cursor cannot be used with several tokens", "use --limit or --all");
  // The request, the checkpoint and the rows do not depend on the order.
  const tokens = [...distinct.keys()].toSorted();
  for (const token of tokens) readArgs(endpoint, new Map([...args, [param.name, token]]), now);
  return { param: param.name, tokens, maxRowsRead };
}

/** How many rows are wanted, and how they are requested. Ignores flags that the endpoint's list does not support. */
function readWanted(
  { reply }: Endpoint,
  flags: Values<EndpointFlags>,
  defaultPageSize: number | undefined,
  ofPool: TokensOfPool | undefined,
): Pick<PullQuery, "limit"> & { readonly list: PageOptions } {
  if (!isPaged(reply)) return { limit: flags.limit, list: plainList(0) };
  const limit = flags.all === true ? undefined : flags.limit;
  // If rows are selected here, the limit does not tell how many are needed. The first pages count as well.
  const { maxRowsRead = reply.maxLimit, tokens = [] } = ofPool ?? {};
  const most = Math.max(1, Math.min(reply.maxLimit, Math.floor(maxRowsRead / Math.max(1, tokens.length))));
  const typedSize = flags["page-size"] ?? defaultPageSize;
  const pageSize =
    ofPool === undefined ? (typedSize ?? Math.min(limit ?? most, most)) : Math.min(typedSize ?? most, most);
  const start = positionOf(flags.cursor, flags.page);
  return { limit, list: { pageSize, start, isStrict: flags["no-strict"] !== true } };
}

export function positionOf(cursor: string | undefined, page: number | undefined): Position | undefined {
  // In the specification for pool transactions, an empty cursor means the first page.
  if (cursor === "") return undefined;
  if (cursor !== undefined) return { flag: "cursor", value: cursor };
  return page === undefined ? undefined : { flag: "page", value: String(page) };
}

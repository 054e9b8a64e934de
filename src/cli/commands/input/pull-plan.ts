import type { BatchInputs, CandleMarks, TokensOfPool, ListKind } from "../../../client/list-plan.ts";
import { batchParam, groupsIn, traitsOf } from "../../../api/reply.ts";
import type { TimedPlan } from "../../../client/timed-legs.ts";
import { readArgs } from "../../../api/args.ts";
import { type Endpoint, ofManyAssets, onlyGroup, rowShape } from "../../../api/endpoint.ts";
import { withMadeCandles } from "../../../api/endpoints/ohlcv.ts";
import { withTokenAmounts } from "../../../api/endpoints/pool-transactions.ts";
import { chooseEndpoint, type EndpointGroup, positionals } from "./positionals.ts";
import { type Input, usageOf } from "../command.ts";
import type { EndpointFlags } from "../flags/endpoint-flags.ts";
import type { TypedFlags, Values } from "../../run/flags/flag.ts";
import type { RunOptions } from "../../run/run-options.ts";
import type { AssetSources } from "../../run/asset-names.ts";
import { isList } from "./subjects.ts";
import { formats } from "../../render/formats/formats.ts";
import { readSeveralTokens } from "./several-tokens.ts";
import { checkFields } from "../../render/formats/missing-fields.ts";
import type { PullQuery } from "../../../rows/wanted-pages.ts";
import type { Subject } from "../../../client/subject.ts";
import { addressName, checkedSubject, checkOneAsset, readTargets } from "./targets.ts";
import { readDays, typedParams } from "./typed-params.ts";
import { readWanted } from "./wanted-rows.ts";
import { completeWindow } from "../../../client/candle-windows.ts";
import { madeInterval } from "../../../client/candle-intervals.ts";

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
  const usage = `usage: dexdata ${usageOf({ words: endpoint.command, positionals: positionals(group) })}`;
  const groups = groupsOf(endpoint, flags);
  checkFields(
    options.fields,
    groups.map((each) => rowShape(endpoint, each)),
  );
  const targets = await readTargets(endpoint, words, sources, usage);
  const isOfMany = targets.length > 1;
  checkOneAsset(endpoint, targets.length, flags);
  const days = readDays(flags.day, given, options.now);
  const typed = typedParams(endpoint, given, days, options);
  const [first] = targets;
  const ofPool = readSeveralTokens(endpoint, given, new Map([...typed, ...(first?.args ?? [])]), {
    now: options.now,
    maxRowsRead: flags["max-rows-read"],
  });
  if (ofPool !== undefined) typed.set(ofPool.param, ofPool.tokens.at(0) ?? "");
  const { limit, list } = readWanted(endpoint, flags, options.settings.page_size.value, ofPool);
  const { missing } = flags;
  const isBatch = batchParam(endpoint.reply) !== undefined;
  const { isCandles, isRecord } = traitsOf(endpoint.reply);
  const subjects = isBatch ? targets.map(checkedSubject(endpoint, options.now)) : undefined;
  const argSets = (isBatch ? targets.slice(0, 1) : targets).map(({ args }) => {
    const all = new Map([...typed, ...args]);
    const complete = isCandles ? completeWindow(endpoint, all, options.now) : all;
    return readArgs(endpoint, complete, options.now);
  });
  return {
    endpoint: { ...(isOfMany ? ofManyAssets(endpoint) : endpoint), typed },
    argSets,
    limit,
    list: {
      ...list,
      ...listKind(endpoint, {
        batch: subjects && { subjects, fillMissing: missing === "null" },
        ofPool,
        marks: {
          now: options.now,
          expectedTo: options.now,
          fill: flags.fill,
          address: isOfMany ? addressName(endpoint) : undefined,
        },
      }),
    },
    groups,
    ...(days !== undefined && { days }),
    ...(hasAmounts && { amounts: "tokens" as const }),
    missing,
    isRecord: isRecord && targets.length === 1 && !words.some(isList),
    named:
      subjects ??
      targets.flatMap(({ subject }, index) =>
        subject === undefined ? [] : { ...subject, network: argSets[index]?.get("network") ?? "" },
      ),
  };
}

interface ListParts {
  readonly batch: BatchInputs | undefined;
  readonly ofPool: TokensOfPool | undefined;
  readonly marks: CandleMarks;
}

function listKind({ reply }: Endpoint, { batch, ofPool, marks }: ListParts): ListKind {
  if (batch !== undefined) return { kind: "batch", ...batch };
  if (ofPool !== undefined) return { kind: "pools", ...ofPool };
  return traitsOf(reply).isCandles ? { kind: "candles", ...marks } : { kind: "list" };
}

/** The endpoint with the fields that dexdata adds to its rows because of a flag. */
export function withAddedFields(chosen: Endpoint, hasAmounts: boolean, given: TypedFlags): Endpoint {
  if (hasAmounts) return withTokenAmounts(chosen);
  const isMade = madeInterval(given.get("interval")?.at(-1)) !== undefined;
  return isMade && traitsOf(chosen.reply).isCandles ? withMadeCandles(chosen) : chosen;
}

/** In response order. */
export function groupsOf(
  { reply }: Endpoint,
  { type: wanted }: Pick<Values<EndpointFlags>, "type">,
): readonly string[] {
  return groupsIn(reply)?.filter((name) => wanted?.includes(name) ?? true) ?? [onlyGroup];
}

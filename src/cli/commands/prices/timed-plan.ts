import { plainList } from "../../../client/list-plan.ts";
import { readCachedList, writeCachedList } from "../../settings/list-cache.ts";
import {
  createAnswers,
  type QuoteCache,
  type TimedAsset,
  type TimedPlan,
  copyOf,
} from "../../../client/timed-legs.ts";
import { readTimedPrices } from "../../../client/timed-prices.ts";
import { subjectKey } from "../../../client/subject.ts";
import { onlyGroup, rowShape } from "../../../api/endpoint.ts";
import { candlesOf, timedPrices } from "../../../api/endpoints/prices.ts";
import { exactDuration } from "../../../api/duration.ts";
import type { Context } from "../../../base/context/context.ts";
import { invalidInput, usageFailure } from "../../../base/failure.ts";
import { compareInstants, type Instant } from "../../../base/time/time.ts";
import type { AssetSources } from "../../run/with-run.ts";
import { checkFields } from "../../render/formats/missing-fields.ts";
import type { Input } from "../command.ts";
import type { EndpointFlags } from "../flags/endpoint-flags.ts";
import type { PullPlan } from "../input/pull-plan.ts";
import { withSuggestion } from "../input/suggestion.ts";
import { type RunOptions, serviceOf, recordedService } from "../../run/run-options.ts";
import { readSubjects } from "../input/subjects.ts";
import { addAssetsAt, quoteAsset, readRowsAt } from "./timed-inputs.ts";
import { intervalSeconds } from "../../../client/candle-windows.ts";

type Timed = Input<EndpointFlags>;

const usage = "usage: dexdata prices <network:address…|@file|-> --at <time>";

/** `listed` are the assets of a list that has been read already, with times as labels. */
export async function readTimedPlan(
  input: Timed,
  options: RunOptions,
  sources: AssetSources,
  context: Context,
  listed: PullPlan["named"] | undefined,
): Promise<PullPlan> {
  const { flags, typed, words } = input;
  if (typed.get("missing")?.at(-1) === "skip")
    throw usageFailure(
      "--missing skip cannot be used with times: every input gets a row, even without a price",
      "use null (default) or fail",
    );
  const { in: quote, pool, interval = "1h", "max-age": maxAge = 0, "at-rule": rule = "before" } = flags;
  const known = new Map<string, number>();
  const assets: TimedAsset[] = [];
  const indexOf = (asset: TimedAsset): number => {
    const key = `${asset.kind} ${subjectKey(asset)}`;
    const index = known.get(key) ?? assets.push({ ...asset, address: copyOf(asset.address) }) - 1;
    known.set(key, index);
    return index;
  };
  const inputs: TimedPlan["inputs"][number][] = [];
  const add = (asset: TimedAsset, at: Instant): void => void inputs.push({ asset: indexOf(asset), at });
  const taker = { add, kind: pool === true ? "pool" : "token", now: options.now, usage } as const;
  const field = flags["at-field"];
  const lead = field === undefined ? undefined : await readRowsAt(words, field, sources, taker);
  if (field === undefined) {
    const ofPrices = { command: "prices", takes: taker.kind, malformed: "fail", usage } as const;
    addAssetsAt(listed ?? (await readSubjects(words, sources, ofPrices)), flags.at ?? [], taker);
  }
  if (rule === "before" && maxAge < intervalSeconds(interval) * 1000)
    throw invalidInput(
      `--max-age "${exactDuration(maxAge)}"`,
      `must be at least as long as the candles (--interval ${interval})`,
      "use a longer --max-age, or a shorter --interval",
    );
  const hasTokens = assets.some(({ kind }) => kind === "token");
  const hasPools = assets.some(({ kind }) => kind === "pool");
  if (hasPools && quote !== undefined)
    throw usageFailure(
      "--in cannot be used with pools: the price of a pool is in one of its tokens",
      "use tokens, or leave out --in",
    );
  const isQuoted = hasPools || quote !== undefined;
  const [first] = inputs;
  const hasTimes = inputs.some(({ at }) => first !== undefined && compareInstants(at, first.at) !== 0);
  const endpoint = timedPrices({ isQuoted, hasTimes }, hasTokens ? candlesOf.token.plan : "keyless");
  checkFields(options.fields, [rowShape(endpoint)]);
  const lake = flags.lake === undefined ? undefined : await import("../../../lake/stored-candles.ts");
  const timed: TimedPlan = {
    rule: { rule, maxAge: maxAge / 1000, now: options.now / 1000 },
    interval,
    inputs,
    lead,
    quote: quote === undefined ? undefined : indexOf(quoteAsset(quote, words, usage)),
    isQuoted,
    stored: lake?.storedCandles(flags.lake ?? "", (target) => recordedService(options, target)),
    quotes: quoteCache(context, options),
    judge: async (cause, client, request) => await withSuggestion(cause, { context, client, request }),
    answers: createAnswers(inputs.length * (quote === undefined ? 1 : 2)),
    assets,
  };
  return {
    endpoint,
    argSets: [new Map(Object.entries({ interval, at_rule: rule, max_age: exactDuration(maxAge) }))],
    limit: undefined,
    list: {
      ...plainList(0),
      kind: "made",
      pages: (request) => readTimedPrices(request, timed),
      seen: timed.answers.seen,
    },
    timed,
    groups: [onlyGroup],
    missing: flags.missing === "fail" ? "fail" : "null",
    isRecord: false,
    named: timed.assets,
  };
}

/** The cache lasts for a day. */
function quoteCache(context: Context, options: RunOptions): QuoteCache {
  let kept: Map<string, string> | undefined;
  return ({ isSimulated, rest }) => {
    const name = `${isSimulated ? serviceOf(options) : rest} quotes`;
    const read = readCachedList(context, name) ?? [];
    const tokens = (kept ??= new Map(read.map(([pool = "", token = ""]) => [pool, token])));
    return { tokens, save: () => writeCachedList(context, name, [...tokens]) };
  };
}

import type { Client } from "../../../client/client.ts";
import type { Page } from "../../../client/page.ts";
import type { Context } from "../../../base/context/context.ts";
import type { ApiRequest } from "../../../api/args.ts";
import { type Endpoint, onlyGroup } from "../../../api/endpoint.ts";
import { traitsOf } from "../../../api/reply.ts";
import type { Failure } from "../../../base/failure.ts";
import { member } from "../../../base/json/json-scan.ts";
import { formats } from "../../render/formats/formats.ts";
import { chooseColumns, isOfTrade } from "../../render/table/choose-columns.ts";
import type { FindAsset } from "../../render/values/cell.ts";
import { createNameFinder } from "../../run/asset-names.ts";
import { createKnownAssets, type KnownAssets } from "../../run/known-assets.ts";
import type { Hosts, RunOptions } from "../../run/run-options.ts";
import { type Subject, titleOf } from "../../../client/subject.ts";
import { letHeapGrow } from "../../../base/heap-room.ts";
import type { PullPlan } from "../input/pull-plan.ts";

export type TableAssets = ReturnType<typeof createTableAssets>;

/** Loaded only for amounts in tokens. */
export async function loadTrades() {
  letHeapGrow();
  return await import("./trades.ts");
}

/** Longer tables are rarely read to the end. */
const maxLearned = 500;

/**
 * Labels and decimals for tables and for amounts in tokens. Some plans get trades without the decimals of their tokens; then, one request for the
 * pool returns them.
 */
export function createTableAssets(
  context: Context,
  client: Client,
  options: Hosts & Pick<RunOptions, "format" | "fields" | "columns">,
  { named, amounts }: Pick<PullPlan, "named"> & { readonly amounts?: PullPlan["amounts"] | undefined },
) {
  const names = createNameFinder(context, options);
  const known = createKnownAssets(context, client.target, names);
  known.name(named);
  const isTable = formats[options.format].columns === "guessed" && options.fields === undefined;
  let shown = "";
  let learned = 0;
  const scales = createScales(client, known, () => shown);
  const learnDecimals = amounts === undefined ? undefined : scales.learn;
  return {
    find: ((address, network = shown) => known.find(network, address)) satisfies FindAsset,
    /** Call this before the page is shown. */
    learnFor: async (
      { endpoint, args }: ApiRequest,
      { group, rows }: Pick<Page, "group" | "rows">,
    ): Promise<void> => {
      shown = args.get("network") ?? "";
      const pool = args.get("pool_address");
      if (pool !== undefined && (await learnDecimals?.(shown, pool, rows)) !== undefined)
        scales.unknown.add(`${shown}:${pool}`);
      if (!isTable) return;
      if (pool !== undefined && needsPool(endpoint, pool, { group, rows })) {
        await known.requestPool(client, shown, pool);
      } else if (context.stdout.isTerminal && learned < maxLearned) {
        // Only for people: reading each row twice and writing the cache would slow down scripts.
        for (const row of rows.values()) known.learn(row, shown);
        learned += rows.length;
      }
    },
    /** Returns a failure that may pass. Until then, the amounts in tokens of these rows are unknown. */
    learnAmounts: async ({ args }: ApiRequest, rows: Page["rows"]): Promise<Failure | undefined> =>
      await learnDecimals?.(args.get("network") ?? "", args.get("pool_address") ?? "", rows),
    /** The user's name for an input comes first in messages. */
    titleOf: (subject: Subject): string =>
      titleOf({ ...subject, label: names.labelOf(subject) ?? subject.label }),
    /** Adds exact amounts in tokens, if the user requested them. Call this after `learnFor`. */
    inTokens: scales.inTokens,
    warnings: (): readonly string[] =>
      scales.unknown.size === 0
        ? []
        : [`unknown token decimals, so amounts in tokens are null: ${[...scales.unknown].join(", ")}`],
    save: known.save,
  };

  /** For the decimals of a trade's tokens, and for the tokens in which a person sees candles of a pool. */
  function needsPool(
    endpoint: Endpoint,
    address: string,
    { group, rows }: Pick<Page, "group" | "rows">,
  ): boolean {
    if (traitsOf(endpoint.reply).isCandles)
      return context.stdout.isTerminal && !known.knowsPool({ network: shown, address });
    const isUnknown = (row: object): boolean =>
      !isScaled(row) && !tokensOf(row).every((token) => hasDecimals(shown, token));
    return showsTrades(endpoint, group, options.columns) && rows.values().some(isUnknown);
  }

  function hasDecimals(network: string, token: string): boolean {
    return known.find(network, token)?.decimals !== undefined;
  }
}

/** The decimals of tokens, for exact amounts. `shown` returns the network of the rows. */
function createScales(client: Client, known: KnownAssets, shown: () => string) {
  const decimals = new Map<string, number>();
  const unknown = new Set<string>();
  let addAmounts: ((rows: Page["rows"]) => Page["rows"]) | undefined;
  return {
    /** The pools of which amounts could not be computed. */
    unknown,
    inTokens: (rows: Page["rows"]): Page["rows"] => addAmounts?.(rows) ?? rows,
    /** Returns a failure that may pass. */
    learn: async (network: string, pool: string, rows: Page["rows"]): Promise<Failure | undefined> => {
      addAmounts ??= (await loadTrades()).createTokenAmounts((token) => decimals.get(keyOf(shown(), token)));
      const missing = [...rows.distinct("token_0"), ...rows.distinct("token_1")]
        .filter((token) => typeof token === "string")
        .filter((token) => !decimals.has(keyOf(network, token)));
      const decimalsOf = (token: string): number | undefined => known.find(network, token)?.decimals;
      const failure = missing.every((token) => decimalsOf(token) !== undefined)
        ? undefined
        : await known.requestPool(client, network, pool);
      for (const token of missing) {
        const found = decimalsOf(token);
        // Another pool of the token may have them, and so may the next response.
        if (found !== undefined) decimals.set(keyOf(network, token), found);
        else if (failure === undefined) unknown.add(`${network}:${pool}`);
      }
      return failure;
    },
  };
}

const keyOf = (network: string, token: unknown): string => `${network}:${String(token)}`;

function showsTrades(endpoint: Endpoint, group: string, columns: readonly string[] | undefined): boolean {
  const shape = endpoint.rows[group];
  if (shape === undefined || group !== onlyGroup) return false;
  return chooseColumns(shape, columns).some(isOfTrade);
}

/** Rows of the public service also contain both amounts in tokens. */
function isScaled(row: object): boolean {
  return member(row, "volume_0") !== undefined && member(row, "volume_1") !== undefined;
}

function tokensOf(row: object): readonly string[] {
  return [member(row, "token_0"), member(row, "token_1")].filter((address) => typeof address === "string");
}

import type { Client } from "../../../client/client.ts";
import type { Page } from "../../../client/page.ts";
import { type Endpoint, onlyGroup, type ApiRequest, rowShape } from "../../../api/endpoint.ts";
import { traitsOf } from "../../../api/reply.ts";
import type { Failure } from "../../../base/failure.ts";
import { member } from "../../../base/json/json-scan.ts";
import { formats } from "../../render/formats/formats.ts";
import { chooseColumns, isOfTrade } from "../../render/table/choose-columns.ts";
import type { FindAsset } from "../../render/values/cell.ts";
import { createKnownAssets } from "../../run/asset-names.ts";
import type { Run } from "../../run/with-run.ts";
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
  { context, options, sources: { names } }: Pick<Run, "context" | "options" | "sources">,
  client: Client,
  { named, amounts }: Pick<PullPlan, "named"> & { readonly amounts?: PullPlan["amounts"] | undefined },
) {
  const known = createKnownAssets(context, client.target, names);
  known.name(named);
  const isTable = formats[options.format].columns === "guessed" && options.fields === undefined;
  let [shown, learned, warned] = ["", 0, 0];
  /** The pools whose amounts could not be computed. */
  const unknown = new Set<string>();
  let addAmounts: ((rows: Page["rows"]) => Page["rows"]) | undefined;

  const lacksDecimals = (network: string, token: unknown): boolean =>
    typeof token === "string" && known.find(network, token).decimals === undefined;

  /** Returns a failure that may pass. Until then, the amounts in tokens of these rows are unknown. */
  const learnAmounts = async ({ args }: ApiRequest, rows: Page["rows"]): Promise<Failure | undefined> => {
    const [network = "", pool] = [args.get("network"), args.get("pool_address")];
    if (amounts === undefined || pool === undefined) return undefined;
    addAmounts ??= (await loadTrades()).createTokenAmounts((token) =>
      typeof token === "string" ? known.find(shown, token).decimals : undefined,
    );
    const tokens = [...rows.distinct("token_0"), ...rows.distinct("token_1")];
    const isUnknown = (token: unknown): boolean => lacksDecimals(network, token);
    const failure = tokens.some(isUnknown) ? await known.requestPool(client, network, pool) : undefined;
    // Another pool of the token may have them, and so may the next response.
    if (failure === undefined && tokens.some(isUnknown)) unknown.add(`${network}:${pool}`);
    return failure;
  };

  return {
    find: ((address, network = shown) => known.find(network, address)) satisfies FindAsset,
    /** Call this before the page is shown. */
    learnFor: async (request: ApiRequest, { group, rows }: Pick<Page, "group" | "rows">): Promise<void> => {
      shown = request.args.get("network") ?? "";
      const pool = request.args.get("pool_address");
      if ((await learnAmounts(request, rows)) !== undefined) unknown.add(`${shown}:${pool}`);
      if (!isTable) return;
      if (pool !== undefined && needsPool(request.endpoint, pool, { group, rows })) {
        await known.requestPool(client, shown, pool);
      } else if (context.stdout.isTerminal && learned < maxLearned) {
        // Only for people: reading each row twice and writing the cache would slow down scripts.
        for (const row of rows.values()) known.learn(row, shown);
        learned += rows.length;
      }
    },
    learnAmounts,
    /** The user's name for an input comes first in messages. */
    titleOf: (subject: Subject): string =>
      titleOf({ ...subject, label: names.labelOf(subject) ?? subject.label }),
    /** Adds exact amounts in tokens, if the user requested them. Call this after `learnFor`. */
    inTokens: (rows: Page["rows"]): Page["rows"] => addAmounts?.(rows) ?? rows,
    /** Warnings about what has happened since the last call. */
    warnings: (): readonly string[] => {
      const pools = [...unknown].slice(warned).join(", ");
      warned = unknown.size;
      return pools === "" ? [] : [`unknown token decimals, so amounts in tokens are null: ${pools}`];
    },
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
    const isUnknown = (row: object): boolean => {
      // Rows of the public service also contain both amounts in tokens.
      const isScaled = ["volume_0", "volume_1"].every((name) => member(row, name) !== undefined);
      return !isScaled && ["token_0", "token_1"].some((name) => lacksDecimals(shown, member(row, name)));
    };
    const hasTrades =
      group === onlyGroup && chooseColumns(rowShape(endpoint), options.columns).some(isOfTrade);
    return hasTrades && rows.values().some(isUnknown);
  }
}

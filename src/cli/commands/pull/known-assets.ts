import { type KnownAsset, labelOfRow, tokensIn } from "../../../api/asset-kind.ts";
import { pool } from "../../../api/endpoints/pool-and-token.ts";
import type { Context } from "../../../base/context/context.ts";
import type { Client } from "../../../client/client.ts";
import { plainList } from "../../../client/list-plan.ts";
import type { Page } from "../../../client/page.ts";
import { type Endpoint, onlyGroup, type ApiRequest, rowShape } from "../../../api/endpoint.ts";
import { traitsOf } from "../../../api/reply.ts";
import { Failure } from "../../../base/failure.ts";
import { member } from "../../../base/json/json-scan.ts";
import { formats } from "../../render/formats/formats.ts";
import { chooseColumns, isOfTrade } from "../../render/table/choose-columns.ts";
import type { FindAsset } from "../../render/values/cell.ts";
import { readPages } from "../../../client/read-pages.ts";
import { asErrorPage } from "../../../client/retry.ts";
import type { Target } from "../../../client/target.ts";
import type { NameFinder } from "../../run/asset-names.ts";
import type { Run } from "../../run/with-run.ts";
import { readCachedList, writeCachedList } from "../../settings/list-cache.ts";
import { type Subject, subjectKey, titleOf } from "../../../client/subject.ts";
import { letHeapGrow } from "../../../base/heap-room.ts";
import type { PullPlan } from "../input/pull-plan.ts";

/** What people see of assets: labels, and the decimals of tokens. Sources are input lists, responses, and the cache. */
export type KnownAssets = ReturnType<typeof createKnownAssets>;

/** The cache keeps the newest ones. */
const maxKept = 2000;

export function createKnownAssets(
  context: Context,
  { isSimulated, rest }: Pick<Target, "isSimulated" | "rest">,
  names: NameFinder,
) {
  // The sandbox uses a new port each time.
  const listName = `${isSimulated ? "sandbox" : rest} assets`;
  const labels = new Map<string, string>();
  const requested = new Map<string, Promise<Failure | undefined>>();
  let isChanged = false;
  let loaded: Map<string, Facts> | undefined;
  const kept = (): Map<string, Facts> =>
    (loaded ??= new Map((readCachedList(context, listName) ?? []).map(assetOfRow)));

  const find = (network: string, address: string): KnownAsset => {
    const key = subjectKey({ network, address });
    const [name, facts] = [names.labelOf({ network, address }), kept().get(key)];
    return { name, label: labels.get(key) ?? facts?.label, decimals: facts?.decimals };
  };

  const keep = (network: string, address: unknown, asset: Facts): void => {
    if (typeof address !== "string" || (asset.label === undefined && asset.decimals === undefined)) return;
    const key = subjectKey({ network, address });
    const before = kept().get(key);
    const { label = before?.label, decimals = before?.decimals } = asset;
    if (before?.label === label && before?.decimals === decimals) return;
    isChanged = true;
    kept().delete(key);
    kept().set(key, { label, decimals });
  };

  /** Learns from the row of a token, or of a pool with its tokens. Rows of one network may omit it. */
  const learn = (row: object, network: string): void => {
    const chain = member(row, "chain") ?? network;
    if (typeof chain !== "string") return;
    for (const token of tokensIn(row)) keep(chain, member(token, "id"), factsOf(token));
    keep(chain, member(row, "address") ?? member(row, "id"), factsOf(row));
  };

  return {
    find,
    learn,
    /** Labels that the user gave take precedence. */
    name: (subjects: readonly Subject[]): void => {
      for (const each of subjects) if (each.label !== undefined) labels.set(subjectKey(each), each.label);
    },
    /** Labels each asset with the user's name for it, or else with the known label if it has none. */
    labeled: (subjects: readonly Subject[]): readonly Subject[] =>
      subjects.map(({ network, address, label: given }) => {
        const { name, label } = find(network, address);
        return { network, address, label: name ?? given ?? label };
      }),
    /** Whether a response has already described the pool. A label alone may come from the user's list. */
    knowsPool: ({ network, address }: Subject): boolean => kept().has(subjectKey({ network, address })),
    /** Requests a pool to learn its tokens: again after a failure that may pass, which is returned, and otherwise once. */
    requestPool: async (client: Client, network: string, address: string): Promise<Failure | undefined> => {
      const key = subjectKey({ network, address });
      const earlier = requested.get(key);
      if (earlier !== undefined) return await earlier;
      const work = readPool(client, { network, address }, learn);
      requested.set(key, work);
      const failure = await work;
      if (failure !== undefined) requested.delete(key);
      return failure;
    },
    save: (): void => {
      if (!isChanged) return;
      isChanged = false;
      const rows = [...kept()].map(([key, { label = "", decimals = "" }]) => [key, `${decimals}`, label]);
      writeCachedList(context, listName, rows.slice(-maxKept));
    },
  };
}

/** Returns a failure that may pass. */
async function readPool(
  client: Client,
  { network, address }: Subject,
  learn: (row: object, network: string) => void,
): Promise<Failure | undefined> {
  const args = new Map(Object.entries({ network, pool_address: address }));
  try {
    for await (const { rows } of readPages(client, pool, args, plainList(0)))
      for (const row of rows.values()) learn(row, network);
    return undefined;
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause;
    // The service itself has sent rows of this pool, so a balancer's error page says nothing about it.
    const failure = asErrorPage(cause);
    return failure.retryable || failure.details.isOutage === true ? failure : undefined;
  }
}

/** What responses say about an asset. */
type Facts = Omit<KnownAsset, "name">;

function factsOf(row: object): Facts {
  const decimals = member(row, "decimals");
  const isWhole =
    typeof decimals === "number" && Number.isInteger(decimals) && decimals >= 0 && decimals < 256;
  return { label: labelOfRow(row), decimals: isWhole ? decimals : undefined };
}

function assetOfRow([key = "", decimals = "", label = ""]: readonly string[]): [string, Facts] {
  return [key, { label: label || undefined, decimals: decimals ? Number(decimals) : undefined }];
}

export type TableAssets = ReturnType<typeof createTableAssets>;

type ShownRows = Pick<Page, "group" | "rows">;

/** Loaded only for amounts in tokens. */
export async function loadTrades() {
  letHeapGrow();
  return await import("./trades.ts");
}

/** Longer tables are rarely read to the end. */
const maxLearned = 500;

/**
 * Labels and decimals for tables and for amounts in tokens. Some plans get trades without the decimals of their tokens;
 * then, one request for the pool returns them.
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
    const [network = "", address] = [args.get("network"), args.get("pool_address")];
    if (amounts === undefined || address === undefined) return undefined;
    addAmounts ??= (await loadTrades()).createTokenAmounts((token) =>
      typeof token === "string" ? known.find(shown, token).decimals : undefined,
    );
    const tokens = rows.values().flatMap((row) => ["token_0", "token_1"].map((name) => member(row, name)));
    const isUnknown = (token: unknown): boolean => lacksDecimals(network, token);
    const failure = tokens.some(isUnknown) ? await known.requestPool(client, network, address) : undefined;
    // Another pool of the token may have them, and so may the next response.
    if (failure === undefined && tokens.some(isUnknown)) unknown.add(`${network}:${address}`);
    return failure;
  };

  return {
    find: ((address, network = shown) => known.find(network, address)) satisfies FindAsset,
    /** Call this before the page is shown. */
    learnFor: async (request: ApiRequest, { group, rows }: ShownRows): Promise<void> => {
      shown = request.args.get("network") ?? "";
      const address = request.args.get("pool_address");
      if ((await learnAmounts(request, rows)) !== undefined) unknown.add(`${shown}:${address}`);
      if (!isTable) return;
      if (address !== undefined && needsPool(request.endpoint, address, { group, rows })) {
        await known.requestPool(client, shown, address);
      } else if (context.stdout.isTerminal && learned < maxLearned) {
        // Only for people: reading each row twice and writing the cache would slow down scripts.
        for (const row of rows.values()) known.learn(row, shown);
        learned += rows.length;
      }
    },
    learnAmounts,
    name: known.name,
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
  function needsPool(endpoint: Endpoint, address: string, { group, rows }: ShownRows): boolean {
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

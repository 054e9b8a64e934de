import type { Client } from "../../client/client.ts";
import { addressKey, type Page } from "../../client/pages/page.ts";
import { walkPages } from "../../client/pages/walk-pages.ts";
import type { Context } from "../../context/context.ts";
import type { Question } from "../../contract/args.ts";
import { pool } from "../../contract/endpoints/pool.ts";
import { Failure } from "../../contract/failure.ts";
import { isObject, member } from "../../json/raw-json.ts";
import { formats } from "../../render/formats/formats.ts";
import { chooseColumns } from "../../render/table/choose-columns.ts";
import type { FindToken, KnownToken } from "../../render/values/cell.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { readCachedList, writeCachedList } from "../../settings/list-cache.ts";

export interface TradeTokens {
  readonly find: FindToken;
  /** Call this before the page is shown. */
  readonly learnFor: (question: Question, page: Pick<Page, "group" | "rows">) => Promise<void>;
}

/**
 * Tables show the amounts of trades in tokens, but some plans get rows without decimals. Then, a single request for the
 * pool returns the decimals of both tokens. They are cached for a day, like the list of networks.
 */
export function createTradeTokens(
  context: Context,
  client: Client,
  options: Pick<RunOptions, "format" | "fields" | "columns">,
): TradeTokens {
  let known: ReadonlyMap<string, KnownToken> = new Map();
  const requested = new Set<string>();
  const learnFor: TradeTokens["learnFor"] = async (question, { group, rows }) => {
    const { endpoint, args } = question;
    const shape = endpoint.rows[group];
    if (shape === undefined || formats[options.format].columns !== "guessed" || options.fields !== undefined)
      return;
    if (!chooseColumns(shape, options.columns).some(({ trade }) => trade !== undefined)) return;
    const [network, address] = [args.get("network"), args.get("pool_address")];
    if (network === undefined || address === undefined || requested.has(`${network}:${address}`)) return;
    if (rows.values().every((row) => isScaled(row) || tokensOf(row).every((token) => known.has(token))))
      return;
    requested.add(`${network}:${address}`);
    const tokens = await findTokens(context, client, network, address);
    known = new Map([...known, ...tokens]);
  };
  return { find: (address) => known.get(addressKey(address)), learnFor };
}

/** Rows of the public service contain both amounts in tokens. */
function isScaled(row: object): boolean {
  return member(row, "volume_0") !== undefined && member(row, "volume_1") !== undefined;
}

function tokensOf(row: object): readonly string[] {
  const addresses = [member(row, "token_0"), member(row, "token_1")];
  return addresses.filter((address) => typeof address === "string").map(addressKey);
}

/** Empty if the request fails, because the amounts can also be shown as sent. */
async function findTokens(
  context: Context,
  client: Client,
  network: string,
  address: string,
): Promise<ReadonlyMap<string, KnownToken>> {
  const { isSimulated, rest } = client.target;
  const name = `${rest} tokens of ${network}:${addressKey(address)}`;
  // The sandbox is free and uses a new port each time.
  const cached = isSimulated ? undefined : readCachedList(context, name);
  if (cached !== undefined) return parseTokens(cached);
  const texts: string[] = [];
  try {
    const args = new Map([
      ["network", network],
      ["pool_address", address],
    ]);
    for await (const page of walkPages(client, pool, args, { pageSize: 0, isStrict: true }))
      texts.push(...page.rows.values().flatMap(tokenTexts));
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause;
    return new Map();
  }
  if (!isSimulated) writeCachedList(context, name, texts);
  return parseTokens(texts);
}

/** As cached: address, decimals and symbol, separated by tabs. */
function tokenTexts(row: object): readonly string[] {
  const tokens = member(row, "tokens");
  if (!Array.isArray(tokens)) return [];
  return tokens.filter(isObject).flatMap((token) => {
    const [id, decimals, symbol] = [member(token, "id"), member(token, "decimals"), member(token, "symbol")];
    if (typeof id !== "string" || !Number.isSafeInteger(Number(decimals ?? Number.NaN))) return [];
    return [`${addressKey(id)}\t${String(decimals)}\t${typeof symbol === "string" ? symbol : ""}`];
  });
}

function parseTokens(texts: readonly string[]): ReadonlyMap<string, KnownToken> {
  return new Map(
    texts.map((text) => {
      const [address = "", decimals, symbol] = text.split("\t");
      return [address, { decimals: Number(decimals), symbol }];
    }),
  );
}

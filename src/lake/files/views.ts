import path from "node:path";
import type { Context } from "../../base/context/context.ts";
import { lookAt } from "../../base/files/paths.ts";
import { textOfFile } from "../../base/files/synced-file.ts";
import { type Dataset, type DatasetKind, factsOfKind, keyOfKind } from "../dataset.ts";
import { isMonthly, tokensName } from "../layout.ts";
import type { LakeFile } from "./lake-files.ts";
import { replaceText } from "../../base/files/replace-file.ts";

/** What an analyst opens first: `cd lake && duckdb -init views.sql`. */
const viewsName = "views.sql";

export function writeViews(context: Pick<Context, "random">, root: string, files: readonly LakeFile[]): void {
  const file = path.join(root, viewsName);
  const shown = files.flatMap(({ dataset, state }) =>
    state === "rows" || (state === "open" && isMonthly(dataset)) ? dataset : [],
  );
  const text = viewsOf(shown, lookAt(path.join(root, tokensName)) !== undefined);
  if (textOfFile(file) !== text) replaceText(context, file, text);
}

const header = `-- DuckDB views of this directory, wherever it is. dexdata sync replaces this file.
-- Start DuckDB in the directory: cd lake && duckdb -init views.sql
-- Or name it before: SET VARIABLE lake = '/mnt/lake';
-- Only complete days are included, and settled candles of 1h or longer. Times are in UTC.
SET TimeZone = 'UTC';
`;

/** In a pattern, these characters are wildcards, except in brackets. */
const rootOf = String.raw`regexp_replace(coalesce(getvariable('lake'), '.'), '[*?[]', '[\0]', 'g')`;

/** Each dataset has a file with rows to show, because DuckDB rejects a pattern without a file. */
export function viewsOf(datasets: readonly Dataset[], hasTokens: boolean): string {
  const sources = (kind: DatasetKind): readonly string[] => {
    const own = datasets.filter((dataset) => dataset.kind === kind);
    return [...new Set(own.map(sourceOf))].toSorted();
  };
  const dated = "* EXCLUDE (month), created_at::DATE AS date";
  const trades = sources("transactions")
    .map((source) => `SELECT ${source.includes("/date=*/") ? "*" : dated} FROM ${source}`)
    .join("\nUNION ALL BY NAME\n");
  const candles = (["ohlcv", "token-ohlcv"] as const).flatMap((kind) => {
    const { asset } = factsOfKind(kind);
    const columns = `network, '${asset}' AS kind, ${asset} AS address, candle, time_open, time_close, open, high, low, close, volume`;
    return sources(kind).map((source) => `SELECT ${columns}\nFROM ${source}`);
  });
  const views = [header];
  for (const source of sources("pools")) views.push(view("pool_history", poolHistory(source)), poolGaps);
  if (hasTokens) views.push(view("tokens", `SELECT * FROM read_parquet(${rootOf} || '/${tokensName}')`));
  if (trades !== "") views.push(view("trades", hasTokens ? tradesWithTokens(`(${trades})`) : trades));
  if (candles.length > 0) views.push(view("candles", candles.join("\nUNION ALL BY NAME\n")));
  return views.join("\n");
}

const view = (name: string, query: string): string => `CREATE OR REPLACE VIEW ${name} AS\n${query};\n`;

/** An address that consists of digits must not become a number. */
function sourceOf({ kind, interval, by }: Dataset): string {
  const place = by === "month" ? "month" : "date";
  const hasOpenFiles = isMonthly({ interval });
  const candle = interval === undefined ? "" : `/candle=*${hasOpenFiles ? "h" : "m"}`;
  const pattern = `${rootOf} || '/${kind}/*/*${candle}/${place}=*/${hasOpenFiles ? "[or]*" : "rows"}.parquet'`;
  const names = ["network", keyOfKind(kind), ...(interval === undefined ? [] : ["candle"])];
  const types = names.map((name) => `'${name}': VARCHAR, `).join("");
  const last = `'${place}': ${place === "date" ? "DATE" : "VARCHAR"}`;
  const read = `read_parquet(${pattern}, hive_partitioning = true, hive_types = {${types}${last}}`;
  return hasOpenFiles ? `${read}, filename = true)\n${settled(pattern)}` : `${read})`;
}

/** A month of long candles stays open until it ends. While it is completed, both files have it: rows is after open. */
const settled = (pattern: string): string => `JOIN (SELECT max(file_name) AS filename,
  arg_max((decode(value)::JSON->>'settled_to')::TIMESTAMPTZ, file_name) AS settled_to
  FROM parquet_kv_metadata(${pattern}) WHERE decode(key) = 'dexdata' GROUP BY parse_dirpath(file_name)) USING (filename)
WHERE time_open < settled_to`;

/** The service sends 0 as the liquidity of a pool in its first week. */
const poolHistory = (source: string): string =>
  `SELECT * EXCLUDE (month) REPLACE (nullif(liquidity_usd, CASE WHEN as_of < created_at + INTERVAL 7 DAYS THEN 0 END) AS liquidity_usd)\nFROM ${source}`;

/** Footers have the periods that no run has read. */
const poolGaps = view(
  "pool_gaps",
  `SELECT day->>'network' AS network, day->>'list' AS list, (gap->>'from')::TIMESTAMPTZ AS "from", (gap->>'to')::TIMESTAMPTZ AS "to", gap->>'why' AS why
FROM (SELECT day, unnest((day->'lost')::JSON[]) AS gap FROM (SELECT unnest((decode(value)::JSON->'periods')::JSON[]) AS day
  FROM parquet_kv_metadata(${rootOf} || '/pools/*/*/month=*/rows.parquet') WHERE decode(key) = 'dexdata'))`,
);

/** Raw amounts divided by the decimals of the token. Negative: the pool paid out. */
function tradesWithTokens(source: string): string {
  return `SELECT t.created_at AS time, t.network, t.pool, t.date, t.id, t.log_index, t.sender, t.recipient,
  t.token_0, coalesce(a.symbol, t.token_0_symbol) AS symbol_0, t.amount_0::DOUBLE / pow(10, a.decimals) AS amount_0,
  t.token_1, coalesce(b.symbol, t.token_1_symbol) AS symbol_1, t.amount_1::DOUBLE / pow(10, b.decimals) AS amount_1,
  t.price_0, t.price_1, t.price_0_usd, t.price_1_usd, t.created_at_block_number AS block,
  t.amount_0 AS raw_amount_0, t.amount_1 AS raw_amount_1
FROM ${source} t
LEFT JOIN tokens a ON a.network = t.network AND a.token = t.token_0
LEFT JOIN tokens b ON b.network = t.network AND b.token = t.token_1`;
}

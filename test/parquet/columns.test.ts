import { readMark, writeMark } from "../../src/rows/parquet/file-mark.ts";
import { expect, test } from "vitest";
import { type CellType, columnsOf } from "../../src/rows/parquet-format.ts";
import { kinds } from "./generated-rows.ts";

/**
 * By hand, on purpose: the columns of a kind may not change before the next major version, because readers that combine
 * files of two versions fail or hide columns. A new field of the service is in `other` until then.
 */
const frozen: Readonly<Record<string, string>> = {
  pool:
    "id:text chain:text factory_id:text dex_id:text dex_name:text created_at_block_number:integer " +
    "fee:double created_at:time base_token_id:text quote_token_id:text tokens:json last_price:double " +
    "last_price_usd:double price_time:time last_updated:time 24h:json 6h:json 1h:json 30m:json 15m:json " +
    "5m:json price_stats:json token_reserves:json other:json",
  transaction:
    "id:text log_index:integer transaction_index:integer factory_id:text pool_id:text chain:text " +
    "sender:text recipient:text? token_0:text token_0_symbol:text token_1:text token_1_symbol:text " +
    "amount_0:decimal? amount_1:decimal? volume_0:double volume_1:double price_0:double price_1:double " +
    "price_0_usd:double price_1_usd:double created_at_block_number:integer created_at_block_hash:text " +
    "created_at:time canonical_chain:boolean other:json",
  "transaction of many assets":
    "id:text log_index:integer transaction_index:integer factory_id:text pool_id:text chain:text " +
    "sender:text recipient:text? token_0:text token_0_symbol:text token_1:text token_1_symbol:text " +
    "amount_0:decimal? amount_1:decimal? volume_0:double volume_1:double price_0:double price_1:double " +
    "price_0_usd:double price_1_usd:double created_at_block_number:integer created_at_block_hash:text " +
    "created_at:time canonical_chain:boolean other:json",
  price: "id:text chain:text price_usd:double last_updated:time other:json",
  token:
    "id:text name:text symbol:text chain:text decimals:integer total_supply:decimal description:text " +
    "website:text explorer:text telegram:text twitter:text has_image:boolean added_at:time " +
    "last_updated:time fdv:double price_stats:json summary:json other:json",
  "token-row":
    "chain:text address:text name:text symbol:text price_usd:double price_change_percentage_24h:double " +
    "volume_usd_24h:double volume_usd_7d:double volume_usd_30d:double liquidity_usd:double fdv_usd:double " +
    "txns_24h:integer decimals:integer pools:integer created_at:time has_image:boolean 24h:json 6h:json " +
    "1h:json 30m:json 15m:json 5m:json 1m:json other:json",
  "pool-row":
    "id:text chain:text dex_id:text dex_name:text created_at:time created_at_block_number:integer " +
    "volume_usd_24h:double volume_usd_7d:double volume_usd_30d:double liquidity_usd:double " +
    "transactions_24h:integer price_usd:double price_change_percentage_5m:double " +
    "price_change_percentage_1h:double price_change_percentage_6h:double " +
    "price_change_percentage_24h:double fee:double tokens:json other:json",
  "found-token":
    "id:text name:text symbol:text chain:text decimals:integer total_supply:decimal description:text " +
    "website:text explorer:text fdv:double price_usd:double volume_usd:double other:json",
  "found-pool":
    "id:text dex_id:text dex_name:text chain:text created_at_block_number:integer created_at:time " +
    "volume_usd:double transactions:integer price_usd:double last_price_change_usd_5m:double " +
    "last_price_change_usd_1h:double last_price_change_usd_24h:double tokens:json other:json",
  "found-dex":
    "id:text dex_id:text dex_name:text chain:text protocol:text volume_usd_24h:double txns_24h:integer " +
    "pools_count:integer created_at:time other:json",
  candle:
    "time_open:time time_close:time open:double high:double low:double close:double volume:integer " +
    "partial:boolean filled:boolean other:json",
  "candle of many assets":
    "time_open:time time_close:time open:double high:double low:double close:double volume:integer " +
    "chain:text id:text partial:boolean filled:boolean other:json",
  network: "id:text display_name:text volume_usd_24h:double txns_24h:integer pools_count:integer other:json",
  dex:
    "chain:text dex_id:text dex_name:text protocol:text volume_usd_24h:double txns_24h:integer " +
    "pools_count:integer other:json",
  usage: "plan:text credits:json overage:json resets_at:time other:json",
};

test.each(kinds)("the columns of a $name are frozen", ({ name, shape }) => {
  const columns = columnsOf(shape).map(
    (column) => `${column.name}:${column.type}${column.isNumberOrText === true ? "?" : ""}`,
  );
  expect(columns.join(" ")).toBe(frozen[name]);
});

test("no field has the name of the last column", () => {
  for (const { shape } of kinds)
    expect(columnsOf(shape).filter(({ name }) => name === "other")).toHaveLength(1);
});

test("the mark of a file keeps the type of every kind of column", () => {
  const types: readonly CellType[] = ["text", "time", "double", "decimal", "integer", "boolean", "json"];
  const columns = types.map((type) => ({ name: `a ${type}`, type }));
  const names = columns.map(({ name }) => name);
  expect(readMark(writeMark({ columns, groups: [] }), names)).toEqual({ columns, groups: [] });
});

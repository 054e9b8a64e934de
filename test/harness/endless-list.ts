import { json, type Reply, type SeenRequest } from "./scripted-server.ts";

/**
 * Lists of any number of rows, generated on request, each row distinct and as long as the service's, to test a pull of a
 * million rows.
 */
const newest = Date.parse("2026-11-21T08:00:00Z") / 1000;
const rowsPerSecond = 4;

export function endlessList({ path, query }: SeenRequest): Reply {
  const limit = Number(query.get("limit"));
  if (path.endsWith("/transactions")) return transactions(query, limit);
  const kind = path.includes("/tokens/") ? "address" : "id";
  const start = Number(query.get("cursor") ?? 0);
  const rows = Array.from({ length: limit }, (_, index) => searchRow(kind, start + index));
  return json(`{"results":[${rows.join(",")}],"has_next_page":true,"next_cursor":"${start + limit}"}`);
}

/** Returns rows newest first, four per second, each with an ID that identifies it; the list never changes. */
function transactions(query: URLSearchParams, limit: number): Reply {
  const cursor = query.get("cursor");
  if (cursor !== null) {
    const after = Number(cursor) + 1;
    return json(
      `{"transactions":[${rowsFrom(after, limit)}],"page_info":{"limit":${limit},"next_cursor":"${idOf(after + limit - 1)}"}}`,
    );
  }
  const bound = query.get("to");
  const skipped = bound === null ? 0 : Math.max(0, newest - Number(bound)) * rowsPerSecond;
  const total = 100_000_000 - skipped;
  const page = Number(query.get("page"));
  const start = skipped + (page - 1) * limit;
  const info = `{"limit":${limit},"page":${page},"total_items":${total},"total_pages":${Math.ceil(total / limit)}}`;
  return json(`{"transactions":[${rowsFrom(start, limit)}],"page_info":${info}}`);
}

function rowsFrom(start: number, limit: number): string {
  return Array.from({ length: limit }, (_, index) => transactionRow(start + index)).join(",");
}

function idOf(index: number): string {
  return `0x${index.toString(16).padStart(64, "0")}`;
}

const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const tokens = ["0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"];

function transactionRow(index: number): string {
  const time = new Date((newest - Math.floor(index / rowsPerSecond)) * 1000)
    .toISOString()
    .replace(".000Z", "Z");
  return (
    `{"id":"${idOf(index)}","log_index":${index % 400},"transaction_index":${index % 200},` +
    `"pool_id":"${pool}","sender":"${pool}","recipient":"${pool}","token_0":"${tokens[0]}","token_0_symbol":"USDC",` +
    `"token_1":"${tokens[1]}","token_1_symbol":"WETH","amount_0":"-${index}071032264300","amount_1":"4272800710322643001",` +
    `"price_0":0.00037,"price_1":2684.36,"price_0_usd":0.9997,"price_1_usd":2684.36,` +
    `"created_at_block_number":${26_076_150 - Math.floor(index / 48)},"created_at":"${time}"}`
  );
}

function searchRow(kind: "id" | "address", index: number): string {
  return (
    `{"${kind}":"0x${index.toString(16).padStart(40, "0")}","chain":"ethereum","name":"Token ${index}","symbol":"T${index}",` +
    `"price_usd":0.9997,"volume_usd_24h":${1_000_000 - index / 7},"liquidity_usd":11474.29,"txns_24h":${index % 999},` +
    `"created_at":"2026-09-28T13:07:35Z"}`
  );
}

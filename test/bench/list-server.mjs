// list-server.mjs [--pages 2000] [--latency 0]: a long list of tokens, and a pool, on 127.0.0.1, for the
// benchmarks in this directory. Responses are built in advance, so that the client takes most of the time,
// and are sent after --latency milliseconds. Prints its URL; ends when its stdin does.
//
// A page has 100 rows of about 1 kB, each with a unique address, because a client may drop duplicates: the
// page number replaces eight digits of each. Every eighth page contains non-ASCII text, as token lists do.
import http from "node:http";

const option = (name, standard) => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? standard : Number(process.argv[at + 1]);
};
const [pages, latency] = [option("pages", 2000), option("latency", 0)];
const head = { "content-type": "application/json", "x-api-plan": "pro" };
const windows = ["24h", "6h", "1h", "30m", "15m", "5m", "1m"];

/** Numbers without a pattern, the same in each run. */
let state = 20_260;
function random() {
  state = (state * 48_271) % 2_147_483_647;
  return state / 2_147_483_647;
}
const hex = (length) => Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join("");

function token(page, index) {
  const name = page % 8 === 3 && index % 10 === 0 ? "日本円 トークン" : `Token "${hex(4)}"`;
  const change = () => ({
    volume_usd: random() * 1e6,
    buys: Math.floor(random() * 1000),
    sells: Math.floor(random() * 1000),
    txns: Math.floor(random() * 2000),
    last_price_usd_change: random() * 10 - 5,
  });
  return {
    chain: "ethereum",
    address: `0x????????${hex(32)}`,
    name,
    symbol: `T${hex(3)}`,
    price_usd: random() * 4000,
    price_change_percentage_24h: random() * 10 - 5,
    volume_usd_24h: random() * 1e7,
    volume_usd_7d: random() * 1e8,
    liquidity_usd: random() * 1e7,
    fdv_usd: random() * 1e10,
    txns_24h: Math.floor(random() * 9999),
    decimals: 18,
    created_at: "2026-09-28T13:07:35Z",
    has_image: random() < 0.5,
    ...Object.fromEntries(windows.map((window) => [window, change()])),
  };
}

const written = Array.from({ length: 16 }, (_, page) => {
  const rows = Array.from({ length: 100 }, (__, index) => JSON.stringify(token(page, index)));
  const body = Buffer.from(`{"results":[${rows.join(",")}],`);
  const places = [];
  for (let at = body.indexOf("????????"); at !== -1; at = body.indexOf("????????", at + 8)) places.push(at);
  return { body, places };
});

function listPage(page) {
  const { body, places } = written[page % written.length];
  const own = Buffer.from(body);
  const number = page.toString(16).padStart(8, "0");
  for (const place of places) own.write(number, place, "latin1");
  const isLast = page + 1 >= pages;
  const next = isLast ? "" : `c${page + 1}`;
  const query = { chains: ["ethereum"], limit: 100, order_by: "volume_usd_24h", sort: "desc" };
  const tail = JSON.stringify({ has_next_page: !isLast, next_cursor: next, query });
  return Buffer.concat([own, Buffer.from(tail.slice(1))]);
}

const pool = JSON.stringify({
  id: `0x${"1".repeat(40)}`,
  chain: "ethereum",
  factory_id: `0x${hex(40)}`,
  dex_id: "uniswap_v3",
  dex_name: "Uniswap V3",
  created_at_block_number: 12_376_729,
  created_at: "2021-05-05T00:00:00.000Z",
  fee: 0.003,
  tokens: ["USDC", "WETH"].map((symbol) => ({
    id: `0x${hex(40)}`,
    name: symbol,
    symbol,
    chain: "ethereum",
    decimals: 18,
    added_at: "2023-01-01T00:00:00.000Z",
    fdv: random() * 1e9,
  })),
  last_price: random(),
  last_price_usd: random() * 4000,
  price_time: "2026-09-28T13:07:35.000Z",
  last_updated: "2026-09-28T13:07:35.000Z",
  ...Object.fromEntries(
    windows.slice(0, 6).map((window) => [
      window,
      {
        last_price_usd_change: random(),
        volume_usd: random() * 1e7,
        buy_usd: 1,
        sell_usd: 1,
        buys: 1,
        sells: 1,
        txns: 2,
      },
    ]),
  ),
});

const server = http.createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const url = new URL(request.url, "http://127.0.0.1");
  const isList = url.pathname.endsWith("/tokens/search");
  const body = isList ? listPage(Number(url.searchParams.get("cursor")?.slice(1) ?? 0)) : Buffer.from(pool);
  const answer = () => response.writeHead(200, { ...head, "content-length": body.length }).end(body);
  if (latency === 0) answer();
  else setTimeout(answer, latency);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.resume().on("end", () => process.exit());

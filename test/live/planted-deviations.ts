import { at, listAt } from "./service.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

type Change = (answer: Answer, url: URL, turn: number) => Answer;

/** What a service would do whose responses contradict an assumption. */
export interface Deviation {
  /** The beginning of the assumption. */
  readonly assumption: string;
  readonly url?: (url: string) => string;
  readonly answer?: Change;
  /** Applied to the bytes of a stream. */
  readonly stream?: (text: string) => string;
  readonly refusesPost?: true;
}

type Json = Record<string, unknown>;

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null;

function withMembers(json: Json, name: string, members: Json): Json {
  const inside = json[name];
  return { ...json, [name]: { ...(isJson(inside) ? inside : {}), ...members } };
}

/** Changes the parsed body of a successful response to a path. */
const body =
  (path: RegExp, change: (json: Json, url: URL, turn: number) => unknown): Change =>
  (answer, url, turn) => {
    if (answer.status !== 200 || !path.test(url.pathname)) return answer;
    const json: unknown = JSON.parse(answer.body);
    if (!isJson(json)) return answer;
    return { ...answer, body: JSON.stringify(change(json, url, turn) ?? json) };
  };

const rows =
  (name: string, change: (row: Json, index: number, all: readonly Json[]) => Json): ((json: Json) => Json) =>
  (json) => ({ ...json, [name]: listAt(json, name).filter(isJson).map(change) });

const header =
  (name: string, value: string | undefined): Change =>
  (answer) => ({ ...answer, headers: { ...answer.headers, [name]: value } });

const trades = /\/transactions$/u;
const pools = /\/pools\/search$/u;
const pool = /\/pools\/0x[\da-f]+$/u;
const candles = /\/ohlcv$/u;

export const deviations: readonly Deviation[] = [
  {
    assumption: "`total_items` is",
    answer: body(trades, (json) => withMembers(json, "page_info", { total_items: 7 })),
  },
  { assumption: "a list ends at", answer: body(pools, (json) => ({ ...json, next_cursor: "again" })) },
  {
    assumption: "after page 100",
    answer: body(trades, (json, { searchParams }) =>
      searchParams.has("cursor") ? { ...json, transactions: [] } : json,
    ),
  },
  {
    assumption: "transaction `id` and `log_index`",
    answer: body(
      trades,
      rows("transactions", (row, index, all) =>
        index === 1 ? { ...row, id: all[0]?.["id"], log_index: all[0]?.["log_index"] } : row,
      ),
    ),
  },
  {
    assumption: "a page with `has_next_page: true`",
    answer: body(pools, (json, { searchParams }) =>
      searchParams.has("cursor") ? { ...json, results: [] } : json,
    ),
  },
  { assumption: "`chain`, `id` and `pool_id`", answer: body(pool, (json) => ({ ...json, chain: "base" })) },
  {
    assumption: "`from` of transactions is inclusive",
    answer: body(trades, (json, { searchParams }) => {
      const from = Number(searchParams.get("from") ?? 0) * 1000;
      return {
        ...json,
        transactions: listAt(json, "transactions").filter(
          (row) => Date.parse(String(at(row, "created_at"))) > from,
        ),
      };
    }),
  },
  { assumption: "`dexes` may return", answer: body(/\/dexes$/u, () => ({ items: [] })) },
  { assumption: "`limit` above 100", url: (url) => url.replace("limit=101", "limit=100") },
  {
    assumption: "a list of transactions without the newest",
    answer: body(trades, (json, _, turn) =>
      rows("transactions", (row) => (turn > 1 ? { ...row, created_at: "2026-11-01T00:00:00Z" } : row))(json),
    ),
  },
  {
    assumption: "a chain reorganization",
    answer: body(
      trades,
      rows("transactions", (row) => ({ ...row, canonical_chain: false })),
    ),
  },
  { assumption: "the `Date` header", answer: header("date", "Wed, 02 Dec 2026 00:00:00 GMT") },
  { assumption: "responses may come from a cache", answer: header("age", "a while") },
  {
    assumption: "the service lists and counts only transactions of the last 7 days",
    answer: body(trades, (json, { searchParams }) =>
      searchParams.has("to") && !searchParams.has("from") ? { ...json, transactions: [] } : json,
    ),
  },
  {
    assumption: "how far back transactions reach",
    answer: body(trades, (json, { pathname }) =>
      pathname.includes("0xb4e16d") ? { ...json, transactions: [] } : json,
    ),
  },
  {
    assumption: "transaction amounts are",
    answer: body(
      trades,
      rows("transactions", (row) => ({ ...row, amount_0: "1.5" })),
    ),
  },
  {
    assumption: "a pool record has `base_token_id`",
    answer: body(pool, (json) => ({ ...json, base_token_id: undefined })),
  },
  {
    assumption: "transactions name their pool",
    answer: body(
      trades,
      rows("transactions", (row, index) =>
        index === 2 ? { ...row, pool_id: "0x0000000000000000000000000000000000000001" } : row,
      ),
    ),
  },
  {
    assumption: "on EVM networks",
    answer: body(
      pools,
      rows("results", (row) => ({ ...row, id: "0x12" })),
    ),
  },
  {
    assumption: "price changes and fees",
    answer: body(
      pools,
      rows("results", (row) => ({ ...row, fee: "0.3%" })),
    ),
  },
  {
    assumption: "a candle without `volume`",
    answer: body(candles, (json) =>
      listAt(json, "")
        .filter(isJson)
        .map((row) => ({ ...row, volume: "12" })),
    ),
  },
  {
    assumption: "time windows have",
    answer: body(pool, (json) => withMembers(json, "24h", { buys: undefined, buy: undefined })),
  },
  {
    assumption: "`limit` and `count_back`",
    answer: body(candles, (json) => listAt(json, "").filter(isJson).slice(0, 10)),
  },
  {
    assumption: "candles are in ascending",
    answer: body(candles, (json) => listAt(json, "").filter(isJson).toReversed()),
  },
  {
    assumption: "the search filter is called",
    answer: body(/\/tokens\/search$/u, (json) => ({ ...json, query: { network: "ethereum", limit: 3 } })),
  },
  {
    assumption: "`dex_name` expects",
    answer: body(
      pools,
      rows("results", (row) => ({ ...row, dex_id: "curve" })),
    ),
  },
  {
    assumption: "`X-Api-Plan` or `/usage`",
    answer: (answer, url) => ({
      ...answer,
      headers: { ...answer.headers, "x-api-plan": undefined },
      body: url.pathname === "/usage" ? answer.body.replace(/"plan":"\w+",/u, "") : answer.body,
    }),
  },
  { assumption: "a request with 2xx, 400", answer: header("x-credits-remaining", "1000") },
  { assumption: "`X-Credits-Reset` is", answer: header("x-credits-reset", "tomorrow") },
  { assumption: "a POST accepts 25 assets", refusesPost: true },
  { assumption: "a price event has", stream: (text) => text.replaceAll(/"p(?:rice)?":/gu, '"cost":') },
];

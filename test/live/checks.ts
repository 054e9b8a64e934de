import { at, listAt, type Params, type Response, type Service, Unseen } from "./service.ts";

/** How one assumption of docs/assumptions.md shows in responses. */
export interface Check {
  /** The beginning of its line. */
  readonly assumption: string;
  /** Undefined if these responses do not show it. */
  readonly holds: (service: Service) => Promise<boolean | undefined>;
}

const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const otherPool = "0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc";
const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const home = "/networks/ethereum";

const trades = async ({ get }: Service, params: Params, turn?: number): Promise<Response> =>
  await get(`${home}/pools/${pool}/transactions`, params, turn);

const rowsOf = ({ body }: Response): readonly unknown[] => listAt(body, "transactions");
const timeOf = (row: unknown): number => Date.parse(String(at(row, "created_at")));

/** The trades of 20 minutes, which fit on one page. */
async function recent(service: Service): Promise<Response> {
  const [newest] = rowsOf(await trades(service, { limit: 1 }));
  if (newest === undefined) throw new Unseen("no trades");
  const to = Math.floor(timeOf(newest) / 1000);
  return await trades(service, { from: to - 1200, to, limit: 100 });
}

const found = async ({ get }: Service, params: Params): Promise<Response> =>
  await get(`${home}/pools/search`, params);

const candles = async (service: Service): Promise<readonly unknown[]> => {
  const end = new Date(
    Math.floor(timeOf(rowsOf(await trades(service, { limit: 1 }))[0]) / 3_600_000) * 3_600_000,
  );
  const start = new Date(end.getTime() - 20 * 3_600_000);
  const { body } = await service.get(`${home}/pools/${pool}/ohlcv`, {
    start: start.toISOString(),
    interval: "1h",
    limit: 20,
  });
  return listAt(body, "");
};

const every = (rows: readonly unknown[], test: (row: unknown) => boolean): boolean | undefined =>
  rows.length === 0 ? undefined : rows.every(test);

const isNumberOrNull = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === "number";
const left = ({ headers }: Response): number => Number(headers.get("x-credits-remaining"));

export const checks: readonly Check[] = [
  {
    assumption: "`total_items` is the number of all rows",
    holds: async (service) => {
      const response = await recent(service);
      const total = at(response.body, "page_info.total_items");
      return rowsOf(response).length < 100 ? total === rowsOf(response).length : undefined;
    },
  },
  {
    assumption: "a list ends at a missing or empty `next_cursor`",
    holds: async (service) => {
      const { body } = await found(service, { liquidity_usd_min: 20_000_000, limit: 100 });
      return listAt(body, "results").length < 100 ? (at(body, "next_cursor") ?? "") === "" : undefined;
    },
  },
  {
    assumption: "after page 100 of transactions, `cursor` continues the list",
    holds: async (service) => {
      const rows = rowsOf(await recent(service));
      const [first, second] = rows;
      if (second === undefined) return undefined;
      // The range may exclude its end, and the next transaction may have the same time.
      const to = Math.floor(timeOf(first) / 1000) + 1;
      const next = rowsOf(
        await trades(service, { from: to - 1200, to, limit: 1, cursor: String(at(first, "id")) }),
      );
      const after = rows.find((row) => at(row, "id") !== at(first, "id"));
      return next.length > 0 && at(next[0], "id") === at(after, "id");
    },
  },
  {
    assumption: "transaction `id` and `log_index` together identify a row",
    holds: async (service) => {
      const rows = rowsOf(await recent(service));
      const names = rows.map((row) => `${String(at(row, "id"))} ${String(at(row, "log_index"))}`);
      return rows.length === 0
        ? undefined
        : new Set(names).size === new Set(rows.map((row) => JSON.stringify(row))).size;
    },
  },
  {
    assumption: "a page with `has_next_page: true` has a next page with rows",
    holds: async (service) => {
      const { body } = await found(service, { limit: 5 });
      const cursor = at(body, "next_cursor");
      if (at(body, "has_next_page") !== true || typeof cursor !== "string") return undefined;
      return listAt((await found(service, { limit: 5, cursor })).body, "results").length > 0;
    },
  },
  {
    assumption: "`chain`, `id` and `pool_id` of a record or row name the requested asset",
    holds: async ({ get }) => {
      const { body } = await get(`${home}/pools/${pool}`);
      return at(body, "chain") === "ethereum" && String(at(body, "id")).toLowerCase() === pool;
    },
  },
  {
    assumption: "`from` of transactions is inclusive",
    holds: async (service) => {
      const row = rowsOf(await recent(service))[1];
      if (row === undefined) return undefined;
      const time = Math.floor(timeOf(row) / 1000);
      const same = rowsOf(await trades(service, { from: time, to: time + 1, limit: 100 }));
      return same.some((each) => at(each, "id") === at(row, "id"));
    },
  },
  {
    assumption: "`dexes` may return the complete list on every page",
    holds: async ({ get }) => {
      const { body } = await get(`${home}/dexes`, { page: 2, limit: 5 });
      return Array.isArray(at(body, "dexes"));
    },
  },
  {
    assumption: "`limit` above 100 is rejected, not reduced",
    holds: async (service) => (await found(service, { limit: 101 })).status === 400,
  },
  {
    assumption: "a list of transactions without the newest known row",
    holds: async (service) => {
      const [one, other] = [await trades(service, { limit: 1 }), await trades(service, { limit: 1 }, 1)];
      return timeOf(rowsOf(other)[0]) >= timeOf(rowsOf(one)[0]);
    },
  },
  {
    assumption: "a chain reorganization removes rows and adds others",
    holds: async (service) =>
      every(rowsOf(await recent(service)), (row) => at(row, "canonical_chain") !== false),
  },
  {
    assumption: "responses may come from a cache",
    holds: async (service) => {
      const { headers } = await trades(service, { limit: 1 });
      return /^\d+$/u.test(headers.get("age") ?? "0");
    },
  },
  {
    assumption: "the `Date` header shows the service's time",
    holds: async (service) => {
      const response = await trades(service, { limit: 1 });
      const behind = Date.parse(response.headers.get("date") ?? "") - timeOf(rowsOf(response)[0]);
      return behind > -60_000 && behind < 3_600_000;
    },
  },
  {
    assumption: "the service lists and counts only transactions of the last 7 days",
    holds: async (service) => {
      const [newest] = rowsOf(await trades(service, { limit: 1 }));
      const to = Math.floor(timeOf(newest) / 1000) - 167 * 3600;
      return rowsOf(await trades(service, { to, limit: 1 })).length > 0;
    },
  },
  {
    assumption: "how far back transactions reach does not depend on the pool",
    holds: async ({ get }) => {
      const [newest] = rowsOf(await get(`${home}/pools/${pool}/transactions`, { limit: 1 }));
      const to = Math.floor(timeOf(newest) / 1000) - 6 * 86_400;
      const both = await Promise.all(
        [pool, otherPool].map(async (each) =>
          rowsOf(await get(`${home}/pools/${each}/transactions`, { to, limit: 1 })),
        ),
      );
      return both.every((rows) => rows.length > 0) || both.every((rows) => rows.length === 0);
    },
  },
  {
    assumption: "transaction amounts are integers or strings",
    holds: async (service) =>
      every(rowsOf(await recent(service)), (row) =>
        ["amount_0", "amount_1"].every((name) => {
          const amount = at(row, name);
          return typeof amount === "string" ? /^-?\d+$/u.test(amount) : Number.isInteger(amount);
        }),
      ),
  },
  {
    assumption: "a pool record has `base_token_id` and `quote_token_id`",
    holds: async ({ get }) => {
      const { body } = await get(`${home}/pools/${pool}`);
      return typeof at(body, "base_token_id") === "string" && typeof at(body, "quote_token_id") === "string";
    },
  },
  {
    assumption: "transactions name their pool (`pool_id`) and network (`chain`) as requested",
    holds: async (service) =>
      every(rowsOf(await recent(service)), (row) => {
        const [id, chain] = [at(row, "pool_id"), at(row, "chain")];
        return (
          (id === undefined || (typeof id === "string" && id.toLowerCase() === pool)) &&
          (chain === undefined || chain === "ethereum")
        );
      }),
  },
  {
    assumption: "on EVM networks, a token address has 40 hexadecimal digits",
    holds: async (service) =>
      every(listAt((await found(service, { limit: 5 })).body, "results"), (row) =>
        /^0x(?:[\da-f]{40}|[\da-f]{64})$/iu.test(String(at(row, "id"))),
      ),
  },
  {
    assumption: "price changes and fees may be null",
    holds: async (service) =>
      every(listAt((await found(service, { limit: 5 })).body, "results"), (row) =>
        ["fee", "price_change_percentage_24h"].every((name) => isNumberOrNull(at(row, name))),
      ),
  },
  {
    assumption: "a candle without `volume` has a volume of 0",
    holds: async (service) => every(await candles(service), (row) => isNumberOrNull(at(row, "volume"))),
  },
  {
    assumption: "time windows have the fields `buys` and `sells`",
    holds: async ({ get }) => {
      const window = at((await get(`${home}/pools/${pool}`)).body, "24h");
      return ["buys", "buy"].some((name) => typeof at(window, name) === "number");
    },
  },
  {
    assumption: "`limit` and `count_back` may be sent together",
    holds: async (service) => (await candles(service)).length > 10,
  },
  {
    assumption: "candles are in ascending order",
    holds: async (service) => {
      const times = (await candles(service)).map((row) => String(at(row, "time_open")));
      return times.length < 2
        ? undefined
        : times.every((time, index) => index === 0 || time > (times[index - 1] ?? ""));
    },
  },
  {
    assumption: "the search filter is called `fdv_usd_min`",
    holds: async ({ get }) => {
      const { status, body } = await get(`${home}/tokens/search`, { fdv_usd_min: 1_000_000, limit: 3 });
      const echo = at(body, "query");
      return status === 200 && (echo === undefined || Number(at(echo, "fdv_usd_min")) === 1_000_000);
    },
  },
  {
    assumption: "`dex_name` expects the DEX ID",
    holds: async (service) => {
      const { body } = await found(service, { dex_name: "uniswap_v3", limit: 3 });
      const rows = listAt(body, "results");
      return rows.length > 0 && rows.every((row) => at(row, "dex_id") === "uniswap_v3");
    },
  },
  {
    assumption: "`X-Api-Plan` or `/usage` shows the plan",
    holds: async ({ get }) => {
      const { body, headers } = await get("/usage");
      return (headers.get("x-api-plan") ?? at(body, "plan") ?? "") !== "";
    },
  },
  {
    assumption: "a request with 2xx, 400, 404 or 410 costs a credit",
    holds: async ({ get }) => {
      const first = left(await get("/networks", {}, 1));
      const second = left(await get(`${home}/pools/search`, { limit: 101 }, 1));
      const third = left(await get("/networks", {}, 2));
      return [first, second, third].some(Number.isNaN)
        ? undefined
        : first - second === 1 && second - third === 1;
    },
  },
  {
    assumption: "`X-Credits-Reset` is Unix seconds or RFC 3339",
    holds: async (service) => {
      const reset = (await trades(service, { limit: 1 })).headers.get("x-credits-reset");
      return reset === undefined ? undefined : /^\d{10}$/u.test(reset) || /^\d{4}-\d\d-\d\dT/u.test(reset);
    },
  },
  {
    assumption: "a POST accepts 25 assets for prices",
    holds: async ({ get, events }) => {
      const { body } = await get(`${home}/tokens/search`, { limit: 25, order_by: "volume_usd_24h" });
      const assets = listAt(body, "results").map(
        (row) => `ethereum:${String(at(row, "address") ?? at(row, "id"))}`,
      );
      if (assets.length < 25) return undefined;
      const { isAccepted, log } = await events([...assets, "--limit", "1", "--for", "30s"]);
      // Otherwise, the program falls back to one connection per asset.
      return isAccepted && !/^note: connection 2 /mu.test(log);
    },
  },
  {
    assumption: "a price event has `price`, `p`, or both",
    holds: async ({ events }) => {
      const { rows } = await events([`ethereum:${weth}`, "--limit", "1", "--for", "60s"]);
      return every(rows, (event) => (at(event, "price") ?? at(event, "p")) !== undefined);
    },
  },
];

import { describe, expect, test } from "vitest";
import { type EndpointId, endpoints } from "../src/api/endpoints/all.ts";
import { onlyGroup, type Endpoint, type RowShape } from "../src/api/endpoint.ts";
import type { Param, ParamKind } from "../src/api/param.ts";
import type { Field, RecordShape } from "../src/api/record.ts";
import type { Reply } from "../src/api/reply.ts";
import { isTier, plans, tiers } from "../src/api/tier.ts";
import { assetsPerPost } from "../src/api/feed.ts";
import { feeds } from "../src/api/feeds.ts";

/**
 * The specification, entered a second time by hand and compared with src/endpoints: client and sandbox use
 * one contract, so a misspelled name there would match everywhere else. No table below may be derived from
 * src/endpoints. Facts outside the specification are in `wireFacts` (observations of the public service,
 * wire-facts section 4). Numbers in the names of tests come from checklist.md.
 */

// --- The specification's lists of values ---------------------------------------------------------------------

/** Specification, Pool search order_by accepted values (rule 114). */
const POOL_ORDERS =
  "volume_usd_24h volume_usd_7d volume_usd_30d liquidity_usd txns_24h created_at price_usd " +
  "price_change_percentage_48h price_change_percentage_24h price_change_percentage_6h " +
  "price_change_percentage_1h price_change_percentage_5m";

/** Specification, endpoint 3, order_by (rule 90). */
const TOKEN_ORDERS =
  "volume_usd_24h volume_usd_7d volume_usd_30d liquidity_usd txns_24h price_change_percentage_24h created_at fdv_usd";

/** Specification, OHLCV interval values (rule 119). */
const INTERVALS = "1m 5m 10m 15m 30m 1h 6h 12h 24h";

// --- Notation of the tables
// ----------------------------------------------------------------------------------

/**
 * `time` is a string with a date-time. `string or number` is the decision in README.md for differences
 * between specification and practice; a comment contains the specification's own type.
 */
type Word = "string" | "number" | "integer" | "boolean" | "time" | "any" | "string or number";

/** The fields by name; an object is a record, an array with one object a list of records. */
interface Fields {
  readonly [name: string]: Word | Fields | readonly [Fields];
}

interface Rows {
  readonly rules: string;
  readonly specification: Fields;
  readonly wireFacts: Fields;
  /** Fields that every row has. A longer list here would reject rows that were accepted before. */
  readonly always: string;
  readonly identity: string;
}

interface Expected {
  readonly id: EndpointId;
  readonly path: string;
  readonly lowestTier: "keyless" | "dev";
  /** `name place kind`, with `!` after a required name, then the flag or `(no flag)`. */
  readonly params: {
    readonly rules: string;
    readonly specification: readonly string[];
    readonly wireFacts: readonly string[];
  };
  readonly reply: { readonly rules: string; readonly is: Reply };
  readonly rows: { readonly [group: string]: Rows };
}

const POOL_WINDOW: Fields = {
  last_price_usd_change: "number",
  volume_usd: "number",
  sell_usd: "number",
  buy_usd: "number",
  sells: "integer",
  buys: "integer",
  txns: "integer",
};

const SEARCH_WINDOW: Fields = {
  volume_usd: "number",
  buys: "integer",
  sells: "integer",
  txns: "integer",
  last_price_usd_change: "number",
};

const SUMMARY_WINDOW: Fields = {
  volume: "number",
  volume_usd: "number",
  sell: "integer",
  buy: "integer",
  txns: "integer",
};

/** wire-facts 4.7: the public spelling of the counts, and the change. */
const SUMMARY_WINDOW_PUBLIC: Fields = {
  buy_usd: "number",
  sell_usd: "number",
  sells: "integer",
  buys: "integer",
  last_price_usd_change: "number",
};

/** wire-facts 4.4 and 4.5; the specification has no fields of a candle. */
const CANDLE: Rows = {
  rules: "rule 42",
  specification: {},
  wireFacts: {
    time_open: "time",
    time_close: "time",
    open: "number",
    high: "number",
    low: "number",
    close: "number",
    volume: "integer",
  },
  always: "time_open open high low close",
  identity: "time_open",
};

const CANDLE_PARAMS = [
  `interval query choice of ${INTERVALS} --interval`,
  "start! query time --from",
  "end query time --to",
  "count_back query integer from 1 --count-back",
];

const TOKEN_SEARCH_PARAMS = [
  "limit query integer 1 to 100 (no flag)",
  "cursor query text (no flag)",
  `order_by query choice of ${TOKEN_ORDERS} --order-by`,
  "sort query choice of asc desc --sort",
  "detailed query toggle --detailed",
  "volume_usd_24h_min query amount --volume-usd-24h-min",
  "volume_usd_24h_max query amount --volume-usd-24h-max",
  "volume_usd_7d_min query amount --volume-usd-7d-min",
  "volume_usd_7d_max query amount --volume-usd-7d-max",
  "volume_usd_30d_min query amount --volume-usd-30d-min",
  "volume_usd_30d_max query amount --volume-usd-30d-max",
  "liquidity_usd_min query amount --liquidity-usd-min",
  "liquidity_usd_max query amount --liquidity-usd-max",
  // "number" in the specification; a count, and an integer in wire-facts 4.8.
  "txns_24h_min query integer from 0 --txns-24h-min",
  "txns_24h_max query integer from 0 --txns-24h-max",
  "price_usd_min query amount --price-usd-min",
  "price_usd_max query amount --price-usd-max",
  "price_change_percentage_24h_min query amount --price-change-percentage-24h-min",
  "price_change_percentage_24h_max query amount --price-change-percentage-24h-max",
  "fdv_usd_min query amount --fdv-usd-min",
  "fdv_usd_max query amount --fdv-usd-max",
  // "number" in the specification: Unix seconds on the wire, in whatever form the user typed it.
  "created_after query time --created-after",
  "created_before query time --created-before",
];

const TOKEN_SEARCH_ROWS: Rows = {
  rules: "rules 30 to 33",
  specification: {
    chain: "string",
    address: "string",
    name: "string",
    symbol: "string",
    price_usd: "number",
    price_change_percentage_24h: "number",
    volume_usd_24h: "number",
    volume_usd_7d: "number",
    volume_usd_30d: "number",
    liquidity_usd: "number",
    fdv_usd: "number",
    txns_24h: "integer",
    decimals: "integer",
    pools: "integer",
    created_at: "time",
    has_image: "boolean",
    "24h": SEARCH_WINDOW,
    "6h": SEARCH_WINDOW,
    "1h": SEARCH_WINDOW,
    "30m": SEARCH_WINDOW,
    "15m": SEARCH_WINDOW,
    "5m": SEARCH_WINDOW,
    "1m": SEARCH_WINDOW,
  },
  wireFacts: {
    // With detailed=true, "the other token fields" (wire-facts 4.8).
    total_supply: "number",
    description: "string",
    website: "string",
    explorer: "string",
  },
  always: "chain address",
  identity: "chain address",
};

/** Rule 109: each numeric order key has its _min and _max, including 48h. */
const POOL_SEARCH_PARAMS = [
  "limit query integer 1 to 100 (no flag)",
  "cursor query text (no flag)",
  `order_by query choice of ${POOL_ORDERS} --order-by`,
  "sort query choice of asc desc --sort",
  "dex_name query text --dex",
  "volume_usd_24h_min query amount --volume-usd-24h-min",
  "volume_usd_24h_max query amount --volume-usd-24h-max",
  "volume_usd_7d_min query amount --volume-usd-7d-min",
  "volume_usd_7d_max query amount --volume-usd-7d-max",
  "volume_usd_30d_min query amount --volume-usd-30d-min",
  "volume_usd_30d_max query amount --volume-usd-30d-max",
  "liquidity_usd_min query amount --liquidity-usd-min",
  "liquidity_usd_max query amount --liquidity-usd-max",
  "txns_24h_min query integer from 0 --txns-24h-min",
  "txns_24h_max query integer from 0 --txns-24h-max",
  "price_usd_min query amount --price-usd-min",
  "price_usd_max query amount --price-usd-max",
  "price_change_percentage_48h_min query amount --price-change-percentage-48h-min",
  "price_change_percentage_48h_max query amount --price-change-percentage-48h-max",
  "price_change_percentage_24h_min query amount --price-change-percentage-24h-min",
  "price_change_percentage_24h_max query amount --price-change-percentage-24h-max",
  "price_change_percentage_6h_min query amount --price-change-percentage-6h-min",
  "price_change_percentage_6h_max query amount --price-change-percentage-6h-max",
  "price_change_percentage_1h_min query amount --price-change-percentage-1h-min",
  "price_change_percentage_1h_max query amount --price-change-percentage-1h-max",
  "price_change_percentage_5m_min query amount --price-change-percentage-5m-min",
  "price_change_percentage_5m_max query amount --price-change-percentage-5m-max",
];

/** wire-facts 4.8. */
const POOL_SEARCH_PARAMS_PUBLIC = [
  "detailed query toggle --detailed",
  "created_after query time --created-after",
  "created_before query time --created-before",
];

const POOL_SEARCH_ROWS: Rows = {
  rules: "rules 40, 41",
  // "Remaining row fields are not listed here."
  specification: { id: "string", volume_usd_24h: "number", transactions_24h: "integer" },
  wireFacts: {
    chain: "string",
    dex_id: "string",
    dex_name: "string",
    created_at: "time",
    created_at_block_number: "integer",
    volume_usd_7d: "number",
    volume_usd_30d: "number",
    liquidity_usd: "number",
    price_usd: "number",
    price_change_percentage_5m: "number",
    price_change_percentage_1h: "number",
    price_change_percentage_6h: "number",
    price_change_percentage_24h: "number",
    price_change_percentage_48h: "number",
    fee: "number",
    // The windows of a detailed row are inside each of its tokens, not next to them (wire-facts 4.8,
    // rows.json).
    tokens: [
      {
        id: "string",
        chain: "string",
        has_image: "boolean",
        name: "string",
        symbol: "string",
        decimals: "integer",
        total_supply: "number",
        description: "string",
        website: "string",
        explorer: "string",
        added_at: "time",
        fdv: "number",
        "24h": SEARCH_WINDOW,
        "6h": SEARCH_WINDOW,
        "1h": SEARCH_WINDOW,
        "30m": SEARCH_WINDOW,
        "15m": SEARCH_WINDOW,
        "5m": SEARCH_WINDOW,
        "1m": SEARCH_WINDOW,
      },
    ],
  },
  always: "id chain",
  identity: "chain id",
};

// --- The endpoints -------------------------------------------------------------------------------------------

const specified: readonly Expected[] = [
  {
    // Specification, endpoint 1.
    id: "pool_transactions",
    path: "/networks/{network}/pools/{pool_address}/transactions",
    lowestTier: "dev",
    params: {
      rules: "rules 59 to 73",
      specification: [
        "network! path network (no flag)",
        "pool_address! path address (no flag)",
        "page query integer 0 to 1000 (no flag)",
        "limit query integer 1 to 100 (no flag)",
        "cursor query text (no flag)",
        "from query time --from",
        "to query time --to",
      ],
      wireFacts: [],
    },
    reply: {
      rules: "rules 52, 54, 61, 74",
      is: { kind: "numbered-pages", rows: "transactions", maxLimit: 100, handOverAfter: 100 },
    },
    rows: {
      [onlyGroup]: {
        rules: "rules 11 to 17",
        specification: {
          id: "string",
          log_index: "integer",
          transaction_index: "integer",
          pool_id: "string",
          sender: "string",
          recipient: "string or number", // number
          token_0: "string",
          token_0_symbol: "string",
          token_1: "string",
          token_1_symbol: "string",
          amount_0: "string or number", // string
          amount_1: "string or number", // string
          price_0: "number",
          price_1: "number",
          price_0_usd: "number",
          price_1_usd: "number",
          created_at_block_number: "integer",
          created_at: "time",
        },
        wireFacts: {
          factory_id: "string",
          chain: "string",
          volume_0: "number",
          volume_1: "number",
          created_at_block_hash: "string",
          canonical_chain: "boolean",
        },
        always: "id log_index token_0 token_1 amount_0 amount_1 created_at",
        identity: "id log_index",
      },
    },
  },
  {
    // Specification, endpoint 2.
    id: "multi_prices",
    path: "/networks/{network}/multi/prices",
    lowestTier: "keyless",
    params: {
      rules: "rules 78 to 80",
      specification: [
        "network! path network (no flag)",
        "tokens! query list of at most 10, 2000 characters (no flag)",
      ],
      wireFacts: [],
    },
    reply: {
      rules: "rules 79, 80, 82, 83",
      is: { kind: "batch", param: "tokens", max: 10, maxLength: 2000, value: "price_usd" },
    },
    rows: {
      [onlyGroup]: {
        rules: "rule 35",
        specification: { id: "string", chain: "string", price_usd: "number" },
        wireFacts: { last_updated: "time" },
        always: "id chain price_usd",
        identity: "chain id",
      },
    },
  },
  {
    // Specification, endpoint 3.
    id: "network_tokens_search",
    path: "/networks/{network}/tokens/search",
    lowestTier: "keyless",
    params: {
      rules: "rules 89 to 96",
      specification: ["network! path network (no flag)", ...TOKEN_SEARCH_PARAMS],
      wireFacts: [],
    },
    reply: { rules: "rules 48, 54, 98", is: { kind: "cursor-pages", rows: "results", maxLimit: 100 } },
    rows: { [onlyGroup]: TOKEN_SEARCH_ROWS },
  },
  {
    // Specification, Other endpoints: cross-network variant, cursor style.
    id: "tokens_search",
    path: "/tokens/search",
    lowestTier: "keyless",
    params: {
      rules: "rules 89 to 96, 113",
      specification: TOKEN_SEARCH_PARAMS,
      wireFacts: ["chains query list --chains"],
    },
    reply: { rules: "rules 48, 54, 98", is: { kind: "cursor-pages", rows: "results", maxLimit: 100 } },
    rows: { [onlyGroup]: TOKEN_SEARCH_ROWS },
  },
  {
    // Specification, endpoint 4.
    id: "pool",
    path: "/networks/{network}/pools/{pool_address}",
    lowestTier: "keyless",
    params: {
      rules: "rule 100",
      specification: [
        "network! path network (no flag)",
        "pool_address! path address (no flag)",
        "inversed query toggle --inversed",
      ],
      wireFacts: [],
    },
    reply: { rules: "rule 20", is: { kind: "single" } },
    rows: {
      [onlyGroup]: {
        rules: "rules 20 to 24",
        specification: {
          id: "string",
          chain: "string",
          factory_id: "string",
          dex_id: "string",
          dex_name: "string",
          created_at_block_number: "integer",
          fee: "number",
          created_at: "time",
          tokens: [
            {
              id: "string",
              name: "string",
              symbol: "string",
              chain: "string",
              decimals: "integer",
              added_at: "time",
              fdv: "number",
            },
          ],
          last_price: "number",
          last_price_usd: "number",
          price_time: "time",
          last_updated: "time",
          "24h": POOL_WINDOW,
          "6h": POOL_WINDOW,
          "1h": POOL_WINDOW,
          "30m": POOL_WINDOW,
          "15m": POOL_WINDOW,
          "5m": POOL_WINDOW,
        },
        // The first two are the names left open by the specification.
        wireFacts: {
          base_token_id: "string",
          quote_token_id: "string",
          price_stats: "any",
          token_reserves: "any",
        },
        always: "id chain dex_id tokens",
        identity: "chain id",
      },
    },
  },
  {
    // Specification, endpoint 5 and resource Search result; its types are those of wire-facts 4.10.
    id: "search",
    path: "/search",
    lowestTier: "keyless",
    params: { rules: "rule 102", specification: ["query! query text (no flag)"], wireFacts: [] },
    reply: { rules: "rule 36", is: { kind: "groups", groups: ["tokens", "pools", "dexes"] } },
    rows: {
      tokens: {
        rules: "rule 37",
        specification: {
          id: "string",
          name: "string",
          symbol: "string",
          chain: "string",
          decimals: "integer",
          total_supply: "number",
          fdv: "number",
          description: "string",
          website: "string",
          explorer: "string",
        },
        wireFacts: {
          price_usd: "number",
          volume_usd: "number",
          type: "string",
          status: "string",
          liquidity_usd: "number",
          price_usd_change: "number",
        },
        always: "id chain",
        identity: "chain id",
      },
      pools: {
        rules: "rule 38",
        specification: {
          id: "string",
          dex_id: "string",
          dex_name: "string",
          chain: "string",
          created_at_block_number: "integer",
          created_at: "time",
          volume_usd: "number",
          transactions: "integer",
          price_usd: "number",
          last_price_change_usd_5m: "number",
          last_price_change_usd_1h: "number",
          last_price_change_usd_24h: "number",
          tokens: [
            {
              id: "string",
              name: "string",
              symbol: "string",
              chain: "string",
              decimals: "integer",
              total_supply: "number",
              description: "string",
              website: "string",
              explorer: "string",
              added_at: "time",
            },
          ],
        },
        wireFacts: {},
        always: "id chain",
        identity: "chain id",
      },
      dexes: {
        rules: "rule 39",
        specification: {},
        wireFacts: {
          id: "string",
          dex_id: "string",
          dex_name: "string",
          chain: "string",
          protocol: "string",
          volume_usd_24h: "number",
          txns_24h: "integer",
          pools_count: "integer",
          created_at: "time",
        },
        always: "",
        identity: "chain dex_id id",
      },
    },
  },
  {
    id: "networks",
    path: "/networks",
    lowestTier: "keyless",
    params: { rules: "rule 105", specification: [], wireFacts: [] },
    reply: { rules: "rule 105", is: { kind: "list" } },
    rows: {
      [onlyGroup]: {
        rules: "rule 42",
        specification: {},
        wireFacts: {
          id: "string",
          display_name: "string",
          volume_usd_24h: "number",
          txns_24h: "integer",
          pools_count: "integer",
        },
        always: "id",
        identity: "id",
      },
    },
  },
  {
    id: "dexes",
    path: "/networks/{network}/dexes",
    lowestTier: "keyless",
    params: {
      rules: "rules 52 to 54, 106",
      specification: ["network! path network (no flag)", "limit query integer 1 to 100 (no flag)"],
      // The specification has pages, counted from 1; the limits are in wire-facts 4.2.
      wireFacts: [
        "page query integer 0 to 1000 (no flag)",
        "order_by query choice of pool --order-by",
        "sort query choice of asc desc --sort",
      ],
    },
    reply: {
      rules: "rules 52, 54, 106",
      is: { kind: "numbered-pages", rows: "dexes", maxLimit: 100, handOverAfter: undefined },
    },
    rows: {
      [onlyGroup]: {
        rules: "rules 42, 106",
        specification: { dex_id: "string", dex_name: "string" },
        wireFacts: {
          chain: "string",
          protocol: "string",
          volume_usd_24h: "number",
          txns_24h: "integer",
          pools_count: "integer",
        },
        always: "dex_id dex_name",
        identity: "dex_id",
      },
    },
  },
  {
    id: "token",
    path: "/networks/{network}/tokens/{token_address}",
    lowestTier: "keyless",
    params: {
      rules: "rule 107",
      specification: ["network! path network (no flag)", "token_address! path address (no flag)"],
      wireFacts: [],
    },
    reply: { rules: "rule 107", is: { kind: "single" } },
    rows: {
      [onlyGroup]: {
        rules: "rules 26 to 28",
        specification: {
          id: "string",
          name: "string",
          symbol: "string",
          chain: "string",
          decimals: "integer",
          total_supply: "number",
          description: "string",
          website: "string",
          explorer: "string",
          added_at: "time",
          last_updated: "time",
          summary: {
            price_usd: "number",
            fdv: "number",
            liquidity_usd: "number",
            "24h": SUMMARY_WINDOW,
            "6h": SUMMARY_WINDOW,
            "1h": SUMMARY_WINDOW,
            "30m": SUMMARY_WINDOW,
            "15m": SUMMARY_WINDOW,
            "5m": SUMMARY_WINDOW,
          },
        },
        wireFacts: {
          telegram: "string",
          twitter: "string",
          has_image: "boolean",
          fdv: "number",
          price_stats: "any",
          summary: {
            chain: "string",
            id: "string",
            pools: "integer",
            "24h": SUMMARY_WINDOW_PUBLIC,
            "6h": SUMMARY_WINDOW_PUBLIC,
            "1h": SUMMARY_WINDOW_PUBLIC,
            "30m": SUMMARY_WINDOW_PUBLIC,
            "15m": SUMMARY_WINDOW_PUBLIC,
            "5m": SUMMARY_WINDOW_PUBLIC,
            "1m": { ...SUMMARY_WINDOW, ...SUMMARY_WINDOW_PUBLIC },
          },
        },
        always: "id chain",
        identity: "chain id",
      },
    },
  },
  {
    id: "network_pools_search",
    path: "/networks/{network}/pools/search",
    lowestTier: "keyless",
    params: {
      rules: "rules 108 to 110, 112",
      specification: [
        "network! path network (no flag)",
        "token_address query address --token",
        ...POOL_SEARCH_PARAMS,
      ],
      wireFacts: POOL_SEARCH_PARAMS_PUBLIC,
    },
    reply: { rules: "rules 40, 48, 54", is: { kind: "cursor-pages", rows: "results", maxLimit: 100 } },
    rows: { [onlyGroup]: POOL_SEARCH_ROWS },
  },
  {
    // The cross-network path silently ignores token_address (wire-facts 4.8), so it is not available there.
    id: "pools_search",
    path: "/pools/search",
    lowestTier: "keyless",
    params: {
      rules: "rules 108 to 110, 112, 113",
      specification: POOL_SEARCH_PARAMS,
      wireFacts: [...POOL_SEARCH_PARAMS_PUBLIC, "chains query list --chains"],
    },
    reply: { rules: "rules 40, 48, 54", is: { kind: "cursor-pages", rows: "results", maxLimit: 100 } },
    rows: { [onlyGroup]: POOL_SEARCH_ROWS },
  },
  {
    // Specification, "OHLCV endpoint (paid)": that of the token, according to Authentication 7; the path is
    // in wire-facts 4.5.
    id: "token_ohlcv",
    path: "/networks/{network}/tokens/{token_address}/ohlcv",
    lowestTier: "dev",
    params: {
      rules: "rules 116 to 119",
      specification: CANDLE_PARAMS,
      wireFacts: [
        "network! path network (no flag)",
        "token_address! path address (no flag)",
        "limit query integer 1 to 1000 (no flag)",
      ],
    },
    reply: { rules: "rule 120", is: { kind: "candles", maxLimit: 1000 } },
    rows: { [onlyGroup]: CANDLE },
  },
  {
    // wire-facts 4.4: not in the specification by its path; README.md, decision on OHLCV.
    id: "pool_ohlcv",
    path: "/networks/{network}/pools/{pool_address}/ohlcv",
    lowestTier: "keyless",
    params: {
      rules: "rules 117 to 119",
      specification: CANDLE_PARAMS,
      wireFacts: [
        "network! path network (no flag)",
        "pool_address! path address (no flag)",
        "limit query integer 1 to 1000 (no flag)",
        "inversed query toggle --inversed",
      ],
    },
    reply: { rules: "rule 120", is: { kind: "candles", maxLimit: 1000 } },
    rows: { [onlyGroup]: CANDLE },
  },
  {
    id: "usage",
    path: "/usage",
    lowestTier: "keyless",
    params: { rules: "rule 122", specification: [], wireFacts: [] },
    reply: { rules: "rule 122", is: { kind: "single" } },
    rows: {
      [onlyGroup]: {
        rules: "rules 122, 123",
        specification: { plan: "string" },
        // Inferred from the names of the specification's billing body (wire-facts 2.4).
        wireFacts: { credits: "any", overage: "any", resets_at: "time" },
        always: "",
        identity: "",
      },
    },
  },
];

// --- The feeds -----------------------------------------------------------------------------------------------

interface ExpectedFeed {
  readonly path: string;
  readonly plan: "keyless" | "free" | "dev";
  readonly params: string;
  /** The names of events with data. */
  readonly events: string;
  /** The kind of asset and its method, with the fields of the event. */
  readonly kinds: { readonly [byAndMethod: string]: Fields };
}

/**
 * wire-facts 5.5, where raw amounts are integers that do not fit in a double: a string is accepted as well,
 * as in REST.
 */
const TRANSACTION_EVENT: Fields = {
  chain: "string",
  pool_id: "string",
  tx_hash: "string",
  sender: "string",
  recipient: "string",
  token_0: "string",
  token_1: "string",
  block_number: "string",
  block_timestamp: "time",
  amount_0: "string or number",
  amount_1: "string or number",
  amount_0_usd: "number",
  amount_1_usd: "number",
  price_0_usd: "number",
  price_1_usd: "number",
  volume_usd: "number",
};

// --- The comparison ------------------------------------------------------------------------------------------

/** Specification, Streaming, for paths, methods and plans; wire-facts 5.1 for reserves, 5.2 for parameters, 5.5 for events. */
const FEEDS: Readonly<Record<keyof typeof feeds, ExpectedFeed>> = {
  prices: {
    path: "/sse/prices",
    plan: "keyless",
    params: "",
    events: "token_price t_p",
    kinds: {
      "token token_price": {
        address: "string",
        chain: "string",
        // Of the specification, Events 1.
        p: "string",
        price: "string",
        timestamp: "integer",
        timestamp_price: "integer",
        token_price: "integer",
      },
    },
  },
  transactions: {
    path: "/sse/transactions",
    plan: "dev",
    params: "",
    events: "pool token",
    kinds: { "pool pool": TRANSACTION_EVENT, "token token": TRANSACTION_EVENT },
  },
  ohlcv: {
    path: "/sse/ohlcv",
    plan: "dev",
    params: "interval since",
    events: "token_ohlcv",
    kinds: {
      "token token_ohlcv": {
        chain: "string",
        token_id: "string",
        interval: "string",
        timestamp: "integer",
        open: "number",
        high: "number",
        low: "number",
        close: "number",
        avg: "number",
        volume_usd: "number",
        txns: "integer",
      },
    },
  },
  reserves: {
    path: "/sse/reserves",
    plan: "free",
    params: "",
    events: "token_reserves pool_reserves",
    kinds: {
      "token token_reserves": {
        chain: "string",
        token_id: "string",
        reserve: "string",
        delta: "string",
        block: "string",
        price_usd: "number",
        reserve_usd: "number",
        delta_usd: "number",
        updated_at: "integer",
        timestamp: "integer",
      },
      "pool pool_reserves": {
        chain: "string",
        pool_id: "string",
        block: "string",
        previous_block: "string",
        tokens: [
          {
            token_id: "string",
            reserve: "string",
            delta: "string",
            price_usd: "number",
            reserve_usd: "number",
            delta_usd: "number",
          },
        ],
        total_reserve_usd: "number",
        total_delta_usd: "number",
        timestamp: "integer",
        block_timestamp: "integer",
      },
    },
  },
};

test("rules 9, 105 to 108, 113, 116, 122: these are all endpoints", () => {
  expect(endpoints.map(({ id }) => id).toSorted()).toEqual(specified.map(({ id }) => id).toSorted());
});

describe.each(specified)("$id", (expected) => {
  // Each test looks it up, so a missing endpoint fails only its own tests rather than the entire file.
  const contract = (): Endpoint => contractOf(expected.id);

  test(`rules 1, 45, 220: GET ${expected.path}, from ${expected.lowestTier} up`, () => {
    const { method, path, plan } = contract();
    expect([method, path, plan]).toEqual(["GET", expected.path, expected.lowestTier]);
  });

  test(`${expected.params.rules}: accepts exactly these parameters`, () => {
    const { specification, wireFacts } = expected.params;
    expect(contract().params.map(describeParam).toSorted()).toEqual(
      [...specification, ...wireFacts].toSorted(),
    );
  });

  test(`${expected.reply.rules}: responds with ${expected.reply.is.kind}`, () => {
    expect(contract().reply).toEqual(expected.reply.is);
  });

  test("has exactly these kinds of rows", () => {
    expect(Object.keys(contract().rows)).toEqual(Object.keys(expected.rows));
  });

  describe.each(Object.entries(expected.rows))("%s", (group, rows) => {
    test(`${rows.rules}: have exactly these fields`, () => {
      const { record } = shapeOf(contract(), group);
      expect(describeRecord(record)).toEqual(merged(rows.specification, rows.wireFacts));
    });

    test(`${rows.rules}: require only "${rows.always}"`, () => {
      const { record } = shapeOf(contract(), group);
      const required = Object.keys(record).filter((name) => record[name]?.optional === false);
      expect(required.toSorted()).toEqual(words(rows.always).toSorted());
    });

    test(`rules 30, 61, 64: are identified by "${rows.identity}"`, () => {
      expect(shapeOf(contract(), group).identity).toEqual(words(rows.identity));
    });
  });
});

test("rules 57, 116: only transactions of a pool and candles of a token require a paid plan", () => {
  const paid = endpoints.filter(({ plan }) => plans[plan].hosts === "paid").map(({ id }) => id);
  expect(paid.toSorted()).toEqual(["pool_transactions", "token_ohlcv"]);
});

describe("choices", () => {
  const searches = {
    tokens: ["network_tokens_search", "tokens_search"],
    pools: ["network_pools_search", "pools_search"],
  } as const;

  test.each(searches.pools)("rule 114: %s orders by these twelve keys", (id) => {
    expect(choicesOf(id, "order_by").choices).toEqual(words(POOL_ORDERS));
    expect(words(POOL_ORDERS)).toHaveLength(12);
  });

  test.each(searches.pools)(
    "rule 115: %s rejects the old key volume_usd and suggests volume_usd_24h",
    (id) => {
      expect(choicesOf(id, "order_by").refused).toEqual({
        volume_usd: expect.stringContaining("volume_usd_24h"),
      });
    },
  );

  test.each(searches.tokens)("rule 90: %s orders by these eight keys", (id) => {
    expect(choicesOf(id, "order_by").choices).toEqual(words(TOKEN_ORDERS));
    expect(words(TOKEN_ORDERS)).toHaveLength(8);
  });

  test.each(searches.tokens)(
    "rules 91, 92: %s rejects price_usd and the windows of pool search with a reason",
    (id) => {
      const poolsHaveIt = expect.stringMatching(/pools/);
      expect(choicesOf(id, "order_by").refused).toEqual({
        price_usd: expect.stringMatching(/rows/),
        price_change_percentage_48h: poolsHaveIt,
        price_change_percentage_6h: poolsHaveIt,
        price_change_percentage_1h: poolsHaveIt,
        price_change_percentage_5m: poolsHaveIt,
      });
    },
  );

  test.each([...searches.tokens, ...searches.pools])("rule 93: %s sorts asc or desc", (id) => {
    expect(choicesOf(id, "sort")).toEqual({ kind: "choice", choices: ["asc", "desc"] });
  });

  test.each(["token_ohlcv", "pool_ohlcv"] as const)("rule 119: %s accepts these nine intervals", (id) => {
    expect(choicesOf(id, "interval")).toMatchObject({
      kind: "choice",
      choices: ["1m", "5m", "10m", "15m", "30m", "1h", "6h", "12h", "24h"],
    });
  });
});

describe("limits", () => {
  test("rules 54, 62, 63, 218: limit is 1 to 100 for every list with pages, in parameter and reply", () => {
    const paged = specified.filter(({ reply }) => "rows" in reply.is).map(({ id }) => id);
    expect(paged.toSorted()).toEqual([
      "dexes",
      "network_pools_search",
      "network_tokens_search",
      "pool_transactions",
      "pools_search",
      "tokens_search",
    ]);
    for (const id of paged) {
      expect([id, kindOf(id, "limit")]).toEqual([id, { kind: "integer", min: 1, max: 100 }]);
      expect([id, contractOf(id).reply]).toEqual([id, expect.objectContaining({ maxLimit: 100 })]);
    }
  });

  test("rules 60, 61, 218: page of transactions is 0 to 1000, and cursors follow page 100", () => {
    expect(kindOf("pool_transactions", "page")).toEqual({ kind: "integer", min: 0, max: 1000 });
    expect(contractOf("pool_transactions").reply).toMatchObject({ handOverAfter: 100 });
  });

  test("rules 79, 80, 218: a price batch accepts 10 addresses and 2,000 characters, in parameter and reply", () => {
    expect(kindOf("multi_prices", "tokens")).toEqual({ kind: "list", max: 10, maxLength: 2000, of: "token" });
    expect(contractOf("multi_prices").reply).toMatchObject({ param: "tokens", max: 10, maxLength: 2000 });
  });

  test("rules 125, 218: 25 assets per POST /sse/prices, and no other feed always accepts a POST", () => {
    expect(assetsPerPost).toBe(25);
    const sure = Object.values(feeds).filter(({ batches }) => batches === "always");
    expect(sure.map(({ path }) => path)).toEqual(["/sse/prices"]);
  });

  test("rules 124 to 127, 154: the feeds, their methods and their plans", () => {
    const said = Object.values(feeds).map(({ name, path, kinds, plan }) => [
      name,
      path,
      kinds.map(({ by, method }) => `${by} ${method}`),
      plan,
    ]);
    expect(said).toEqual(
      Object.entries(FEEDS).map(([name, { path, kinds, plan }]) => [name, path, Object.keys(kinds), plan]),
    );
  });

  test.each(Object.values(feeds))("the parameters and events of the feed $name", ({ name, ...feed }) => {
    const { params, kinds, events } = FEEDS[name];
    expect(feed.params.join(" ")).toBe(params);
    expect([...feed.events].join(" ")).toBe(events);
    expect(feed.kinds.map(({ event }) => describeRecord(event.record))).toEqual(Object.values(kinds));
  });
});

describe("absent names", () => {
  const searches = specified.filter(({ reply }) => reply.is.kind === "cursor-pages").map(({ id }) => id);

  test("rule 48: only the four searches use cursors", () => {
    expect(searches.toSorted()).toEqual([
      "network_pools_search",
      "network_tokens_search",
      "pools_search",
      "tokens_search",
    ]);
  });

  test.each(searches)("rules 50, 51, 143: %s has no page, sort_by, sort_dir or volume_24h_min", (id) => {
    const names = contractOf(id).params.map(({ name }) => name);
    for (const old of [
      "page",
      "sort_by",
      "sort_dir",
      "volume_24h_min",
      "volume_24h_max",
      "order",
      "fdv_min",
    ]) {
      expect(names).not.toContain(old);
    }
  });

  test("rule 41: a pool search row has no volume_usd and no txns_24h", () => {
    for (const id of ["network_pools_search", "pools_search"] as const) {
      const shape = shapeOf(contractOf(id), onlyGroup);
      const columns = shape.columns.flatMap(({ field }) => field);
      for (const name of ["volume_usd", "txns_24h"]) {
        expect([...Object.keys(shape.record), ...columns]).not.toContain(name);
      }
    }
  });

  test("rule 30: a token search row has no id", () => {
    for (const id of ["network_tokens_search", "tokens_search"] as const) {
      expect(Object.keys(shapeOf(contractOf(id), onlyGroup).record)).not.toContain("id");
    }
  });

  test("rules 134 to 141, 221: there are no removed paths", () => {
    const removed = [
      "/pools",
      "/networks/{}/pools",
      "/networks/{}/pools/filter",
      "/networks/{}/dexes/{}/pools",
      "/networks/{}/tokens/{}/pools",
      "/networks/{}/tokens/filter",
      "/networks/{}/tokens/top",
      "/stream",
    ];
    const paths = endpoints.map(({ path }) => path.replaceAll(/\{\w+\}/g, "{}"));
    expect(paths.filter((path) => removed.includes(path))).toEqual([]);
  });

  test("rules 112, 113: only one-network searches have token_address, only cross-network searches have chains", () => {
    expect(endpointsAsking("token_address")).toEqual(["network_pools_search"]);
    expect(endpointsAsking("chains")).toEqual(["pools_search", "tokens_search"]);
  });
});

describe("observed null or absent values are accepted", () => {
  /** wire-facts 4.3, 4.8 to 4.10 and section 8, "null price changes, fee"; rule 19 for the USD prices. */
  const nullable: readonly [string, EndpointId, string, string][] = [
    ["rule 19", "pool_transactions", onlyGroup, "price_0_usd price_1_usd"],
    ["rule 22", "pool", onlyGroup, "fee 24h.last_price_usd_change 5m.last_price_usd_change"],
    ["rule 31", "network_tokens_search", onlyGroup, "price_change_percentage_24h 24h.last_price_usd_change"],
    [
      "rule 42",
      "network_pools_search",
      onlyGroup,
      "fee price_change_percentage_5m price_change_percentage_1h price_change_percentage_6h " +
        "price_change_percentage_24h tokens.24h.buys tokens.24h.sells tokens.24h.last_price_usd_change",
    ],
    [
      "rule 38",
      "search",
      "pools",
      "last_price_change_usd_5m last_price_change_usd_1h last_price_change_usd_24h",
    ],
  ];

  test.each(nullable)("%s: %s, %s: null at %s", (_rule, id, group, paths) => {
    const { record } = shapeOf(contractOf(id), group);
    for (const path of words(paths)) {
      const field = fieldAt(record, path);
      expect([path, field?.nullable, field?.optional]).toEqual([path, true, true]);
    }
  });

  /**
   * wire-facts, the fields marked `?` or "detailed only", and those in the specification alone or in the
   * public form alone.
   */
  const absent: readonly [string, EndpointId, string, string][] = [
    ["rule 42", "networks", onlyGroup, "display_name volume_usd_24h txns_24h pools_count"],
    ["rule 42", "token_ohlcv", onlyGroup, "volume"],
    [
      "rules 24, 25",
      "pool",
      onlyGroup,
      "base_token_id quote_token_id last_updated 24h price_stats token_reserves",
    ],
    [
      "rule 28",
      "token",
      onlyGroup,
      "summary summary.24h.sell summary.24h.sells summary.24h.buy summary.24h.buys fdv",
    ],
    ["rule 34", "network_tokens_search", onlyGroup, "name symbol decimals pools has_image 24h 1m"],
    [
      "rule 34",
      "network_pools_search",
      onlyGroup,
      "tokens tokens.name tokens.symbol tokens.24h dex_id dex_name",
    ],
    ["rule 35", "multi_prices", onlyGroup, "last_updated"],
  ];

  test.each(absent)("%s: %s, %s: without %s", (_rule, id, group, paths) => {
    const { record } = shapeOf(contractOf(id), group);
    for (const path of words(paths)) {
      expect([path, fieldAt(record, path)?.optional]).toEqual([path, true]);
    }
  });
});

describe("tiers", () => {
  test("rule 8: there are five tiers, in ascending order", () => {
    expect(tiers).toEqual(["keyless", "free", "dev", "pro", "enterprise"]);
    expect(Object.keys(plans)).toEqual(["keyless", "free", "dev", "pro", "enterprise"]);
    for (const [tier, plan] of Object.entries(plans)) expect(plan.tier).toBe(tier);
  });

  test("rule 8: other words are not tiers", () => {
    expect(["keyless", "free", "dev", "pro", "enterprise"].every(isTier)).toBe(true);
    expect(["", "Pro", "paid", "basic", "preview", "toString"].some(isTier)).toBe(false);
  });

  test("rules 44, 156: keyless and free use the free hosts, the others the paid ones", () => {
    expect(Object.values(plans).map(({ tier, hosts }) => `${tier}: ${hosts}`)).toEqual([
      "keyless: free",
      "free: free",
      "dev: paid",
      "pro: paid",
      "enterprise: paid",
    ]);
  });

  // 500 is the newer of the specification's two figures for pro; 120 for dev is in wire-facts 2.2.
  test("rules 202 to 205: requests per minute are 15, 30, 120, 500, and undefined for enterprise", () => {
    expect(Object.values(plans).map(({ requestsPerMinute }) => requestsPerMinute)).toEqual([
      15,
      30,
      120,
      500,
      undefined,
    ]);
  });
});

describe.each(endpoints)("$id is consistent:", (contract) => {
  test("rule 59: the placeholders in the path are its path parameters, in this order, all required", () => {
    const placeholders = [...contract.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const inPath = contract.params.filter(({ place }) => place === "path");
    expect(inPath.map(({ name }) => name)).toEqual(placeholders);
    expect(inPath.every(({ required }) => required)).toBe(true);
  });

  test("names and flags are unique", () => {
    const names = contract.params.map(({ name }) => name);
    const flags = contract.params.flatMap(({ flag }) => flag ?? []);
    expect(names).toEqual([...new Set(names)]);
    expect(flags).toEqual([...new Set(flags)]);
  });

  test("each column of a table has a different priority", () => {
    for (const { rows } of endpoints) {
      for (const { columns, added } of Object.values(rows)) {
        const priorities = [...columns, ...(added?.columns ?? [])].map(({ priority }) => priority);
        expect(new Set(priorities).size).toBe(priorities.length);
      }
    }
  });

  test("identity and columns refer to fields of the record", () => {
    for (const shape of Object.values(contract.rows)) {
      const paths = [...shape.identity, ...shape.columns.flatMap(({ field }) => field)];
      // Only the service knows the content of a field of any shape.
      const unknown = paths.filter((path) => {
        const first = shape.record[path.split(".")[0] ?? ""];
        return (
          first?.type.kind !== "any" && fieldAt(shape.record, path.replaceAll(/\.\d+\./g, ".")) === undefined
        );
      });
      expect(unknown).toEqual([]);
    }
  });

  test("examples use this command", () => {
    expect(contract.examples.length).toBeGreaterThan(0);
    for (const example of contract.examples) expect(example).toContain(`dexdata ${contract.command}`);
  });
});

// --- The contract in the notation of the tables
// --------------------------------------------------------------

function contractOf(id: EndpointId): Endpoint {
  const found = endpoints.filter((endpoint) => endpoint.id === id);
  const [contract] = found;
  if (contract === undefined || found.length > 1)
    throw new Error(`${found.length} endpoints are called ${id}`);
  return contract;
}

function shapeOf(contract: Endpoint, group: string): RowShape {
  const shape = contract.rows[group];
  if (shape === undefined) throw new Error(`${contract.id} has no rows called ${group}`);
  return shape;
}

function kindOf(id: EndpointId, name: string): ParamKind {
  const param = contractOf(id).params.find((candidate) => candidate.name === name);
  if (param === undefined) throw new Error(`${id} has no parameter ${name}`);
  return param.kind;
}

function choicesOf(id: EndpointId, name: string): Extract<ParamKind, { kind: "choice" }> {
  const kind = kindOf(id, name);
  if (kind.kind !== "choice") throw new Error(`${name} of ${id} is no choice`);
  return kind;
}

/** The endpoints with this query parameter. */
function endpointsAsking(name: string): string[] {
  const asking = endpoints.filter(({ params }) =>
    params.some((param) => param.name === name && param.place === "query"),
  );
  return asking.map(({ id }) => id).toSorted();
}

function describeParam(param: Param): string {
  const flag = param.flag === undefined ? "(no flag)" : `--${param.flag}`;
  return `${param.name}${param.required ? "!" : ""} ${param.place} ${describeKind(param.kind)} ${flag}`;
}

function describeKind(kind: ParamKind): string {
  if (kind.kind === "integer") {
    return kind.max === undefined ? `integer from ${kind.min}` : `integer ${kind.min} to ${kind.max}`;
  }
  if (kind.kind === "choice") return `choice of ${kind.choices.join(" ")}`;
  if (kind.kind === "list" && (kind.max !== undefined || kind.maxLength !== undefined)) {
    return `list of at most ${kind.max}, ${kind.maxLength} characters`;
  }
  return kind.kind;
}

function describeRecord(record: RecordShape): Fields {
  return Object.fromEntries(Object.entries(record).map(([name, field]) => [name, describeField(field)]));
}

function describeField({ type, reads }: Field): Word | Fields | readonly [Fields] {
  if (type.kind === "record") return describeRecord(type.record);
  if (type.kind === "list") return [describeRecord(type.record)];
  if (type.kind === "number-or-text") return "string or number";
  if (type.kind === "text") return reads === "time" ? "time" : "string";
  return type.kind;
}

/** The field at a path such as `tokens.24h.buys`; a list is replaced by its element. */
function fieldAt(record: RecordShape, path: string): Field | undefined {
  const [first = "", ...rest] = path.split(".");
  const field = Object.hasOwn(record, first) ? record[first] : undefined;
  if (field === undefined || rest.length === 0) return field;
  return "record" in field.type ? fieldAt(field.type.record, rest.join(".")) : undefined;
}

/** Both tables combined. A field in both must be a record in both. */
function merged(specification: Fields, wireFacts: Fields): Fields {
  const together = new Map(Object.entries(specification));
  for (const [name, added] of Object.entries(wireFacts)) {
    const known = together.get(name);
    if (known === undefined) together.set(name, added);
    else if (isFields(known) && isFields(added)) together.set(name, merged(known, added));
    else throw new Error(`${name} is typed by the specification: wire-facts have no say`);
  }
  return Object.fromEntries(together);
}

function isFields(typed: Word | Fields | readonly [Fields]): typed is Fields {
  return typeof typed === "object" && !Array.isArray(typed);
}

function words(text: string): string[] {
  return text.split(" ").filter((word) => word !== "");
}

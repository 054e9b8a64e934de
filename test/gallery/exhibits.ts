import { topicNames } from "../../src/cli/program/help/overview.ts";
import { type View, inPipe, inWindow, windows } from "./views.ts";

/** One command in one form, written to `screens/<name>.txt` as a user sees it. */
export interface Exhibit {
  /** Command and form: `pools-search.table`. */
  readonly name: string;
  /** Arguments after `dexdata`; several commands may share a file. */
  readonly commands: readonly string[];
  readonly views: readonly View[];
  /** The lines typed at prompts. */
  readonly typed?: readonly string[];
}

const pool = "ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const weth = "ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const missing = "ethereum 0x0000000000000000000000000000000000000001";

/** At every width, with color, and in a pipe. */
const everywhere: readonly View[] = [...windows, inPipe("table")];

const table = (name: string, ...commands: readonly string[]): Exhibit => ({
  name: `${name}.table`,
  commands,
  views: everywhere,
});

const record = (name: string, ...commands: readonly string[]): Exhibit => ({
  name: `${name}.record`,
  commands,
  views: everywhere,
});

/** All columns, even beyond the width of the terminal; and selected columns. */
const chosen: Exhibit = {
  name: "columns.table",
  commands: [
    "pools search ethereum --limit 3 --columns token-0,token-1,24h,pool",
    `pool ${pool} --columns pool,token-0-usd`,
  ],
  views: [inWindow(40), inWindow(80), inWindow(40, { flags: ["-o", "wide"] })],
};

const wide: Exhibit = {
  name: "pools-search.wide",
  commands: ["pools search ethereum --limit 3", `pool ${pool}`],
  views: [inWindow(80, { flags: ["-o", "wide"] })],
};

const separated: Exhibit = {
  name: "separated",
  commands: [
    "pools search ethereum --limit 3",
    "pools search ethereum --limit 2 --columns token-0,price-usd,dex",
    `pool ${pool}`,
    `txns ${pool} --limit 3 --fields id,amount_0,amount_1`,
    `ohlcv ${weth} --interval 15m --count-back 3`,
    "prices ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 0x0000000000000000000000000000000000000001 --missing null",
    "search moofogo",
    "networks --limit 2 --no-header",
  ],
  views: [inPipe("csv"), inPipe("tsv")],
};

const fields: Exhibit = {
  name: "fields",
  commands: ["txns --fields ?", "pools search ethereum --limit 2 --fields id,depth,fee"],
  views: [inWindow(80), inPipe("ndjson")],
};

/** Screens after a mistake, or without results. */
const refusals: Exhibit = {
  name: "refusals",
  commands: [
    "pools search ethereum --liquidity-usd-min 900b",
    `pool ${missing}`,
    `token ${missing}`,
    "pools search etherium",
    "pool search ethereum",
    "txns ethereum",
    "pools search ethereum --limit ten",
    "pools search ethereum --from-scratch",
    "pools search ethereum --columns prise",
    "prices ethereum 0x0000000000000000000000000000000000000001",
  ],
  views: [inWindow(80)],
};

/** With an ASCII-only locale. */
const ascii: Exhibit = {
  name: "ascii",
  commands: ["pools search ethereum --limit 3", `pool ${pool}`],
  views: [inWindow(80, { env: { LANG: "C" } })],
};

/** Shown in the README: `docs/pictures/<name>.svg`, part of the package. */
export interface Picture {
  readonly name: string;
  readonly command: string;
  readonly columns: number;
}

export const pictures: readonly Picture[] = [
  { name: "pools-search", command: "pools search ethereum --limit 5", columns: 110 },
  {
    name: "chart",
    command: `ohlcv ${pool} --pool --inversed --interval 1h --count-back 11 --chart`,
    columns: 80,
  },
];

const usdc = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";

/** The first screens of a new user at 80 columns, in dark and light colors: `pictures/<name>.<palette>.svg`. */
export const firstScreens: readonly Omit<Picture, "columns">[] = [
  { name: "80-pools-search", command: "pools search ethereum" },
  { name: "80-tokens-search", command: "tokens search ethereum" },
  { name: "80-txns", command: `txns ${pool}` },
  { name: "80-prices", command: `prices ${weth} ${usdc}` },
  { name: "80-search", command: "search uni" },
  { name: "80-ohlcv", command: `ohlcv ${weth} --count-back 12` },
  { name: "80-ohlcv-pool", command: `ohlcv ${pool} --pool --count-back 12` },
  { name: "80-token", command: `token ${weth}` },
  { name: "80-pool", command: `pool ${pool}` },
];

const page = (name: string, views: readonly View[], ...commands: readonly string[]): Exhibit => ({
  name: `help.${name}`,
  commands,
  views,
});

const narrow = [inWindow(80)];

/** Every page at 80 columns; the overview and one command also in a narrower and a wider terminal. */
const help: readonly Exhibit[] = [
  page("overview", [inWindow(60), inWindow(80, { isColored: true }), inWindow(120)], "help"),
  page("txns", [inWindow(60), inWindow(80, { isColored: true }), inWindow(120)], "txns -h"),
  page(
    "brief",
    narrow,
    "pools search -h",
    "stream -h",
    "prices -h",
    "sandbox -h",
    "auth -h",
    "config set -h",
    "name -h",
    "name add -h",
  ),
  page("full", narrow, "pools search --help", "sandbox --help"),
  page(
    "topics",
    narrow,
    // The directories in the environment topic depend on the machine.
    ...topicNames.filter((name) => name !== "environment").map((name) => `help ${name}`),
  ),
  page(
    "learn",
    narrow,
    "explain plan_required",
    "explain 404",
    "explain 8",
    "explain /networks/ethereum/pools?sort_by=volume_usd&page=3",
    "commands pools",
  ),
  page(
    "unknown-words",
    narrow,
    "pol",
    "ethereum",
    "candle ethereum 0x1",
    "pools search --volume-min 5",
    "txns base 0x1 --interval 1h",
    "help exit-code",
    "explain plan_requierd",
  ),
];

export const exhibits: readonly Exhibit[] = [
  table("pools-search", "pools search ethereum --limit 5"),
  table("pools-search-everywhere", "pools search --chains ethereum,solana,sui --limit 6"),
  table("tokens-search", "tokens search ethereum --limit 5"),
  table("tokens-search-everywhere", "tokens search --chains ethereum,solana,sui --limit 6"),
  table("search", "search ondo"),
  table("txns", `txns ${pool} --limit 5`),
  table(
    "prices",
    "prices ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 solana:So11111111111111111111111111111111111111112",
  ),
  table("ohlcv", `ohlcv ${weth} --interval 15m --count-back 6`),
  {
    name: "ohlcv.chart",
    commands: [
      `ohlcv ${weth} --interval 15m --count-back 40 --chart`,
      `ohlcv ${weth} --from -10d --chart`,
      `ohlcv ${pool} --pool --inversed --from -36h --chart`,
    ],
    views: [...windows, inWindow(80, { env: { LANG: "C" } }), inWindow(20)],
  },
  table(
    "prices-at",
    `prices ${weth} 0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48 --at 2026-11-20T12:00Z --in ethereum:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48`,
    `prices ${pool} --pool --at 2026-11-20`,
    `prices ${weth} ${missing.split(" ")[1]} --at -2h`,
    `prices ${weth} --at -2h --estimate`,
  ),
  {
    name: "searches.spark",
    commands: ["tokens search ethereum --limit 5 --spark", "pools search ethereum --limit 5 --spark"],
    views: [inWindow(40), inWindow(80, { isColored: true }), inWindow(80, { env: { LANG: "C" } })],
  },
  {
    name: "unknown-name",
    commands: ["prices weth", "pool ethereum ondo"],
    typed: ["2"],
    views: [inWindow(60), inWindow(80, { isColored: true }), inWindow(120), inPipe("ndjson")],
  },
  table("networks", "networks --limit 6"),
  table("dexes", "dexes ethereum --limit 6"),
  table(
    "pool",
    "pool ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 0xc7bbec68d12a0d1830360f8ec58fa599ba1b0e9b",
  ),
  table(
    "token",
    "token ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 solana:So11111111111111111111111111111111111111112",
  ),
  record("pool", `pool ${pool}`),
  record("token", `token ${weth}`),
  record("usage", "usage --sandbox"),
  ascii,
  chosen,
  wide,
  separated,
  fields,
  refusals,
  ...help,
];

import type { RecordedRun, Step } from "../../harness/recorded-run.ts";

const own = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const quiet = "0x549c52b279abf9e24c5401f351ba24ed3e07c3d8";
const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const usdc = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
/** One request at a time, so that faults strike the same response in each run. */
const flags = "--rpm unlimited --parallel 1 -o ndjson";
const swaps = `txns ethereum ${own} --from -70m --all --page-size 20 ${flags}`;
const receipt = "--receipt {dir}/pull.receipt.json";
const both = ["spec", "public"] as const;

const lists: readonly (readonly [title: string, words: string])[] = [
  ["pools search", `pools search fantom --all --page-size 50 ${flags} ${receipt}`],
  ["tokens search", `tokens search --chains fantom,tempo --limit 30 --page-size 12 ${flags} ${receipt}`],
  ["dexes", `dexes ethereum --all --page-size 10 ${flags} ${receipt}`],
  ["txns", `txns ethereum ${own} --from -100m --all --page-size 50 ${flags} ${receipt}`],
  ["networks", `networks ${flags}`],
  ["search", `search weth ${flags}`],
  ["ohlcv of a pool", `ohlcv ethereum ${own} --pool --from -6h --interval 1h ${flags} ${receipt}`],
  ["ohlcv of a token", `ohlcv ethereum ${weth} --from -20h --interval 1m ${flags} ${receipt}`],
  [
    "prices",
    `prices ethereum ${weth} ${usdc} 0x00000000000000000000000000000000000000aa ${flags} ${receipt}`,
  ],
  ["pool", `pool ethereum ${own} ${flags}`],
  ["token", `token ethereum ${weth} ${flags}`],
  ["api of one page", `api /networks/ethereum/pools/${own}/transactions -f limit=3`],
  ["api of all pages", `api /networks/fantom/tokens/search --paginate -f limit=40 ${flags} ${receipt}`],
  ["sync", `sync {dir}/lake ethereum:${quiet} --kind transactions,ohlcv --from 2026-11-20 ${flags}`],
];

const others: readonly RecordedRun[] = [
  { title: "usage", steps: [`usage ${flags}`] },
  { title: "limit within a page", steps: [`txns ethereum ${own} --limit 7 ${flags} ${receipt}`] },
  { title: "limit over two pages", steps: [`txns ethereum ${own} --limit 30 --page-size 20 ${flags}`] },
  { title: "more rows", steps: [`pools search ethereum --limit 3 --rpm unlimited -o table`] },
  { title: "a page from a number", steps: [`txns ethereum ${own} --page 3 --limit 5 ${flags}`] },
  { title: "a table", steps: [`txns ethereum ${own} --limit 3 --rpm unlimited -o table`] },
  { title: "wide", steps: [`dexes ethereum --limit 3 --rpm unlimited -o wide`] },
  { title: "csv", steps: [`pools search ethereum --limit 3 --rpm unlimited -o csv`] },
  { title: "tsv with fields", steps: [`tokens search ethereum --limit 3 --fields chain,address -o tsv`] },
  { title: "json", steps: [`dexes ethereum --limit 2 --rpm unlimited -o json`] },
  { title: "prefix", steps: [`txns ethereum ${own} --limit 3 --prefix pool_id -o ndjson`] },
  { title: "validate and stats", steps: [`txns ethereum ${own} --limit 30 --validate --stats ${flags}`] },
  { title: "estimate", steps: [`txns ethereum ${own} --from -1d --all --estimate --rpm unlimited`] },
  { title: "out", steps: [`${swaps} --out {dir}/swaps.ndjson ${receipt}`, "verify {dir}/swaps.ndjson"] },
  { title: "out of csv, compressed", steps: [`${swaps.replace("ndjson", "csv")} --out {dir}/swaps.csv.gz`] },
  {
    title: "out of parquet",
    steps: [`${swaps.replace("ndjson", "parquet")} --out {dir}/swaps.parquet`, "verify {dir}/swaps.parquet"],
  },
  {
    title: "out divided by date",
    steps: [`txns ethereum ${quiet} --from -30h --all ${flags} --out {dir}/{date}.ndjson ${receipt}`],
  },
  {
    title: "several assets",
    steps: [
      {
        words: `txns - --limit 20 ${flags} ${receipt}`,
        stdin: `ethereum:${own}\nethereum:${quiet}\n`,
      },
    ],
  },
  {
    title: "resume after an outage",
    steps: [
      { words: `${swaps} --out {dir}/swaps.ndjson --resume --retries 0 ${receipt}`, faults: "503@6-" },
      `${swaps} --out {dir}/swaps.ndjson --resume ${receipt}`,
      `${swaps} --out {dir}/swaps.ndjson --resume ${receipt}`,
    ],
  },
  {
    title: "sync again",
    steps: [
      `sync {dir}/lake ethereum:${quiet} --from 2026-11-20 ${flags}`,
      `sync {dir}/lake ${flags}`,
      "verify {dir}/lake",
    ],
  },
  { title: "watch", steps: [{ words: `prices ethereum ${weth} --watch 5s ${flags}`, until: 3 }] },
  {
    title: "follow",
    steps: [{ words: `txns ethereum ${own} --follow --poll 10s --from -5m ${flags}`, until: 4 }],
  },
  {
    title: "follow into a file",
    steps: [
      {
        words: `txns ethereum ${own} --follow --poll 10s --from -5m ${flags} --out {dir}/swaps.ndjson`,
        until: 4,
      },
    ],
  },
];

const errors: readonly RecordedRun[] = [
  { title: "an unknown flag", steps: ["txns ethereum 0x1 --al"] },
  { title: "an unknown network", steps: [`dexes etherium ${flags}`] },
  { title: "an unknown pool", steps: ["pool ethereum 0x00000000000000000000000000000000000000aa -o ndjson"] },
  { title: "a plan that is too small", steps: [{ words: `${swaps} ${receipt}`, tier: "free" }] },
  { title: "a credit limit", steps: [`${swaps} --max-credits 3 ${receipt}`] },
  { title: "429, then rows", steps: [{ words: `${swaps} --stats ${receipt}`, faults: "429=1@3" }] },
  { title: "500 twice", steps: [{ words: `${swaps} ${receipt}`, faults: "500@4-5" }] },
  { title: "500 forever", steps: [{ words: `${swaps} ${receipt}`, faults: "500@4-" }] },
  { title: "one 503 in a list", steps: [{ words: `${swaps} ${receipt}`, faults: "503@5" }] },
  { title: "one 503 for a pool", steps: [{ words: `pool ethereum ${own} -o ndjson`, faults: "503@1" }] },
  { title: "a page of HTML", steps: [{ words: `pool ethereum ${own} -o ndjson`, faults: "html" }] },
  { title: "half a body", steps: [{ words: `${swaps} ${receipt}`, faults: "truncate@3" }] },
  { title: "invalid JSON", steps: [{ words: `${swaps} ${receipt}`, faults: "invalid-json@3" }] },
  {
    title: "no service",
    steps: [{ words: `networks --retries 1 -o ndjson`, env: { DEXDATA_PRO_BASE_URL: "http://127.0.0.1:9" } }],
  },
];

export const typicalRuns: readonly RecordedRun[] = [
  ...both.flatMap((dialect) =>
    lists.map(([title, words]) => ({ title: `${title}, ${dialect}`, dialect, steps: [words] })),
  ),
  ...others,
  ...errors,
];

const pages = `pools search fantom --all --page-size 30 ${flags} ${receipt}`;
const exchanges = `dexes ethereum --all --page-size 4 ${flags} ${receipt}`;
const candles = `ohlcv ethereum ${weth} --from -2d --interval 1m ${flags} ${receipt}`;
const batches = `prices ethereum ${weth} ${usdc} ${flags} ${receipt}`;

const faulty = (words: string, ...all: readonly string[]): readonly Step[] =>
  all.map((faults) => ({ words, faults }));
const struck = (
  words: string,
  kind: NonNullable<Step["strike"]>["kind"],
  number: number,
): readonly Step[] => [
  { words, strike: { kind, number } },
  { words, strike: { kind, number, isKept: true } },
];

export const disturbedRuns: readonly RecordedRun[] = [
  { title: "txns with one bad page", steps: faulty(`${swaps} ${receipt}`, "empty-page@3", "short-page@3") },
  { title: "txns with a stale page", steps: faulty(`${swaps} ${receipt}`, "stale-page@4") },
  {
    title: "txns with repeated rows",
    steps: faulty(`${swaps} ${receipt}`, "duplicate-page@2", "overlap-page@2"),
  },
  { title: "txns with lasting repeats", steps: faulty(`${swaps} ${receipt}`, "overlap-page@2-9") },
  {
    title: "txns of another pool",
    steps: faulty(`${swaps} ${receipt}`, "foreign-page@3", "foreign-page@1-"),
  },
  { title: "txns with a row twice", steps: struck(`${swaps} ${receipt}`, "twice-in-place", 4) },
  { title: "txns in another order", steps: struck(`${swaps} ${receipt}`, "reordered", 4) },
  { title: "txns that end early", steps: struck(`${swaps} ${receipt}`, "early-end", 4) },
  { title: "txns with other totals", steps: struck(`${swaps} ${receipt}`, "other-totals", 4) },
  { title: "txns with another ID", steps: struck(`${swaps} ${receipt}`, "changed-id", 4) },
  {
    title: "a search with one bad page",
    steps: faulty(pages, "empty-page@3", "short-page@3", "missing-cursor@3"),
  },
  { title: "a search with bad pages", steps: faulty(pages, "empty-page@2-8", "short-page@2-8") },
  { title: "a search with a stale page", steps: faulty(pages, "stale-page@3", "stale-page@3-9") },
  { title: "a search with repeated rows", steps: faulty(pages, "duplicate-page@2", "overlap-page@2") },
  { title: "a search without its filter", steps: faulty(`${pages} --txns-24h-min 5`, "drop-filter@3-") },
  { title: "a search of another network", steps: faulty(pages, "foreign-page@3", "foreign-page@1-") },
  { title: "a search that ends early", steps: struck(pages, "early-end", 4) },
  {
    title: "resume over a hole",
    steps: [
      {
        words: `pools search fantom --all --page-size 30 ${flags} --out {dir}/pools.ndjson --resume ${receipt}`,
        faults: "empty-page@2-60",
      },
      `pools search fantom --all --page-size 30 ${flags} --out {dir}/pools.ndjson --resume ${receipt}`,
      "verify {dir}/pools.ndjson",
    ],
  },
  {
    title: "dexes with bad pages",
    steps: faulty(exchanges, "empty-page@3", "overlap-page@2", "foreign-page@2"),
  },
  {
    title: "the first response of dexes is empty",
    dialect: "public",
    steps: faulty(exchanges, "empty-page@1", "empty-page@1-"),
  },
  {
    title: "candles with bad slices",
    steps: faulty(candles, "empty-page@2", "short-page@2", "foreign-page@2"),
  },
  { title: "prices with bad responses", steps: faulty(batches, "empty-page@1", "foreign-page@1") },
  {
    title: "the record of another pool",
    steps: faulty(`pool ethereum ${own} ${flags}`, "foreign-page@1", "foreign-page@1-"),
  },
  {
    title: "sync with bad pages",
    steps: [
      {
        words: `sync {dir}/lake ethereum:${quiet} --from 2026-11-20 ${flags}`,
        faults: "overlap-page@1,empty-page@4,foreign-page@6",
      },
      `sync {dir}/lake ${flags}`,
    ],
  },
  {
    title: "api with bad pages",
    steps: faulty(
      `api /networks/ethereum/pools/${own}/transactions --paginate -f from=-70m -f limit=20 ${flags} ${receipt}`,
      "overlap-page@2",
      "empty-page@3",
    ),
  },
];

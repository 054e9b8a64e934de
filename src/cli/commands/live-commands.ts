import { localExits, partialExits } from "../../base/exit-codes.ts";
import { plansOfFeeds } from "../../api/feeds.ts";
import { rules, wantedKinds } from "../../rows/verify-rules.ts";
import { choice } from "../run/flags/flag-types.ts";
import { flag, pick } from "../run/flags/flag.ts";
import { textFlags } from "../run/flags/shared-flags.ts";
import { addressesWithNetworks, command, networkAndAddresses } from "./command.ts";
import { costOfTokens, streamFlags, streamShared } from "./stream/stream-flags.ts";
import { syncFlags, syncShared } from "./sync/sync-flags.ts";

const common = { section: "Live data and files", exits: partialExits } as const;

export const syncCommand = command({
  ...common,
  words: "sync",
  positionals: [
    { name: "directory", suggests: "files" },
    { name: "network:address", isOptional: true, isRepeatable: true, isList: true, suggests: "addresses" },
  ],
  summary: "Keep a complete history of transactions, candles and pools",
  credits: { full: "1 credit per request; see --estimate", brief: "1 per request" },
  plan: {
    full: "any for pools and pool candles; dev or higher for transactions and token candles",
    brief: "any for pools and pool candles; otherwise dev or higher",
    isBounded: true,
  },
  examples: [
    "dexdata sync lake ethereum:0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 --kind ohlcv --sandbox",
    "dexdata sync lake @pools.ndjson --kind transactions,ohlcv --estimate --sandbox",
    "dexdata sync lake-pools --search 'ethereum --volume-usd-24h-min 1M --limit 100' --list big --sandbox",
    "dexdata sync lake --sandbox",
  ],
  flags: syncFlags,
  shared: syncShared,
  notes: [
    "The first run stores the list of assets as assets.ndjson in the directory. It has one line per dataset, and you can edit " +
      "it: remove a line to stop updating its files. Later runs need no list; a list adds to the stored one. A line of a list can " +
      "have its own kind, interval, by and from. An earlier --from adds older days to known datasets.",
    "--search and --kind pools record liquidity, volume and price of pools, of which the service has no history: one row per pool and " +
      "period. A period in which no run succeeded is lost, and the next run reports it. A pool that leaves the search is read for 24h more.",
    "The name of a file shows its state: rows.parquet has complete days, open.parquet days that still grow, and lost.parquet days " +
      "that cannot be completed, because the service no longer has all of their rows. A day is complete when it was read at least 24h after its end, the service's count agrees, and an " +
      "older row shows that the start of the day is not missing. If you do not trust a file of transactions or candles, delete it: the next run fetches its days again.",
  ],
  run: async (input, context) => await (await import("./sync/sync.ts")).sync(input, context),
});

export const streamCommand = command({
  ...common,
  words: "stream",
  positionals: addressesWithNetworks,
  otherForm: networkAndAddresses,
  summary: "Stream live prices, transactions, candles or reserves",
  credits: { full: `1 credit per event; ${costOfTokens}`, brief: "1 per event" },
  plan: {
    full: plansOfFeeds,
    brief: "any for prices; higher for other feeds",
    isBounded: true,
  },
  examples: [
    "dexdata stream ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --limit 3 --sandbox",
    "dexdata stream ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --feed ohlcv --interval 5s --since -5m --limit 10 --sandbox",
    "dexdata tokens search base --limit 100 -o ndjson --sandbox | dexdata stream - --envelope --limit 5 --sandbox",
  ],
  flags: streamFlags,
  shared: streamShared,
  notes: [
    "An asset is a token or a pool. @file names a file with one asset per line; SIGHUP reloads it. stderr shows each " +
      "gap with its start and end. The exit code is 0 if --limit, --for, the key q or a closed pipe ended the stream; " +
      "with --when, only after an alert.",
  ],
  run: async (input, context) => await (await import("./stream/stream.ts")).runStream(input, context),
});

export const verifyCommand = command({
  ...common,
  words: "verify",
  positionals: [{ name: "file|directory", isRepeatable: true, suggests: "files" }],
  summary: "Check files for damage, missing rows and repeated rows",
  examples: [
    "dexdata verify swaps.receipt.json",
    "dexdata verify swaps.ndjson candles.csv.gz",
    "dexdata verify lake",
    "dexdata verify swaps.receipt.json -o ndjson | jq -r 'select(.level == \"finding\") | .file' | sort -u",
  ],
  /** 8: findings. */
  exits: [...localExits, 8],
  flags: {
    kind: flag(choice(wantedKinds, "kind"), "Rows", {
      summary: "Kind of rows, if it is not clear from the names of their fields",
    }),
  },
  shared: pick(textFlags, "output", "no-header", "quiet", "progress", "error-format"),
  notes: [
    "Files are NDJSON, JSON, CSV or TSV as --out writes them, also compressed by gzip, or Parquet. If you name a " +
      "receipt (--receipt), verify checks the file that the receipt names; if you also name exactly one data file, it checks " +
      "that file against the receipt. A directory must be one that dexdata sync created. " +
      "No request is sent, and no file is changed or deleted.",
    "Findings mean that a file is damaged or incomplete: the exit code is 8. Notes point out unusual values; the exit " +
      "code stays 0. The rules:",
    {
      rows: Object.entries(rules).map(([id, { level, statement }]) => [`${id} ${level}`, statement] as const),
    },
  ],
  run: async (input, context) => await (await import("./verify/verify.ts")).verify(input, context),
});

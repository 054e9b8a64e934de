import { partialExits } from "../../../base/exit-codes.ts";
import { command } from "../command.ts";
import { syncFlags, syncShared } from "./sync-flags.ts";

export const syncCommand = command({
  words: "sync",
  section: "Live data and files",
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
  exits: partialExits,
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
  run: async (input, context) => await (await import("./sync.ts")).sync(input, context),
});

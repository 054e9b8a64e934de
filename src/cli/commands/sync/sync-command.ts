import { partialExits } from "../../../base/exit-codes.ts";
import { command } from "../command.ts";
import { syncFlags, syncNotes, syncShared } from "./sync-flags.ts";

export const syncCommand = command({
  words: "sync",
  section: "Live data and files",
  positionals: [
    { name: "directory", suggests: "files" },
    { name: "network:address", isOptional: true, isRepeatable: true, isList: true, suggests: "addresses" },
  ],
  summary: "Maintain a complete local history of transactions, candles and pools",
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
  notes: syncNotes,
  run: async (input, context) => await (await import("./sync.ts")).sync(input, context),
});

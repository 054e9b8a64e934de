import { addressesWithNetworks, command, networkAndAddresses } from "../command.ts";
import { streamFlags, streamNotes, streamShared } from "./stream-flags.ts";

export const streamCommand = command({
  words: "stream",
  section: "Live data",
  positionals: addressesWithNetworks,
  otherForm: networkAndAddresses,
  summary: "Stream live prices, transactions, candles or reserves",
  credits: { full: "1 credit per event", brief: "1 per event" },
  plan: {
    full: "any for prices; free or higher for reserves; dev or higher for transactions and ohlcv",
    brief: "any for prices, ...",
    isBounded: true,
  },
  examples: [
    "dexdata stream ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --limit 3 --sandbox",
    "dexdata stream ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --feed ohlcv --interval 5s --since -5m --limit 10 --sandbox",
    "dexdata tokens search base --limit 100 -o ndjson --sandbox | dexdata stream - --envelope --limit 5 --sandbox",
  ],
  flags: streamFlags,
  shared: streamShared,
  notes: streamNotes,
  run: async (input, context) => await (await import("./stream.ts")).stream(input, context),
});

import { partialExits } from "../../../base/exit-codes.ts";
import { feedsWith } from "../../../api/feeds/all-feeds.ts";
import { tiers } from "../../../api/tier.ts";
import { inWords } from "../../../base/text/words.ts";
import { addressesWithNetworks, command, networkAndAddresses } from "../command.ts";
import { costOfTokens, streamFlags, streamShared } from "./stream-flags.ts";

/** Such as `dev or higher for transactions and ohlcv`, from the lowest plan up. */
const plansOfFeeds = tiers.flatMap((tier) => {
  const names = feedsWith(({ plan }) => plan === tier);
  const who = `${tier === "keyless" ? "any" : `${tier} or higher`} for ${inWords(names, "and")}`;
  return names.length === 0 ? [] : [tier === "keyless" ? `${who} (without a key: only preview assets)` : who];
});

export const streamCommand = command({
  words: "stream",
  section: "Live data and files",
  positionals: addressesWithNetworks,
  otherForm: networkAndAddresses,
  summary: "Stream live prices, transactions, candles or reserves",
  credits: { full: `1 credit per event; ${costOfTokens}`, brief: "1 per event" },
  plan: {
    full: plansOfFeeds.join("; "),
    brief: "any for prices; higher for other feeds",
    isBounded: true,
  },
  examples: [
    "dexdata stream ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --limit 3 --sandbox",
    "dexdata stream ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --feed ohlcv --interval 5s --since -5m --limit 10 --sandbox",
    "dexdata tokens search base --limit 100 -o ndjson --sandbox | dexdata stream - --envelope --limit 5 --sandbox",
  ],
  exits: partialExits,
  flags: streamFlags,
  shared: streamShared,
  notes: [
    "An asset is a token or a pool. @file names a file with one asset per line; SIGHUP reloads it. stderr shows each " +
      "gap with its start and end. The exit code is 0 if --limit, --for, the key q or a closed pipe ended the stream; " +
      "with --when, only after an alert.",
  ],
  run: async (input, context) => await (await import("./stream.ts")).runStream(input, context),
});

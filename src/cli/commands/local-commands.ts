import { globalFlags } from "../flags/global-flags.ts";
import type { LocalCommand } from "../local-command.ts";
import { apiFlags, apiNotes } from "../raw/api-flags.ts";
import { faultsHelp, sandboxFlags } from "./sandbox-flags.ts";
import { streamFlags, streamNotes } from "../stream/stream-flags.ts";

const asking = [
  "output",
  "no-header",
  "quiet",
  "stats",
  "verbose",
  "error-format",
  "timeout",
  "retries",
  "retry-on",
  "retry-max-time",
  "rpm",
];
/** What decides which service is asked, as whom. */
const identifying = ["base-url", "key-file", "profile", "sandbox", "tier", "seed"];
const showing = ["output", "no-header", "error-format"];

/** The words, flags and help of the commands that are no endpoint's own; what they do is loaded when one is run. */
export const localCommands: readonly LocalCommand[] = [
  {
    words: "api",
    positionals: "<path>",
    summary: "any path of the service: its answer as it came, or with --paginate every row",
    examples: [
      "dexdata api /networks",
      "dexdata api /networks/ethereum/pools/search -f order_by=liquidity_usd -f limit=5",
      "dexdata api networks/base/dexes --paginate -o ndjson",
      "dexdata api '/search?query=weth' -o json --fields pools.0.id",
    ],
    flags: apiFlags,
    notes: apiNotes,
    shared: globalFlags.map(({ name }) => name),
    run: async (words, flags, context) => await (await import("../raw/api.ts")).api(words, flags, context),
  },
  {
    words: "stream",
    positionals: "<network:address…|@file|->",
    summary: "prices, trades, candles or reserves as they happen, one line an event, until stopped",
    examples: [
      "dexdata stream ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --limit 3 --sandbox",
      "dexdata stream ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --feed ohlcv --interval 5s --for 30s --sandbox",
      "dexdata tokens search base --limit 100 -o ndjson --sandbox | dexdata stream - --envelope --limit 5 --sandbox",
    ],
    flags: streamFlags,
    notes: streamNotes,
    shared: [
      "quiet",
      "stats",
      "verbose",
      "error-format",
      "timeout",
      "rpm",
      "max-credits",
      "sandbox",
      "tier",
      "seed",
      "faults",
      "now",
      "key-file",
      "profile",
    ],
    run: async (words, flags, context) =>
      await (await import("../stream/stream.ts")).stream(words, flags, context),
  },
  {
    words: "auth login",
    positionals: "",
    summary: "store a key, typed without echo or read from stdin, after asking the service for its plan",
    examples: ["dexdata auth login", "dexdata auth login --profile work < key.txt"],
    flags: [],
    shared: [...asking, ...identifying],
    run: async (words, flags, context) => await (await import("./auth.ts")).login(words, flags, context),
  },
  {
    words: "auth status",
    positionals: "",
    summary: "which key is used, where it comes from, and the plan the service sees",
    examples: ["dexdata auth status"],
    flags: [],
    shared: [...asking, ...identifying],
    run: async (words, flags, context) => await (await import("./auth.ts")).status(words, flags, context),
  },
  {
    words: "auth logout",
    positionals: "",
    summary: "remove a stored key from this machine",
    examples: ["dexdata auth logout", "dexdata auth logout --profile work"],
    flags: [],
    shared: [...asking, ...identifying],
    run: async (words, flags, context) => await (await import("./auth.ts")).logout(words, flags, context),
  },
  {
    words: "config get",
    positionals: "<name>",
    summary: "the value of a setting in force",
    examples: ["dexdata config get output"],
    flags: [],
    shared: showing,
    run: async (words, flags, context) => await (await import("./config.ts")).get(words, flags, context),
  },
  {
    words: "config set",
    positionals: "<name> <value>",
    summary: "keep a setting",
    examples: ["dexdata config set output ndjson", "dexdata config set timeout 60s"],
    flags: [],
    shared: showing,
    run: async (words, flags, context) => await (await import("./config.ts")).set(words, flags, context),
  },
  {
    words: "config unset",
    positionals: "<name>",
    summary: "take a kept setting back",
    examples: ["dexdata config unset output"],
    flags: [],
    shared: showing,
    run: async (words, flags, context) => await (await import("./config.ts")).unset(words, flags, context),
  },
  {
    words: "config list",
    positionals: "",
    summary: "every setting, its value and where it comes from",
    examples: ["dexdata config list", "dexdata config list -o json"],
    flags: [],
    shared: showing,
    run: async (words, flags, context) => await (await import("./config.ts")).list(words, flags, context),
  },
  {
    words: "config path",
    positionals: "",
    summary: "the file that settings are kept in",
    examples: ["dexdata config path"],
    flags: [],
    shared: showing,
    run: async (words, flags, context) => await (await import("./config.ts")).path(words, flags, context),
  },
  {
    words: "completion",
    positionals: "<bash|zsh|fish>",
    summary: "print a completion script for a shell",
    examples: [
      "source <(dexdata completion bash)",
      "dexdata completion fish > ~/.config/fish/completions/dexdata.fish",
    ],
    flags: [],
    shared: ["error-format"],
    run: async (words, _flags, context) =>
      await (await import("./completion.ts")).printCompletion(words, context),
  },
  {
    words: "sandbox",
    positionals: "[-- command…]",
    summary: "serve the whole interface on loopback, with simulated data, until stopped",
    examples: [
      "dexdata sandbox",
      "dexdata sandbox --clock 2026-06-01 --log requests.ndjson",
      "dexdata sandbox -- npm test",
      "dexdata sandbox --minute 6s --credits 50 --faults 429x3,500:5%,reset-body@7",
    ],
    flags: sandboxFlags,
    notes: faultsHelp,
    shared: ["seed", "faults", "error-format"],
    run: async (words, flags, context) =>
      await (await import("./sandbox.ts")).runSandbox(words, flags, context),
  },
];

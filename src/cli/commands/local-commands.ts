import { globalFlags } from "../flags/global-flags.ts";
import { learnCommands } from "../learn/learn-commands.ts";
import { shells } from "../completion/shells.ts";
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
    section: "Ask",
    positionals: "<path>",
    summary: "any path of the service, as it answers, or every row of a list",
    credits: "one a request, one an address for /multi/prices",
    plan: "the endpoint's",
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
    section: "Follow",
    positionals: "<network:address…|@file|->",
    summary: "prices, trades, candles or reserves as they happen",
    credits: "one an event",
    plan: "prices any, reserves free or higher, transactions and ohlcv dev or higher",
    examples: [
      "dexdata stream ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --limit 3 --sandbox",
      "dexdata stream ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --feed ohlcv --interval 5s --since -5m --limit 10 --sandbox",
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
    section: "Set up",
    positionals: "",
    summary: "store a key, typed unseen or from stdin",
    credits: "one a request; the plan is asked for on each host until one takes the key",
    examples: ["dexdata auth login", "dexdata auth login --profile work < key.txt"],
    flags: [],
    shared: [...asking, ...identifying],
    run: async (words, flags, context) => await (await import("./auth.ts")).login(words, flags, context),
  },
  {
    words: "auth status",
    section: "Set up",
    positionals: "",
    summary: "which key is used, from where, and its plan",
    credits: "one a request",
    examples: ["dexdata auth status"],
    flags: [],
    shared: [...asking, ...identifying],
    run: async (words, flags, context) => await (await import("./auth.ts")).status(words, flags, context),
  },
  {
    words: "auth list",
    section: "Set up",
    positionals: "",
    summary: "every stored key, and which is in use",
    examples: ["dexdata auth list", "dexdata auth list -o json"],
    flags: [],
    shared: showing,
    run: async (words, flags, context) => await (await import("./profiles.ts")).list(words, flags, context),
  },
  {
    words: "auth switch",
    section: "Set up",
    positionals: "[profile]",
    summary: "use another stored key; of two, the other",
    examples: ["dexdata auth switch work", "dexdata auth switch"],
    flags: [],
    shared: ["error-format"],
    run: async (words, flags, context) =>
      await (await import("./profiles.ts")).switchTo(words, flags, context),
  },
  {
    words: "auth logout",
    section: "Set up",
    positionals: "",
    summary: "remove a stored key from this machine",
    examples: ["dexdata auth logout", "dexdata auth logout --profile work", "dexdata auth logout --all"],
    flags: [{ name: "all", help: "remove every stored key", group: "Hosts and keys" }],
    shared: ["error-format", "profile"],
    run: async (words, flags, context) => await (await import("./profiles.ts")).logout(words, flags, context),
  },
  {
    words: "config get",
    section: "Set up",
    positionals: "<name>",
    summary: "the value of a setting in force",
    examples: ["dexdata config get output"],
    flags: [],
    shared: showing,
    run: async (words, flags, context) => await (await import("./config.ts")).get(words, flags, context),
  },
  {
    words: "config set",
    section: "Set up",
    positionals: "<name> <value>",
    summary: "keep a setting",
    examples: ["dexdata config set output ndjson", "dexdata config set timeout 60s"],
    flags: [],
    shared: showing,
    run: async (words, flags, context) => await (await import("./config.ts")).set(words, flags, context),
  },
  {
    words: "config unset",
    section: "Set up",
    positionals: "<name>",
    summary: "take a kept setting back",
    examples: ["dexdata config unset output"],
    flags: [],
    shared: showing,
    run: async (words, flags, context) => await (await import("./config.ts")).unset(words, flags, context),
  },
  {
    words: "config list",
    section: "Set up",
    positionals: "",
    summary: "every setting, its value and where it comes from",
    examples: ["dexdata config list", "dexdata config list -o json"],
    flags: [],
    shared: showing,
    run: async (words, flags, context) => await (await import("./config.ts")).list(words, flags, context),
  },
  {
    words: "config path",
    section: "Set up",
    positionals: "",
    summary: "the file that settings are kept in",
    examples: ["dexdata config path"],
    flags: [],
    shared: showing,
    run: async (words, flags, context) => await (await import("./config.ts")).path(words, flags, context),
  },
  {
    words: "doctor",
    section: "Set up",
    positionals: "",
    summary: "check key, hosts, network, clock and files, and say what to do",
    examples: ["dexdata doctor", "dexdata doctor --sandbox", "dexdata doctor --no-stream -o json"],
    flags: [{ name: "no-stream", help: "open no stream, which may cost a credit", group: "Requests" }],
    notes: () => [
      {
        prose:
          "Ends with the code of the first check that failed, as a command would for the same reason; with warnings alone " +
          "with 0.",
      },
    ],
    shared: ["output", "no-header", "color", "verbose", "error-format", "timeout", "rpm", ...identifying],
    credits: "2 at most: one question, one event",
    run: async (words, flags, context) =>
      await (await import("../doctor/doctor.ts")).doctor(words, flags, context),
  },
  {
    words: "completion",
    section: "Set up",
    positionals: "<bash|zsh|fish>",
    choices: shells,
    summary: "a completion script for bash, zsh or fish",
    examples: [
      "source <(dexdata completion bash)",
      'dexdata completion zsh > "${fpath[1]}/_dexdata"',
      "dexdata completion fish > ~/.config/fish/completions/dexdata.fish",
    ],
    flags: [],
    shared: ["error-format"],
    run: async (words, _flags, context) =>
      await (await import("./completion.ts")).printCompletion(words, context),
  },
  {
    words: "sandbox",
    section: "Set up",
    positionals: "[-- command…]",
    summary: "the whole service on loopback, with simulated data",
    examples: [
      "dexdata sandbox",
      "dexdata sandbox --clock 2026-06-01 --log requests.ndjson",
      "dexdata sandbox -- dexdata pools search base --limit 3",
      "dexdata sandbox --minute 6s --credits 50 --faults 429x3,500:5%,reset-body@7",
    ],
    flags: sandboxFlags,
    notes: faultsHelp,
    shared: ["seed", "faults", "error-format"],
    run: async (words, flags, context) =>
      await (await import("./sandbox.ts")).runSandbox(words, flags, context),
  },
  ...learnCommands,
];

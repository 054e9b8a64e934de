import { type ExitCode, localExits, requestExits } from "../../base/exit-codes.ts";
import type { Context } from "../../base/context/context.ts";
import { usageFailure } from "../../base/failure.ts";
import { readChoice } from "../../api/read-choice.ts";
import { faultTraits } from "../../sandbox/fault-kinds.ts";
import { flag, pick } from "../run/flags/flag.ts";
import { toggle } from "../run/flags/flag-types.ts";
import { localRowFlags, sharedFlags, simulationFlags, textFlags } from "../run/flags/shared-flags.ts";
import { type Command, command } from "./command.ts";
import { sandboxFlags, sandboxShared } from "./sandbox/sandbox-flags.ts";

const common = { section: "Setup", positionals: [], flags: {}, exits: localExits } as const;

const errorFormat = pick(sharedFlags, "error-format");

const identifying = pick(sharedFlags, "base-url", "key-file", "profile", "sandbox", "tier", "seed");

const retrying = ["retries", "retry-on", "retry-max-time"] as const;
const requesting = ["quiet", "verbose", "error-format", "timeout", "rpm", ...retrying] as const;

const lookupFlags = { ...pick(textFlags, "output", "no-header", ...requesting), ...identifying };

const authCommands = [
  command({
    ...common,
    words: "auth login",
    summary: "Store an API key, read from a hidden prompt or stdin",
    credits: {
      full: "1 credit; requests that a host rejects because of the key are free",
      brief: "1",
    },
    plan: { full: "any", brief: "any", isBounded: false },
    examples: ["dexdata auth login", "dexdata auth login --profile work < key.txt"],
    exits: requestExits,
    // The command does not use the profile's key.
    flags: { profile: { ...sharedFlags.profile, summary: "Store the key under this name" } },
    shared: pick(lookupFlags, ...requesting, "base-url", "key-file"),
    run: async (input, context) => await (await import("./auth/auth.ts")).login(input, context),
  }),
  command({
    ...common,
    words: "auth status",
    summary: "Show the key in use, its source and its plan",
    credits: { full: "1 credit per request", brief: "1 per request" },
    exits: requestExits,
    examples: ["dexdata auth status"],
    shared: lookupFlags,
    run: async (input, context) => await (await import("./auth/status.ts")).status(input, context),
  }),
  command({
    ...common,
    words: "auth list",
    summary: "List stored keys and mark the active one",
    examples: ["dexdata auth list", "dexdata auth list -o json"],
    shared: localRowFlags,
    run: async (input, context) => await (await import("./auth/profiles.ts")).list(input, context),
  }),
  command({
    ...common,
    words: "auth switch",
    positionals: [{ name: "profile", isOptional: true, suggests: "profiles" }],
    summary: "Switch to another stored key",
    examples: ["dexdata auth switch work", "dexdata auth switch"],
    notes: ["If exactly two keys are stored, the profile is optional: dexdata switches to the other key."],
    shared: errorFormat,
    run: async ({ words }, context) => await (await import("./auth/profiles.ts")).switchTo(words, context),
  }),
  command({
    ...common,
    words: "auth logout",
    summary: "Remove a stored key from this machine",
    examples: ["dexdata auth logout", "dexdata auth logout --profile work", "dexdata auth logout --all"],
    flags: {
      all: flag(toggle, "Hosts and keys", {
        summary: "Remove every stored key",
        excludes: [
          { flag: "profile", why: "one removes all keys, the other only one", next: "remove one of them" },
        ],
      }),
      profile: { ...sharedFlags.profile, summary: "Remove the key stored under this name" },
    },
    shared: errorFormat,
    run: async (input, context) => await (await import("./auth/profiles.ts")).logout(input, context),
  }),
];

/** The hosts determine the service that a name belongs to. */
const naming = pick(sharedFlags, "error-format", "sandbox", "seed", "base-url");
const loadName = async () => await import("./name/name.ts");

const nameCommands = [
  command({
    ...common,
    words: "name add",
    positionals: [{ name: "name" }, { name: "network:address" }],
    summary: "Name a token or pool, to use the name instead of its address",
    examples: ["dexdata name add weth ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --sandbox"],
    shared: naming,
    flags: { force: flag(toggle, "Parameters", { summary: "Replace an existing name" }) },
    notes: [
      "A name has up to 40 letters, digits, dashes, underscores and dots; case does not matter. It works wherever " +
        "network:address does: as an argument, in a list, and with --token. Each base URL has its own list of names. " +
        "In the sandbox, each --seed has its own list.",
    ],
    run: async (input, context) => await (await loadName()).add(input, context),
  }),
  command({
    ...common,
    words: "name list",
    summary: "List all names and their assets",
    examples: ["dexdata name list --sandbox", "dexdata name list -o json"],
    shared: { ...localRowFlags, ...naming },
    run: async (input, context) => await (await loadName()).list(input, context),
  }),
  command({
    ...common,
    words: "name remove",
    positionals: [{ name: "name", suggests: "names" }],
    summary: "Remove a name",
    shared: naming,
    examples: ["dexdata name remove weth --sandbox"],
    run: async (input, context) => await (await loadName()).remove(input, context),
  }),
];

const setting = { name: "name", suggests: "settings" } as const;
const value = { name: "value", suggests: "setting values" } as const;

/** The second word is also the name of the function that runs the command. */
const configActions = [
  ["get", [setting], "Print the effective value of a setting", ["dexdata config get output"]],
  [
    "set",
    [setting, value],
    "Save a setting",
    ["dexdata config set output ndjson", "dexdata config set timeout 60s"],
  ],
  ["unset", [setting], "Remove a saved setting", ["dexdata config unset output"]],
  [
    "list",
    [],
    "List all settings, their values and their sources",
    ["dexdata config list", "dexdata config list -o json"],
  ],
  ["path", [], "Print the path of the config file", ["dexdata config path"]],
] as const;

const configCommands = configActions.map(([action, positionals, summary, examples]) =>
  command({
    ...common,
    words: `config ${action}`,
    positionals,
    summary,
    examples,
    shared: action === "list" ? localRowFlags : errorFormat,
    run: async (input, context) => await (await import("./config/config.ts"))[action](input, context),
  }),
);

const doctorCommand = command({
  ...common,
  words: "doctor",
  summary: "Check key, hosts, network, clock and files; suggest fixes",
  credits: { full: "up to 2 credits, for 1 request and 1 stream event", brief: "up to 2" },
  examples: ["dexdata doctor", "dexdata doctor --sandbox", "dexdata doctor --no-stream -o json"],
  exits: requestExits,
  flags: {
    "no-stream": flag(toggle, "Requests", { summary: "Skip the stream check, which can cost 1 credit" }),
  },
  shared: {
    ...pick(textFlags, "output", "no-header", "color", "verbose", "error-format", "timeout", "rpm"),
    ...identifying,
  },
  notes: [
    "The exit code is 0 if all checks passed or there are only warnings. Otherwise, it is the usual exit code for the " +
      "first problem found, e.g. 4 for a wrong key.",
  ],
  run: async (input, context) => await (await import("./doctor/doctor.ts")).doctor(input, context),
});

/** The scripts run the program each time Tab is pressed, so they never become outdated. */
const scripts = {
  bash: "completions/dexdata.bash",
  zsh: "completions/_dexdata",
  fish: "completions/dexdata.fish",
} as const;

const shells = ["bash", "zsh", "fish"] as const;

const completionCommand = command({
  ...common,
  words: "completion",
  positionals: [{ name: shells.join("|"), suggests: shells }],
  summary: "Print a completion script for bash, zsh or fish",
  examples: [
    "source <(dexdata completion bash)",
    'dexdata completion zsh > "${fpath[1]}/_dexdata"',
    "dexdata completion fish > ~/.config/fish/completions/dexdata.fish",
  ],
  shared: errorFormat,
  run: async ({ words }, context) => await printCompletion(words, context),
});

/** For users whose package manager did not install the script. */
async function printCompletion(words: readonly string[], context: Context): Promise<ExitCode> {
  const [word = "", more] = words;
  if (word === "") throw usageFailure("missing <shell>", usage);
  if (more !== undefined) throw usageFailure(`unexpected argument "${more}"`, usage);
  const shell = readChoice(`shell "${word}"`, word, shells);
  await context.stdout.write(context.packageFile(scripts[shell]));
  return 0;
}

const usage = "usage: dexdata completion <bash|zsh|fish>";

const sandboxCommand = command({
  ...common,
  words: "sandbox",
  positionals: [{ name: "-- command", isOptional: true, isRepeatable: true, suggests: "command line" }],
  summary: "Serve a simulated API on localhost, offline and free",
  examples: [
    "dexdata sandbox",
    "dexdata sandbox --clock 2026-06-01 --log requests.ndjson",
    "dexdata sandbox -- dexdata pools search base --limit 3",
    "dexdata sandbox --minute 6s --credits 50 --faults 429x3,500:5%,reset-body@7",
  ],
  passesExit: true,
  flags: sandboxFlags,
  shared: sandboxShared,
  notes: [
    {
      heading: "Flags of other commands",
      rows: Object.entries(simulationFlags).map(([name, { type, summary }]) => [
        `--${name}${type.placeholder === undefined ? "" : ` <${type.placeholder}>`}`,
        summary,
      ]),
    },
    "With -- command, dexdata runs the command against this sandbox, and stops the sandbox when the command ends. " +
      "With --clock, the command also gets DEXDATA_NOW, so that both start at the same time.",
    {
      heading: "Faults",
      prose:
        "--faults takes a comma-separated list of <kind>[=value][when][/part of a path]. [when] selects requests by " +
        "position or by percentage. Only requests that the fault can affect are counted: empty-page@2 affects the second " +
        "request for a list, even if other requests come in between. A part of a path, as in 500x3/transactions, " +
        "restricts the fault to requests whose path contains it. With the same seed, the same requests are affected.",
    },
    "Five kinds change the market instead of requests: late-rows, late-pools, withdrawn-rows, reorg and reach. " +
      "Except for reach, which affects all transactions, their [when] is a share of rows, pools or blocks, from :0% to :100%. Responses at the same time never contradict each other, " +
      "and once rows are old enough, responses are the same as without these faults (except for reach). Values are durations such as 90s, 20m, 3h " +
      "or 7d, except for reorg, which takes a number of blocks.",
    {
      heading: "When",
      rows: [
        ["x3", "The first three requests"],
        ["@7", "The seventh request"],
        ["@7-9", "The seventh to the ninth request"],
        ["@7-", "The seventh request and all later ones"],
        [":5%", "5% of all requests"],
        [":5%x3", "5% of all requests, and the next two after each (bursts of three)"],
        ["(none)", "All requests; for a kind marked (once), only the first one"],
      ],
    },
    {
      heading: "Kinds",
      rows: Object.entries({
        "400 … 599": { help: "Respond with this status; 429=7 adds Retry-After: 7" },
        ...faultTraits,
      }).map(([name, { help }]) => [name, help]),
    },
  ],
  run: async (input, context) => await (await import("./sandbox/sandbox.ts")).runSandbox(input, context),
});

/** In the order used in help. */
export const setupCommands: readonly Command[] = [
  ...authCommands,
  ...nameCommands,
  ...configCommands,
  doctorCommand,
  completionCommand,
  sandboxCommand,
];

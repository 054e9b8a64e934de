import { type Command, Help, type Option } from "commander";
import type { Endpoint } from "../model/endpoint.ts";
import { plans, type Tier } from "../model/tier.ts";

export const intro = `DEX market data: pools, tokens, prices, trades and candles on some 35 networks.

Try it without a key, offline and free: dexdata pools search ethereum --sandbox`;

export const closing = `
Every command says more with --help, and also takes the flags for output (-o table|ndjson|json|csv|tsv, --fields …),
requests (--timeout, --retries …), hosts and keys (--sandbox, --profile …) that are listed there.`;

/**
 * A command lists its own flags and those of the shared ones that it takes, in their groups; what only leads to
 * other commands lists these and no flags.
 */
export function layOutHelp(command: Command, shared: readonly Option[]): void {
  command.configureHelp({
    visibleOptions: ({ options, commands }) => (commands.length === 0 ? [...options, ...shared] : []),
    boxWrap: wrapProse,
    subcommandTerm: (each) =>
      `${each.name()} ${each.usage().replace("[flags]", "").replace("<command>", "…")}`.trim(),
  });
}

const plain = new Help();

/** Indented lines are commands to paste: a break inside one would be run as two. */
function wrapProse(text: string, width: number): string {
  const lines = text.split("\n");
  return lines.map((line) => (line.startsWith("  ") ? line : plain.boxWrap(line, width))).join("\n");
}

/** Two or three commands that run as they stand. */
export function exampleLines(examples: readonly string[]): string {
  return ["", "Examples:", ...examples.map((example) => `  ${example}`)].join("\n");
}

/** What a command costs, and the plan it needs. */
export function costLine(group: readonly Endpoint[]): string {
  const [endpoint] = group;
  if (endpoint === undefined) return "";
  const cost = endpoint.reply.kind === "batch" ? "one an address" : "one a request";
  const needed = group.map((each) => planOf(each, group.length > 1)).join("; ");
  return `\nCredits: ${cost}. Plan: ${[...new Set(needed.split("; "))].join("; ")}.`;
}

function planOf(endpoint: Endpoint, isOneOfSeveral: boolean): string {
  const scope = isOneOfSeveral && endpoint.chosenBy !== undefined ? `with --${endpoint.chosenBy} ` : "";
  return `${scope}${planName(endpoint.plan)}`;
}

function planName(tier: Tier): string {
  return plans[tier].hosts === "paid" ? `${tier} or higher` : "any, also without a key";
}

import { nearest } from "../../text/nearest.ts";
import { catalogue } from "../catalogue.ts";
import { commandWords } from "../commands/command-words.ts";
import { nearestCommand } from "./nearest-command.ts";
import { networkAliases, wellKnownNetworks } from "./network-aliases.ts";

/** What to type instead of a first word that is no command; undefined where nothing is near. */
export function hintAtCommand(word: string): string | undefined {
  const slug = word.toLowerCase();
  if (wellKnownNetworks.has(slug)) return commandFirst(slug);
  if (/^0x[\da-f]{40}$/iu.test(word)) return `look the address up: dexdata search ${word}`;
  // Those of one word are what a single word is first compared with.
  const known = commandWords().toSorted((a, b) => a.split(" ").length - b.split(" ").length);
  const near = nearestCommand(word, known);
  if (near !== undefined) return `did you mean ${near}?`;
  const alias = networkAliases.get(slug);
  return alias === undefined ? undefined : commandFirst(alias);
}

const commandFirst = (network: string): string =>
  `the command comes first, then the network, such as: dexdata pools search ${network}`;

/** What people type for a flag of another name, the value included where it takes one. */
const renamed: ReadonlyMap<string, string> = new Map([
  // Parameters the service has renamed; their old spelling would be dropped by it without a word.
  ["--volume-24h-min", "--volume-usd-24h-min"],
  ["--volume-24h-max", "--volume-usd-24h-max"],
  ["--sort-by", "--order-by"],
  ["--sort-dir", "--sort"],
  ["--page", "--cursor"],
  ["--start", "--from"],
  ["--end", "--to"],
  ["--until", "--to"],
  ["--order", "--order-by"],
  ["--dex-name", "--dex"],
  ["--token-address", "--token"],
  ["--format", "--output"],
  ["--json", "--output json"],
  ["--csv", "--output csv"],
  ["--table", "--output table"],
  ["--ndjson", "--output ndjson"],
  ["--debug", "--verbose"],
  ["--dry-run", "--estimate"],
  ["--no-color", "--color never"],
  ["--max-retries", "--retries"],
  ["--count", "--limit"],
]);

/** What to type instead of a flag that the command does not have. */
export function hintAtFlag(flag: string, command: string, known: readonly string[]): string | undefined {
  if (flag === "--network" || flag === "--address") {
    const entry = catalogue().find(({ words }) => words === command);
    return entry === undefined
      ? undefined
      : `it is a word, not a flag: dexdata ${command} ${entry.positionals}`;
  }
  if (/^--(?:api-?)?key$/u.test(flag))
    return "a key is never typed as a word: dexdata auth login, --key-file, or DEXDATA_API_KEY";
  const name = renamed.get(flag);
  if (name !== undefined && known.includes(name.split(" ")[0] ?? "")) return `did you mean ${name}?`;
  const owners = catalogue().filter(({ flags }) => flags.some((each) => `--${each.name}` === flag));
  if (owners.length > 0) return `it belongs to: ${owners.map(({ words }) => words).join(", ")}`;
  const near = nearest(flag, known);
  return near === undefined ? undefined : `did you mean ${near}?`;
}

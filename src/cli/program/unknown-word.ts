import { didYouMean, nearest } from "../../base/text/nearest.ts";
import { isAssetName, networkAliases, wellKnownNetworks } from "../../api/known-networks.ts";
import { type Command, hasFlag, positionalText } from "../commands/command.ts";

/** `path` contains the words before the unknown one. Undefined if no command is similar. */
export function hintAtWord(
  commands: readonly Command[],
  word: string,
  path: readonly string[],
): string | undefined {
  const all = commands.map(({ words }) => words);
  if (path.length === 0) return hintAtFirst(word, all);
  const start = `${path.join(" ")} `;
  const inside = all.filter((words) => words.startsWith(start)).map((words) => words.slice(start.length));
  const slug = word.toLowerCase();
  const network = wellKnownNetworks.has(slug) ? slug : networkAliases.get(slug);
  if (network !== undefined && inside.includes("search")) return `did you mean ${start}search ${network}?`;
  const near = nearest(word, inside);
  return didYouMean(meantBy(`${start}${slug}`) ?? (near && `${start}${near}`), undefined);
}

function hintAtFirst(word: string, all: readonly string[]): string | undefined {
  const slug = word.toLowerCase();
  if (wellKnownNetworks.has(slug)) return commandFirst(slug);
  if (/^(?:alerts?|notify)$/u.test(slug))
    return "alerts are a part of other commands; see: dexdata help alerts";
  if (slug === "history")
    return "for past rows, see: dexdata txns -h and dexdata ohlcv -h; to keep a history: dexdata sync -h";
  if (all.some((words) => `${word} `.startsWith(`${words} `))) return `without quotes: dexdata ${word}`;
  if (/^0x[\da-f]{40}$/iu.test(word)) return `look up the address: dexdata search ${word}`;
  // A single word is first compared with the commands that have only one word.
  const shortestFirst = all.toSorted((a, b) => a.split(" ").length - b.split(" ").length);
  const near = nearestCommand(word, shortestFirst);
  const [group = ""] = near?.split(" ") ?? [];
  // A group's name does not show which of its commands was meant.
  if (nearest(word, [group]) !== undefined && all.filter((words) => words.startsWith(`${group} `)).length > 1)
    return `see: dexdata ${group} --help`;
  const alias = networkAliases.get(slug);
  const otherwise = isAssetName(word)
    ? `see: dexdata --help; for a token or pool: dexdata search ${word}`
    : undefined;
  return didYouMean(near, alias ? commandFirst(alias) : otherwise);
}

const commandFirst = (network: string): string =>
  `put the command before the network, e.g. dexdata pools search ${network}`;

/** For each flag, its names in other tools, and old names of the service. The flag has a value if it needs one. */
const otherFlags = {
  // The service renamed these parameters and silently ignores the old names.
  "--volume-usd-24h-min": "--volume-24h-min",
  "--volume-usd-24h-max": "--volume-24h-max",
  "--order-by": "--sort-by --order",
  "--sort": "--sort-dir",
  "--cursor": "--page",
  "--from": "--start --since --after",
  "--to": "--end --until --before",
  "--dex": "--dex-name",
  "--token": "--token-address",
  "--output": "--format",
  "--output json": "--pretty",
  "--verbose": "--debug",
  "--estimate": "--dry-run",
  "--color never": "--no-color",
  "--retries": "--max-retries --retry",
  "--quiet": "--silent",
  "--interval": "--timeframe --resolution --period --granularity -i",
  "--when": "--alert --above --below --if",
  "--feed transactions": "--transactions --trades --swaps",
  "--for": "--duration",
  "--limit": "--count --top --last -n -l",
  "--all": "-a",
  "--count-back": "--limit",
  "--at": "--date --time --on",
  "--day": "--at",
};

function renamed(flag: string): string | undefined {
  const format = /^--(csv|tsv|parquet|table|wide|ndjson)$/u.exec(flag)?.[1];
  if (format !== undefined) return `--output ${format}`;
  return Object.entries(otherFlags).find(([, names]) => names.split(" ").includes(flag))?.[0];
}

export function suggestFlag(
  commands: readonly Command[],
  typed: string,
  path: string,
  known: readonly string[],
): string | undefined {
  // Other tools accept a number right after a letter, as in `-n5`.
  const flag = /^-[a-z]\d+$/iu.test(typed) ? typed.slice(0, 2) : typed;
  const isNetwork = flag === "--network" || (flag === "--chain" && !known.includes("--chains"));
  if (isNetwork || flag === "--address") {
    const asked = commands.find(({ words }) => words === path);
    if (path === "search" && isNetwork)
      return "search looks on all networks; for one: dexdata tokens search <network> or dexdata pools search <network>";
    const takes = isNetwork ? /network/u : /address|pool/u;
    const forms = [asked?.positionals ?? [], asked?.otherForm ?? []];
    if (!forms.flat().some(({ name }) => takes.test(name))) return undefined;
    return `pass it as an argument: dexdata ${path} ${forms[0]?.map(positionalText).join(" ")}`;
  }
  if (/^--(?:api-?)?key$/u.test(flag))
    return "do not pass the key as an argument; use dexdata auth login, --key-file, or DEXDATA_API_KEY";
  const names = [flag, renamed(flag), renamed(renamed(flag) ?? "")].filter((each) => each !== undefined);
  const name = names.find((each) => known.includes(each.split(" ")[0] ?? ""));
  if (name !== undefined) return `did you mean ${name}?`;
  // A letter stands for the flag that it usually means.
  const long = flag.startsWith("--") ? flag : (names[1] ?? flag);
  const owners = commands.filter((each) => hasFlag(each, long.slice(2)));
  if (owners.length > 0) return `${long} works with: ${owners.map(({ words }) => words).join(", ")}`;
  const isUnclear = flag.length === 2 && known.filter((each) => each.startsWith(`-${flag}`)).length > 1;
  return isUnclear ? undefined : didYouMean(nearest(flag, known), undefined);
}

/** For each command, its names in other tools. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  txns: ["transactions", "history"],
  prices: ["quote"],
  ohlcv: ["kline", "klines", "bars"],
  "pools search": ["pairs"],
  "tokens search": ["top"],
  search: ["find"],
  usage: ["credits", "plan", "limits"],
  "auth login": ["auth add", "auth set"],
  "auth logout": ["logout", "auth remove"],
  "auth status": ["key", "status", "whoami", "auth show", "auth whoami"],
  "auth switch": ["auth use"],
  "name remove": ["name delete", "name rm"],
  "config list": ["settings"],
  "config unset": ["config remove", "config delete"],
  stream: ["live", "watch", "tail", "follow"],
  api: ["raw", "curl", "get"],
  help: ["manual"],
  "--version": ["version"],
};

/** Also finds other forms of a word, such as `pools search` for `pool search`. */
export function nearestCommand(typed: string, known: readonly string[]): string | undefined {
  const words = typed.toLowerCase();
  return meantBy(words) ?? nearest(words, known);
}

function meantBy(words: string): string | undefined {
  return Object.keys(synonyms).find((name) => synonyms[name]?.includes(words));
}

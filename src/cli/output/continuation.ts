import type { Page } from "../../client/pages/page.ts";
import type { Place } from "../../client/pages/place.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import type { Args, Question } from "../../contract/args.ts";
import { isSeparated } from "../../contract/output-format.ts";
import { rawMembers } from "../../json/raw-json.ts";
import { formatInstant, fromWire, parseRfc3339, toWire } from "../../time/time.ts";
import { type FlagValues, flagWords } from "../flags/flags.ts";
import { globalFlags } from "../flags/global-flags.ts";
import { takesAddress } from "../asking/positionals.ts";

/** Flags of this run that the continuing command needs as well, to ask the same service the same way. */
const repeated = new Set([
  "limit",
  "all",
  "fill",
  "spark",
  "no-strict",
  ...globalFlags.map(({ name }) => name),
]);
/** What belongs to the file or the receipt of this run alone. */
for (const name of ["out", "resume", "force", "receipt"]) repeated.delete(name);

/**
 * What to say after the last page shown when the list goes on; undefined when it does not, or no command asks for the
 * rest. `left`: rows still wanted, where the pull ended before it had them all.
 */
export function moreLine(
  question: Question,
  allFlags: FlagValues,
  page: Page,
  pageSize: number,
  left?: number,
): string | undefined {
  const flags = left === undefined ? allFlags : { ...allFlags, limit: String(left) };
  if (page.isCut !== true) {
    if (page.next === undefined || page.next.flag === "subject") return undefined;
    if (flags["fill"] === "previous" && page.next.before !== undefined) {
      // No flag carries the close before; the candle that it is of does, and comes once more.
      const last = { ...page.next, value: openingOf(page.next.before) ?? page.next.value };
      return `more exist; go on with (it begins at the last candle that has trades): ${continuingCommand(question, flags, last, pageSize)}`;
    }
    return `more exist; go on with: ${continuingCommand(question, flags, page.next, pageSize)}`;
  }
  // A cursor leads to the beginning of a page only, so the page that was cut is asked for again.
  const isFirst =
    page.at === undefined || (page.at.flag === "page" && page.at.value === "1" && page.at.to === undefined);
  if (isFirst || page.at === undefined)
    return `more exist; ask for them with a higher --limit${orWithout(question.endpoint)}`;
  const command = continuingCommand(question, flags, page.at, pageSize);
  return `more exist; go on with (its first ${page.rows.length} rows were shown): ${command}`;
}

function orWithout({ rawPath, reply }: Endpoint): string {
  if (rawPath !== undefined) return ", or without it";
  return reply.kind === "list" ? "" : ", or --all";
}

/** The exact command that goes on from there. Times are written as resolved, so that a relative bound does not move. */
function continuingCommand(question: Question, flags: FlagValues, from: Place, pageSize: number): string {
  const { rawPath } = question.endpoint;
  const words = ["dexdata", ...(rawPath === undefined ? ownWords(question, flags, from) : ["api", rawPath])];
  for (const [name, value] of Object.entries(flags)) {
    if (!repeated.has(name) || value === undefined || name === "verbose") continue;
    words.push(...flagWords(name, value));
  }
  // The names of the columns stand above the rows already.
  if (isSeparated(String(flags["output"])) && flags["no-header"] === undefined) words.push("--no-header");
  if (rawPath !== undefined) words.push("--paginate", ...fieldWords(question, from, pageSize));
  else {
    if (flags["page-size"] !== undefined || from.flag === "page") words.push("--page-size", String(pageSize));
    words.push(`--${from.flag}`, from.flag === "from" ? formatInstant(fromWire(from.value)) : from.value);
  }
  return words.map(quoted).join(" ");
}

function ownWords({ endpoint, args }: Question, flags: FlagValues, from: Place): readonly string[] {
  const words = [...endpoint.command.split(" "), ...pathWords(endpoint, args)];
  if (endpoint.chosenBy !== undefined) words.push(`--${endpoint.chosenBy}`);
  for (const { name, flag, place, kind } of endpoint.params) {
    // The pages of a pull are those of the window it was frozen to.
    const value = name === "to" ? (from.to ?? args.get(name)) : args.get(name);
    if (place !== "query" || flag === undefined || value === undefined) continue;
    // The place says where the window begins; both flags would say it again.
    if (from.flag === "from" && (flag === "from" || flag === "count-back")) continue;
    if (kind.kind === "toggle") words.push(...(flags[flag] === undefined ? [] : [`--${flag}`]));
    else words.push(`--${flag}`, kind.kind === "time" ? formatInstant(fromWire(value)) : value);
  }
  return words;
}

/** The values of a raw call, as they were typed; where to go on and the size of a page are values like any other. */
function fieldWords({ endpoint, args }: Question, from: Place, pageSize: number): readonly string[] {
  const typed = endpoint.params.flatMap(({ name, givenAs }): readonly [string, string][] => {
    const value = givenAs === "field" ? args.get(name) : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  const bound = from.to === undefined ? [] : [["to", from.to] as const];
  const fields = new Map([...typed, ...bound, ["limit", String(pageSize)], [from.flag, from.value]]);
  return [...fields].flatMap(([name, value]) => ["--field", `${name}=${value}`]);
}

function pathWords(endpoint: Endpoint, args: Args): readonly string[] {
  const names = endpoint.params.filter(({ place }) => place === "path").map(({ name }) => name);
  return (takesAddress(endpoint) ? names : names.slice(0, 1)).map((name) => args.get(name) ?? "");
}

/** For a POSIX shell. */
export function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** When a candle opens, as on the wire; undefined where that cannot be read. */
function openingOf(candle: string): string | undefined {
  const opens: unknown = JSON.parse(rawMembers(candle).get("time_open") ?? "null");
  const instant = typeof opens === "string" ? parseRfc3339(opens) : undefined;
  return instant === undefined ? undefined : toWire(instant);
}

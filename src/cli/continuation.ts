import type { Page } from "../client/page.ts";
import type { Place } from "../client/place.ts";
import type { Endpoint } from "../model/endpoint.ts";
import type { Args, Question } from "../model/args.ts";
import { formatInstant, fromWire } from "../model/time.ts";
import { type FlagValues, globalFlags } from "./flags.ts";
import { takesAddress } from "./positionals.ts";

/** Flags of this run that the continuing command needs as well, to ask the same service the same way. */
const repeated = new Set(["limit", "all", ...globalFlags.map(({ name }) => name)]);

/** What to say after the last page shown when the list goes on; undefined when it does not. */
export function moreLine(
  question: Question,
  flags: FlagValues,
  page: Page,
  pageSize: number,
): string | undefined {
  if (page.isCut !== true) {
    if (page.next === undefined) return undefined;
    return `more exist; go on with: ${continuingCommand(question, flags, page.next, pageSize)}`;
  }
  // A cursor leads to the beginning of a page only, so the page that was cut is asked for again.
  const isFirst = page.at === undefined || (page.at.flag === "page" && page.at.value === "1");
  const canTakeAll = question.endpoint.reply.kind === "list" ? "" : ", or --all";
  if (isFirst || page.at === undefined) return `more exist; ask for them with a higher --limit${canTakeAll}`;
  const command = continuingCommand(question, flags, page.at, pageSize);
  return `more exist; go on with (its first ${page.rows.length} rows were shown): ${command}`;
}

/** The exact command that goes on from there. Times are written as resolved, so that a relative bound does not move. */
function continuingCommand(question: Question, flags: FlagValues, from: Place, pageSize: number): string {
  const { endpoint, args } = question;
  const words = ["dexdata", ...endpoint.command.split(" "), ...pathWords(endpoint, args)];
  if (endpoint.chosenBy !== undefined) words.push(`--${endpoint.chosenBy}`);
  for (const { name, flag, place, kind } of endpoint.params) {
    const value = args.get(name);
    if (place !== "query" || flag === undefined || value === undefined) continue;
    if (kind.kind === "toggle") words.push(...(flags[flag] === undefined ? [] : [`--${flag}`]));
    else words.push(`--${flag}`, kind.kind === "time" ? formatInstant(fromWire(value)) : value);
  }
  for (const [name, value] of Object.entries(flags)) {
    if (!repeated.has(name) || value === undefined || name === "verbose") continue;
    words.push(`--${name}`);
    if (typeof value === "string") words.push(value);
  }
  if (flags["page-size"] !== undefined || from.flag === "page") words.push("--page-size", String(pageSize));
  return [...words, `--${from.flag}`, from.value].map(quoted).join(" ");
}

function pathWords(endpoint: Endpoint, args: Args): readonly string[] {
  const names = endpoint.params.filter(({ place }) => place === "path").map(({ name }) => name);
  return (takesAddress(endpoint) ? names : names.slice(0, 1)).map((name) => args.get(name) ?? "");
}

/** For a POSIX shell. */
function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

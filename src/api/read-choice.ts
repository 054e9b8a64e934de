import { type Failure, invalidInput } from "../base/failure.ts";
import { entryOf } from "../base/json/json-scan.ts";
import { didYouMean, nearest } from "../base/text/nearest.ts";
import { parseDuration } from "./duration.ts";
import { namedFormat } from "./output-format.ts";
import { type ParamKind, renamedOrder } from "./param.ts";

/** Throws `choiceFailure` for any other word. */
export function readChoice<Word extends string>(
  label: string,
  typed: string,
  choices: readonly Word[],
): Word {
  const word = choices.find((each) => each === typed);
  if (word === undefined) throw choiceFailure(label, typed, choices);
  return word;
}

/** Lists the accepted values and suggests the nearest one or `otherwise`, or says why the value is refused. */
export function choiceFailure(
  label: string,
  typed: string,
  choices: readonly string[],
  refused: Readonly<Record<string, string>> = {},
  otherwise?: string,
): Failure {
  const why = refused[Object.keys(refused).find((word) => word === typed || isMeant(word, typed)) ?? ""];
  const accepted = `must be ${choices.length > 1 ? "one of " : ""}${choices.join(", ")}`;
  if (why !== undefined) return invalidInput(label, `${why}; ${accepted}`);
  // In curl and others, -o takes a file.
  if (label.startsWith("--output ") && /[./]/u.test(typed))
    return invalidInput(label, accepted, `to write to a file: --out ${typed}, or > ${typed}`);
  return invalidInput(label, accepted, didYouMean(nearestChoice(typed, choices) ?? otherwise, undefined));
}

/** What people call a choice, in lower case and without separators. A word may mean choices of several flags. */
const otherWords: Readonly<Record<string, string>> = {
  always: "yes true on force",
  asc: "ascending up",
  candle: "ohlcv",
  created_at: "age new newest created date",
  csv: "excel xlsx",
  day: "daily",
  desc: "descending down",
  drop: "skip ignore omit",
  fail: "error abort stop",
  fdv_usd: "mcap marketcap",
  keyless: "none anonymous",
  liquidity_usd: "tvl",
  never: "no false off none",
  none: "no false off never",
  null: "none empty nan",
  ohlcv: "candles klines",
  postgres: "pg",
  previous: "ffill forward last",
  price_change_percentage_24h: "change gainers",
  price_usd: "price",
  raw: "wei",
  skip: "drop ignore omit",
  spec: "specification",
  table: "text pretty human",
  tokens: "decimal human",
  transaction: "trade trades swap swaps txns",
  transactions: "trades swaps txns",
  ts: "typescript",
  txns_24h: "trades swaps",
};

/** The choice for "did you mean"; undefined if none is close. */
export function nearestChoice(typed: string, choices: readonly string[]): string | undefined {
  const meant = choices.find((choice) => isMeant(choice, typed));
  const areDurations = choices.every((choice) => lengthOf(choice) !== undefined);
  return meant ?? (areDurations ? nearestDuration(typed, choices) : nearest(typed, choices));
}

function isMeant(choice: string, typed: string): boolean {
  const word = typed.toLowerCase().replaceAll(/[\s_-]/gu, "");
  const isNamed = [renamedOrder(typed), namedFormat(typed)].includes(choice);
  return isNamed || entryOf(otherWords, choice)?.split(" ").includes(word) === true;
}

/** Also of a number of weeks, which only candles have. */
const lengthOf = (word: string): number | undefined =>
  parseDuration(word.replace(/^(\d+)w$/u, (_, weeks: string) => `${7 * Number(weeks)}d`));

/** Durations are in order of their lengths. */
export function acceptedChoices({
  choices,
  also = {},
}: Extract<ParamKind, { kind: "choice" }>): readonly string[] {
  const all = [...choices, ...Object.keys(also)];
  return all.toSorted((a, b) => (lengthOf(a) ?? 0) - (lengthOf(b) ?? 0));
}

/** `daily`, `1 day` and `D1` are `1d`. Words for months start with the same letter as minutes. */
const asDuration = (word: string): string =>
  word
    .replace(/^(\d*)[ _-]?([shdw]|m(?!o|th))[a-z]*$/u, (_, count, unit) => `${count || "1"}${unit}`)
    .replace(/^([mhdw])(\d+)$/u, "$2$1");

/** Compares lengths instead of letters, because `1d` means `24h` and not `1m`. With a capital M, it may be months. */
function nearestDuration(typed: string, choices: readonly string[]): string | undefined {
  const word = typed.toLowerCase();
  const wanted = /^\d*M$/u.test(typed) ? undefined : (lengthOf(word) ?? lengthOf(asDuration(word)));
  if (wanted === undefined) return undefined;
  const factorOf = (choice: string): number => Math.abs(Math.log((lengthOf(choice) ?? 1) / wanted));
  return choices.toSorted((one, other) => factorOf(one) - factorOf(other))[0];
}

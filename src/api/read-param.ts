import { invalidInput, usageFailure } from "../base/failure.ts";
import { damageFault, isFixedWord, networkAliases, wellKnownNetworks } from "./known-networks.ts";
import { shiftDecimal } from "../base/json/exact-decimal.ts";
import { entryOf } from "../base/json/json-scan.ts";
import type { Param, ParamKind } from "./param.ts";
import { acceptedChoices, choiceFailure, nearestChoice } from "./read-choice.ts";
import {
  atSecond,
  type Instant,
  parseTimeBound,
  toWire,
  compareInstants,
  formatInstant,
  fromWire,
} from "../base/time/time.ts";
import type { Endpoint, Args, Typed } from "./endpoint.ts";

/**
 * Returns the value to send. The usage failure for invalid input lists the accepted values. `now` is in milliseconds
 * since the epoch; each run reads the clock only once. If the value is a choice of another one of `others`, the hint
 * names that parameter.
 */
export function readParam(param: Param, typed: string, now: number, others: readonly Param[] = []): string {
  const label = `${inputName(param)} "${typed}"`;
  const { kind } = param;
  switch (kind.kind) {
    case "text":
      if (typed.trim() === "") throw invalidInput(label, "must not be empty");
      return typed;
    case "network":
    case "address":
      return readWord(label, kind.kind, typed);
    case "list":
      return readList(label, kind, typed);
    case "integer":
      return readInteger(label, expanded(typed), kind);
    case "amount":
      return readAmount(label, typed);
    case "choice": {
      const word = kind.choices.includes(typed) ? typed : entryOf(kind.also, typed);
      if (word !== undefined) return word;
      throw choiceFailure(label, typed, acceptedChoices(kind), kind.refused, choiceOfOther(others, typed));
    }
    case "toggle":
      return "true";
    case "time":
      return toWire(inWholeSeconds(param.name, readInstant(label, typed, now)));
  }
}

/** For `--sort volume`, `--order-by volume_usd_24h`. Undefined if the other flag would refuse the word, too. */
function choiceOfOther(params: readonly Param[], typed: string): string | undefined {
  for (const param of params) {
    const { kind } = param;
    if (kind.kind !== "choice") continue;
    const near = nearestChoice(typed, [...Object.keys(kind.refused ?? {}), ...kind.choices]);
    if (near !== undefined && kind.choices.includes(near)) return `${inputName(param)} ${near}`;
  }
  return undefined;
}

/** `label` is the input as errors show it, and `now` is in milliseconds. */
export function readInstant(label: string, typed: string, now: number): Instant {
  const instant = parseTimeBound(typed, now);
  if ("problem" in instant) throw invalidInput(label, instant.problem, instant.next);
  return instant;
}

/** The specification's filters by creation are numbers. Blocks, and so the rows, have whole seconds. */
function inWholeSeconds(name: string, time: Instant): Instant {
  if (!name.startsWith("created_") || time.fraction === "") return time;
  return atSecond(name === "created_after" ? time.seconds + 1 : time.seconds);
}

/** As typed: `--order-by` for a flag, `<network>` for an argument, or `--field order_by` in a raw call. */
export function inputName(param: Param): string {
  if (param.givenAs !== "flag") return param.givenAs === "field" ? `--field ${param.name}` : param.name;
  if (param.flag !== undefined) return `--${param.flag}`;
  // The API distinguishes pool_address from token_address, but in both cases users type an address.
  const isAddress =
    param.kind.kind === "address" || (param.kind.kind === "list" && param.kind.of !== undefined);
  return isAddress ? "<address>" : `<${param.name}>`;
}

export function nameOfParam({ params }: Endpoint, wire: string): string {
  const param = params.find(({ name }) => name === wire);
  return param === undefined ? wire : inputName(param);
}

/** A double represents every integer with up to 15 digits exactly. */
const maxOfInteger = 999_999_999_999_999;

export function readInteger(
  label: string,
  typed: string,
  bounds: { readonly min: number; readonly max?: number },
): string {
  const value = /^-?\d{1,15}$/u.test(typed) ? Number(typed) : Number.NaN;
  const { min, max = maxOfInteger } = bounds;
  if (value >= min && value <= max) return String(value);
  const isTooLong = /^\d{16,}$/u.test(typed);
  const accepted = bounds.max === undefined && !isTooLong ? `, ${min} or more` : ` from ${min} to ${max}`;
  throw invalidInput(label, `must be a whole number${accepted}`, separatorHint(typed));
}

/** With one or two digits after it, a comma may be a decimal point. */
function separatorHint(typed: string): string | undefined {
  if (!/^-?\d{1,3}(?:[,_ ]\d{3})+$/u.test(typed)) return undefined;
  return `write it without separators: ${typed.replaceAll(/[,_ ]/gu, "")}`;
}

/** Expands `10k` and `1e4`. Other text is returned unchanged, so the error quotes it as typed. */
export function expanded(typed: string): string {
  return /^\d+(?:\.\d+)?(?:[kmb]|e\+?0*\d{1,3})$/iu.test(typed) ? readAmount("", typed) : typed;
}

/**
 * Sends `250k` as `250000` and `9.1e-13` as `0.00000000000091`, without a double, which could lose digits. Four-digit
 * exponents are rejected, because no double has one.
 */
function readAmount(label: string, typed: string): string {
  const [, sign = "", number = "", unit = "", exponent = ""] =
    /^(-?)0*(\d+(?:\.\d+)?)(?:([kmb])|(e[+-]?0*\d{1,3}))?$/iu.exec(typed) ?? [];
  const shift = { k: 3, m: 6, b: 9 }[unit.toLowerCase()] ?? 0;
  const amount = shiftDecimal(`${sign}${number}${exponent}`, shift);
  if (amount !== undefined) return amount;
  throw invalidInput(
    label,
    "must be a number such as 250000, 250k, 1.5m, 2b, 9.1e-13 or -20",
    separatorHint(typed),
  );
}

function readWord(label: string, kind: "network" | "address", typed: string): string {
  const what = kind === "network" ? "a network ID such as ethereum" : "an address or ID";
  if (typed === "") throw invalidInput(label, `must not be empty; enter ${what}`);
  refuseUrl(label, typed, what);
  if (typed === "-" || typed.startsWith("@")) throw invalidInput(label, `must be ${what}, not a list`);
  // A URL parser would remove "." and ".." from the path, so the request would go to a different endpoint.
  if (/[\s\p{Cc}]/u.test(typed) || typed === "." || typed === "..") {
    throw invalidInput(label, `must be ${what}, without spaces`);
  }
  if (kind === "network" && looksLikeAddress(typed))
    throw invalidInput(label, notAnAddress, `write the network first: <network> ${typed}`);
  if (kind === "network" && !/^[\w.-]{1,40}$/u.test(typed))
    throw invalidInput(label, `must be ${what}`, "list all networks: dexdata networks");
  if (typed.includes("…"))
    throw invalidInput(label, `must be ${what}, without "…"`, "for complete addresses in tables: -o wide");
  // The user may have pasted a quoted value from JSON or a shell script.
  if (kind === "address" && /["']/u.test(typed)) throw invalidInput(label, `must be ${what}, without quotes`);
  // These words take precedence over identifiers (specification, "Endpoints"), so another endpoint would answer.
  if (kind === "address" && isFixedWord(typed))
    throw invalidInput(label, `must be ${what}; this word is reserved by the API`);
  return typed;
}

export const notAnAddress = "must be a network ID such as ethereum, not an address";

export const looksLikeAddress = (word: string): boolean =>
  /^(?:0x[\da-f]{40,64}|[1-9A-HJ-NP-Za-km-z]{32,44})$/iu.test(word);

/** What a word or a line names, for messages. */
export const anAsset = "a network and an address";

/** People paste the URLs of pages about an asset. */
export function refuseUrl(label: string, typed: string, accepted: string): void {
  if (!/^[a-z][\w+.-]*:\/\//iu.test(typed)) return;
  const address = addressIn(typed);
  const network = accepted === anAsset ? networkIn(typed) : undefined;
  const found = network === undefined ? address : `${network}:${address}`;
  const next = address === undefined ? undefined : `use the address: ${found}`;
  throw invalidInput(label, `must be ${accepted}, not a URL`, next);
}

/** Many sites have pages of several networks, with the network in the path. */
function networkIn(url: string): string | undefined {
  const parts = url.split(/[/?#]/u).map((part) => networkAliases.get(part) ?? part);
  return parts.find((part) => wellKnownNetworks.has(part));
}

/** The address of the asset that a page of an explorer shows. The hash of a transaction is not one. */
export function addressIn(url: string): string | undefined {
  const [pathname = ""] = url.split(/[?#]/u);
  if (pathname.includes("/tx/")) return undefined;
  const hexadecimal = url.split(/\W+/u).find((word) => /^0x(?:[\da-f]{40}|[\da-f]{64})$/iu.test(word));
  const last = pathname.split("/").findLast((part) => part !== "") ?? "";
  return hexadecimal ?? (looksLikeAddress(last) ? last : undefined);
}

function readList(label: string, kind: Extract<ParamKind, { kind: "list" }>, typed: string): string {
  const items = typed.split(",").map((item) => item.trim());
  if (items.some((item) => item === ""))
    throw invalidInput(label, "must be a comma-separated list without empty values");
  if (kind.max !== undefined && items.length > kind.max)
    throw invalidInput(label, `must have at most ${kind.max} values`);
  return items.join(",");
}

/**
 * Nothing has been sent yet. `now` is in milliseconds since the epoch and is read only once per run, so that a time
 * range does not shift between pages or retries.
 */
export function readArgs(endpoint: Endpoint, typed: Typed, now: number): Args {
  const args = new Map<string, string>();
  for (const param of endpoint.params) {
    const text = typed.get(param.name);
    if (text !== undefined) args.set(param.name, readParam(param, text, now, endpoint.params));
  }
  checkAddresses(endpoint.params, args);
  const nameOf = (wire: string): string => nameOfParam(endpoint, wire);
  const quoted = (wire: string): string =>
    typed.has(wire) ? `${nameOf(wire)} "${typed.get(wire)}"` : nameOf(wire);
  for (const [lower, upper, isOpen] of timeRanges) {
    const [from, to] = [args.get(lower), args.get(upper)];
    if (from === undefined || to === undefined) continue;
    const [first, last] = [fromWire(from), fromWire(to)];
    const order = compareInstants(first, last);
    if (order < 0 || (order === 0 && !isOpen)) continue;
    if (order > 0 && typed.get(upper) === "now")
      throw invalidInput(quoted(lower), "must not be in the future");
    const [begin, end] = [
      `${quoted(lower)} (${formatInstant(first)})`,
      `${quoted(upper)} (${formatInstant(last)})`,
    ];
    if (order > 0)
      throw usageFailure(`${begin} is after ${end}`, `swap ${nameOf(lower)} and ${nameOf(upper)}`);
    // Only commands with --to have --day.
    const next = nameOf(upper) === "--to" ? hintAtDay(first) : undefined;
    throw usageFailure(`${begin} is equal to ${end}, so the time range is empty`, next);
  }
  for (const { name } of endpoint.params) {
    if (!name.endsWith("_min")) continue;
    const upper = name.replace(/_min$/u, "_max");
    const [least, most] = [args.get(name), args.get(upper)];
    // No row can match such a range, but the request would cost a credit.
    if (least !== undefined && most !== undefined && Number(least) > Number(most))
      throw usageFailure(
        `${quoted(name)} is greater than ${quoted(upper)}, so no row can match`,
        `swap ${nameOf(name)} and ${nameOf(upper)}`,
      );
  }
  return args;
}

/** For a range from a day to the same day. */
export const hintAtDay = (at: Instant): string =>
  `for the entire day, use --day ${formatInstant(at).slice(0, 10)}`;

/** A request for an address that the service cannot know would cost a credit. */
function checkAddresses(params: readonly Param[], args: Args): void {
  const network = args.get("network");
  if (network === undefined) return;
  for (const param of params) {
    const { kind, name } = param;
    if ((kind.kind !== "address" && kind.kind !== "list") || kind.of === undefined) continue;
    const text = args.get(name);
    const addresses = text === undefined ? [] : kind.kind === "list" ? text.split(",") : [text];
    for (const address of addresses) {
      const fault = damageFault(network, address, kind.of);
      if (fault !== undefined)
        throw invalidInput(`${inputName(param)} "${address}"`, fault.problem, fault.next);
    }
  }
}

/** Lower and upper bounds. In a range with an open end, equal times match nothing. */
const timeRanges = [
  ["from", "to", false],
  ["start", "end", true],
  ["created_after", "created_before", false],
] as const;

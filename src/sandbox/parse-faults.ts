import { nearest } from "../base/text/nearest.ts";
import { parseDuration } from "../api/duration.ts";
import { tiers } from "../api/tier.ts";
import {
  type Fault,
  type FaultName,
  type Faults,
  type FaultTraits,
  type FaultValue,
  faultTraits,
  isFaultName,
  traitsOf,
  type When,
} from "./fault-kinds.ts";

interface FaultProblem {
  readonly problem: string;
  readonly next: string;
}

/**
 * Parses faults of the form `<kind>[=value][when][/path part]`, separated by commas:
 * `429x3,500:5%,reset-body@7,truncate@10-12,slow-body=2s:1%/transactions`. `when` selects requests: `x3` the first
 * three, `@7` the seventh, `@7-9` a range, `@7-` all from the seventh on, `:5%` that share, and `:5%x3` bursts of
 * three. By default, a fault affects all requests, but some page faults affect only the first. Market faults, such as
 * `late-rows=90s:2%`, affect rows instead of requests, and take only a share.
 */
export function parseFaults(spec: string): Faults | FaultProblem {
  const faults: Fault[] = [];
  for (const text of spec.split(",")) {
    const fault = parseFault(text.trim());
    if ("problem" in fault) return fault;
    faults.push(fault);
  }
  return faults;
}

export function isFaultProblem(result: Faults | FaultProblem): result is FaultProblem {
  return "problem" in result;
}

// A kind or filter name also ends before `x3`, although x is a letter; hence the lookahead.
const SHAPE =
  /^(?<word>\d+|[a-z-]*?)(?=x\d|[=:@/]|$)(?:=(?<value>[^:@/]*?)(?=x\d|[:@/]|$))?(?<when>[^/]*)(?<path>\/.*)?$/u;

function parseFault(text: string): Fault | FaultProblem {
  const { word = "", value, when: typedWhen = "", path } = SHAPE.exec(text)?.groups ?? {};
  const kind = readKind(word === "" ? text : word);
  if (kind === undefined) return unknownKind(word === "" ? text : word, text);
  const when = readWhen(typedWhen, text, kind);
  if ("problem" in when) return when;
  const amount = kind === "status" ? Number(word) : traitsOf(kind).byDefault;
  const tier = kind === "plan" ? "keyless" : undefined;
  const fault: Fault = { kind, text, when, path, amount, tier, retryAfter: undefined, filter: undefined };
  return value === undefined ? fault : withValue(fault, value);
}

function readKind(word: string): FaultName | "status" | undefined {
  if (/^[45]\d\d$/u.test(word)) return "status";
  return isFaultName(word) ? word : undefined;
}

function unknownKind(word: string, text: string): FaultProblem {
  const near = nearest(word, Object.keys(faultTraits));
  const where = word === text ? "" : ` in "${text}"`;
  return {
    problem: `"${word}"${where}: must be a status from 400 to 599 or the name of a fault`,
    next: near === undefined ? "see the faults in: dexdata help sandbox" : `did you mean ${near}?`,
  };
}

const EVERY: When = { by: "range", from: 1, to: Number.POSITIVE_INFINITY };

function readWhen(typed: string, text: string, kind: Fault["kind"]): When | FaultProblem {
  const traits = traitsOf(kind);
  const where = `"${typed}" in "${text}": ${kind}`;
  if (traits.layer === "cache") {
    if (/^(?::free|:path)*$/u.test(typed)) return EVERY;
    return { problem: `${where} takes :free, :path, or both`, next: `omit "${typed}"` };
  }
  if (traits.layer === "market") return readShare(typed, traits) ?? badShare(where, typed, traits);
  return (
    readTurns(typed, traits.isOnce) ?? {
      problem: `"${typed}" in "${text}": must be x3 (the first three), @7, @7-9, @7-, :5% or :5%x3 (bursts of at most ${LONGEST_BURST}), counted from 1`,
      next: "omit it to affect every request (most page faults: one); part of a path can follow: 500x3/transactions",
    }
  );
}

function readTurns(typed: string, isOnce = false): When | undefined {
  if (typed === "") return isOnce ? rangeOf(1, 1) : EVERY;
  const rate = /^:(\d{1,3}(?:\.\d{1,6})?)%(?:x(\d{1,9}))?$/u.exec(typed);
  if (rate !== null) {
    const [share, length] = [Number(rate[1]) / 100, Number(rate[2] ?? 1)];
    return share > 0 && share <= 1 && length > 0 && length <= LONGEST_BURST
      ? { by: "rate", share, length }
      : undefined;
  }
  const count = /^x(\d{1,9})$/u.exec(typed);
  if (count !== null) return rangeOf(1, Number(count[1]));
  const range = /^@(\d{1,9})(-(\d{1,9})?)?$/u.exec(typed);
  if (range === null) return undefined;
  const from = Number(range[1]);
  const end = range[2] === undefined ? from : Number.POSITIVE_INFINITY;
  return rangeOf(from, range[3] === undefined ? end : Number(range[3]));
}

/** A share of 0% affects nothing. Without a share, every row is affected. */
function readShare(typed: string, { sample }: FaultTraits): When | undefined {
  const percent = /^:(\d{1,3}(?:\.\d{1,6})?)%$/u.exec(typed)?.[1];
  if (sample === undefined) return typed === "" ? EVERY : undefined;
  const share = typed === "" ? sample.share : Number(percent) / 100;
  return share <= 1 ? { by: "rate", share, length: 1 } : undefined;
}

function badShare(where: string, typed: string, { sample, example = "" }: FaultTraits): FaultProblem {
  if (sample === undefined)
    return {
      problem: `${where} affects all transactions, so it does not take a share`,
      next: `omit "${typed}"`,
    };
  return {
    problem: `${where} affects a share of all ${sample.of}, such as ${example}`,
    next: "a share is from 0% to 100%; requests are not counted for this kind",
  };
}

// Each request checks up to this many earlier requests for the start of a burst.
const LONGEST_BURST = 1000;

function rangeOf(from: number, to: number): When | undefined {
  return from >= 1 && to >= from ? { by: "range", from, to } : undefined;
}

/** For each kind of value, its form and how an error describes it. */
const values: Readonly<Record<FaultValue, readonly [form: RegExp, accepted: string]>> = {
  none: [/(?!)/u, "no value"],
  status: [/^(?!204|205|304)[2-5]\d\d$/u, "a status that has a body, from 200 to 599"],
  duration: [
    /^(?![0.]+[a-z])\d{1,6}(?:\.\d{1,3})?(?:ms|s|m|h|d)$/u,
    "a duration such as 300ms, 2s, 1m, 3h or 7d",
  ],
  blocks: [/^(?:[1-9]|[1-5]\d|6[0-4])$/u, "a number of blocks from 1 to 64"],
  rows: [/^[1-9]\d?$/u, "a number of rows from 1 to 99"],
  events: [/^\d{1,9}$/u, "a number of events"],
  tier: [new RegExp(`^(?:${tiers.join("|")})$`, "u"), `one of ${tiers.join(", ")}`],
  name: [/^\w+$/u, "the name of a filter, such as volume_usd_24h_min"],
};

// Each response checks every row that is younger.
const LONGEST_AGE_MS = 30 * 86_400_000;

function withValue(fault: Fault, value: string): Fault | FaultProblem {
  if (fault.kind === "status") {
    if (fault.amount === 429 && /^\d{1,5}$/u.test(value)) return { ...fault, retryAfter: Number(value) };
    return badValue(fault, value, fault.amount === 429 ? "the seconds to wait, such as 429=7" : "no value");
  }
  const { value: type, sample } = traitsOf(fault.kind);
  const [form, accepted] = values[type];
  if (!form.test(value))
    return badValue(fault, value, accepted, type === "tier" ? nearest(value, tiers) : undefined);
  if (type === "tier") return { ...fault, tier: tiers.find((tier) => tier === value) };
  if (type === "name") return { ...fault, filter: value };
  const amount = parseDuration(value) ?? Number(value);
  if (sample?.of === "rows" && amount > LONGEST_AGE_MS)
    return badValue(fault, value, "a duration of at most 30d, such as 90s, 3h or 7d");
  return { ...fault, amount };
}

function badValue({ text }: Fault, value: string, accepted: string, near?: string): FaultProblem {
  const word = text.slice(0, text.indexOf("="));
  return {
    problem: `"${value}" in "${text}": ${word} takes ${accepted}`,
    next: near === undefined ? `use ${word} alone for the default` : `did you mean ${word}=${near}?`,
  };
}

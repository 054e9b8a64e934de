import { nearest } from "../../text/nearest.ts";
import { isTier, tiers } from "../../contract/tier.ts";
import {
  type Fault,
  type FaultName,
  faultNames,
  type Faults,
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
 * three. By default, a fault affects all requests, but some page faults affect only the first.
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
  const when = readWhen(typedWhen, traitsOf(kind).isOnce);
  if (when === undefined) return badWhen(typedWhen, text);
  const base = { kind, text, when, path, retryAfter: undefined, tier: undefined, filter: undefined };
  if (kind === "status") return withRetryAfter({ ...base, amount: Number(word) }, value);
  return withValue({ ...base, amount: traitsOf(kind).byDefault }, kind, value);
}

function readKind(word: string): FaultName | "status" | undefined {
  if (/^[45]\d\d$/u.test(word)) return "status";
  return isFaultName(word) ? word : undefined;
}

function unknownKind(word: string, text: string): FaultProblem {
  const names = faultNames();
  const near = nearest(word, names);
  const where = word === text ? "" : ` in "${text}"`;
  return {
    problem: `"${word}"${where}: must be a status from 400 to 599, or one of ${names.join(", ")}`,
    next: near === undefined ? "e.g. 429x3,500:5%,reset-body@7" : `did you mean ${near}?`,
  };
}

function readWhen(typed: string, isOnce = false): When | undefined {
  if (typed === "") return { by: "range", from: 1, to: isOnce ? 1 : Number.POSITIVE_INFINITY };
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

// Each request checks up to this many earlier requests for the start of a burst.
const LONGEST_BURST = 1000;

function rangeOf(from: number, to: number): When | undefined {
  return from >= 1 && to >= from ? { by: "range", from, to } : undefined;
}

function badWhen(typed: string, text: string): FaultProblem {
  return {
    problem: `"${typed}" in "${text}": must be x3 (the first three), @7, @7-9, @7-, :5% or :5%x3 (bursts of at most ${LONGEST_BURST}), counted from 1`,
    next: "omit it to affect every request (most page faults: one); part of a path can follow: 500x3/transactions",
  };
}

function withRetryAfter(fault: Fault, value: string | undefined): Fault | FaultProblem {
  if (value === undefined) return fault;
  if (fault.amount === 429 && /^\d{1,5}$/u.test(value)) return { ...fault, retryAfter: Number(value) };
  return badValue(fault, value, fault.amount === 429 ? "the seconds to wait, such as 429=7" : "no value");
}

function withValue(fault: Fault, kind: FaultName, value: string | undefined): Fault | FaultProblem {
  if (value === undefined) return kind === "plan" ? { ...fault, tier: "keyless" } : fault;
  switch (traitsOf(kind).value) {
    case "none":
      return badValue(fault, value, "no value");
    case "status":
      return /^[2-5]\d\d$/u.test(value) && !["204", "205", "304"].includes(value)
        ? { ...fault, amount: Number(value) }
        : badValue(fault, value, "a status that has a body, from 200 to 599");
    case "duration": {
      const [, number = "", unit = ""] = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s|m)$/u.exec(value) ?? [];
      const milliseconds = Number(number) * ({ ms: 1, s: 1000, m: 60_000 }[unit] ?? 0);
      return milliseconds > 0
        ? { ...fault, amount: milliseconds }
        : badValue(fault, value, "a duration such as 300ms, 2s or 1m");
    }
    case "events":
      return /^\d{1,9}$/u.test(value)
        ? { ...fault, amount: Number(value) }
        : badValue(fault, value, "a number of events");
    case "tier":
      return isTier(value)
        ? { ...fault, tier: value }
        : badValue(fault, value, `one of ${tiers.join(", ")}`, nearest(value, tiers));
    case "name":
      return /^\w+$/u.test(value)
        ? { ...fault, filter: value }
        : badValue(fault, value, "the name of a filter, such as volume_usd_24h_min");
  }
}

function badValue({ text }: Fault, value: string, accepted: string, near?: string): FaultProblem {
  const word = text.slice(0, text.indexOf("="));
  return {
    problem: `"${value}" in "${text}": ${word} takes ${accepted}`,
    next: near === undefined ? `use ${word} alone for the default` : `did you mean ${word}=${near}?`,
  };
}

import { type Failure, usageFailure } from "../base/failure.ts";
import { nearest } from "../base/text/nearest.ts";
import { parseDuration } from "../api/duration.ts";
import { tiers } from "../api/tier.ts";
import {
  type Fault,
  type FaultName,
  type Faults,
  type FaultValue,
  faultTraits,
  isFaultName,
  traitsOf,
  type When,
} from "./fault-kinds.ts";

/**
 * Parses faults of the form `<kind>[=value][when][/path part]`, separated by commas:
 * `429x3,500:5%,reset-body@7,truncate@10-12,slow-body=2s:1%/transactions`. `when` selects requests: `x3` the first
 * three, `@7` the seventh, `@7-9` a range, `@7-` all from the seventh on, `:5%` that share, and `:5%x3` bursts of
 * three. By default, a fault affects all requests, but some page faults affect only the first. Market faults, such as
 * `late-rows=90s:2%`, affect rows instead of requests, and take only a share. `label` names the input in errors.
 */
export function parseFaults(spec: string, label = "--faults"): Faults {
  return spec.split(",").map((part) => parseFault(part.trim(), label));
}

// A kind or filter name also ends before `x3`, although x is a letter; hence the lookahead.
const SHAPE =
  /^(?<word>\d+|[a-z-]*?)(?=x\d|[=:@/]|$)(?:=(?<value>[^:@/]*?)(?=x\d|[:@/]|$))?(?<when>[^/]*)(?<path>\/.*)?$/u;

/** The error about one part of a fault. */
type Refuse = (part: string, problem: string, next: string) => Failure;

function parseFault(text: string, label: string): Fault {
  const refuse: Refuse = (part, problem, next) => {
    const where = part === text ? "" : ` in "${text}"`;
    return usageFailure(`${label} "${part}"${where}: ${problem}`, next);
  };
  const { word: typed = "", value, when: typedWhen = "", path } = SHAPE.exec(text)?.groups ?? {};
  const word = typed === "" ? text : typed;
  const kind = readKind(word, refuse);
  const when = readWhen(typedWhen, kind, refuse);
  const amount = kind === "status" ? Number(word) : traitsOf(kind).byDefault;
  const fault: Fault = { kind, text, when, path, amount, word: undefined };
  return value === undefined ? fault : { ...fault, ...readValue(word, fault, value, refuse) };
}

function readKind(word: string, refuse: Refuse): FaultName | "status" {
  if (/^[45]\d\d$/u.test(word)) return "status";
  if (isFaultName(word)) return word;
  const near = nearest(word, Object.keys(faultTraits));
  throw refuse(
    word,
    "must be a status from 400 to 599 or the name of a fault",
    near === undefined ? "see the faults in: dexdata help sandbox" : `did you mean ${near}?`,
  );
}

const EVERY: When = { by: "range", from: 1, to: Number.POSITIVE_INFINITY };

function readWhen(typed: string, kind: Fault["kind"], refuse: Refuse): When {
  const { layer, isOnce, sample, example } = traitsOf(kind);
  if (layer === "cache") {
    if (/^(?::free|:path)*$/u.test(typed)) return EVERY;
    throw refuse(typed, `${kind} takes :free, :path, or both`, `omit "${typed}"`);
  }
  if (layer !== "market") {
    const turns = readTurns(typed, isOnce);
    if (turns !== undefined) return turns;
    const forms = `x3 (the first three), @7, @7-9, @7-, :5% or :5%x3 (bursts of at most ${LONGEST_BURST})`;
    const next =
      "omit it to affect every request (most page faults: one); part of a path can follow: 500x3/transactions";
    throw refuse(typed, `must be ${forms}, counted from 1`, next);
  }
  if (sample === undefined) {
    if (typed === "") return EVERY;
    const problem = `${kind} affects all transactions, so it does not take a share`;
    throw refuse(typed, problem, `omit "${typed}"`);
  }
  const percent = /^:(\d{1,3}(?:\.\d{1,6})?)%$/u.exec(typed)?.[1];
  const share = typed === "" ? sample.share : Number(percent) / 100;
  // A share of 0% affects nothing.
  if (share <= 1) return { by: "rate", share, length: 1 };
  throw refuse(
    typed,
    `${kind} affects a share of all ${sample.of}, such as ${example}`,
    "a share is from 0% to 100%; requests are not counted for this kind",
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

function readValue(word: string, { kind, amount }: Fault, typed: string, refuse: Refuse): Partial<Fault> {
  const { value: type, sample } = traitsOf(kind);
  const refused = (accepted: string, near?: string): Failure =>
    refuse(
      typed,
      `${word} takes ${accepted}`,
      near === undefined ? `use ${word} alone for the default` : `did you mean ${word}=${near}?`,
    );
  if (kind === "status") {
    if (amount !== 429) throw refused("no value");
    if (!/^\d{1,5}$/u.test(typed)) throw refused("the seconds to wait, such as 429=7");
    return { word: typed };
  }
  const [form, accepted] = values[type];
  if (!form.test(typed)) throw refused(accepted, type === "tier" ? nearest(typed, tiers) : undefined);
  if (type === "tier" || type === "name") return { word: typed };
  const number = parseDuration(typed) ?? Number(typed);
  if (sample?.of === "rows" && number > LONGEST_AGE_MS)
    throw refused("a duration of at most 30d, such as 90s, 3h or 7d");
  return { amount: number };
}

import { compileRowCheck } from "../client/rows/row-check.ts";
import { createSeenKeys } from "../client/pages/seen-keys.ts";
import type { RecordShape } from "../contract/record.ts";
import { hashText } from "../text/text-hash.ts";
import { compareInstants, formatInstant, type Instant, parseRfc3339 } from "../time/time.ts";
import { wholeDigits } from "./exact-decimal.ts";
import type { PullReceipt } from "./pull-receipt.ts";
import type { Row } from "./read-rows.ts";
import type { RowKind } from "./row-kind.ts";
import type { Report } from "./rules.ts";

/** One or more rules, applied to the rows of one file. */
export interface RowCheck {
  readonly see: (row: Row) => void;
  /** A row could not be read. */
  readonly skip?: () => void;
  readonly end?: () => void;
}

/** What a check knows about the file before the first row. */
export interface Subject {
  readonly kind: RowKind;
  readonly first: Row;
  readonly receipt: PullReceipt | undefined;
  /** Whether the values are text without JSON types. */
  readonly isSeparated: boolean;
  readonly report: Report;
}

export function timeOf({ values }: Row, field: string | undefined): Instant | undefined {
  const value = field === undefined ? undefined : values[field];
  return typeof value === "string" ? parseRfc3339(value) : undefined;
}

/** The pool or token of a row, if the row names it. */
export function assetOf({ name }: RowKind, { values }: Row): string {
  return name === "transactions"
    ? shown(values["pool_id"])
    : `${shown(values["chain"])}:${shown(values["id"])}`;
}

export function shown(value: unknown): string {
  if (value === undefined) return "no value";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** In rows. Above this, only rows near each other are compared in files that are ordered by time: 12 bytes per row. */
const mostKeys = 4_000_000;

/** R3. Equal times with different spelling are equal. */
export function checkRepeats({ kind, first, report }: Subject): RowCheck | undefined {
  const isOfCandles = kind.name === "candles";
  const fields = kind.shape.identity.filter((field) => field !== kind.timeField);
  if (!kind.isList || !fields.every((field) => Object.hasOwn(first.values, field))) return undefined;
  let seen = createSeenKeys("all", false);
  let count = 0;
  const hash = { high: 0, low: 0 };
  return {
    see: (row) => {
      const parts = fields.map((field) => {
        const value = row.values[field];
        return typeof value === "number" ? (row.exact(field) ?? "") : shown(value);
      });
      if (kind.name !== "other") parts.push(assetOf(kind, row));
      const time = isOfCandles ? timeOf(row, kind.timeField) : undefined;
      if (isOfCandles && time === undefined) return;
      if (time !== undefined) parts.push(formatInstant(time));
      hashText(JSON.stringify(parts), hash);
      if (!seen.add(hash)) {
        const found = `${fields.length === 0 ? shown(row.values["time_open"]) : fields.map((field) => shown(row.values[field])).join(", ")} again`;
        report("R3", { line: row.line, field: kind.shape.identity.join(","), expected: "a new row", found });
      }
      count += 1;
      if (count === mostKeys && kind.timeField !== undefined) seen = createSeenKeys("recent", false);
    },
  };
}

/** R4. `slack` is how many seconds before the start of the range a row may be. */
export function checkPlace({ kind, first, receipt, report }: Subject): RowCheck | undefined {
  const { timeField } = kind;
  if (timeField === undefined) return undefined;
  const hasTime = Object.hasOwn(first.values, timeField);
  const from = receipt?.asked?.["count_back"] === undefined ? boundOf(receipt?.window.from) : undefined;
  const to = boundOf(receipt?.window.to);
  // The service may round the start down to the interval, which has at most 24 hours.
  const slack = kind.name === "candles" ? 86_399 : 0;
  const asked = receipt?.asked ?? {};
  const places = [
    ["pool_id", kind.name === "transactions" ? asked["pool_address"] : undefined],
    ["chain", asked["network"]],
  ] as const;
  return {
    see: (row) => {
      const { line, values } = row;
      const time = timeOf(row, timeField);
      const found = shown(values[timeField]);
      const wrong = (expected: string): void => report("R4", { line, field: timeField, expected, found });
      if (time === undefined) {
        if (hasTime || values[timeField] !== undefined) wrong("a time as in RFC 3339");
      } else if (from !== undefined && compareInstants({ ...time, seconds: time.seconds + slack }, from) < 0)
        wrong(`at or after ${receipt?.window.from ?? ""}`);
      else if (to !== undefined && compareInstants(time, to) > 0)
        wrong(`at or before ${receipt?.window.to ?? ""}`);
      for (const [field, expected] of places) {
        const value = values[field];
        if (typeof expected !== "string" || value === undefined || isSamePlace(shown(value), expected))
          continue;
        report("R4", { line, field, expected, found: shown(value) });
      }
    },
  };
}

function boundOf(text: string | null | undefined): Instant | undefined {
  return text === null || text === undefined ? undefined : parseRfc3339(text);
}

/** Only hexadecimal addresses ignore case. */
function isSamePlace(one: string, other: string): boolean {
  return one === other || (/^0x/iu.test(other) && one.toLowerCase() === other.toLowerCase());
}

/** A file with more steps in the wrong direction than this has its first ones reported. */
const mostSteps = 1000;

/** R5. The direction with fewer steps is the wrong one. */
export function checkOrder({ kind, report }: Subject): RowCheck | undefined {
  const { timeField } = kind;
  if (timeField === undefined) return undefined;
  const last = new Map<string, Instant>();
  const rising: { readonly line: number; readonly found: string }[] = [];
  const falling: typeof rising = [];
  let [rises, falls] = [0, 0];
  return {
    see: (row) => {
      const time = timeOf(row, timeField);
      if (time === undefined) return;
      const asset = assetOf(kind, row);
      const before = last.get(asset);
      last.set(asset, time);
      const step = before === undefined ? 0 : compareInstants(time, before);
      if (before === undefined || step === 0) return;
      const steps = step > 0 ? rising : falling;
      const found = `${formatInstant(time)} after ${formatInstant(before)}`;
      if (steps.length < mostSteps) steps.push({ line: row.line, found });
      if (step > 0) rises += 1;
      else falls += 1;
    },
    end: () => {
      const isRising = rises > falls || (rises === falls && kind.name === "candles");
      const expected = isRising ? "a later time" : "an earlier time";
      const level = isRising && kind.name === "transactions" ? "note" : "finding";
      for (const step of isRising ? falling : rising)
        report("R5", { ...step, field: timeField, expected, level });
    },
  };
}

/** R1. Fields that the first row lacks were not selected. R4 checks the time. */
export function checkTypes({ kind, first, isSeparated, report }: Subject): RowCheck {
  const { record, added } = kind.shape;
  const all: RecordShape = { ...record, ...added?.record };
  const shape = Object.fromEntries(
    Object.entries(all).flatMap(([name, field]) => {
      if (name === kind.timeField) return [];
      const isAbsent = isSeparated || !Object.hasOwn(first.values, name);
      const isNull = added?.nulls.includes(name) === true;
      return [
        [
          name,
          { ...field, optional: field.optional || isAbsent, nullable: field.nullable || isNull },
        ] as const,
      ];
    }),
  );
  const problemOf = compileRowCheck(shape);
  return {
    see: ({ line, values }) => {
      const problem = problemOf(isSeparated ? withTypes(values, shape) : values);
      if (problem === undefined) return;
      const [field = "", ...rest] = problem.split(": ");
      const expected = rest
        .join(": ")
        .toLowerCase()
        .replace(/^invalid input: /u, "");
      const found = shown(values[field.split(".")[0] ?? ""]);
      report("R1", { line, field, expected: expected.replace(/^expected /u, "").split(",")[0] ?? "", found });
    },
  };
}

/** A cell that is not a value of its field's type remains text, so that the check fails. */
function withTypes(values: Row["values"], shape: RecordShape): object {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const kind = shape[name]?.type.kind;
      const isJson = /^(?:true|false|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/u.test(String(value));
      const isTyped = kind === "number" || kind === "integer" || kind === "boolean";
      if (kind === "record" || kind === "list") return [name, undefined];
      return [name, isTyped && isJson ? (JSON.parse(String(value)) as unknown) : value];
    }),
  );
}

/** The precision of DECIMAL(38) minus the digits that a sum of ten thousand rows may need. */
const mostDigits = 34n;

/** T3 and T7. */
export function checkTransactions({ kind, report }: Subject): RowCheck | undefined {
  if (kind.name !== "transactions") return undefined;
  return {
    see: (row) => {
      const { line, values } = row;
      for (const field of ["amount_0", "amount_1"]) {
        const value = values[field];
        const text =
          typeof value === "string" ? value : Math.abs(Number(value)) < 1e30 ? "" : row.exact(field);
        if (text === undefined || text.length <= Number(mostDigits)) {
          if (text === undefined || !/e/iu.test(text)) continue;
        }
        const digits = wholeDigits(text);
        if (digits > mostDigits)
          report("T3", { line, field, expected: "at most 34 digits", found: `${digits} digits` });
      }
      if (String(values["canonical_chain"]) === "false")
        report("T7", { line, field: "canonical_chain", expected: "true or absent", found: "false" });
    },
  };
}

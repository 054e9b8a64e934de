import { createSeenKeys } from "../../client/seen-keys.ts";
import { comparableAddress } from "../../client/subject.ts";
import { rawMembers } from "../../base/json/json-scan.ts";
import { addBytes, addText, beginHash, endHash, type TextBytes } from "../../base/text/text-hash.ts";
import { compareInstants, formatInstant, type Instant, parseRfc3339 } from "../../base/time/time.ts";
import { wholeDigits } from "../../base/json/exact-decimal.ts";
import type { Query } from "../receipt.ts";
import type { Place, Row } from "./row.ts";
import type { RowKind } from "./row-kind.ts";
import type { Report, RuleId } from "../verify-rules.ts";

export interface RowCheck {
  readonly rules: readonly RuleId[];
  readonly see: (row: Row, place: Place) => void;
  /** A row could not be read. */
  readonly skip?: () => void;
  readonly end?: () => void;
}

/** What a check knows about the file before the first row. */
export interface Subject {
  readonly kind: RowKind;
  readonly first: Row;
  /** According to a receipt. */
  readonly query: Query | undefined;
  readonly report: Report;
}

/** In rows. In larger files that are ordered by time, the following rows are compared only with those near them. */
const maxKeys = 4_000_000;

/** R3. Equal times with different spelling are equal. */
export function checkRepeats({ kind, first, report }: Subject): RowCheck | undefined {
  const isTimed = kind.shape.identity.some((field) => field === kind.timeField);
  const fields = kind.shape.identity.filter((field) => field !== kind.timeField);
  if (!kind.isList || fields.some((field) => first.text(field) === undefined)) return undefined;
  const hashed = [...new Set([...fields, ...kind.assetFields])];
  let seen = createSeenKeys("all", false);
  let count = 0;
  const hash = { high: 0, low: 0 };
  return {
    rules: ["R3"],
    see: (row, { time }) => {
      if (isTimed && time === undefined) return;
      beginHash(hash);
      for (const field of hashed) {
        const text = row.find(field);
        if (text === undefined) addText(hash, "");
        else addBytes(hash, text.view, text.from, text.to);
      }
      if (isTimed && time !== undefined) addText(hash, formatInstant(time));
      endHash(hash);
      if (!seen.add(hash)) {
        const names = kind.shape.identity;
        const found = `${names.map((field) => row.text(field)).join(", ")} again`;
        report("R3", { line: row.line, field: kind.shape.identity.join(","), expected: "a new row", found });
      }
      count += 1;
      if (count === maxKeys && kind.timeField !== undefined) seen = createSeenKeys("recent", false);
    },
  };
}

/** R4. */
export function checkPlace({ kind, first, query, report }: Subject): RowCheck | undefined {
  const { timeField } = kind;
  if (timeField === undefined) return undefined;
  const hasTime = first.text(timeField) !== undefined;
  const asked = query?.asked ?? {};
  const from = asked["count_back"] === undefined ? boundOf(query?.window.from) : undefined;
  const to = boundOf(query?.window.to);
  // In seconds. The service may round the start down to the interval of candles, which has at most 24 hours.
  const slack = kind.name === "candle" ? 86_399 : 0;
  const pool = kind.name === "transaction" ? asked["pool_address"] : undefined;
  const places = Object.entries({ pool_id: pool, chain: asked["network"] }).flatMap(([field, expected]) =>
    typeof expected === "string" ? [{ field, expected }] : [],
  );
  const checkTime = (row: Row, time: Instant | undefined): void => {
    const wrong = (expected: string): void =>
      report("R4", { line: row.line, field: timeField, expected, found: row.text(timeField) ?? "no value" });
    if (time === undefined) {
      if (hasTime || row.text(timeField) !== undefined) wrong("a time as in RFC 3339");
    } else if (from !== undefined && compareInstants({ ...time, seconds: time.seconds + slack }, from) < 0)
      wrong(`at or after ${query?.window.from ?? ""}`);
    else if (to !== undefined && compareInstants(time, to) > 0)
      wrong(`at or before ${query?.window.to ?? ""}`);
  };
  // In seconds. The values of a period can be a minute older, and a long read ends after it.
  const every = Number(asked["every"] ?? 86_400);
  const checkAge = (row: Row, time: Instant | undefined): void => {
    if (kind.shape.name !== "pool-period") return;
    const asOf = parseRfc3339(row.text("as_of") ?? "");
    const late = (asOf?.seconds ?? 0) - (time?.seconds ?? 0);
    const off = Math.max(-60 - late, late - every + 1);
    if (time === undefined || asOf === undefined || off <= 0) return;
    const expected = `a time in the period ${formatInstant(time)}`;
    const mismatch = { line: row.line, field: "as_of", expected, found: formatInstant(asOf) };
    report("R4", { ...mismatch, level: off > 6 * 3600 ? "finding" : "note" });
  };
  return {
    rules: hasTime || places.length > 0 ? ["R4"] : [],
    see: (row, { time }) => {
      checkTime(row, time);
      checkAge(row, time);
      for (const { field, expected } of places) {
        const found = row.text(field);
        if (found === undefined || found === expected) continue;
        if (comparableAddress(found) === comparableAddress(expected)) continue;
        report("R4", { line: row.line, field, expected, found });
      }
    },
  };
}

function boundOf(text: string | null | undefined): Instant | undefined {
  return text === null || text === undefined ? undefined : parseRfc3339(text);
}

/** If a file has more steps in the wrong direction than this, only the first ones are reported. */
const maxSteps = 1000;

/** R5. The direction with fewer steps is the wrong one. */
export function checkOrder({ kind, first, report }: Subject): RowCheck | undefined {
  const { timeField } = kind;
  if (timeField === undefined) return undefined;
  const hasTime = first.text(timeField) !== undefined;
  const last = new Map<string, Instant>();
  const rising: { readonly line: number; readonly found: string }[] = [];
  const falling: typeof rising = [];
  let [rises, falls] = [0, 0];
  return {
    rules: hasTime ? ["R5"] : [],
    see: ({ line }, { time, asset }) => {
      if (time === undefined) return;
      const before = last.get(asset);
      last.set(asset, time);
      const step = before === undefined ? 0 : compareInstants(time, before);
      if (before === undefined || step === 0) return;
      const steps = step > 0 ? rising : falling;
      if (step > 0) rises += 1;
      else falls += 1;
      if (steps.length >= maxSteps) return;
      steps.push({ line, found: `${formatInstant(time)} after ${formatInstant(before)}` });
    },
    end: () => {
      const isRising = rises > falls || (rises === falls && kind.name === "candle");
      const expected = isRising ? "a later time" : "an earlier time";
      const level = isRising && kind.name === "transaction" ? "note" : "finding";
      for (const step of isRising ? falling : rising)
        report("R5", { ...step, field: timeField, expected, level });
    },
  };
}

/** The precision of DECIMAL(38) minus the digits that a sum of ten thousand rows may need. */
const maxDigits = 34;
const amounts = ["amount_0", "amount_1"];
const LETTER_E = 101;

/** T3 and T7. */
export function checkTransactions({ kind, report }: Subject): RowCheck | undefined {
  if (kind.name !== "transaction") return undefined;
  return {
    rules: ["T3", "T7"],
    see: (row) => {
      const { line } = row;
      for (const field of amounts) {
        const found = row.find(field);
        if (found !== undefined && isShort(found)) continue;
        const digits = wholeDigits(row.text(field) ?? otherText(row, field));
        if (digits > maxDigits)
          report("T3", { line, field, expected: `at most ${maxDigits} digits`, found: `${digits} digits` });
      }
      if (row.text("canonical_chain") === "false")
        report("T7", { line, field: "canonical_chain", expected: "true or absent", found: "false" });
    },
  };
}

/** Whether the number has at most `maxDigits` digits, because it is not longer and has no exponent. */
function isShort({ view, from, to }: TextBytes): boolean {
  if (to - from > maxDigits) return false;
  for (let at = from; at < to; at += 1) if ((view.getUint8(at) | 32) === LETTER_E) return false;
  return true;
}

/** In Parquet, `other` has the values that do not fit their columns. */
function otherText(row: Row, field: string): string {
  const other = row.text("other");
  const raw = other?.startsWith("{") === true ? (rawMembers(other).get(field) ?? "") : "";
  return raw.replaceAll('"', "");
}

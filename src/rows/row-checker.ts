import type { RecordShape } from "../api/record.ts";
import { counted } from "../base/text/words.ts";
import { compareInstants, parseRfc3339 } from "../base/time/time.ts";
import { checkIntervals, checkPrices } from "./verify/candle-checks.ts";
import type { PullReceipt, Query } from "./receipt.ts";
import { type Row, type Unreadable, createPlaceReader, parseJsonRow } from "./verify/row.ts";
import {
  checkOrder,
  checkPlace,
  checkRepeats,
  checkTransactions,
  type RowCheck,
  type Subject,
} from "./verify/row-checks.ts";
import { kindOfRows, createTypeCheck, type RowForm, type Wrapper, wrapperOf } from "./verify/row-kind.ts";
import type { Report, RuleId, WantedKind } from "./verify-rules.ts";

const rowChecks: readonly ((subject: Subject) => RowCheck | undefined)[] = [
  checkRepeats,
  checkPlace,
  checkOrder,
  checkTransactions,
  checkPrices,
  checkIntervals,
];

export type RowChecker = ReturnType<typeof createPlainChecker>;

export function createRowChecker(
  query: Query | undefined,
  form: RowForm,
  report: Report,
  wanted: WantedKind | undefined,
): RowChecker {
  const start = (): RowChecker => createPlainChecker(query, form, report, wanted);
  let checker = start();
  let hasRows = false;
  return {
    rows: () => checker.rows(),
    kind: () => checker.kind(),
    checked: () => checker.checked(),
    fields: () => checker.fields(),
    take: (row) => {
      if (!hasRows && !("found" in row)) {
        hasRows = true;
        const wrapper = wrapperOf(Object.keys(row.values ?? {}));
        if (wrapper !== undefined) checker = createWrappedChecker(wrapper, start);
      }
      return checker.take(row);
    },
    end: () => checker.end(),
    compareWith: (said) => checker.compareWith(said),
  };
}

/** Checks the rows within the lines, those of each kind by themselves. */
function createWrappedChecker({ row: member, sortedBy }: Wrapper, start: () => RowChecker): RowChecker {
  const checkers = new Map<string, RowChecker>();
  const all = (): readonly RowChecker[] => [...checkers.values()];
  const checkerOf = (name: string): RowChecker => {
    const checker = checkers.get(name) ?? start();
    checkers.set(name, checker);
    return checker;
  };
  return {
    rows: () => all().reduce((sum, each) => sum + each.rows(), 0),
    kind: () => [...new Set(all().flatMap((each) => each.kind() ?? []))].join(", ") || undefined,
    checked: () => [...new Set(all().flatMap((each) => each.checked()))],
    fields: () => all()[0]?.fields() ?? [],
    take: (line) => {
      const name = "found" in line || sortedBy === undefined ? "" : line.text(sortedBy);
      checkerOf(name ?? "").take("found" in line ? line : parseJsonRow(line.text(member) ?? "", line.line));
      // The reader compares later lines with a contract only if they are rows themselves.
      return undefined;
    },
    end: () => {
      for (const each of all()) each.end();
    },
    // F1 has already compared every byte.
    compareWith: () => undefined,
  };
}

function createPlainChecker(
  query: Query | undefined,
  form: RowForm,
  report: Report,
  wanted: WantedKind | undefined,
) {
  let [rows, skipped] = [0, 0];
  let last: Row | undefined;
  const startFile = (first: Row) => {
    const kind = kindOfRows(first.values ?? {}, wanted);
    if (kind === undefined) return { first, kind: undefined, checks: [], see: (): RecordShape => ({}) };
    const subject = { kind, first, query, report };
    const checks = rowChecks.flatMap((start) => start(subject) ?? []);
    const placeOf = createPlaceReader(kind.assetFields, kind.timeField);
    const { shape, mismatch } = createTypeCheck(kind, first, form);
    return {
      first,
      // The service never sent these candles, so no other file can confirm them.
      kind: first.text("from_interval") === undefined ? kind.shape.name : `derived ${kind.shape.name}`,
      checks,
      see: (row: Row): RecordShape | undefined => {
        const wrong = row.values && mismatch(row);
        if (wrong !== undefined) report("R1", wrong);
        const place = placeOf(row);
        for (const { see } of checks) see(row, place);
        return wrong === undefined ? shape : undefined;
      },
    };
  };
  let file: ReturnType<typeof startFile> | undefined;
  return {
    rows: () => rows,
    /** The name of the rows, such as `transaction`; undefined until the first row, and for unknown rows. */
    kind: () => file?.kind,
    /** The rules for rows that could be applied. Empty until the first row, and for unknown rows. */
    checked: (): readonly RuleId[] =>
      file?.kind === undefined ? [] : ["R1", ...file.checks.flatMap((check) => check.rules)],
    fields: () => Object.keys(file?.first.values ?? {}),
    take: (row: Row | Unreadable): RecordShape | undefined => {
      if ("found" in row) {
        report("F2", row);
        skipped += 1;
        for (const { skip } of file?.checks ?? []) skip?.();
        return undefined;
      }
      file ??= startFile(row);
      last = row;
      rows += 1;
      return file.see(row);
    },
    end: (): void => {
      for (const { end } of file?.checks ?? []) end?.();
    },
    /** F4. */
    compareWith: (said: PullReceipt): void => {
      if (skipped > 0 || (rows > 0 && file?.kind === undefined)) return;
      if (rows !== said.rows)
        report("F4", { field: "rows", expected: counted(said.rows, "row"), found: counted(rows, "row") });
      compareRow("first_row", said.first_row, file?.first, report);
      compareRow("last_row", said.last_row, last, report);
    },
  };
}

/** Compares the fields that both have: `--fields` and `--columns` can leave some out. */
function compareRow(
  field: string,
  said: PullReceipt["first_row"],
  row: Row | undefined,
  report: Report,
): void {
  if (said === null || row === undefined) return;
  for (const [name, value] of Object.entries(said)) {
    const expected = typeof value === "string" ? value : JSON.stringify(value);
    const found = row.text(name);
    if (found === undefined || found === expected || isSameTime(found, expected)) continue;
    report("F4", { line: row.line, field, expected: `${name} ${expected}`, found: `${name} ${found}` });
    return;
  }
}

/** Parquet keeps times, but not their spelling. */
function isSameTime(one: string, other: string): boolean {
  const [a, b] = [parseRfc3339(one), parseRfc3339(other)];
  return a !== undefined && b !== undefined && compareInstants(a, b) === 0;
}

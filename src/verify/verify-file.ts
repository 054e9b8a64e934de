import { createHash } from "node:crypto";
import { DamagedGzip, readChunks } from "../files/file-chunks.ts";
import { counted } from "../text/counted.ts";
import { checkIntervals, checkPrices } from "./candle-checks.ts";
import type { PullReceipt } from "./pull-receipt.ts";
import { createRowReader, type Form, type Row } from "./read-rows.ts";
import {
  checkOrder,
  checkPlace,
  checkRepeats,
  checkTransactions,
  checkTypes,
  type RowCheck,
  shown,
  type Subject,
} from "./row-checks.ts";
import { kindOfRow } from "./row-kind.ts";
import type { Report } from "./rules.ts";

const rowChecks: readonly ((subject: Subject) => RowCheck | undefined)[] = [
  checkRepeats,
  checkPlace,
  checkOrder,
  checkTypes,
  checkTransactions,
  checkPrices,
  checkIntervals,
];

/** A file to check; `form` is undefined for a format whose rows cannot be read, such as a table. */
export interface Target {
  readonly file: string;
  readonly form: Form | undefined;
  readonly receipt: PullReceipt | undefined;
}

export interface Verification {
  readonly rows: () => number;
  readonly bytesRead: () => number;
  /** The name of the rows, such as `transaction`; undefined until the first row, and for unknown rows. */
  readonly kind: () => string | undefined;
  /** Resolves when the entire file is read. */
  readonly run: (afterChunk: () => Promise<void>) => Promise<void>;
}

/** Reads the file once, in parts. Throws the reason of the signal when it aborts. */
export function createVerification(target: Target, report: Report, signal: AbortSignal): Verification {
  const { file, form, receipt } = target;
  const { chunks, bytesRead } = readChunks(file, signal);
  const walk = createRowWalk(target, report);
  const reader =
    form === undefined
      ? undefined
      : createRowReader(form, walk.see, (problem) => {
          walk.skip();
          report("F2", problem);
        });
  return {
    rows: walk.rows,
    bytesRead,
    kind: walk.kind,
    run: async (afterChunk) => {
      if (receipt !== undefined) checkReceipt(receipt, report);
      const hash = receipt === undefined ? undefined : createHash("sha256");
      let bytes = 0;
      try {
        for await (const chunk of chunks) {
          bytes += chunk.length;
          hash?.update(chunk);
          if (reader?.isReading() === true) reader.add(chunk);
          await afterChunk();
        }
        if (reader?.isReading() === true) reader.end();
      } catch (cause) {
        if (!(cause instanceof DamagedGzip)) throw cause;
        report("F2", { expected: "complete gzip data", found: "damaged or truncated data" });
      }
      const isIntact = receipt === undefined || checkBytes(receipt, bytes, hash?.digest("hex"), report);
      walk.end(isIntact);
    },
  };
}

/** H1 and H2, as far as the receipt alone shows them. */
function checkReceipt({ complete, why_not: why, more, missing, refused }: PullReceipt, report: Report): void {
  if (!complete) {
    report("H1", { field: "complete", expected: "true", found: `false: ${why ?? "the pull is incomplete"}` });
    return;
  }
  const left = [
    more === true ? ["more", "true"] : undefined,
    missing > 0 ? ["missing", String(missing)] : undefined,
    refused > 0 ? ["refused", String(refused)] : undefined,
  ];
  for (const each of left)
    if (each !== undefined)
      report("H2", {
        field: each[0] ?? "",
        expected: each[0] === "more" ? "false" : "0",
        found: each[1] ?? "",
      });
}

/** F1. Returns true if the bytes are those of the receipt. */
function checkBytes(
  { output }: PullReceipt,
  bytes: number,
  sha256: string | undefined,
  report: Report,
): boolean {
  if (bytes !== output.bytes) {
    report("F1", { field: "bytes", expected: counted(output.bytes, "byte"), found: counted(bytes, "byte") });
    return false;
  }
  if (output.sha256 === null || sha256 === output.sha256) return true;
  report("F1", { field: "sha256", expected: output.sha256, found: sha256 ?? "" });
  return false;
}

function createRowWalk({ form, receipt }: Target, report: Report) {
  let [rows, skipped] = [0, 0];
  let checks: readonly RowCheck[] = [];
  let [kind, first, last]: [string | undefined, Row | undefined, Row | undefined] = [
    undefined,
    undefined,
    undefined,
  ];
  const isSeparated = form === "csv" || form === "tsv";
  return {
    rows: () => rows,
    kind: () => kind,
    skip: (): void => {
      skipped += 1;
      for (const { skip } of checks) skip?.();
    },
    see: (row: Row): void => {
      if (first === undefined) {
        first = row;
        const found = kindOfRow(Object.keys(row.values));
        kind = found?.shape.name;
        const subject = found && { kind: found, first, receipt, isSeparated, report };
        if (subject !== undefined) checks = rowChecks.flatMap((start) => start(subject) ?? []);
      }
      rows += 1;
      last = row;
      for (const { see } of checks) see(row);
    },
    /** F4 compares only rows that the hash confirms, because otherwise F1 has already been reported. */
    end: (isIntact: boolean): void => {
      for (const { end } of checks) end?.();
      const isOfRows = kind !== undefined || rows === 0;
      if (receipt === undefined || form === undefined || !isIntact || skipped > 0 || !isOfRows) return;
      if (rows !== receipt.rows)
        report("F4", { field: "rows", expected: counted(receipt.rows, "row"), found: counted(rows, "row") });
      compareRow("first_row", receipt.first_row, first, report);
      compareRow("last_row", receipt.last_row, last, report);
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
  const wrong = Object.entries(said).find(
    ([name, value]) => row.values[name] !== undefined && shown(row.values[name]) !== shown(value),
  );
  if (wrong === undefined) return;
  const [name, value] = wrong;
  const found = `${name} ${shown(row.values[name])}`;
  report("F4", { line: row.line, field, expected: `${name} ${shown(value)}`, found });
}

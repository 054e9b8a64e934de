import { createHash } from "node:crypto";
import { DamagedGzip, readChunks } from "../base/files/file-chunks.ts";
import { counted } from "../base/text/words.ts";
import type { PullReceipt, Query } from "./receipt.ts";
import {
  createElementReader,
  createCellReader,
  createNdjsonReader,
  type RowReader,
  type TakeRow,
} from "./verify/read-rows.ts";
import { createRowChecker, type RowChecker } from "./row-checker.ts";
import { hasGroups } from "./verify/row-kind.ts";
import { inOrder, type Report, type RuleId, type WantedKind } from "./verify-rules.ts";

const readers = {
  ndjson: createNdjsonReader,
  json: createElementReader,
  csv: (take: TakeRow): RowReader => createCellReader("csv", take),
  tsv: (take: TakeRow): RowReader => createCellReader("tsv", take),
};

export type Form = keyof typeof readers | "parquet";

const rowForms = { ndjson: "json", json: "json", csv: "text", tsv: "text", parquet: "parquet" } as const;

/** A file to check; `form` is undefined for a format whose rows cannot be read, such as a table. */
export interface Target {
  readonly file: string;
  readonly form: Form | undefined;
  readonly receipt: PullReceipt | undefined;
  /** Undefined if the names of the fields decide. */
  readonly kind: WantedKind | undefined;
}

/** Applies the rules to one file, read in parts. Throws the reason of the signal when it aborts. */
export function createVerification(target: Target, report: Report, signal: AbortSignal) {
  const { file, form, receipt } = target;
  let list: RowChecker | undefined;
  let bytesRead = 0;
  const startChecker = (query: Query | undefined): RowChecker =>
    (list = createRowChecker(receipt ?? query, rowForms[form ?? "json"], report, target.kind));
  /** A file that was not really checked must not look as if it were sound. */
  const refuseUnknown = (): void => {
    const { kind } = target;
    if (kind === "other" || (receipt !== undefined && kind === undefined)) return;
    if (form === undefined) {
      report("F2", { expected: "rows in NDJSON, JSON, CSV, TSV or Parquet", found: "another format" });
      return;
    }
    const rows = list?.rows() ?? 0;
    if (rows === 0 || list?.checked().length !== 0 || hasGroups(list.fields())) return;
    const names = list.fields();
    const found = names.length === 0 ? "no fields" : `other fields: ${names.join(", ")}`;
    const expected =
      kind === undefined ? "fields of rows that dexdata writes; or use --kind" : `fields of a ${kind}`;
    report("F2", { line: 1, expected, found });
  };
  /** Returns whether the content is that of the receipt. */
  const readContent = async (
    reader: RowReader | undefined,
    afterChunk: () => Promise<void>,
  ): Promise<boolean> => {
    const hash = receipt && createHash("sha256");
    let bytes = 0;
    const content = readChunks(file, signal);
    try {
      for await (const chunk of content.chunks) {
        bytes += chunk.length;
        hash?.update(chunk);
        if (reader?.isReading() === true) reader.add(chunk);
        bytesRead = content.bytesRead();
        await afterChunk();
      }
      if (reader?.isReading() === true) reader.end();
    } catch (cause) {
      if (!(cause instanceof DamagedGzip)) throw cause;
      report("F2", { expected: "complete gzip data", found: "damaged or truncated data" });
    }
    list?.end();
    return receipt !== undefined && areSameBytes(receipt, bytes, hash?.digest("hex") ?? "", report);
  };
  return {
    rows: () => list?.rows() ?? 0,
    bytesRead: () => bytesRead,
    kind: () => list?.kind(),
    /** The rules that could be applied to the file. */
    checked: (): readonly RuleId[] => {
      const own: readonly RuleId[] = receipt === undefined ? [] : ["F1", "F4", "H1", "H2"];
      const ofForm: readonly RuleId[] = form === undefined ? [] : form === "parquet" ? ["F1", "F2"] : ["F2"];
      return inOrder([...own, ...ofForm, ...(list?.checked() ?? [])]);
    },
    /** Resolves when the entire file is read. */
    run: async (afterChunk: () => Promise<void>): Promise<void> => {
      if (receipt !== undefined) checkReceipt(receipt, report);
      if (form === "parquet") {
        if (receipt !== undefined && !(await readContent(undefined, afterChunk))) return;
        const onGroup = async (bytes: number): Promise<void> => {
          bytesRead = bytes;
          await afterChunk();
        };
        const { verifyParquet } = await import("./verify-parquet.ts");
        const isIntact = await verifyParquet(file, startChecker, report, signal, onGroup);
        if (isIntact && receipt !== undefined) list?.compareWith(receipt);
        if (isIntact) refuseUnknown();
        return;
      }
      const reader = form && readers[form](startChecker(undefined).take);
      // F1 already explains why other rows are found.
      if ((await readContent(reader, afterChunk)) && receipt !== undefined) list?.compareWith(receipt);
      refuseUnknown();
    },
  };
}

/** H1 and H2, as far as the receipt alone shows them. */
export function checkReceipt(receipt: PullReceipt, report: Report): void {
  const { complete, why_not: why, more, missing, refused } = receipt;
  const reason = why ?? "the pull is incomplete";
  if (!complete) return report("H1", { field: "complete", expected: "true", found: `false: ${reason}` });
  if (more === true) report("H2", { field: "more", expected: "false", found: "true" });
  for (const [field, found] of Object.entries({ missing, refused }))
    if (found > 0) report("H2", { field, expected: "0", found: String(found) });
}

/** F1. */
function areSameBytes({ output }: PullReceipt, bytes: number, sha256: string, report: Report): boolean {
  if (bytes !== output.bytes) {
    report("F1", { field: "bytes", expected: counted(output.bytes, "byte"), found: counted(bytes, "byte") });
    return false;
  }
  if (output.sha256 === null || sha256 === output.sha256) return true;
  report("F1", { field: "sha256", expected: output.sha256, found: sha256 });
  return false;
}

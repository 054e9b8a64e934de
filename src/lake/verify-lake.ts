import path from "node:path";
import { lookAt } from "../files/paths.ts";
import { openStored } from "../files/stored-file.ts";
import { counted } from "../text/counted.ts";
import { createRowHash } from "../parquet/canonical-rows.ts";
import { openParquet, type ParquetFile, readParquet, UnreadableParquet } from "../parquet/parquet-file.ts";
import type { PullReceipt } from "../verify/pull-receipt.ts";
import { createNdjsonReader } from "../verify/read-lines.ts";
import { createRowWalk } from "../verify/row-walk.ts";
import type { Report } from "../verify/rules.ts";
import { completeAge } from "./coverage.ts";
import { factsOfKind } from "./dataset.ts";
import { type Footer, foreignPart, readFooter, showTime } from "./footer.ts";
import { findLakeFiles, type LakeFile } from "./lake-files.ts";
import { periodsBetween } from "./layout.ts";
import { tokensName } from "./token-table.ts";

export interface LakeVerifier {
  /** Findings about a file are shown with those of its dataset. */
  readonly begin: (file: string, dataset: string) => Report;
  readonly end: (rows: number, kind: string | undefined) => Promise<void>;
  readonly signal: AbortSignal;
  /** Unix seconds. */
  readonly now: number;
  readonly read: (rows: number) => unknown;
}

/** In seconds. A file that stays open for longer than this after its day could be complete was probably forgotten. */
const patience = 3 * 3600;

/** Checks every file of a directory that `sync` keeps. Returns the number of files. */
export async function verifyLake(root: string, verifier: LakeVerifier): Promise<number> {
  const { files, foreign } = findLakeFiles(root);
  for (const file of foreign) {
    verifier.begin(file, file)("F4", { expected: "only files of dexdata sync", found: path.basename(file) });
    await verifier.end(0, undefined);
  }
  for (const [folder, own] of groups(files, (each) => each.folder)) {
    checkPeriods(verifier.begin(folder, folder), own);
    await verifier.end(0, own[0]?.dataset.kind);
    for (const each of own) {
      verifier.signal.throwIfAborted();
      const count = await verifyFile(each, verifier.begin(each.file, folder), verifier.now);
      verifier.read(count);
      await verifier.end(count, each.dataset.kind);
    }
  }
  const tokens = path.join(root, tokensName);
  if (lookAt(tokens) === undefined) return files.length + foreign.length;
  const report = verifier.begin(tokens, tokens);
  const found = await readThrough(tokens, report, async (parquet) => (await readParquet(parquet)).rows);
  await verifier.end(found ?? 0, "tokens");
  return files.length + foreign.length + 1;
}

/** Node 20 has no Map.groupBy. */
function groups<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const group = found.get(keyOf(item));
    if (group === undefined) found.set(keyOf(item), [item]);
    else group.push(item);
  }
  return found;
}

/** H1, and one file per period. */
function checkPeriods(report: Report, files: readonly LakeFile[]): void {
  const byName = groups(files, ({ period }) => period.name);
  const [first, last] = [files[0], files.at(-1)];
  if (first === undefined || last === undefined) return;
  for (const { name } of periodsBetween(first.dataset, first.period.from, last.period.to)) {
    const own = byName.get(name) ?? [];
    if (own.length === 0) report("H1", { field: name, expected: "one file", found: "none" });
    if (own.length > 1)
      report("F4", { field: name, expected: "one file", found: own.map(({ state }) => state).join(" and ") });
  }
}

/** F1. Undefined if the file cannot be read, or if it does not exist. */
async function readThrough<T>(
  file: string,
  report: Report,
  read: (parquet: ParquetFile) => Promise<T>,
): Promise<T | undefined> {
  const source = openStored(file);
  if (source === undefined) return undefined;
  try {
    return await read(await openParquet(source));
  } catch (cause) {
    if (!(cause instanceof UnreadableParquet)) throw cause;
    report("F1", { expected: "a Parquet file as dexdata wrote it", found: cause.message });
    return undefined;
  } finally {
    source.close();
  }
}

async function verifyFile(file: LakeFile, report: Report, now: number): Promise<number> {
  const rows = await readThrough(file.file, report, async (parquet) => {
    const footer = readFooter(parquet.receipt);
    const foreign = footer === undefined ? "another footer" : foreignPart(footer, file.dataset, file.period);
    if (footer === undefined || foreign !== undefined) {
      report("F4", { expected: `the rows of ${file.period.name}`, found: foreign ?? "" });
      return 0;
    }
    if (footer.state !== file.state)
      report("F4", { field: "state", expected: footer.state, found: file.state });
    checkFooter(footer, report, now);
    return await walkRows(parquet, file, footer, report);
  });
  return rows ?? 0;
}

/** H2 and H3. */
function checkFooter(footer: Footer, report: Report, now: number): void {
  const { rows, total, lost, state, period } = footer;
  if (total !== null && total !== rows)
    report("H2", { field: "total", expected: counted(total, "row"), found: counted(rows, "row") });
  for (const { from, to, why } of lost)
    report("H3", {
      field: "lost",
      expected: "no lost rows",
      found: `${showTime(from)} to ${showTime(to)} (${why})`,
    });
  if (state === "open" && now > period.to + completeAge + patience)
    report("H3", {
      field: "state",
      expected: "a complete file a day after its end",
      found: `open since ${showTime(period.to)}`,
    });
}

/** The rules for rows of any file, and the hash of the rows. */
async function walkRows(parquet: ParquetFile, { dataset }: LakeFile, footer: Footer, report: Report) {
  const walk = createRowWalk(receiptOf(footer, dataset.network, dataset.address), false, report);
  const reader = createNdjsonReader(walk);
  const hash = createRowHash();
  for await (const { lines, rows } of parquet.groups()) {
    hash.add(lines, rows);
    reader.add(Buffer.from(lines));
  }
  reader.end();
  walk.end();
  const { rows, rows_sha256 } = hash.summary();
  if (rows_sha256 !== footer.rows_sha256)
    report("F1", { field: "rows_sha256", expected: footer.rows_sha256, found: rows_sha256 });
  if (rows !== footer.rows)
    report("F4", { field: "rows", expected: counted(footer.rows, "row"), found: counted(rows, "row") });
  return rows;
}

/** A footer says the same about its file as the receipt of a pull. */
function receiptOf(footer: Footer, network: string, address: string): PullReceipt {
  const { kind, period, rows } = footer;
  const { asset, endpoint } = factsOfKind(kind);
  return {
    command: endpoint.command,
    asked: {
      network,
      [`${asset}_address`]: address,
      ...(footer.candle !== undefined && { interval: footer.candle }),
    },
    window: { from: showTime(period.from), to: showTime(period.to) },
    rows,
    missing: 0,
    refused: 0,
    first_row: null,
    last_row: null,
    output: { file: null, format: "parquet", bytes: 0, sha256: null },
    complete: true,
    more: false,
    why_not: null,
  };
}

import path from "node:path";
import { lookAt } from "../files/paths.ts";
import { UnreadableParquet } from "../parquet/parquet-file.ts";
import { counted } from "../text/counted.ts";
import type { Query } from "../verify/pull-receipt.ts";
import { createRowWalk } from "../verify/row-walk.ts";
import type { Report } from "../verify/rules.ts";
import { verifyParquet } from "../verify/verify-parquet.ts";
import { completeAge } from "./coverage.ts";
import { factsOfKind } from "./dataset.ts";
import { type Footer, foreignPart, readFooter, showTime } from "./footer.ts";
import { withParquet } from "./lake-file.ts";
import { findLakeFiles, type LakeFile } from "./lake-files.ts";
import { periodsBetween } from "./layout.ts";
import { tokensName } from "./token-table.ts";

export interface LakeVerifier {
  /** Findings about a file are shown with those of its dataset. */
  readonly begin: (file: string, dataset: string) => Report;
  /** Writes findings that are waiting. */
  readonly flush: () => Promise<void>;
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
      const count = await verifyFile(verifier, each, verifier.begin(each.file, folder));
      verifier.read(count);
      await verifier.end(count, each.dataset.kind);
    }
  }
  const tokens = path.join(root, tokensName);
  if (lookAt(tokens) === undefined) return files.length + foreign.length;
  const report = verifier.begin(tokens, tokens);
  await verifier.end(await verifyRows(verifier, tokens, undefined, report), "tokens");
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

/** The rules for the rows of any Parquet file. Returns their number. */
async function verifyRows(
  { signal, flush }: LakeVerifier,
  file: string,
  query: Query | undefined,
  report: Report,
): Promise<number> {
  const walk = createRowWalk(query, "parquet", report);
  await verifyParquet({ file, startWalk: () => walk, report, signal, onGroup: flush });
  return walk.rows();
}

async function verifyFile(verifier: LakeVerifier, file: LakeFile, report: Report): Promise<number> {
  const { dataset, period, state } = file;
  // A file that cannot be opened is reported when its rows are read.
  const receipt = await withParquet(file.file, (parquet) => parquet.receipt).catch((cause: unknown) => {
    if (cause instanceof UnreadableParquet) return undefined;
    throw cause;
  });
  const footer = readFooter(receipt);
  const foreign = footer === undefined ? "another footer" : foreignPart(footer, dataset, period);
  if (footer === undefined || foreign !== undefined) {
    if (receipt !== undefined) report("F4", { expected: `the rows of ${period.name}`, found: foreign ?? "" });
    return await verifyRows(verifier, file.file, undefined, report);
  }
  if (footer.state !== state) report("F4", { field: "state", expected: footer.state, found: state });
  checkFooter(footer, report, verifier.now);
  return await verifyRows(verifier, file.file, queryOf(footer, file), report);
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

/** What the rows of the file answer, as the receipt of a pull says it. */
function queryOf({ period, candle }: Footer, { dataset: { kind, network, address } }: LakeFile): Query {
  const { asset } = factsOfKind(kind);
  const interval = candle === undefined ? {} : { interval: candle };
  return {
    asked: { network, [`${asset}_address`]: address, ...interval },
    window: { from: showTime(period.from), to: showTime(period.to) },
  };
}

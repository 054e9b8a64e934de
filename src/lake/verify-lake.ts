import path from "node:path";
import { groupBy } from "../base/group-by.ts";
import { showSeconds } from "../base/time/time.ts";
import { describeFileError, errorCode, isOneFile } from "../base/files/file-errors.ts";
import { lookAt } from "../base/files/paths.ts";
import { counted } from "../base/text/words.ts";
import type { Query } from "../rows/receipt.ts";
import { createRowChecker } from "../rows/row-checker.ts";
import type { Report, RuleId } from "../rows/verify-rules.ts";
import { tryParquet } from "../rows/parquet-file.ts";
import { verifyParquet } from "../rows/verify-parquet.ts";
import { completeAge, lostRanges, needsSecondRead } from "./coverage.ts";
import { assetsName } from "./assets-file.ts";
import { type Dataset, factsOfKind, isPoolList, type Listed } from "./dataset.ts";
import {
  expectedPeriods,
  foreignFiles,
  type KnownFile,
  lastRun,
  findLakeFiles,
  type LakeFile,
} from "./files/lake-files.ts";
import { type Footer, foreignRows, readFooters } from "./footer.ts";
import { isOfTokens } from "./files/token-table.ts";
import { folderOf, periodAt, tokensName } from "./layout.ts";

interface LakeVerifier {
  /** Findings about a file are shown with those of its dataset. */
  readonly begin: (file: string, dataset: string) => Report;
  /** Writes findings that are waiting. */
  readonly flush: () => Promise<void>;
  readonly end: (rows: number, kind: string | undefined, checked: readonly RuleId[]) => Promise<void>;
  readonly signal: AbortSignal;
  /** Unix seconds. */
  readonly now: number;
  readonly read: (rows: number) => unknown;
  /** What the directory should contain. The start of a dataset is undefined if its line does not say. */
  readonly listed: readonly Listed[];
}

/** In seconds. A file that stays open for longer than this after its day could be complete was probably forgotten. */
const graceTime = 3 * 3600;

/** Checks every file of a directory that `sync` keeps. Returns the number of files. */
export async function verifyLake(root: string, verifier: LakeVerifier): Promise<number> {
  const { files, foreign } = findLakeFiles(root);
  for (const file of foreign) {
    verifier.begin(file, file)("F4", { expected: "only files of dexdata sync", found: path.basename(file) });
    await verifier.end(0, undefined, ["F4"]);
  }
  const known: KnownFile[] = [];
  for (const file of files)
    for (const footer of readFooters(file.file, await receiptOf(file.file)) ?? [])
      if (foreignRows([footer], file.dataset, file.place) === undefined)
        known.push({ ...file, footer, period: periodAt(file.dataset, footer.period.from) });
  const wrong = foreignFiles(known);
  const byFolder = groupBy(files, (each) => each.folder);
  const knownIn = groupBy(known, (each) => each.folder);
  const listed = datasetsOf(root, verifier, knownIn);
  const last = lastRun(known);
  for (const folder of [...new Set([...byFolder.keys(), ...listed.keys()])].toSorted()) {
    const own = byFolder.get(folder) ?? [];
    const periods = knownIn.get(folder) ?? [];
    checkPeriods(verifier.begin(folder, folder), own, periods, listed.get(folder), last);
    await verifier.end(0, (own[0]?.dataset ?? listed.get(folder))?.kind, ["F4", "H1", "H2", "H3"]);
    for (const each of own) {
      verifier.signal.throwIfAborted();
      const report = verifier.begin(each.file, folder);
      const other = wrong.foreign.find(({ file }) => file === each.file);
      if (other !== undefined)
        report("F4", { field: "service", expected: wrong.service, found: other.footer.service });
      const { rows, checked } = await verifyFile(verifier, each, report, listed.get(folder));
      await verifier.end(rows, each.dataset.kind, checked);
    }
  }
  const tokens = path.join(root, tokensName);
  const isThere = lookAt(tokens) !== undefined;
  if (!isThere && known.every(({ footer }) => footer.tokens.length === 0))
    return files.length + foreign.length;
  const report = verifier.begin(tokens, tokens);
  if (!isThere) {
    report("H1", { level: "note", expected: "symbols and decimals of the tokens", found: "no such file" });
    await verifier.end(0, "tokens", ["H1"]);
    return files.length + foreign.length;
  }
  const receipt = await receiptOf(tokens);
  if (receipt !== undefined && !isOfTokens(receipt))
    report("F4", { expected: "symbols and decimals of tokens", found: "another footer" });
  const { rows, checked } = await verifyRows(verifier, tokens, undefined, report);
  await verifier.end(rows, "tokens", checked);
  return files.length + foreign.length + 1;
}

/** By directory. A line without a start begins with its first file. */
function datasetsOf(
  root: string,
  { listed }: LakeVerifier,
  byFolder: ReadonlyMap<string, readonly KnownFile[]>,
): ReadonlyMap<string, Dataset> {
  return new Map(
    listed.map((dataset) => {
      const folder = path.join(root, folderOf(dataset));
      const starts = (byFolder.get(folder) ?? []).map(({ period }) => period.from);
      const from = dataset.from ?? Math.min(...starts, Number.POSITIVE_INFINITY);
      return [folder, { ...dataset, from, by: "month" }];
    }),
  );
}

/** Undefined if the file cannot be read: that is reported together with its rows. */
async function receiptOf(file: string): Promise<string | undefined> {
  return await tryParquet(file, ({ receipt }) => receipt).catch((cause: unknown) => {
    if (isOneFile(cause)) return undefined;
    throw cause;
  });
}

/** H1, and one file per period. `dataset` is undefined if no line of the list has it. */
function checkPeriods(
  report: Report,
  files: readonly LakeFile[],
  known: readonly KnownFile[],
  dataset: Dataset | undefined,
  last: number | undefined,
): void {
  const byName = groupBy(known, ({ period }) => period.name);
  // The periods of an unreadable file are unknown.
  const read = new Set(known.map(({ file }) => file));
  const unread = files.filter(({ file }) => !read.has(file)).map(({ place }) => place);
  for (const [name, own] of byName)
    if (own.length > 1)
      report("F4", { field: name, expected: "one file", found: own.map(({ state }) => state).join(" and ") });
  if (new Set(files.map((each) => each.dataset.by)).size > 1)
    report("F4", { expected: "files by month or by day", found: "both" });
  if (dataset === undefined) {
    report("H1", {
      level: "note",
      expected: `a line in ${assetsName}`,
      found: "none, so gaps were not checked",
    });
    return;
  }
  if (files.length === 0 && last === undefined)
    report("H1", { expected: "files of this dataset", found: "none" });
  const end = [...known.map(({ period }) => period), ...unread].reduce(
    (latest, { to }) => Math.max(latest, to),
    last ?? 0,
  );
  for (const { name, from } of expectedPeriods(dataset, known, end))
    if (!byName.has(name) && unread.every((place) => from < place.from || from >= place.to))
      report("H1", { field: name, expected: "one file", found: "none" });
}

/** The rules for the rows of any Parquet file. */
async function verifyRows(
  { signal, flush, read }: LakeVerifier,
  file: string,
  query: Query | undefined,
  report: Report,
) {
  const list = createRowChecker(query, "parquet", report, undefined);
  try {
    await verifyParquet(file, () => list, report, signal, flush);
  } catch (cause) {
    if (!isOneFile(cause)) throw cause;
    const found = errorCode(cause) === "ELOOP" ? "a link" : describeFileError(cause);
    report("F1", { expected: "a Parquet file as dexdata wrote it", found });
  }
  read(list.rows());
  const checked: readonly RuleId[] = ["F1", "F2", ...list.checked()];
  return { rows: list.rows(), checked };
}

async function verifyFile(verifier: LakeVerifier, file: LakeFile, report: Report, listed?: Dataset) {
  const { dataset, place, state } = file;
  // Since all footers were read, a run of sync may have replaced the file.
  const receipt = await receiptOf(file.file);
  const footers = readFooters(file.file, receipt) ?? [];
  const [first] = footers;
  const foreign = foreignRows(footers, dataset, place);
  if (first === undefined || foreign !== undefined) {
    const found = foreign ?? "another footer";
    if (receipt !== undefined) report("F4", { expected: `the rows of ${place.name}`, found });
    return await verifyRows(verifier, file.file, undefined, report);
  }
  for (const footer of footers) {
    if (footer.state !== state) report("F4", { field: "state", expected: footer.state, found: state });
    checkFooter(footer, report, verifier.now);
  }
  const period = { from: first.period.from, to: footers.at(-1)?.period.to ?? place.to };
  return await verifyRows(verifier, file.file, queryOf({ ...first, period }, listed ?? dataset), report);
}

/** H2 and H3. */
function checkFooter(footer: Footer, report: Report, now: number): void {
  const { rows, total, state, period } = footer;
  if (total !== null && total !== rows)
    report("H2", { field: "total", expected: counted(total, "row"), found: counted(rows, "row") });
  for (const { from, to, why } of lostRanges(footer))
    report("H3", {
      expected: "no lost rows",
      found: `${showSeconds(from)} to ${showSeconds(to)} (${why})`,
    });
  // A second read is due with the next run.
  const due = needsSecondRead(footer) ? Math.max(footer.read_at ?? 0, period.to) : period.to;
  if (state === "open" && now > due + completeAge + graceTime)
    report("H3", {
      field: "state",
      expected: `a complete period, which ended at ${showSeconds(period.to)}`,
      found: "an open file",
    });
}

/** The query of the rows, in the form of the receipt of a pull. */
function queryOf({ period, candle }: Footer, dataset: Dataset): Query {
  const { kind, network, address } = dataset;
  const { asset } = factsOfKind(kind);
  const every = isPoolList(dataset) && { every: dataset.every };
  const interval = candle === undefined ? {} : { interval: candle };
  return {
    asked: { network, [`${asset}_address`]: address, ...interval, ...every },
    window: { from: showSeconds(period.from), to: showSeconds(period.to) },
  };
}

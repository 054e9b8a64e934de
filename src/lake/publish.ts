import { createHash } from "node:crypto";
import path from "node:path";
import type { Context } from "../context/context.ts";
import { makeFolder, removeFile } from "../files/paths.ts";
import { renameStored } from "../files/stored-file.ts";
import { formatInstant } from "../time/time.ts";
import type { WrittenRows } from "../parquet/parquet-writer.ts";
import { completeAge, settlingTime } from "./coverage.ts";
import type { Dataset } from "./dataset.ts";
import { type Footer, identityOf, type LostRange, showTime } from "./footer.ts";
import type { HeldFile } from "./held-files.ts";
import { readRows, writePart, type WrittenPart } from "./lake-file.ts";
import { type LakeRow, readLakeRow } from "./lake-row.ts";
import { fileNameOf, type FileState, folderOf, type Period } from "./layout.ts";
import { mergeRows, type ReadPart, settledTime } from "./merge-rows.ts";

export interface Publisher {
  readonly context: Pick<Context, "clock" | "random">;
  readonly root: string;
  readonly work: string;
  readonly service: string;
  readonly version: string;
}

/** What was read about one period, or that it can no longer be read. */
export interface News {
  readonly dataset: Dataset;
  readonly period: Period;
  readonly held: HeldFile | undefined;
  readonly part: ReadPart;
  /** In the order of the list. */
  readonly rows: readonly LakeRow[];
  /** The service's count of the rows of the part; undefined if it gives none. */
  readonly total: number | undefined;
  readonly lost: readonly LostRange[];
}

export interface Published {
  /** Relative to the directory. */
  readonly file: string;
  readonly state: FileState;
  readonly rows: number;
  readonly bytes: number;
  readonly settled_to: string;
  /** Earlier rows that have changed, and earlier rows that the service no longer lists. */
  readonly revised: number;
  readonly withdrawn: number;
  readonly twins: number;
  readonly tokens: readonly string[];
}

/** Replaces the file of a period. Returns undefined if the file already says the same. */
export async function publish(publisher: Publisher, news: News): Promise<Published | undefined> {
  const { root, work } = publisher;
  const { dataset, period, held, part } = news;
  const kept = held?.footer === undefined ? undefined : held;
  const before = kept === undefined ? [] : await readRows(kept.file);
  const earlier = before.map((text) => readLakeRow(dataset.kind, text));
  const { rows, reread, twins } = mergeRows(dataset, period, earlier, news.rows, part);
  const changes = createComparison(dataset, reread);
  const folder = path.join(folderOf(dataset), period.name);
  const written = await writePart(
    partIn(work, folder),
    dataset.kind,
    rows.map(({ text }) => text),
    (summary) => footerOf(publisher, news, rows, summary),
    changes.see,
  );
  const { footer } = written;
  if (kept?.footer !== undefined && hasSameContent(kept.footer, footer)) {
    removeFile(written.file);
    return undefined;
  }
  if (held !== undefined && kept === undefined) setAside(publisher, held);
  place(path.join(root, folder), written, kept?.state);
  return {
    file: path.join(folder, fileNameOf(footer.state)),
    state: footer.state,
    rows: footer.rows,
    bytes: written.bytes,
    settled_to: showTime(footer.settled_to),
    ...changes.counts(),
    twins,
    tokens: footer.tokens,
  };
}

/** Records that the service's count still agrees with a complete file. */
export async function confirmCount(
  { root, work }: Publisher,
  dataset: Dataset,
  period: Period,
  { file, footer }: { readonly file: string; readonly footer: Footer },
  present: number,
): Promise<Published> {
  const folder = path.join(folderOf(dataset), period.name);
  const rows = await readRows(file);
  const part = partIn(work, folder);
  const counted = { ...footer, total_at: present };
  const written = await writePart(
    part,
    dataset.kind,
    rows,
    () => counted,
    () => undefined,
  );
  place(path.join(root, folder), written, footer.state);
  return {
    file: path.join(folder, fileNameOf(footer.state)),
    state: footer.state,
    rows: footer.rows,
    bytes: written.bytes,
    settled_to: showTime(footer.settled_to),
    revised: 0,
    withdrawn: 0,
    twins: 0,
    tokens: footer.tokens,
  };
}

/** Addresses may be too long to be a part of one name. */
function partIn(work: string, folder: string): string {
  return path.join(work, `${createHash("sha256").update(folder).digest("hex").slice(0, 16)}.part`);
}

/** At any moment, the directory has exactly one file: the earlier one, or the new one. */
function place(folder: string, { file, footer }: WrittenPart, before: FileState | undefined): void {
  makeFolder(folder);
  const named = path.join(folder, fileNameOf(footer.state));
  const first = path.join(folder, fileNameOf(before ?? footer.state));
  renameStored(file, first);
  if (first !== named) renameStored(first, named);
}

/** A damaged file may still have rows that nobody else has. */
function setAside({ context, root }: Publisher, { file }: HeldFile): void {
  const folder = path.join(root, ".dexdata", "replaced");
  const at = formatInstant({ seconds: Math.floor(context.clock.now() / 1000), fraction: "" });
  const target = path.join(folder, at.replaceAll(":", ""), path.relative(root, file));
  makeFolder(path.dirname(target));
  renameStored(file, target);
}

/** If only the time up to which rows are settled has moved, the file stays as it is, and a later run reads more again. */
function hasSameContent(one: Footer, other: Footer): boolean {
  return contentOf(one) === contentOf(other);
}

function contentOf({ settled_to, unsettled, dexdata: _version, lost, ...content }: Footer): string {
  const ranges = lost.map(({ seen_at: _seen, ...range }) => range);
  return JSON.stringify([content, ranges, content.state === "open" ? undefined : [settled_to, unsettled]]);
}

function footerOf(
  { service, version }: Publisher,
  news: News,
  rows: readonly LakeRow[],
  { rows: count, rows_sha256, first, last, spilled }: WrittenRows,
): Footer {
  const { dataset, period, held, part, total } = news;
  const old = held?.footer;
  const begin = Math.max(period.from, Math.min(dataset.from, old?.period.from ?? dataset.from));
  const end = Math.min(part.to ?? Number.POSITIVE_INFINITY, period.to);
  const lost = news.lost.length > 0 || part.from <= begin ? news.lost : (old?.lost ?? []);
  const covered = Math.max(begin, ...lost.map((range) => range.to));
  const isInFull = part.from <= covered && end === period.to && part.present >= period.to;
  const isOver = part.present >= period.to + completeAge;
  const isComplete = isInFull && part.isProven && isOver && lost.length === 0;
  const settled = part.isProven
    ? settledTime(dataset, part, end, settlingTime)
    : Math.max(begin, old?.settled_to ?? begin);
  const isNow = isInFull && lost.length === 0;
  return {
    ...identityOf(dataset),
    period: { from: begin, to: period.to },
    state: isComplete ? "rows" : isOver && lost.length > 0 ? "lost" : "open",
    settled_to: settled,
    unsettled: rows.filter(({ at }) => at.seconds >= settled).length,
    read_at: isInFull ? part.present : (old?.read_at ?? null),
    total: isNow ? (total ?? null) : null,
    total_at: isNow && total !== undefined ? part.present : null,
    rows: count,
    rows_sha256,
    first: first === null ? null : markOf(dataset, first),
    last: last === null ? null : markOf(dataset, last),
    tokens: [...new Set(rows.flatMap(({ tokens }) => tokens))].toSorted(),
    lost: [...lost],
    spilled: { ...spilled },
    service,
    dexdata: version,
  };
}

/** The fields that identify the row, and its time. */
function markOf({ kind }: Dataset, row: string): unknown {
  const value: unknown = JSON.parse(row);
  const fields = kind === "transactions" ? ["id", "log_index", "created_at"] : ["time_open"];
  return Object.fromEntries(Object.entries(Object(value)).filter(([name]) => fields.includes(name)));
}

/** Compares the rows that were read again with their earlier versions. Both are as files have them. */
function createComparison({ kind }: Dataset, reread: readonly LakeRow[]) {
  const earlier = new Map(reread.map(({ key, text }) => [key, text]));
  let [found, revised] = [0, 0];
  return {
    see: (line: string): void => {
      if (earlier.size === 0) return;
      const text = earlier.get(readLakeRow(kind, line).key);
      if (text === undefined) return;
      found += 1;
      if (text !== line && !line.includes('"other":')) revised += 1;
    },
    counts: () => ({ revised, withdrawn: Math.max(0, earlier.size - found) }),
  };
}

import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { Footer } from "../../../src/lake/footer.ts";
import { readRows, UnreadableParquet } from "../dexdata.ts";
import { dataFiles, periodsIn } from "../lake.ts";
import { utc } from "../market-service.ts";

/** A file as a run has left it. */
export interface FileView {
  /** Relative to the directory. It may have other days as well. */
  readonly file: string;
  readonly stamp: string;
  readonly sha256: string;
  /** Undefined for a file that cannot be read. */
  readonly footer: Footer | undefined;
  /** The times and identities of the rows, in order. */
  readonly rows: readonly RowView[];
}

export interface RowView {
  readonly at: number;
  readonly text: string;
  readonly key: string;
}

export type LakeView = ReadonlyMap<string, FileView>;

const stampOf = (file: string): string => {
  const { ino, mtimeMs, size } = statSync(file);
  return `${ino} ${mtimeMs} ${size}`;
};

/** Reads the files that have changed since `before`. */
export async function viewOf(root: string, before: LakeView = new Map()): Promise<LakeView> {
  const views = dataFiles(root).map(async (name): Promise<readonly (readonly [string, FileView])[]> => {
    const stamp = stampOf(path.join(root, name));
    const known = [...before].filter(([, view]) => view.file === name && view.stamp === stamp);
    return known.length > 0 ? known : await readViews(root, name, stamp);
  });
  // Complete rows come last: a killed run may have left a day in two files.
  return new Map((await Promise.all(views)).flat());
}

/** The days of a file, each as if it had its own. */
async function readViews(
  root: string,
  file: string,
  stamp: string,
): Promise<readonly (readonly [string, FileView])[]> {
  const sha256 = createHash("sha256")
    .update(readFileSync(path.join(root, file)))
    .digest("hex");
  const damaged = { file, stamp, sha256, footer: undefined, rows: [] };
  const isDamage = (cause: unknown): boolean =>
    cause instanceof UnreadableParquet || String(cause).includes("has no footer");
  try {
    const views = (await periodsIn(root, file)).map(async ({ name, footer, range }) => {
      const texts = await readRows(path.join(root, file), range).catch((cause: unknown) => {
        if (isDamage(cause)) return undefined;
        throw cause;
      });
      // A file that is in another one's place counts as damaged.
      const own = `${footer.kind} ${footer.pool} ${utc(footer.period.from).slice(0, 10)}`;
      const isOwn = own === dayOfFile(name) && [dayOfFile(name), own.slice(0, -3)].includes(dayOfFile(file));
      if (!isOwn || texts === undefined) return [name, damaged] as const;
      return [name, { file, stamp, sha256, footer, rows: texts.map(rowOf) }] as const;
    });
    return await Promise.all(views);
  } catch (cause) {
    if (isDamage(cause)) return [[file, damaged]];
    throw cause;
  }
}

function rowOf(text: string): RowView {
  const row: Readonly<Record<string, unknown>> = Object(JSON.parse(text));
  const time = String(row["created_at"] ?? row["time_open"]);
  const key = row["id"] === undefined ? time : JSON.stringify([row["id"], row["log_index"]]);
  return { at: Date.parse(time) / 1000, text, key };
}

/** `transactions 0x… 2026-11-12`, as the disturbances name it. */
export function dayOfFile(name: string): string {
  const [, kind = "", pool = "", date = ""] =
    /^(\w+)\/.*pool=(0x[\da-f]+)\/.*(?:date|month)=([\d-]+)\//u.exec(name) ?? [];
  return `${kind} ${pool} ${date}`;
}

/** The final rows of the market: `transactions 0x… 2026-11-12` and the texts of its rows. */
export type FinalRows = ReadonlyMap<string, string>;

export const textOfRows = (rows: readonly RowView[]): string => rows.map(({ text }) => text).join("\n");

export function finalRows(view: LakeView): FinalRows {
  const complete = [...view].filter(([name]) => name.endsWith("/rows.parquet"));
  return new Map(complete.map(([name, { rows }]) => [dayOfFile(name), textOfRows(rows)]));
}

export interface WrongFile {
  readonly problem: string;
  /** The rows that the file has and the market has not, or the other way around. Empty if the rows are not the problem. */
  readonly rows: readonly string[];
}

/** Complete files that do not have the final rows, or that were complete too early. `now` is in seconds. */
export function wrongFiles(view: LakeView, final: FinalRows, now: number): readonly WrongFile[] {
  return [...view].flatMap(([name, { footer, rows }]): readonly WrongFile[] => {
    if (footer === undefined || !name.endsWith("/rows.parquet")) return [];
    const wanted = final.get(dayOfFile(name));
    if (wanted === undefined)
      return [{ problem: `${name}: complete, but the market's day is not over`, rows: [] }];
    if (now < footer.period.to + 86_400) return [{ problem: `${name}: complete before its time`, rows: [] }];
    if (wanted === textOfRows(rows)) return [];
    const count = wanted === "" ? 0 : wanted.split("\n").length;
    const problem = `${name}: complete with ${rows.length} rows, and the market has ${count}`;
    return [{ problem, rows: wrongRows(name, rows, final) }];
  });
}

/** The rows of a file that the market does not have, and those that it has and the file lacks. */
export function wrongRows(name: string, rows: readonly RowView[], final: FinalRows): readonly string[] {
  const own = new Set(rows.map(({ text }) => text));
  const wanted = new Set((final.get(dayOfFile(name)) ?? "").split("\n"));
  return [...own, ...wanted].filter((text) => text !== "" && !(own.has(text) && wanted.has(text)));
}

/** Settled rows that went although no run an hour earlier had lacked them. */
export function wrongLosses(before: LakeView, after: LakeView, now: number): readonly string[] {
  const keys = new Map<string, Set<string>>();
  for (const [name, { rows }] of after) {
    const day = dayOfFile(name);
    const own = keys.get(day) ?? new Set();
    for (const { key } of rows) own.add(key);
    keys.set(day, own);
  }
  return [...before].flatMap(([name, { footer, rows, stamp }]) => {
    if (footer === undefined || after.get(name)?.stamp === stamp) return [];
    const settled = footer.state === "open" ? footer.settled_to : Number.POSITIVE_INFINITY;
    const own = keys.get(dayOfFile(name));
    const gone = rows.filter(({ at, key }) => at < settled && own?.has(key) !== true);
    if (gone.length === 0) return [];
    const noted = footer.contradicted;
    if (noted !== undefined && now - noted.at >= 3600) return [];
    return [`${name}: ${gone.length} held rows went without two contradicting runs`];
  });
}

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { openStored } from "../../src/base/files/synced-file.ts";
import { type Footer, readFooters } from "../../src/lake/footer.ts";
import { periodAt } from "../../src/lake/layout.ts";
import type { RowRange } from "../../src/rows/parquet-file.ts";
import { openParquet, readRows, rowRanges } from "./dexdata.ts";

export const usdcWeth = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

/** The files of datasets below the directory, relative to it and sorted. */
export function dataFiles(root: string): readonly string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /(?:rows|open|lost)\.parquet$/u.test(name) && !name.startsWith(".dexdata"))
    .toSorted();
}

/** A period of a file. */
export interface StoredPeriod {
  /** Relative to the directory, as if each period had its own file: `…/date=2026-11-20/rows.parquet`. */
  readonly name: string;
  /** The file, relative to the directory. */
  readonly file: string;
  readonly footer: Footer;
  readonly range: RowRange;
}

/** What all files below the directory have, sorted by name. Throws for a file that cannot be read. */
export async function periodsBelow(root: string): Promise<readonly StoredPeriod[]> {
  const periods = dataFiles(root).map(async (file) => await periodsIn(root, file));
  return (await Promise.all(periods)).flat().toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

export async function periodsIn(root: string, file: string): Promise<readonly StoredPeriod[]> {
  const source = openStored(path.join(root, file));
  if (source === undefined) throw new Error(`${file} does not exist`);
  try {
    const parquet = openParquet(source);
    const footers = readFooters(file, parquet.receipt);
    if (footers === undefined) throw new Error(`${file} has no footer`);
    const ranges = rowRanges(parquet, footers);
    return footers.map((footer, index) => {
      const period = periodAt({ interval: footer.candle }, footer.period.from);
      const name = path.join(path.dirname(path.dirname(file)), period.name, path.basename(file));
      return { name, file, footer, range: ranges[index] ?? { begin: 0, end: 0 } };
    });
  } finally {
    source.close();
  }
}

/** The SHA-256 of each of these files and of the table of tokens, by name. */
export function hashesOf(root: string): Readonly<Record<string, string>> {
  const tokens = existsSync(path.join(root, "tokens.parquet")) ? ["tokens.parquet"] : [];
  return Object.fromEntries(
    [...tokens, ...dataFiles(root)].map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(path.join(root, name)))
        .digest("hex"),
    ]),
  );
}

/** The names, sizes and times of all files: what changes if anything is written. */
export function stampsOf(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .toSorted()
    .flatMap((name) => {
      const found = statSync(path.join(root, name));
      return found.isFile() ? [`${name} ${found.size} ${found.mtimeMs}`] : [];
    });
}

export async function footerOf(file: string): Promise<Footer> {
  const source = openStored(file);
  if (source === undefined) throw new Error(`${file} does not exist`);
  try {
    const [footer] = readFooters(file, openParquet(source).receipt) ?? [];
    if (footer === undefined) throw new Error(`${file} has no footer`);
    return footer;
  } finally {
    source.close();
  }
}

/** The rows of all data files of one directory, in order, as objects. */
export async function rowsBelow(root: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const rows: Readonly<Record<string, unknown>>[] = [];
  for (const { file, range } of await periodsBelow(root))
    for (const line of await readRows(path.join(root, file), range)) rows.push(Object(JSON.parse(line)));
  return rows;
}

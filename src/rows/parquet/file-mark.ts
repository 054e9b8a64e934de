import { hash } from "node:crypto";
import { isObject } from "../../base/json/json-scan.ts";
import { cellTypes, type ParquetColumn } from "../parquet-format.ts";

export const receiptKey = "dexdata";

/** The key, which comes last, for what dexdata itself must know to read the file. */
export const markKey = "dexdata_file";

/**
 * Each byte of a file is in one of these hashes. The checksums of gzip do not cover the headers of pages, nulls, and the
 * statistics that queries use to skip pages. Also, hyparquet can read damaged pages forever.
 */
interface FileMark {
  readonly columns: readonly ParquetColumn[];
  /** The SHA-256 of each row group. That of the first group includes the start of the file. */
  readonly groups: readonly string[];
}

const noHash = "0".repeat(64);
const hashMember = '"sha256":"';

/** The text has zeros for the SHA-256 of the footer, until `sealFooter`. */
export function writeMark({ columns, groups }: FileMark): string {
  return JSON.stringify({ types: columns.map(({ type }) => type), groups, sha256: noHash });
}

/** Enters the hash of the footer, computed with zeros in its place. */
export function sealFooter(footer: Buffer): void {
  footer.write(hash("sha256", footer), footer.lastIndexOf(hashMember) + hashMember.length, "latin1");
}

/** Whether the footer is unchanged. Replaces its hash with zeros. */
export function breakSeal(footer: Buffer): boolean {
  const start = footer.lastIndexOf(hashMember) + hashMember.length;
  const sealed = footer.toString("latin1", start, start + noHash.length);
  footer.write(noHash, start, "latin1");
  return hash("sha256", footer) === sealed;
}

/** Undefined if the text is not a mark for columns with these names. */
export function readMark(text: string, names: readonly string[]): FileMark | undefined {
  const mark: unknown = JSON.parse(text);
  if (!isObject(mark)) return undefined;
  const [types, groups] = [texts(mark["types"]), texts(mark["groups"])];
  const columns = names.flatMap((name, index) => {
    const type = cellTypes.find((known) => known === types[index]);
    return type === undefined ? [] : [{ name, type }];
  });
  return columns.length === types.length && types.length === names.length ? { columns, groups } : undefined;
}

function texts(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.map(String) : [];
}

import { createHash, type Hash } from "node:crypto";
import { closeSync, constants, createReadStream, lstatSync, readFileSync, rmSync } from "node:fs";
import * as z from "zod";
import { parseJson } from "../../base/json/raw-json.ts";
import { cannotBeRead, errorCode } from "../../base/files/file-errors.ts";
import { fail, Failure, usageFailure } from "../../base/failure.ts";
import { checkRegular, isSameFile, openRegular } from "../../base/files/regular-file.ts";
import { journalOf, partOf } from "./out-file.ts";
import type { WrittenFile } from "./packed-file.ts";

/**
 * The journal next to an `--out` file has one line for the query, one after each page, and one with the size of the
 * complete file. A line is appended only after its rows are in the file. No matter when the process is killed, the last
 * complete line describes existing rows, and a resumed pull removes any rows after them.
 */
const count = z.int().nonnegative();

const placeSchema = z.object({
  flag: z.enum(["cursor", "page", "from", "subject"]),
  value: z.string(),
  to: z.optional(z.string()),
  list: z.optional(z.string()),
  before: z.optional(z.string()),
  items: z.optional(count),
  due: z.optional(z.int()),
});

/** A pull's progress across all its runs. */
const progressSchema = z.object({
  /** The number of bytes in the file that the journal accounts for. */
  bytes: count,
  /** The hash of these bytes. */
  sha256: z.string(),
  rows: count,
  repeats: count,
  /** Including rows that did not match; only for pools with several tokens. */
  rowsRead: z.optional(count),
  missing: count,
  /** The number of inputs that the service rejected. */
  refused: count,
  requests: count,
  credits: count,
  /** The credits for truncated responses. */
  inDoubt: count,
  /** The value before the first run, with the digits that the service sent. */
  creditsBefore: z.optional(z.string()),
  asOf: z.optional(z.number()),
  /** Responses by the plan that the service applied. */
  plans: z.optional(z.record(z.string(), count)),
  /** The query to continue with, and the position in its response. */
  question: count,
  at: z.optional(placeSchema),
  rowsOfQuestion: count,
  /** Hashes of the rows since the previous line, to remove duplicates. Commas separate pages. */
  seen: z.optional(z.string()),
  /** The identities of the first and last rows, as JSON. */
  first: z.optional(z.string()),
  last: z.optional(z.string()),
  /** The end of the time range in wire format, as fixed by the first run. */
  to: z.optional(z.string()),
  /** The proof that the finished queries are complete. */
  proof: z.optional(z.enum(["count", "end of list", "inputs"])),
  remarks: z.optional(
    z.object({ short: z.optional(count), twins: z.optional(count), replaced: z.optional(count) }),
  ),
});

/**
 * Written when all rows are in the file. For JSON, that includes the closing bracket. `files` are the final files that
 * are made from staged rows, before they get their names.
 */
const endingSchema = z.object({
  complete: count,
  files: z.optional(
    z.array(z.object({ file: z.string(), rows: z.optional(count), bytes: count, sha256: z.string() })),
  ),
});

const headerSchema = z.object({
  checkpoint: z.literal(4),
  /**
   * Rows are in `FILE` itself, or in `FILE.part` until the pull is complete. `staged` rows are in `FILE.part` until the
   * final files have been made from them.
   */
  rows: z.enum(["file", "part", "staged"]),
  /** With --force, the pull may replace `FILE` when it finishes. */
  mayReplace: z.boolean(),
  /** Parameters by name. A later run compares them and reports any differences. */
  query: z.record(z.string(), z.string()),
  /** The clock reading, in milliseconds, that was used to resolve all times. */
  now: z.number(),
  tier: z.string(),
  /** When the first run started, in milliseconds since the epoch. */
  started: z.number(),
});

export type Progress = z.infer<typeof progressSchema>;
export type CheckpointHeader = z.infer<typeof headerSchema>;

export interface FoundProgress {
  /** Undefined before the first page. */
  readonly progress: Progress | undefined;
  /** In bytes; undefined until the pull is complete. */
  readonly complete: number | undefined;
  /** Made from staged rows. Some of them may already have their names. */
  readonly files: readonly WrittenFile[] | undefined;
  /** Whether the journal accounts for more bytes than the file contains. */
  readonly isCut: boolean;
  /** The hashes from all lines up to this one. */
  readonly seen: readonly string[];
  /** The journal's length in bytes, up to the end of this line. */
  readonly length: number;
}

/** Undefined if the journal does not exist or has no complete line. */
export function readJournal(file: string) {
  const path = journalOf(file);
  const bytes = readBytes(path);
  const [first, ...rest] = readLines(bytes);
  if (first === undefined) {
    if (isOurs(bytes)) return undefined;
    throw foreignJournal(path);
  }
  const begun = headerSchema.safeParse(first.value);
  if (!begun.success) throw foreignJournal(path);
  /** Ignores lines beyond `size`, because after a power failure the file may be behind its journal. */
  const upTo = (size: number): FoundProgress => {
    const seen: string[] = [];
    let at: Progress | undefined;
    let ending: z.infer<typeof endingSchema> | undefined;
    let isCut = false;
    let { end } = first;
    for (const line of rest) {
      const read = progressSchema.safeParse(line.value);
      if (!read.success) {
        ending = endingSchema.safeParse(line.value).data;
        // Staged rows do not change after this line, and without it, the final files could belong to another program.
        if (ending?.files !== undefined) ({ end } = line);
        break;
      }
      isCut = read.data.bytes > size;
      if (isCut) break;
      at = read.data;
      ({ end } = line);
      if (at.seen !== undefined) seen.push(...at.seen.split(","));
    }
    return { progress: at, complete: ending?.complete, files: ending?.files, isCut, seen, length: end };
  };
  return { header: begun.data, upTo };
}

/** Throws a failure if starting over would replace a file that dexdata did not create. */
export function checkReplaceable(file: string): void {
  const bytes = readBytes(journalOf(file));
  if (!isOurs(bytes)) throw inTheWay(journalOf(file));
  if (!checkRegular(partOf(file))) return;
  if (bytes.length === 0)
    throw usageFailure(
      `${partOf(file)} exists without its checkpoint ${journalOf(file)}`,
      "move or delete it",
    );
  const begun = headerSchema.safeParse(readLines(bytes)[0]?.value);
  if (!begun.success || begun.data.rows === "file") throw inTheWay(partOf(file));
}

function inTheWay(path: string): Failure {
  return usageFailure(
    `${path} already exists, and dexdata did not create it`,
    "move it out of the way, or name another file",
  );
}

/** Accepts every version and an empty journal, which a power failure can leave behind. */
function isOurs(bytes: Buffer): boolean {
  const begin = '{"checkpoint":';
  return begin.startsWith(bytes.toString("latin1", 0, begin.length));
}

/** Stops at the first line that is not JSON. `end` is the byte offset of the end of the line. */
function readLines(bytes: Buffer): readonly { readonly value: unknown; readonly end: number }[] {
  const lines: { readonly value: unknown; readonly end: number }[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
    const value = parseJson(bytes.toString("utf8", start, end));
    if (value === undefined) break;
    lines.push({ value, end: end + 1 });
    start = end + 1;
  }
  return lines;
}

/** Empty if the file does not exist. */
function readBytes(path: string): Buffer {
  try {
    const descriptor = openRegular(path, constants.O_RDONLY);
    try {
      return readFileSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return Buffer.alloc(0);
    if (cause instanceof Failure) throw cause;
    throw fail("checkpoint", `${path} ${cannotBeRead(cause)}`, {
      next: "check its permissions, or name another file",
      cause,
    });
  }
}

/** A journal with more finished inputs than the user typed is damaged. The pull must not count as finished. */
export function checkInputs(file: string, at: Progress | undefined, inputs: number): void {
  if (at !== undefined && at.question > inputs) throw foreignJournal(journalOf(file));
}

function foreignJournal(path: string): Failure {
  return fail("checkpoint", `${path} is not a checkpoint of this version of dexdata`, {
    next: "start over with --force, or name another file",
  });
}

/** A pull that already has rows and that this run can continue. */
export interface Interrupted extends FoundProgress {
  readonly header: CheckpointHeader;
  readonly rowsAt: string;
}

/** Returns undefined if there is nothing to continue. */
export async function findInterrupted(file: string, signal: AbortSignal): Promise<Interrupted | undefined> {
  const journal = readJournal(file);
  if (journal === undefined) return undefined;
  const { header, upTo } = journal;
  const at = (rowsAt: string): Interrupted | undefined => {
    const size = lstatSync(rowsAt, { throwIfNoEntry: false })?.size;
    if (size === undefined) return undefined;
    const found = { header, rowsAt, ...upTo(size) };
    const { progress, complete, isCut } = found;
    // Extra bytes after a complete pull are kept: another program added them, or the file was never part of the pull.
    const isLonger = complete !== undefined && size > complete;
    const isOther = isCut && size > 0 && (progress?.bytes ?? 0) === 0;
    if (rowsAt === file && (isLonger || isOther)) throw modified(file);
    return found;
  };
  // If the user has deleted the rows, the pull starts over and resolves the time range again.
  if (header.rows === "file") return at(file);
  if (header.rows === "staged") {
    const staged = checkRegular(partOf(file)) ? at(partOf(file)) : undefined;
    return staged?.progress === undefined ? undefined : staged;
  }
  const isPlaced = dropPlacedPart(file);
  const found = at(isPlaced ? file : partOf(file));
  // Before the first page, there is nothing to lose.
  if (found?.progress === undefined) return undefined;
  const { bytes, sha256 } = found.progress;
  return isPlaced && (await hashOf(file, bytes, signal)).digest("hex") !== sha256 ? undefined : found;
}

/** A pull whose final files have their names. The run was killed before it removed the checkpoint. */
export interface Placed {
  readonly header: CheckpointHeader;
  readonly progress: Progress;
  readonly files: readonly WrittenFile[];
}

/** Staged rows are removed after the final files have got their names, and before the checkpoint. */
export function findPlaced(file: string): Placed | undefined {
  const journal = readJournal(file);
  if (journal?.header.rows !== "staged" || checkRegular(partOf(file))) return undefined;
  const { progress, files } = journal.upTo(Number.POSITIVE_INFINITY);
  return progress === undefined || files === undefined
    ? undefined
    : { header: journal.header, progress, files };
}

/** If a run was killed before it removed its checkpoint, the rows may already be named `file`, or have both names. */
function dropPlacedPart(file: string): boolean {
  const part = partOf(file);
  if (!checkRegular(part)) return true;
  const exactly = { bigint: true, throwIfNoEntry: false } as const;
  const [one, other] = [lstatSync(part, exactly), lstatSync(file, exactly)];
  if (one === undefined || other === undefined || !isSameFile(one, other)) return false;
  rmSync(part);
  return true;
}

/** Returns the running SHA-256 hash. Throws a failure if the rows do not match the checkpoint. */
export async function hashRows(
  file: string,
  { rowsAt, progress }: Interrupted,
  signal: AbortSignal,
): Promise<Hash> {
  const hash = await hashOf(rowsAt, progress?.bytes ?? 0, signal);
  if (progress === undefined || hash.copy().digest("hex") === progress.sha256) return hash;
  throw modified(file);
}

export function modified(file: string): Failure {
  return fail("checkpoint", `cannot resume ${file}: it was modified after the interruption`, {
    next: "start over with --force instead of --resume, or name another file",
  });
}

async function hashOf(file: string, bytes: number, signal: AbortSignal): Promise<Hash> {
  const hash = createHash("sha256");
  if (bytes === 0) return hash;
  for await (const chunk of createReadStream(file, { end: bytes - 1 })) {
    signal.throwIfAborted();
    hash.update(Buffer.from(chunk));
  }
  return hash;
}

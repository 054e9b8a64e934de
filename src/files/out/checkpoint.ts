import { createHash, type Hash } from "node:crypto";
import { closeSync, constants, createReadStream, lstatSync, readFileSync, rmSync } from "node:fs";
import * as z from "zod";
import { cannotBeRead, errorCode } from "../file-fault.ts";
import { fail, Failure, usageFailure } from "../../contract/failure.ts";
import { checkRegular, isSameFile, openRegular } from "../regular-file.ts";
import { journalOf, partOf } from "./out-file.ts";

/**
 * The journal next to an `--out` file records the progress of the pull. It has one line for the query, one line after
 * each page, and one line with the size of the complete file. A line is appended only after its rows are in the file.
 * No matter when the process is killed, the last complete line therefore describes rows that exist. A resumed pull
 * removes any rows after them.
 */
const count = z.int().nonnegative();

const placeSchema = z.object({
  flag: z.enum(["cursor", "page", "from", "subject"]),
  value: z.string(),
  to: z.optional(z.string()),
  before: z.optional(z.string()),
  items: z.optional(count),
  due: z.optional(z.int()),
});

/** The progress of the pull, across all its runs. */
const progressSchema = z.object({
  /** The number of bytes in the file that the journal accounts for. */
  bytes: count,
  /** The SHA-256 hash of these bytes. */
  sha256: z.string(),
  rows: count,
  repeats: count,
  missing: count,
  /** The number of inputs that the service rejected. */
  refused: count,
  requests: count,
  credits: count,
  /** The credits for responses that were truncated. */
  inDoubt: count,
  /** The credits left before the first run, with the digits that the service sent. */
  creditsBefore: z.optional(z.string()),
  /** The query to continue with, and the position in its response. */
  question: count,
  at: z.optional(placeSchema),
  /** The number of rows of that query. */
  rowsOfQuestion: count,
  /**
   * Hashes of the rows that are new since the previous line, which are used to remove duplicates. The hashes of several
   * pages are separated by commas.
   */
  seen: z.optional(z.string()),
  /** The identities of the first and last row, as JSON. */
  first: z.optional(z.string()),
  last: z.optional(z.string()),
  /** The end of the time range, which the first run fixed. It is in wire format. */
  to: z.optional(z.string()),
  /** The proof that the finished queries are complete. */
  proof: z.optional(z.enum(["count", "end of list", "inputs"])),
});

/** The last line of a journal, written when all rows are in the file. For JSON, that includes the closing bracket. */
const endingSchema = z.object({ complete: count });

const headerSchema = z.object({
  checkpoint: z.literal(4),
  /** Whether the rows are in `FILE` itself, or in `FILE.part` until the pull is complete. */
  rows: z.enum(["file", "part"]),
  /** The pull was started with --force, so it may replace `FILE` when it finishes. */
  mayReplace: z.boolean(),
  /** The parameters of the query by name. A later run compares them and reports the differences. */
  query: z.record(z.string(), z.string()),
  /** The clock reading in milliseconds that was used to resolve all times. */
  now: z.number(),
  tier: z.string(),
  /** The start of the first run in milliseconds since the epoch. */
  started: z.number(),
});

export type Progress = z.infer<typeof progressSchema>;
export type CheckpointHeader = z.infer<typeof headerSchema>;

/** The journal of a pull, up to its last complete line. */
export interface FoundJournal {
  readonly header: CheckpointHeader;
  /**
   * Returns the progress of the pull if its file has this size. Lines that account for more bytes are ignored, because
   * after a power failure the file may be behind its journal.
   */
  readonly upTo: (size: number) => FoundProgress;
}

export interface FoundProgress {
  /** Undefined before the first page. */
  readonly progress: Progress | undefined;
  /** The size in bytes of the complete file; undefined until the pull is complete. */
  readonly complete: number | undefined;
  /** Whether the journal accounts for more bytes than the file contains. */
  readonly isCut: boolean;
  /** The hashes from all lines up to this one. */
  readonly seen: readonly string[];
  /** The number of bytes in the journal up to the end of this line. */
  readonly length: number;
}

/** Returns undefined if the journal does not exist or has no complete line. */
export function readJournal(file: string): FoundJournal | undefined {
  const path = journalOf(file);
  const bytes = readBytes(path);
  const [first, ...rest] = readLines(bytes);
  if (first === undefined) {
    if (isOurs(bytes)) return undefined;
    throw foreignJournal(path);
  }
  const begun = headerSchema.safeParse(first.value);
  if (!begun.success) throw foreignJournal(path);
  const upTo = (size: number): FoundProgress => {
    const seen: string[] = [];
    let at: Progress | undefined;
    let complete: number | undefined;
    let isCut = false;
    let { end } = first;
    for (const line of rest) {
      const read = progressSchema.safeParse(line.value);
      if (!read.success) complete = endingSchema.safeParse(line.value).data?.complete;
      else isCut = read.data.bytes > size;
      if (!read.success || isCut) break;
      at = read.data;
      ({ end } = line);
      if (at.seen !== undefined) seen.push(...at.seen.split(","));
    }
    return { progress: at, complete, isCut, seen, length: end };
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
  if (!begun.success || begun.data.rows !== "part") throw inTheWay(partOf(file));
}

function inTheWay(path: string): Failure {
  return usageFailure(
    `${path} already exists, and dexdata did not create it`,
    "move it out of the way, or name another file",
  );
}

/**
 * Whether dexdata created this journal. Every version is accepted, and so is an empty journal, which a power failure
 * can leave.
 */
function isOurs(bytes: Buffer): boolean {
  const begin = '{"checkpoint":';
  return begin.startsWith(bytes.toString("latin1", 0, begin.length));
}

/**
 * Returns the complete lines of a journal up to the first line that is not JSON, each with the byte offset of its end.
 */
function readLines(bytes: Buffer): readonly { readonly value: unknown; readonly end: number }[] {
  const lines: { readonly value: unknown; readonly end: number }[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
    try {
      lines.push({ value: JSON.parse(bytes.toString("utf8", start, end)) as unknown, end: end + 1 });
    } catch {
      return lines;
    }
    start = end + 1;
  }
  return lines;
}

/** Returns an empty buffer if the file does not exist. */
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

/** A pull that an earlier run did not finish, with rows that this run can continue. */
export interface Interrupted extends FoundProgress {
  readonly header: CheckpointHeader;
  /** The file that contains the rows. */
  readonly rowsAt: string;
}

/**
 * Finds the rows that an earlier run of the pull into `file` has left. Returns undefined if there is nothing to
 * continue.
 */
export async function findInterrupted(file: string, signal: AbortSignal): Promise<Interrupted | undefined> {
  const journal = readJournal(file);
  if (journal === undefined) return undefined;
  const { header, upTo } = journal;
  const at = (rowsAt: string): Interrupted | undefined => {
    const size = lstatSync(rowsAt, { throwIfNoEntry: false })?.size;
    if (size === undefined) return undefined;
    const found = { header, rowsAt, ...upTo(size) };
    const { progress, complete, isCut } = found;
    // In an unfinished pull, bytes after the known rows may belong to the next page, so they are removed. Here they are
    // kept, because either another program added rows to a complete file, or the file was never part of the pull.
    const isLonger = complete !== undefined && size > complete;
    const isOther = isCut && size > 0 && (progress?.bytes ?? 0) === 0;
    if (rowsAt === file && (isLonger || isOther)) throw modified(file);
    return found;
  };
  // If the user has deleted the rows, the pull starts over and resolves the time range again.
  if (header.rows === "file") return at(file);
  const isPlaced = dropPlacedPart(file);
  const found = at(isPlaced ? file : partOf(file));
  // Before the first page, there is nothing to lose.
  if (found?.progress === undefined) return undefined;
  const { bytes, sha256 } = found.progress;
  return isPlaced && !(await beginsWithRows(file, bytes, sha256, signal)) ? undefined : found;
}

/**
 * Whether the rows already have the name `file`. This happens if the run was killed before it removed its checkpoint.
 * Just before that, the rows have both names.
 */
function dropPlacedPart(file: string): boolean {
  const part = partOf(file);
  if (!checkRegular(part)) return true;
  const exactly = { bigint: true, throwIfNoEntry: false } as const;
  const [one, other] = [lstatSync(part, exactly), lstatSync(file, exactly)];
  if (one === undefined || other === undefined || !isSameFile(one, other)) return false;
  rmSync(part);
  return true;
}

/**
 * Returns the running SHA-256 hash of the rows in the pull. Throws a failure if the rows do not match the checkpoint.
 */
export async function hashRows(
  file: string,
  { rowsAt, progress }: Interrupted,
  signal: AbortSignal,
): Promise<Hash> {
  const hash = await hashOf(rowsAt, progress?.bytes ?? 0, signal);
  if (progress === undefined || hash.copy().digest("hex") === progress.sha256) return hash;
  throw modified(file);
}

function modified(file: string): Failure {
  return fail("checkpoint", `cannot resume ${file}: it was modified after the interruption`, {
    next: "start over with --force instead of --resume, or name another file",
  });
}

/** Whether the file contains exactly these bytes. */
export async function holdsExactly(
  file: string,
  bytes: number,
  sha256: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (lstatSync(file, { throwIfNoEntry: false })?.size !== bytes) return false;
  return await beginsWithRows(file, bytes, sha256, signal);
}

async function beginsWithRows(
  file: string,
  bytes: number,
  sha256: string,
  signal: AbortSignal,
): Promise<boolean> {
  const hash = await hashOf(file, bytes, signal);
  return hash.digest("hex") === sha256;
}

/** Returns the running SHA-256 hash of the first `bytes` of a file. */
async function hashOf(file: string, bytes: number, signal: AbortSignal): Promise<Hash> {
  const hash = createHash("sha256");
  if (bytes === 0) return hash;
  for await (const chunk of createReadStream(file, { end: bytes - 1 })) {
    signal.throwIfAborted();
    hash.update(Buffer.from(chunk));
  }
  return hash;
}

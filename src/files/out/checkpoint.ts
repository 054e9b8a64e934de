import { closeSync, constants, readFileSync } from "node:fs";
import * as z from "zod";
import { errorCode } from "../error-code.ts";
import { fail, Failure, usageFailure } from "../../contract/failure.ts";
import { cannotBeRead } from "../file-fault.ts";
import { checkRegular, openRegular } from "../regular-file.ts";
import { journalOf, partOf } from "./out-names.ts";

/**
 * The journal beside an `--out` file that says how far the pull is: a line for the question, then one after every
 * page, and one with the size of the complete file. A line is appended only when its rows are in the file, so whatever instant the process is killed at, the last
 * whole line describes rows that are there; what the file holds beyond them is cut off when the pull goes on.
 */
const count = z.int().nonnegative();

const place = z.object({
  flag: z.enum(["cursor", "page", "from", "subject"]),
  value: z.string(),
  to: z.optional(z.string()),
  before: z.optional(z.string()),
  items: z.optional(count),
  due: z.optional(z.int()),
});

/** How far the pull is, all runs together. */
const progress = z.object({
  /** Bytes of the file that are accounted for. */
  bytes: count,
  /** SHA-256 over all of them, where the run hashed its output; else over the last of them (`hashEnd`). */
  sha256: z.optional(z.string()),
  end: z.optional(z.string()),
  rows: count,
  repeats: count,
  missing: count,
  /** Inputs that were refused. */
  refused: count,
  requests: count,
  credits: count,
  /** Credits of answers that did not come whole. */
  inDoubt: count,
  /** What the service said was left before the first run, in its own digits. */
  creditsBefore: z.optional(z.string()),
  /** The question to go on with, and where in its answer. */
  question: count,
  at: z.optional(place),
  /** Rows of that question. */
  rowsOfQuestion: count,
  /** Hashes of rows new since the line before, for dropping repeats; comma-separated where they are of several pages. */
  seen: z.optional(z.string()),
  /** What tells the first and the last row apart from others, as JSON. */
  first: z.optional(z.string()),
  last: z.optional(z.string()),
  /** The upper bound in time the pull was frozen to, as on the wire. */
  to: z.optional(z.string()),
  /** What proves that the answers which have ended are complete. */
  proof: z.optional(z.enum(["count", "end of list", "inputs"])),
});

/** The last line of a pull whose rows are complete, which also have a closing bracket where they are JSON. */
const ending = z.object({ complete: count });

const header = z.object({
  checkpoint: z.literal(3),
  /** Where the rows are: in `FILE` itself, or in `FILE.part` until the pull is complete. */
  rows: z.enum(["file", "part"]),
  /** The pull began with --force: at its end `FILE` may be replaced. */
  mayReplace: z.boolean(),
  /** What was asked, by name, to compare and to say what differs. */
  query: z.record(z.string(), z.string()),
  /** Milliseconds: the clock reading that resolved every time bound. */
  now: z.number(),
  tier: z.string(),
  /** Milliseconds since the epoch: the first run's beginning. */
  started: z.number(),
});

export type Progress = z.infer<typeof progress>;
export type CheckpointHeader = z.infer<typeof header>;

/** The journal of a pull, as far as its lines are complete. */
export interface FoundJournal {
  readonly header: CheckpointHeader;
  /**
   * How far the pull is if its file holds that many bytes. Lines that account for more are left out, for after a loss of
   * power the file may be behind its journal.
   */
  readonly upTo: (size: number) => FoundProgress;
}

export interface FoundProgress {
  /** Undefined before the first page. */
  readonly progress: Progress | undefined;
  /** Bytes of the file whose rows are complete; undefined before that. */
  readonly complete: number | undefined;
  /** A line accounts for more bytes than the file holds. */
  readonly isCut: boolean;
  /** The hashes of all lines up to there. */
  readonly seen: readonly string[];
  /** Bytes of the journal up to there. */
  readonly length: number;
}

/** Undefined where there is none, or none that has begun. */
export function readJournal(file: string): FoundJournal | undefined {
  const path = journalOf(file);
  const bytes = readBytes(path);
  const [first, ...rest] = readLines(bytes);
  if (first === undefined) {
    if (isOurs(bytes)) return undefined;
    throw foreignJournal(path);
  }
  const begun = header.safeParse(first.value);
  if (!begun.success) throw foreignJournal(path);
  const upTo = (size: number): FoundProgress => {
    const seen: string[] = [];
    let at: Progress | undefined;
    let complete: number | undefined;
    let isCut = false;
    let { end } = first;
    for (const line of rest) {
      const read = progress.safeParse(line.value);
      if (!read.success) complete = ending.safeParse(line.value).data?.complete;
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

/** Refuses a file beside `file` that starting over would replace, and that dexdata did not create. */
export function checkReplaceable(file: string): void {
  const bytes = readBytes(journalOf(file));
  if (!isOurs(bytes)) throw inTheWay(journalOf(file));
  if (!checkRegular(partOf(file))) return;
  if (bytes.length === 0)
    throw usageFailure(
      `${partOf(file)} exists without its checkpoint ${journalOf(file)}`,
      "move or delete it",
    );
  const begun = header.safeParse(readLines(bytes)[0]?.value);
  if (!begun.success || begun.data.rows !== "part") throw inTheWay(partOf(file));
}

function inTheWay(path: string): Failure {
  return usageFailure(
    `${path} already exists, and dexdata did not create it`,
    "move it out of the way, or name another file",
  );
}

/** Of any version. An empty one is what a loss of power leaves of one that was just created. */
function isOurs(bytes: Buffer): boolean {
  const begin = '{"checkpoint":';
  return begin.startsWith(bytes.toString("latin1", 0, begin.length));
}

/** The complete lines of a journal, up to the first that is not JSON, with the byte each ends at. */
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

/** Nothing where there is no such file. */
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

/** A journal that accounts for more inputs than were typed is damaged: it must not pass for finished. */
export function checkInputs(file: string, at: Progress | undefined, inputs: number): void {
  if (at !== undefined && at.question > inputs) throw foreignJournal(journalOf(file));
}

function foreignJournal(path: string): Failure {
  return fail("checkpoint", `${path} is not a checkpoint of this version of dexdata`, {
    next: "start over with --force, or name another file",
  });
}

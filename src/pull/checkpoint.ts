import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import * as z from "zod";
import { errorCode } from "../model/error-code.ts";
import { Failure } from "../model/failure.ts";
import { cannotBeRead, diskAdvice, cannotBeWritten } from "../model/file-fault.ts";
import { journalOf } from "./out-file.ts";

/**
 * The journal beside an `--out` file that says how far the pull is: a line for the question, then one after every
 * page. A line is appended only when its rows are in the file, so whatever instant the process is killed at, the last
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
  /** Bytes of the file that are accounted for, and SHA-256 over them. */
  bytes: count,
  sha256: z.string(),
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
  /** Hashes of rows new since the line before, for dropping repeats. */
  seen: z.optional(z.string()),
  /** What tells the first and the last row apart from others, as JSON. */
  first: z.optional(z.string()),
  last: z.optional(z.string()),
  /** The upper bound in time the pull was frozen to, as on the wire. */
  to: z.optional(z.string()),
  /** What proves that the answers which have ended are complete. */
  proof: z.optional(z.enum(["count", "end of list", "inputs"])),
});

const header = z.object({
  checkpoint: z.literal(2),
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

/** An interrupted pull, as its journal tells it. */
export interface Interrupted {
  readonly header: CheckpointHeader;
  /** Undefined before the first page. */
  readonly progress: Progress | undefined;
  /** The hashes of all lines up to there. */
  readonly seen: readonly string[];
  /** Bytes of the journal up to there. */
  readonly length: number;
}

/**
 * Undefined where no pull was interrupted. `size`: bytes that the file holds; lines that tell of more are passed over,
 * for after a loss of power the file may be behind its journal.
 */
export function readInterrupted(file: string, size: number): Interrupted | undefined {
  const lines = readLines(journalOf(file));
  const [first, ...rest] = lines;
  if (first === undefined) return undefined;
  const begun = header.safeParse(first.value);
  if (!begun.success) throw foreignJournal(file);
  const seen: string[] = [];
  let at: Progress | undefined;
  let { end } = first;
  for (const line of rest) {
    const read = progress.safeParse(line.value);
    if (!read.success || read.data.bytes > size) break;
    at = read.data;
    ({ end } = line);
    if (at.seen !== undefined) seen.push(at.seen);
  }
  return { header: begun.data, progress: at, seen, length: end };
}

export interface Journal {
  /** Call it once the rows are in the file. */
  readonly note: (progress: Progress) => void;
  /** The output is whole: there is nothing to go on with. */
  readonly remove: () => void;
}

export function beginJournal(file: string, begun: CheckpointHeader): Journal {
  written(file, (path) => writeFileSync(path, `${JSON.stringify(begun)}\n`, { mode: 0o600 }));
  return journal(file);
}

export function continueJournal(file: string, { length }: Interrupted): Journal {
  written(file, (path) => truncateSync(path, length));
  return journal(file);
}

function journal(file: string): Journal {
  return {
    note: (at) => written(file, (path) => appendFileSync(path, `${JSON.stringify(at)}\n`)),
    remove: () => rmSync(journalOf(file), { force: true }),
  };
}

function written(file: string, write: (path: string) => void): void {
  const path = journalOf(file);
  try {
    write(path);
  } catch (cause) {
    throw new Failure(`${path} ${cannotBeWritten(cause)}`, {
      exit: 1,
      code: "output",
      retryable: false,
      next: diskAdvice(cause) ?? "check its permissions and those of its folder",
      cause,
    });
  }
}

/** The whole lines of a journal, up to the first that is none, with the byte each ends at. */
function readLines(path: string): readonly { readonly value: unknown; readonly end: number }[] {
  const lines: { readonly value: unknown; readonly end: number }[] = [];
  const bytes = readBytes(path);
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

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return Buffer.alloc(0);
    throw new Failure(`${path} ${cannotBeRead(cause)}`, {
      exit: 2,
      code: "checkpoint",
      retryable: false,
      next: "check its permissions, or begin anew with --force instead of --resume",
      cause,
    });
  }
}

/** A journal that tells of inputs beyond those that are asked for is damaged: it must not pass for finished. */
export function checkInputs(file: string, { progress: at }: Interrupted, inputs: number): void {
  if (at !== undefined && at.question > inputs) throw foreignJournal(file);
}

function foreignJournal(file: string): Failure {
  return new Failure(`${journalOf(file)} is not a checkpoint of this version of dexdata`, {
    exit: 2,
    code: "checkpoint",
    retryable: false,
    next: `begin anew with --force instead of --resume`,
  });
}

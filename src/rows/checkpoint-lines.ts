import * as z from "zod";

/**
 * The checkpoint next to an `--out` file has one line for the query, one after each page, and one with the size of the
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
  isDoubted: z.optional(z.boolean()),
});

/** A pull's progress across all its runs. */
export const lineSchema = z.object({
  /** The number of bytes in the file that the checkpoint accounts for. */
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
  /** The index of the request to continue with, and the position in its list. */
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
  /** How many lists continue after their limit, if there are several, or after --max-rows-read. */
  unfinished: count.default(0),
  /** Why the service may lack rows of `--day`, although its lists are complete. */
  doubt: z.optional(z.string()),
  /** Why rows may be wrong or missing, although the pull does not fail. */
  doubts: z.optional(z.array(z.string())),
  remarks: z.optional(
    z.object({ short: z.optional(count), twins: z.optional(count), replaced: z.optional(count) }),
  ),
});

/**
 * A final file. Size and hash are those of its rows before packing, or its own if it cannot be unpacked. `rows` is
 * undefined if the rows were not counted for this file alone.
 */
const writtenFileSchema = z.object({
  file: z.string(),
  rows: z.optional(count),
  bytes: count,
  sha256: z.string(),
});

/**
 * Written when all rows are in the file. For JSON, that includes the closing bracket. `files` are the final files that
 * are made from staged rows, before they get their names.
 */
export const endingSchema = z.object({ complete: count, files: z.optional(z.array(writtenFileSchema)) });

export const headerSchema = z.object({
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

export type CheckpointLine = z.infer<typeof lineSchema>;
/** The part of a line that cannot be derived from the file itself. */
type PullProgress = Omit<CheckpointLine, "bytes" | "sha256" | "seen">;
export type PullCost = Pick<
  PullProgress,
  "requests" | "credits" | "inDoubt" | "creditsBefore" | "plans" | "asOf"
>;
/** What a pull has read, in all its runs. */
export type PullTotals = Omit<PullProgress, keyof PullCost>;
export type CheckpointHeader = z.infer<typeof headerSchema>;
export type WrittenFile = Readonly<z.infer<typeof writtenFileSchema>>;

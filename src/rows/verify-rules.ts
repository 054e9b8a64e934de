/** Findings set the exit code. Notes do not: they are true of some correct files, too. */
export type Level = "finding" | "note";

interface Rule {
  readonly level: Level;
  /** What the rule checks, as a statement that is true of a correct file. */
  readonly statement: string;
  readonly appliesTo: string;
}

/** The help of `verify` and its documentation list these rules in this order. */
export const rules = {
  F1: {
    level: "finding",
    statement: "the file has the size and SHA-256 in its receipt; a Parquet file is as dexdata wrote it",
    appliesTo: "files with a receipt, Parquet files",
  },
  F2: {
    level: "finding",
    statement:
      "each row can be read: valid UTF-8 and JSON, or as many cells as the header; the file is not truncated; the fields are known",
    appliesTo: "all files",
  },
  F4: {
    level: "finding",
    statement:
      "the number of rows, the first row and the last row match the receipt; a file of sync is in the directory that its footer names",
    appliesTo: "files with a receipt, directories of sync",
  },
  R3: {
    level: "finding",
    statement: "no row appears twice",
    appliesTo: "transactions, candles, lists of pools and tokens",
  },
  R4: {
    level: "finding",
    statement:
      "the time of each row is valid; time, network and pool match the receipt; as_of is in the period, or up to 6h off (a note)",
    appliesTo: "transactions, candles, pools of sync",
  },
  R5: {
    level: "finding",
    statement: "rows are sorted by time, up or down; a late row in a file of txns --follow is only a note",
    appliesTo: "transactions, candles",
  },
  H1: {
    level: "finding",
    statement:
      "nothing is missing: the pull is complete, a file with filled candles has every interval, and a dataset of sync has a file for every month or day",
    appliesTo: "files with a receipt or filled candles, directories of sync",
  },
  R1: {
    level: "note",
    statement: "fields have the types of the API schema",
    appliesTo: "rows of a known kind",
  },
  T3: { level: "note", statement: "amounts have at most 34 digits", appliesTo: "transactions" },
  T7: {
    level: "note",
    statement: "no row has canonical_chain false (its block was replaced in a reorganization)",
    appliesTo: "transactions",
  },
  C1: { level: "note", statement: "0 < low ≤ open, close ≤ high", appliesTo: "candles" },
  C2: {
    level: "note",
    statement: "candles open at a multiple of the interval, and close one interval later, or 1s before that",
    appliesTo: "candles",
  },
  H2: {
    level: "note",
    statement:
      "the receipt lists no unread rows, missing prices or rejected inputs; a file of sync has as many rows as the service counted",
    appliesTo: "files with a receipt, directories of sync",
  },
  H3: {
    level: "note",
    statement:
      "no candle is partial; sync has lost no rows, and each day is complete 27h after its end (if it has to be read twice: 27h after the first read)",
    appliesTo: "candles, directories of sync",
  },
} as const satisfies Readonly<Record<string, Rule>>;

export type RuleId = keyof typeof rules;

/** Each of these rules once, in the order of the list. */
export function inOrder(found: readonly RuleId[]): readonly RuleId[] {
  return Object.keys(rules).flatMap((id) => found.find((each) => each === id) ?? []);
}

export interface Finding {
  readonly file: string;
  /** Starts at 1. In json and Parquet, this is the number of the row. Null if the finding is about the entire file. */
  readonly line: number | null;
  readonly rule: RuleId;
  readonly level: Level;
  readonly field: string | null;
  readonly expected: string;
  readonly found: string;
}

export interface Mismatch {
  readonly line?: number;
  readonly field?: string;
  readonly expected: string;
  readonly found: string;
  /** Replaces the level of the rule. */
  readonly level?: Level;
}

export type Report = (rule: RuleId, mismatch: Mismatch) => void;

/** What people can say about a file. No rule for rows applies to `other`. */
export const wantedKinds = ["transaction", "candle", "other"] as const;
export type WantedKind = (typeof wantedKinds)[number];

import type { ErrorFormat } from "../../contract/output-format.ts";
import type { Presentation, Renderer } from "../renderer.ts";

/**
 * An output format: its properties, and how it writes rows. Commands check these properties instead of comparing names.
 */
export interface Format {
  /** Used in the help text of `-o`. */
  readonly summary: string;
  /**
   * Whether the format shows rows under columns instead of as JSON. `guessed` derives the columns from the rows where
   * the contract does not list any. `named` requires the column names before the first row, so later runs can append
   * rows below the header.
   */
  readonly columns: "guessed" | "named" | undefined;
  /** The file extension that selects this format by default. */
  readonly ending: string | undefined;
  /** Whether a later run can append rows to a file in this format. */
  readonly canGrow: boolean;
  /** Whether the format writes something after the last row, so that output without it is incomplete. */
  readonly isClosed: boolean;
  /** The default format of errors if a program reads both streams. */
  readonly errors: ErrorFormat;
  /** Creates a renderer for rows, single objects and complete responses of the service. */
  readonly createRenderer: (presentation: Presentation) => Promise<Renderer>;
  readonly local: LocalForm;
}

/** Formats the rows and objects of local commands. Each function returns the complete output. */
interface LocalForm {
  readonly rows: (rows: readonly LocalRow[], look: LocalLook) => string | Promise<string>;
  readonly record: (record: LocalRow, look: LocalLook) => string | Promise<string>;
  /** Formats an object with nested members; undefined if the format does not support them. */
  readonly document?: (document: object, look: LocalLook) => string;
  /** Formats several such objects; undefined if a command shows rows instead. */
  readonly documents?: (documents: readonly object[], look: LocalLook) => string;
}

/** Null means unknown. Undefined members are omitted. */
export type LocalRow = Readonly<Record<string, string | number | null | undefined>>;

export interface LocalLook {
  readonly isTerminal: boolean;
  readonly hasHeader: boolean;
  /** Maximum width of a table in terminal columns; undefined means no limit. */
  readonly room: number | undefined;
}

/** How a format of separated values writes cells and empty rows. */
export interface Writing {
  readonly separator: string;
  readonly nothing: string;
  readonly emptyLine: string;
  readonly writeText: (text: string) => string;
  readonly writeJson: (text: string) => string;
}

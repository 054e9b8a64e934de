import type { ErrorFormat } from "../../contract/output-format.ts";
import type { Presentation, Renderer } from "../renderer.ts";

/** One output format: how it writes rows, and its properties. Commands read these instead of comparing names. */
export interface Format {
  /** For the help of `-o`. */
  readonly summary: string;
  /**
   * Whether the format shows rows under columns instead of as JSON. `guessed` takes the columns from the rows where the
   * contract names none. `named` needs the names before the first row, and lets later runs add rows below the header.
   */
  readonly columns: "guessed" | "named" | undefined;
  /** The file name ending that selects this format by default. */
  readonly ending: string | undefined;
  /** Whether a later run can add rows to a file in this format. */
  readonly canGrow: boolean;
  /** Whether something follows the last row, so that output without it is incomplete. */
  readonly isClosed: boolean;
  /** The format of errors where a program reads both streams. */
  readonly errors: ErrorFormat;
  /** For rows, single objects and complete responses of the service. */
  readonly createRenderer: (presentation: Presentation) => Promise<Renderer>;
  readonly local: LocalForm;
}

/** Formats the rows and objects of local commands; each result is the complete output. */
interface LocalForm {
  readonly rows: (rows: readonly LocalRow[], look: LocalLook) => string | Promise<string>;
  readonly record: (record: LocalRow, look: LocalLook) => string | Promise<string>;
  /** For an object with nested parts; undefined where the format cannot show one. */
  readonly document?: (document: object, look: LocalLook) => string;
  /** For several such objects; undefined where a command shows rows instead. */
  readonly documents?: (documents: readonly object[], look: LocalLook) => string;
}

/** Null is an unknown value; undefined is left out. */
export type LocalRow = Readonly<Record<string, string | number | null | undefined>>;

export interface LocalLook {
  readonly isTerminal: boolean;
  readonly hasHeader: boolean;
  /** Maximum columns of a table; undefined means no limit. */
  readonly room: number | undefined;
}

/** How a format of separated values writes a cell, and a row without any value. */
export interface Writing {
  readonly separator: string;
  readonly nothing: string;
  readonly emptyLine: string;
  readonly writeText: (text: string) => string;
  readonly writeJson: (text: string) => string;
}

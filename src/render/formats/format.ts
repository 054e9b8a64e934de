import type { ErrorFormat } from "../../contract/output-format.ts";
import type { Presentation, Renderer } from "../renderer.ts";
import type { LocalRow } from "../table/local-table.ts";

/** One output format: how rows are written, and what can be done with it. Commands ask it instead of knowing its name. */
export interface Format {
  /** For the help of `-o`. */
  readonly summary: string;
  /**
   * Whether rows are shown under columns, and not whole. `guessed` takes those that a row has where the contract names
   * none; `named` needs them before the first row, and lets rows be added below the line that names them.
   */
  readonly columns: "guessed" | "named" | undefined;
  /** A file of this ending is expected to hold it, where nothing else says it. */
  readonly ending: string | undefined;
  /** Whether a later run can add rows to a file of it. */
  readonly canGrow: boolean;
  /** Whether something closes it after the last row, so that output without an end is never whole. */
  readonly isClosed: boolean;
  /** Of errors where a program reads both streams. */
  readonly errors: ErrorFormat;
  /** Rows, single objects and whole answers of the service. */
  readonly createRenderer: (presentation: Presentation) => Promise<Renderer>;
  readonly local: LocalForm;
}

/** How the rows and objects of commands of ours are written, each as the whole output. */
interface LocalForm {
  readonly rows: (rows: readonly LocalRow[], look: LocalLook) => string | Promise<string>;
  readonly record: (record: LocalRow, look: LocalLook) => string | Promise<string>;
  /** An object that has parts; undefined where there is no form for it. */
  readonly document?: (document: object, look: LocalLook) => string;
  /** Several of them; undefined where a command shows rows in their place. */
  readonly documents?: (documents: readonly object[], look: LocalLook) => string;
}

export interface LocalLook {
  readonly isTerminal: boolean;
  readonly hasHeader: boolean;
  /** Columns that a table may take; undefined where there is no end to them. */
  readonly room: number | undefined;
}

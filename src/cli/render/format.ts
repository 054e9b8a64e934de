import type { ErrorFormat, RowFormat } from "../../api/output-format.ts";
import type { Presentation, Renderer } from "./renderer.ts";

/** Commands check these properties instead of comparing names. */
export interface Format {
  readonly summary: string;
  /**
   * Undefined for formats that show rows as JSON. `guessed` derives columns that the contract does not list from the
   * rows. `named` requires them before the first row, so that later runs can append rows.
   */
  readonly columns: "guessed" | "named" | undefined;
  readonly ending: string | undefined;
  readonly canGrow: boolean;
  /** Whether the format writes something after the last row, so that output without it is incomplete. */
  readonly isClosed: boolean;
  /**
   * Set for formats that are not text. They require typed rows of one kind, so they are not available for every command,
   * and cannot be printed to a terminal. Rows in a file have another format until the pull is complete.
   */
  readonly binary?: { readonly stagedAs: RowFormat };
  /** The default if a program reads both streams. */
  readonly errors: ErrorFormat;
  readonly createRenderer: (presentation: Presentation) => Promise<Renderer>;
  readonly local: LocalForm;
}

/** Formats the output of local commands. Each function returns the complete output. */
interface LocalForm {
  readonly rows: (rows: readonly LocalRow[], look: LocalLook) => string | Promise<string>;
  readonly record: (record: LocalRow, look: LocalLook) => string | Promise<string>;
  /** Undefined if the format does not support nested members. */
  readonly document?: (document: object, look: LocalLook) => string;
  /** Undefined if a command shows rows instead. */
  readonly documents?: (documents: readonly object[], look: LocalLook) => string;
}

/** Null means unknown. Undefined members are omitted. */
export type LocalRow = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface LocalLook {
  readonly isTerminal: boolean;
  readonly hasHeader: boolean;
  /** Terminal columns; undefined means no limit. */
  readonly room: number | undefined;
}

export interface Writing {
  readonly separator: string;
  readonly nothing: string;
  readonly emptyLine: string;
  readonly writeText: (text: string) => string;
  readonly writeJson: (text: string) => string;
}

import type { Page } from "../client/pages/page.ts";
import type { Args } from "../contract/args.ts";
import type { Output } from "../context/context.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { RowFormat } from "../contract/output-format.ts";

/** Where rows are written and how they look. */
export interface Presentation {
  readonly output: Output;
  readonly format: RowFormat;
  readonly endpoint: Endpoint;
  /** Groups to show, in this order; `["rows"]` unless the response of the endpoint has groups. */
  readonly groups: readonly string[];
  /**
   * Whether the request was for a single object, such as an address. It is shown as an object or as name and value
   * lines.
   */
  readonly isRecord: boolean;
  /** Whether pages contain complete responses of any JSON instead of rows. */
  readonly isWhole?: boolean;
  /** Whether an earlier run wrote rows to the same output, so the header or the start of the document exists. */
  readonly isContinued: boolean;
  /** Paths as typed, such as `24h.volume_usd`; undefined shows all fields. */
  readonly fields: readonly string[] | undefined;
  /** Whether column names are shown above the columns; true by default. */
  readonly hasHeader?: boolean;
  /** Table columns to show, by name; undefined shows the columns that fit. */
  readonly columns?: readonly string[] | undefined;
  /** The field passed to `--order-by`; undefined without that flag. */
  readonly orderedBy?: string | undefined;
  /** Whether to show every column, even if the table is wider than the terminal. */
  readonly isWide?: boolean;
  readonly isColored: boolean;
  readonly isUnicode: boolean;
  /** Whether times are shown as ages. By default, they are on a terminal. */
  readonly hasAges?: boolean;
  /** The arguments of the candle request to draw as a chart; undefined for no chart. */
  readonly chart?: Args | undefined;
  /** Whether tables have a column with the price trend. */
  readonly hasSparks?: boolean;
  /** Milliseconds since the epoch, used to compute ages. The clock is read once per run. */
  readonly now: number;
  /**
   * For a display that is redrawn: returns the text of the same row in the previous frame, or undefined for a new row.
   * Changes are marked.
   */
  readonly before?: (group: string, row: string) => string | undefined;
}

export interface Renderer {
  /** Resolves when the reader of the output has caught up. */
  page(page: Page): Promise<void>;
  /** Returns hidden columns that the user requested or that identify the rows. */
  leftOut?(): readonly string[];
  /** Writes rows that are held back until a table can be laid out. Also called if the run fails. */
  release?(): Promise<void>;
  /** Called only on success. An unfinished document shows a reader that the pull failed. */
  end(): Promise<void>;
}

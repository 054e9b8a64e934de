import type { Page } from "../client/pages/page.ts";
import type { Args } from "../contract/args.ts";
import type { Output } from "../context/context.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { RowFormat } from "../contract/output-format.ts";

/** The rows to show, their look and their destination. */
export interface Presentation {
  readonly output: Output;
  readonly format: RowFormat;
  readonly endpoint: Endpoint;
  /** Groups to show, in this order; `["rows"]` unless the endpoint responds with groups. */
  readonly groups: readonly string[];
  /** The request was for one object, as by a single address: an object, or name and value lines. */
  readonly isRecord: boolean;
  /** Pages contain complete responses of any JSON instead of rows. */
  readonly isWhole?: boolean;
  /** An earlier run wrote rows to the same output, so the start of the document or the header is there. */
  readonly isContinued: boolean;
  /** Paths as typed, `24h.volume_usd`; undefined shows everything. */
  readonly fields: readonly string[] | undefined;
  /** Whether the names of the columns are shown above them; true by default. */
  readonly hasHeader?: boolean;
  /** Columns of the table by name; undefined shows the columns that fit. */
  readonly columns?: readonly string[] | undefined;
  /** The field of `--order-by`; undefined without that flag. */
  readonly orderedBy?: string | undefined;
  /** Every column, even if the table is wider than the terminal. */
  readonly isWide?: boolean;
  readonly isColored: boolean;
  readonly isUnicode: boolean;
  /** Whether times are shown as ages; by default on a terminal. */
  readonly hasAges?: boolean;
  /** The arguments of the candles to draw as a chart; undefined for no chart. */
  readonly chart?: Args | undefined;
  /** Tables have a column with the trend of the price. */
  readonly hasSparks?: boolean;
  /** Milliseconds since the epoch, for ages: the run reads its clock once. */
  readonly now: number;
  /**
   * For a picture that is redrawn: returns the text of the same row in the picture before, undefined for a new row.
   * Changes are marked.
   */
  readonly before?: (group: string, row: string) => string | undefined;
}

export interface Renderer {
  /** Resolves when the reader keeps up. */
  page(page: Page): Promise<void>;
  /** Columns without room that the user named, or that identify the rows. */
  leftOut?(): readonly string[];
  /** Shows rows that wait for more rows to be laid out with, also if the run fails. */
  release?(): Promise<void>;
  /** Only after success: an output that stays open shows a reader that the pull failed. */
  end(): Promise<void>;
}

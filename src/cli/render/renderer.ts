import type { Page } from "../../client/page.ts";
import type { Output } from "../../base/context/context.ts";
import type { Endpoint, Args } from "../../api/endpoint.ts";
import type { RowFormat, ErrorFormat } from "../../api/output-format.ts";
import type { ParquetTarget } from "../../rows/parquet-writer.ts";
import type { FindAsset } from "./values/cell.ts";

export interface Presentation {
  readonly output: Output;
  readonly format: RowFormat;
  readonly endpoint: Endpoint;
  /** In display order; `["rows"]` unless the endpoint's response has groups. */
  readonly groups: readonly string[];
  /** The request was for a single object, such as an address. */
  readonly isRecord: boolean;
  /** Instead of rows, pages contain complete responses, which can be any JSON. */
  readonly isWhole: boolean;
  /** An earlier run wrote rows to the same output, so the header or the start of the document already exists. */
  readonly isContinued: boolean;
  /** Paths as typed, such as `24h.volume_usd`; undefined shows all fields, or in CSV and TSV those of the table. */
  readonly fields: readonly string[] | undefined;
  /** CSV and TSV have a column for each field, not only for those of the table. */
  readonly hasAllFields: boolean;
  /** Paths of the fields whose texts, followed by a tab, precede each line of NDJSON. */
  readonly prefix: readonly string[] | undefined;
  /** Titles of the cells that pages have in front of their rows; only for CSV and TSV. */
  readonly lead: readonly string[] | undefined;
  readonly parquet: ParquetTarget | undefined;
  readonly hasHeader: boolean;
  /** Table columns by name; undefined shows the columns that fit. */
  readonly columns: readonly string[] | undefined;
  /** The rows are sorted or filtered by these fields, so a narrow table shows their columns before other measures. */
  readonly queried: readonly string[];
  /** Show every column, even if the table is wider than the terminal. */
  readonly isWide: boolean;
  readonly isColored: boolean;
  readonly isUnicode: boolean;
  /** A terminal shows times as ages. */
  readonly hasAges: boolean;
  /** Arguments of the candle request to draw as a chart; undefined for no chart. */
  readonly chart: Args | undefined;
  /** The chart is an SVG image. */
  readonly isSvg: boolean;
  readonly hasSparks: boolean;
  /** For labels and amounts in tables. Without it, amounts of trades are shown as sent. */
  readonly findAsset: FindAsset | undefined;
  /** Milliseconds since the epoch. The clock is read once per run. */
  readonly now: number;
  /** Returns the same row's text from the previous frame of a live display; undefined for a new row. */
  readonly before: ((group: string, row: string) => string | undefined) | undefined;
  /** Whether an alert is on for the row of a live display. */
  readonly isOn: ((row: unknown, group: string) => boolean) | undefined;
}

/** How the list continues after the page does not matter to the output. */
export type RenderedPage = Pick<Page, "group" | "rows"> & Partial<Pick<Page, "lead">>;

export interface Renderer {
  /** Resolves when the reader of the output has caught up. `args` are the arguments of the page's request. */
  page(page: RenderedPage, args?: Args): Promise<void>;
  /** Returns hidden columns that the user requested or that identify the rows. */
  leftOut?(): readonly string[];
  isShortened?(): boolean;
  /** The number of rows of each table that were not shown, because the terminal also shows other tables. */
  hidden?(): ReadonlyMap<string, number>;
  /** Writes rows that are held back until a table can be laid out. Also called if the run fails. */
  release?(): Promise<void>;
  /** Called only on success. An unfinished document shows a reader that the pull failed. */
  end(): Promise<void>;
}

/** Commands check these properties instead of comparing names. */
export interface Format {
  readonly summary: string;
  /**
   * Undefined for formats that show rows as JSON. `guessed` derives columns that the contract does not list from the
   * rows, and fits them to the first rows, so that later runs cannot append rows. `named` requires them before the first row.
   */
  readonly columns: "guessed" | "named" | undefined;
  /** Whether the format writes something after the last row, so that output without it is incomplete. */
  readonly isClosed: boolean;
  /**
   * Set for formats that are not text. They require typed rows of one kind, so they are not available for every command,
   * and cannot be printed to a terminal. Rows in a file have another format until the pull is complete.
   */
  readonly binary?: { readonly stagedAs: RowFormat };
  /** The default if a program reads both streams. */
  readonly errors: ErrorFormat;
  readonly createRenderer: (presentation: Presentation) => Renderer | Promise<Renderer>;
  /** Returns the complete output of a local command. */
  readonly local: (rows: readonly LocalRow[], look: LocalLook) => string | Promise<string>;
}

/** Null means unknown. Undefined members are omitted. */
export type LocalRow = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface LocalLook {
  /** The only row is a record: an object in json, and one line per field in a table. */
  readonly isRecord: boolean;
  readonly isTerminal: boolean;
  readonly hasHeader: boolean;
  /** Terminal columns; undefined means no limit. */
  readonly room: number | undefined;
}

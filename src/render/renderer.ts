import type { Page } from "../client/pages/page.ts";
import type { Args } from "../contract/args.ts";
import type { Output } from "../context/context.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { isSeparated, type RowFormat } from "../contract/output-format.ts";

/** What to show, how, and where. */
export interface Presentation {
  readonly output: Output;
  readonly format: RowFormat;
  readonly endpoint: Endpoint;
  /** Groups to show, in this order; `["rows"]` unless the endpoint answers with groups. */
  readonly groups: readonly string[];
  /** One object was asked for, as by a single address: an object, or name and value lines. */
  readonly isRecord: boolean;
  /** Pages hold whole answers, whatever JSON they are, in place of rows. */
  readonly isWhole?: boolean;
  /** Rows of the same output were written before: what stands at its beginning is there. */
  readonly isContinued: boolean;
  /** Paths as typed, `24h.volume_usd`; undefined shows everything. */
  readonly fields: readonly string[] | undefined;
  /** Whether the names of the columns stand above them; they do unless said otherwise. */
  readonly hasHeader?: boolean;
  /** Columns of the table by name; undefined shows those that fit. */
  readonly columns?: readonly string[] | undefined;
  /** The field that the rows were asked to be ordered by; undefined where nobody said. */
  readonly orderedBy?: string | undefined;
  /** Every column, beyond the window too. */
  readonly isWide?: boolean;
  readonly isColored: boolean;
  readonly isUnicode: boolean;
  /** Whether a person reads ages in place of times; on a terminal unless said otherwise. */
  readonly hasAges?: boolean;
  /** What a chart of the candles is asked for with; undefined where none is drawn. */
  readonly chart?: Args | undefined;
  /** Tables have a column with the course of the price. */
  readonly hasSparks?: boolean;
  /** Milliseconds since the epoch, for ages: the run's one clock reading. */
  readonly now: number;
  /**
   * For a picture that is drawn anew: the text of the same row in the one before, undefined for a row that is new. What
   * has changed is marked.
   */
  readonly before?: (group: string, row: string) => string | undefined;
}

export interface Renderer {
  /** Resolves when the reader keeps up. */
  page(page: Page): Promise<void>;
  /** Columns that found no room, though they were asked for by name or say what the rows are about. */
  leftOut?(): readonly string[];
  /** Shows what was held back for the looks of it, also where the run fails. */
  release?(): Promise<void>;
  /** Only after success: what is left open tells a reader that the pull failed. */
  end(): Promise<void>;
}

export async function createRenderer(presentation: Presentation): Promise<Renderer> {
  const { format, isWhole, chart } = presentation;
  if (isSeparated(format))
    return (await import("./formats/separated.ts")).createSeparated(presentation, format);
  if (isWhole === true) return (await import("./document.ts")).createDocuments(presentation);
  if (chart !== undefined)
    return (await import("./chart/chart-view.ts")).createChartView(presentation, chart);
  switch (format) {
    case "ndjson":
      return (await import("./formats/ndjson.ts")).createNdjson(presentation);
    case "json":
      return (await import("./formats/json.ts")).createJson(presentation);
    case "table":
      return presentation.isRecord && presentation.columns === undefined
        ? (await import("./table/record-view.ts")).createRecordView(presentation)
        : (await import("./table/list-view.ts")).createListView(presentation);
  }
}

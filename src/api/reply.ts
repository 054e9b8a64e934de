/** An endpoint's paging, sandbox route and help text are all derived from this format. */
export type Reply =
  | { readonly kind: "single" }
  /** A plain array that contains all rows. */
  | { readonly kind: "list" }
  /** `{results, has_next_page, next_cursor, query}`. The next page is requested with `cursor`. */
  | { readonly kind: "cursor-pages"; readonly rows: string; readonly maxLimit: number }
  /** `{<rows>, page_info}`. Page numbers start at 1. */
  | {
      readonly kind: "numbered-pages";
      readonly rows: string;
      readonly maxLimit: number;
      /** The last page with a number. Older rows are requested with `cursor`, the last row's ID. */
      readonly handOverAfter: number | undefined;
    }
  /**
   * A plain array in any order. One parameter contains up to `max` inputs with up to `maxLength` characters in total.
   * Inputs for which the service has no `value` are absent from the response.
   */
  | {
      readonly kind: "batch";
      readonly param: string;
      readonly max: number;
      readonly maxLength: number;
      readonly value: string;
    }
  /** A plain array of at most `maxLimit` candles between `start` and `end`, in ascending order. */
  | { readonly kind: "candles"; readonly maxLimit: number }
  /** One object that contains an array for each group. */
  | { readonly kind: "groups"; readonly groups: readonly string[] };

/** Undefined if the response is a plain array. */
export function listNameOf(reply: Reply, group: string): string | undefined {
  if (reply.kind === "groups") return group;
  return "rows" in reply ? reply.rows : undefined;
}

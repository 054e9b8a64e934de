/**
 * The response envelopes of the specification. Paging, the route in the sandbox and the help text all follow from the
 * envelope of an endpoint.
 */
export type Reply =
  /** One object. */
  | { readonly kind: "single" }
  /** A plain array, complete in one response. */
  | { readonly kind: "list" }
  /** `{results, has_next_page, next_cursor, query}`; `cursor` requests the next page. */
  | { readonly kind: "cursor-pages"; readonly rows: string; readonly maxLimit: number }
  /** `{<rows>, page_info}`, counted from 1. */
  | {
      readonly kind: "numbered-pages";
      readonly rows: string;
      readonly maxLimit: number;
      /** The last page that has a number. Older rows are requested by `cursor`, the id of the last row. */
      readonly handOverAfter: number | undefined;
    }
  /**
   * A plain array for up to `max` inputs and `maxLength` characters in one parameter, in any order. An input without a
   * known `value` is absent.
   */
  | {
      readonly kind: "batch";
      readonly param: string;
      readonly max: number;
      readonly maxLength: number;
      readonly value: string;
    }
  /** A plain array of at most `maxLimit` candles between `start` and `end`, ascending. */
  | { readonly kind: "candles"; readonly maxLimit: number }
  /** One object with an array for each group. */
  | { readonly kind: "groups"; readonly groups: readonly string[] };

/** The name of the list that contains the rows of a group; undefined if the response is only the rows. */
export function listNameOf(reply: Reply, group: string): string | undefined {
  if (reply.kind === "groups") return group;
  return "rows" in reply ? reply.rows : undefined;
}

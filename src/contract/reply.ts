/**
 * The envelopes of the specification. The walk over pages, the route of the sandbox and the help text all
 * follow from which of these an endpoint answers with.
 */
export type Reply =
  /** One object. */
  | { readonly kind: "single" }
  /** A bare array, whole in one answer. */
  | { readonly kind: "list" }
  /** `{results, has_next_page, next_cursor, query}`; the next page is asked with `cursor`. */
  | { readonly kind: "cursor-pages"; readonly rows: string; readonly maxLimit: number }
  /** `{<rows>, page_info}`, counted from 1. */
  | {
      readonly kind: "numbered-pages";
      readonly rows: string;
      readonly maxLimit: number;
      /** Last page that may be asked by number. Deeper history goes by `cursor`, the id of the last row. */
      readonly handOverAfter: number | undefined;
    }
  /**
   * A bare array for up to `max` inputs and `maxLength` characters in one parameter, in no promised order; an input
   * whose `value` the service does not know is left out.
   */
  | {
      readonly kind: "batch";
      readonly param: string;
      readonly max: number;
      readonly maxLength: number;
      readonly value: string;
    }
  /** A bare array of candles between `start` and `end`, ascending; at most `maxLimit` of them. */
  | { readonly kind: "candles"; readonly maxLimit: number }
  /** One object with an array for each group. */
  | { readonly kind: "groups"; readonly groups: readonly string[] };

/** The name of the list in the answer that rows of the group stand in; undefined where the answer is nothing else. */
export function listNameOf(reply: Reply, group: string): string | undefined {
  if (reply.kind === "groups") return group;
  return "rows" in reply ? reply.rows : undefined;
}

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

/** A list that the service divides into pages. */
export type PagedReply = Extract<Reply, { readonly kind: "cursor-pages" | "numbered-pages" }>;
/** A reply that takes more than one request if it is long. */
type LongReply = Exclude<Reply, { readonly kind: "single" | "list" | "groups" }>;

const none = {
  /** One response contains everything. */
  isOneResponse: false,
  /** The response is one object. */
  isRecord: false,
  /** The response contains nothing but rows. */
  isAllRows: false,
  /** A list that belongs to one asset, so that several assets need several lists. */
  isPerAsset: false,
  /** Each row is the candle of one interval in a time range. */
  isCandles: false,
};

/** What other code needs to know about a kind of reply. A new kind begins here and in `read-pages.ts`. */
const traits: Readonly<Record<Reply["kind"], Readonly<typeof none>>> = {
  single: { ...none, isOneResponse: true, isRecord: true, isAllRows: true },
  list: { ...none, isOneResponse: true, isAllRows: true },
  groups: { ...none, isOneResponse: true },
  "cursor-pages": none,
  "numbered-pages": { ...none, isPerAsset: true },
  batch: { ...none, isAllRows: true },
  candles: { ...none, isAllRows: true, isPerAsset: true, isCandles: true },
};

export function traitsOf(reply: Reply) {
  return traits[reply.kind];
}

export function isLong(reply: Reply): reply is LongReply {
  return !traitsOf(reply).isOneResponse;
}

export function isPaged(reply: Reply): reply is PagedReply {
  return "rows" in reply;
}

export function isNumbered(reply: Reply): reply is Extract<Reply, { readonly kind: "numbered-pages" }> {
  return "handOverAfter" in reply;
}

/** Whether older pages are requested by time. Such a list is sorted by time, and rows disappear from it as they age. */
export function continuesByTime(reply: Reply): boolean {
  return isNumbered(reply) && reply.handOverAfter !== undefined;
}

/** The list covers a time range that moves: new rows keep coming, and old ones disappear. */
export const isMovingWindow = (reply: Reply): boolean => traitsOf(reply).isCandles || continuesByTime(reply);

/** The parameter that contains the inputs of a batch. */
export function batchParam(reply: Reply): string | undefined {
  return "param" in reply ? reply.param : undefined;
}

/** In response order; undefined if there is only one kind of row. */
export function groupsIn(reply: Reply): readonly string[] | undefined {
  return "groups" in reply ? reply.groups : undefined;
}

/** Undefined if the response is a plain array. */
export function listNameOf(reply: Reply, group: string): string | undefined {
  if ("groups" in reply) return group;
  return "rows" in reply ? reply.rows : undefined;
}

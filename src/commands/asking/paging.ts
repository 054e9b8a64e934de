import type { Place, Walk } from "../../client/pages/page.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import type { Values } from "../../run/flags/flag.ts";
import type { ReplyFlags } from "../endpoint/reply-flags.ts";

/** How much of a list is wanted. */
export interface Wanted {
  /** Rows in all; undefined for every row. */
  readonly limit: number | undefined;
  readonly walk: Walk;
}

const defaultLimit = 10;

/** Reads `--limit`, `--all`, `--page-size`, `--cursor` and `--page`, as far as the endpoint's list has them. */
export function readWanted(
  endpoint: Endpoint,
  flags: Values<ReplyFlags>,
  usualPageSize: number | undefined,
): Wanted {
  const { reply } = endpoint;
  if (reply.kind !== "cursor-pages" && reply.kind !== "numbered-pages") {
    return { limit: flags.limit, walk: { pageSize: 0, isStrict: true } };
  }
  const limit = flags.all === true ? undefined : (flags.limit ?? defaultLimit);
  const pageSize = flags["page-size"] ?? usualPageSize ?? Math.min(limit ?? reply.maxLimit, reply.maxLimit);
  const start = placeOf(flags.cursor, flags.page);
  return { limit, walk: { pageSize, start, wanted: limit, isStrict: flags["no-strict"] !== true } };
}

function placeOf(cursor: string | undefined, page: number | undefined): Place | undefined {
  // Specification, pool transactions: an empty cursor means the first page.
  if (cursor === "") return undefined;
  if (cursor !== undefined) return { flag: "cursor", value: cursor };
  return page === undefined ? undefined : { flag: "page", value: String(page) };
}

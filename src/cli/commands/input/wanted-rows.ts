import { isPaged } from "../../../api/reply.ts";
import type { Position } from "../../../client/page-end.ts";
import type { Endpoint } from "../../../api/endpoint.ts";
import { plainList, type TokensOfPool, type PageOptions } from "../../../client/list-plan.ts";
import type { ReplyFlags } from "../flags/endpoint-flags.ts";
import type { Values } from "../../run/flags/flag.ts";
import type { PullQuery } from "../../../rows/wanted-pages.ts";

/** How many rows are wanted, and how they are requested. Ignores flags that the endpoint's list does not support. */
export function readWanted(
  { reply }: Endpoint,
  flags: Values<ReplyFlags>,
  defaultPageSize: number | undefined,
  ofPool: TokensOfPool | undefined,
): Pick<PullQuery, "limit"> & { readonly list: PageOptions } {
  if (!isPaged(reply)) {
    return { limit: flags.limit, list: plainList(0) };
  }
  const limit = flags.all === true ? undefined : flags.limit;
  // If rows are selected here, the limit does not tell how many are needed. The first pages count as well.
  const { maxRowsRead = reply.maxLimit, tokens = [] } = ofPool ?? {};
  const most = Math.max(1, Math.min(reply.maxLimit, Math.floor(maxRowsRead / Math.max(1, tokens.length))));
  const typedSize = flags["page-size"] ?? defaultPageSize;
  const pageSize =
    ofPool === undefined ? (typedSize ?? Math.min(limit ?? most, most)) : Math.min(typedSize ?? most, most);
  const start = positionOf(flags.cursor, flags.page);
  return { limit, list: { pageSize, start, isStrict: flags["no-strict"] !== true } };
}

export function positionOf(cursor: string | undefined, page: number | undefined): Position | undefined {
  // In the specification for pool transactions, an empty cursor means the first page.
  if (cursor === "") return undefined;
  if (cursor !== undefined) return { flag: "cursor", value: cursor };
  return page === undefined ? undefined : { flag: "page", value: String(page) };
}

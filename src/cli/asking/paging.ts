import type { Walk } from "../../client/pages/pages.ts";
import type { Place } from "../../client/pages/place.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import { usageFailure } from "../../contract/failure.ts";
import type { FlagValues } from "../flags/flags.ts";
import { readCount, readText } from "../flags/read-flag.ts";

/** How much of a list is wanted. */
export interface Wanted {
  /** Rows in all; undefined for every row. */
  readonly limit: number | undefined;
  readonly walk: Walk;
}

const defaultLimit = 10;

/** Reads `--limit`, `--all`, `--page-size`, `--cursor` and `--page`, as far as the endpoint's list has them. */
export function readWanted(endpoint: Endpoint, flags: FlagValues, usualPageSize: number | undefined): Wanted {
  const { reply } = endpoint;
  const typedLimit = readCount(flags, "limit", { min: 1 });
  if (reply.kind !== "cursor-pages" && reply.kind !== "numbered-pages") {
    return { limit: typedLimit, walk: { pageSize: 0, isStrict: true } };
  }
  if (flags["all"] === true && typedLimit !== undefined) {
    throw usageFailure("--all and --limit: one says every row, the other how many", "leave out one of them");
  }
  const cursor = readText(flags, "cursor");
  const page = readCount(flags, "page", {
    min: 1,
    ...(reply.kind === "numbered-pages" && { max: reply.handOverAfter ?? 1000 }),
  });
  if (cursor !== undefined && page !== undefined) {
    throw usageFailure("--cursor and --page: both say where to begin", "leave out one of them");
  }
  const limit = flags["all"] === true ? undefined : (typedLimit ?? defaultLimit);
  const typedSize = readCount(flags, "page-size", { min: 1, max: reply.maxLimit });
  const pageSize = typedSize ?? usualPageSize ?? Math.min(limit ?? reply.maxLimit, reply.maxLimit);
  return {
    limit,
    walk: { pageSize, start: placeOf(cursor, page), wanted: limit, isStrict: flags["no-strict"] !== true },
  };
}

function placeOf(cursor: string | undefined, page: number | undefined): Place | undefined {
  // Specification, pool transactions: an empty cursor means the first page.
  if (cursor === "") return undefined;
  if (cursor !== undefined) return { flag: "cursor", value: cursor };
  return page === undefined ? undefined : { flag: "page", value: String(page) };
}

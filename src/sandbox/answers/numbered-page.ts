import type { JsonObject } from "../json-writer.ts";
import type { Query } from "../query.ts";

export interface NumberedPage {
  /** From 1. */
  readonly page: number;
  readonly limit: number;
}

/** Specification, Pagination styles 2: pages count from 1 and page 0 is served as page 1; 10 rows unless asked. */
export function readPage(query: Query): NumberedPage {
  const page = query.integer("page", 0, 1000) ?? 1;
  return { page: Math.max(1, page), limit: query.integer("limit", 1, 100) ?? 10 };
}

export function pageInfo({ page, limit }: NumberedPage, total: number): JsonObject {
  return { limit, page, total_items: total, total_pages: Math.ceil(total / limit) };
}

import type { Args } from "../../contract/args.ts";
import { type Endpoint, onlyGroup, rowShape } from "../../contract/endpoint.ts";
import { member } from "../../json/own-member.ts";
import type { Reply } from "../../contract/reply.ts";
import type { Client } from "../client.ts";
import type { Page } from "./page.ts";
import { createAnswerReader } from "../answer/read-answer.ts";
import type { Place } from "./place.ts";

export type NumberedPages = Extract<Reply, { kind: "numbered-pages" }>;

/** One page as it was asked for and answered. */
export interface NumberedAnswer {
  readonly at: Place;
  readonly page: Page;
  /** What `page_info` says of the list; NaN where it says nothing. `page`: the number that it says this page has. */
  readonly totals: {
    readonly page: number;
    readonly limit: number;
    readonly items: number;
    readonly pages: number;
  };
  /** The `next_cursor` of the cursor envelope, whatever it is. */
  readonly offered: unknown;
}

export type AskPage = (at: Place, pageSize: number) => Promise<NumberedAnswer>;

/** Asks for the page at a place: by its number or its cursor, in the window that the place is frozen to. */
export function createAskPage(client: Client, endpoint: Endpoint, reply: NumberedPages, args: Args): AskPage {
  const read = createAnswerReader(reply.rows, rowShape(endpoint));
  return async (at, pageSize) => {
    const asked = new Map([...args, ["limit", String(pageSize)], [at.flag, at.value]]);
    if (at.to !== undefined) asked.set("to", at.to);
    const { envelope, rows } = read(await client.ask(endpoint, asked));
    const page: Page = { group: onlyGroup, rows, next: undefined };
    const info = member(envelope, "page_info");
    const totals = {
      page: numberOf(member(info, "page")),
      limit: numberOf(member(info, "limit")),
      items: numberOf(member(info, "total_items")),
      pages: numberOf(member(info, "total_pages")),
    };
    return { at, page, totals, offered: member(info, "next_cursor") };
  };
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : Number.NaN;
}

/**
 * Rows of this numbered page by its own totals; undefined where these cannot be used: they are not whole numbers, do not
 * agree with each other, belong to another page size, or count fewer rows than the page has. The public service was seen
 * to send zeros.
 */
export function countedRows({ at, page, totals }: NumberedAnswer, pageSize: number): number | undefined {
  const { items, pages, limit } = totals;
  if (!Number.isSafeInteger(items) || items < 0 || pages !== Math.ceil(items / pageSize)) return undefined;
  if (limit > 0 && limit !== pageSize) return undefined;
  const rows = Math.max(0, Math.min(pageSize, items - (Number(at.value) - 1) * pageSize));
  return page.rows.length > rows ? undefined : rows;
}

/** Whether the totals can be used, and the page has all of its rows. */
export function isCounted(answer: NumberedAnswer, pageSize: number): boolean {
  return countedRows(answer, pageSize) === answer.page.rows.length && answer.totals.items > 0;
}

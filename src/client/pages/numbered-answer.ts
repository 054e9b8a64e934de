import type { Args } from "../../model/args.ts";
import { type Endpoint, onlyGroup, rowShape } from "../../model/endpoint.ts";
import { member } from "../../model/json/own-member.ts";
import type { Reply } from "../../model/reply.ts";
import type { Client } from "../client.ts";
import type { Page } from "./page.ts";
import { createAnswerReader } from "../answer/read-answer.ts";
import type { Place } from "./place.ts";

export type NumberedPages = Extract<Reply, { kind: "numbered-pages" }>;

/** One page as it was asked for and answered. */
export interface NumberedAnswer {
  readonly at: Place;
  readonly page: Page;
  /** What `page_info` says of the list; NaN where it says nothing. */
  readonly totals: { readonly limit: number; readonly items: number; readonly pages: number };
  /** The `next_cursor` of the cursor envelope, whatever it is. */
  readonly offered: unknown;
}

export type AskPage = (at: Place, pageSize: number) => Promise<NumberedAnswer>;

/** Asks for the page at a place: by its number or its cursor, in the window that the place is frozen to. */
export function createAskPage(
  client: Client,
  endpoint: Endpoint,
  reply: NumberedPages,
  args: Args,
  isTyped = false,
): AskPage {
  const read = createAnswerReader(reply.rows, rowShape(endpoint), isTyped);
  return async (at, pageSize) => {
    const asked = new Map([...args, ["limit", String(pageSize)], [at.flag, at.value]]);
    if (at.to !== undefined) asked.set("to", at.to);
    const { envelope, rows } = read(await client.ask(endpoint, asked));
    const page: Page = { group: onlyGroup, rows, next: undefined };
    const info = member(envelope, "page_info");
    const totals = {
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
 * Whether the totals can be worked with: whole numbers that agree with each other and with the rows. The public service
 * was seen to send zeros.
 */
export function isCounted({ at, page, totals }: NumberedAnswer, pageSize: number): boolean {
  const { items, pages } = totals;
  const before = (Number(at.value) - 1) * pageSize;
  return (
    Number.isSafeInteger(items) &&
    items > 0 &&
    pages === Math.ceil(items / pageSize) &&
    page.rows.length === Math.max(0, Math.min(pageSize, items - before))
  );
}

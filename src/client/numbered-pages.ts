import type { Args } from "../model/args.ts";
import { type Endpoint, rowShape } from "../model/endpoint.ts";
import { untrustedAnswer } from "../model/failure.ts";
import { rawMembers } from "../model/raw-json.ts";
import type { Reply } from "../model/reply.ts";
import type { Client } from "./client.ts";
import { isObject, member } from "../model/own-member.ts";
import { createPage, type Page } from "./page.ts";
import type { Place } from "./place.ts";
import type { Walk } from "./pages.ts";

type NumberedPages = Extract<Reply, { kind: "numbered-pages" }>;

/**
 * Specification, Pagination styles 2: pages from 1 on, because page 0 is served as page 1. Totals alone never end
 * the list (the public service was seen to send 0): an empty page does, one shorter than asked for, or one without
 * anything new. Where page numbers end, the walk goes on by `cursor`.
 */
export async function* walkNumberedPages(
  client: Client,
  endpoint: Endpoint,
  reply: NumberedPages,
  args: Args,
  walk: Walk,
): AsyncGenerator<Page> {
  const identity = rowShape(endpoint).identity;
  const edge = createEdge(identity);
  let at: Place | undefined = walk.start ?? { flag: "page", value: "1" };
  let { pageSize } = walk;
  while (at !== undefined) {
    const asked = new Map([...args, ["limit", String(pageSize)], [at.flag, at.value]]);
    const { text, value } = await client.ask(endpoint, asked);
    if (!isObject(value)) throw untrustedAnswer("the answer is not an object");
    const raw = rawMembers(text).get(reply.rows);
    const page = createPage(raw, member(value, reply.rows), reply.rows);
    const isNew = edge.moveTo(page.values);
    const here: Place = at;
    const isOneId = here.flag === "cursor" && (edge.lastWholeId() ?? here.value) === here.value;
    if (isOneId && page.rows.length >= pageSize && pageSize < reply.maxLimit) {
      // The events of one transaction fill the page, so no cursor leads beyond them: only a larger page does.
      pageSize = reply.maxLimit;
      yield { ...page, at: here, next: here };
      continue;
    }
    const isLast: boolean = isEnd(page, value, here, pageSize, isNew);
    at = isLast ? undefined : nextPage(here, reply, edge.lastWholeId(), value);
    yield { ...page, at: here, next: at };
  }
}

function nextPage(
  at: Place,
  reply: NumberedPages,
  lastWholeId: string | undefined,
  answer: object,
): Place | undefined {
  if (at.flag === "page") {
    const number = Number(at.value) + 1;
    if (reply.handOverAfter === undefined || number <= reply.handOverAfter)
      return { flag: "page", value: String(number) };
  }
  const offered = member(member(answer, "page_info"), "next_cursor");
  // Rows of one id may stand on both sides of the edge, so the walk goes on after the last id that is whole: the
  // rows that come again are dropped, and none is lost. Only where a page holds one id alone is the offer taken.
  const isAhead = lastWholeId !== undefined && !(at.flag === "cursor" && lastWholeId === at.value);
  const cursor = isAhead ? lastWholeId : offered;
  if (typeof cursor !== "string" || cursor === "" || (at.flag === "cursor" && cursor === at.value)) {
    throw untrustedAnswer("the history goes on, but the answers give no cursor that leads there");
  }
  return { flag: "cursor", value: cursor };
}

/**
 * Whether nothing follows. Totals are believed when they promise more, so that a page which merely repeats (new rows
 * have pushed the old ones on) or is shorter than asked (the service caps it) is not taken for the end; they are not
 * believed when they promise nothing.
 */
function isEnd(page: Page, answer: object, at: Place, pageSize: number, isNew: boolean): boolean {
  if (page.rows.length === 0) return true;
  if (at.flag === "cursor") {
    const offered = member(member(answer, "page_info"), "next_cursor");
    return !isNew || offered === undefined || offered === null || offered === "";
  }
  const { limit, totalPages } = readPageInfo(answer);
  if (totalPages > Number(at.value)) return false;
  return !isNew || page.rows.length < Math.min(pageSize, limit);
}

/** What `page_info` says, where it says something: the public service was seen to send zeros. */
function readPageInfo(answer: object): { readonly limit: number; readonly totalPages: number } {
  const pageInfo = member(answer, "page_info");
  const [limit, totalPages] = [member(pageInfo, "limit"), member(pageInfo, "total_pages")];
  return {
    limit: typeof limit === "number" && limit > 0 ? limit : Number.POSITIVE_INFINITY,
    totalPages: typeof totalPages === "number" ? totalPages : 0,
  };
}

/** Knows the rows of the page before, and the newest id all of whose rows have been seen. */
function createEdge(identity: readonly string[]): {
  readonly moveTo: (rows: readonly object[]) => boolean;
  readonly lastWholeId: () => string | undefined;
} {
  let before = new Set<string>();
  let lastId: unknown;
  let whole: string | undefined;
  return {
    /** Whether the page holds a row that the page before did not. */
    moveTo: (rows) => {
      const keys = rows.map((row) => JSON.stringify(identity.map((field) => member(row, field))));
      const isNew = keys.some((key) => !before.has(key));
      before = new Set(keys);
      for (const row of rows) {
        const id = member(row, identity[0] ?? "");
        if (id !== lastId && typeof lastId === "string") whole = lastId;
        lastId = id;
      }
      return isNew;
    },
    lastWholeId: () => whole,
  };
}

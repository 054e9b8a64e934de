import type { Args } from "../../model/args.ts";
import type { Endpoint } from "../../model/endpoint.ts";
import type { Client } from "../client.ts";
import { createFrozenWindows } from "./frozen-windows.ts";
import type { NumberedAnswer, NumberedPages } from "./numbered-answer.ts";
import { createNumberedWalk, type NumberedWalk } from "./numbered-walk.ts";
import type { Page } from "./page.ts";
import type { Walk } from "./pages.ts";
import type { Place } from "./place.ts";
import { walkWindow } from "./window-pages.ts";

/**
 * Specification, Pagination styles 2: pages from 1 on, because page 0 is served as page 1. Totals alone never end
 * the list (the public service was seen to send 0): an empty page does, one shorter than asked for, or one without
 * anything new. Where page numbers end, the walk goes on by `cursor`.
 *
 * Where the list can be frozen in time, so that its pages stay what they are, several of them are asked for at once.
 */
export async function* walkNumberedPages(
  client: Client,
  endpoint: Endpoint,
  reply: NumberedPages,
  args: Args,
  options: Walk,
): AsyncGenerator<Page> {
  const walk = createNumberedWalk(client, endpoint, reply, args, options);
  const windows = createFrozenWindows(walk, reply, args, options.pageSize);
  let at: Place | undefined = options.start ?? { flag: "page", value: "1" };
  const back = await placeBefore(walk, at, options.pageSize);
  at = back?.at ?? at;
  if (back?.answer !== undefined) {
    const page = windows.freeze(walk.take(back.answer));
    yield page;
    at = page.next;
  }
  while (at !== undefined) {
    const window = await windows.openAt(at);
    if (window !== undefined) {
      at = yield* walkWindow(walk, reply, window, client.width);
      continue;
    }
    const page = windows.freeze(walk.take(await walk.ask(at)));
    yield page;
    at = page.next;
  }
}

/**
 * Where a walk goes on that was interrupted at a page. Rows that were taken back meanwhile have moved the others to
 * earlier pages, by as many as the service counts fewer: so many rows are asked for once more, and dropped as repeats
 * where they are. The page itself is not asked for twice.
 */
async function placeBefore(
  walk: NumberedWalk,
  at: Place,
  pageSize: number,
): Promise<{ readonly at: Place; readonly answer?: NumberedAnswer } | undefined> {
  if (at.flag !== "page" || at.items === undefined || Number(at.value) < 2) return undefined;
  const answer = await walk.ask(at);
  const gone = at.items - answer.totals.items;
  if (!(gone > 0)) return { at, answer };
  const number = Math.max(1, Number(at.value) - Math.ceil(gone / pageSize));
  return { at: { ...at, value: String(number) } };
}

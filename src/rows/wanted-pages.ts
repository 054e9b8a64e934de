import { groupsIn } from "../api/reply.ts";
import type { Client } from "../client/client.ts";
import { readPages } from "../client/read-pages.ts";
import { closing, type Page, type Reading, timeFieldOf } from "../client/page.ts";
import type { ListPlan } from "../client/list-plan.ts";
import { type Endpoint, rowShape, type Args } from "../api/endpoint.ts";
import { invalidResponse } from "../base/failure.ts";
import type { Days } from "../base/time/days.ts";
import { member } from "../base/json/json-scan.ts";
import { parseRfc3339 } from "../base/time/time.ts";

/** The rows of one or several lists. */
export interface PullQuery {
  readonly endpoint: Endpoint;
  readonly argSets: readonly Args[];
  readonly list: ListPlan;
  /** Groups to keep, if the endpoint returns several. */
  readonly groups: readonly string[];
  /** In total, or of each group; undefined means all rows. */
  readonly limit: number | undefined;
  /** The UTC days of `--day`. */
  readonly days?: Days;
}

export interface PullOptions extends PullQuery, Reading {
  readonly isValidated: boolean;
}

/** The pages of one list, with only the wanted rows. */
export async function wantedPages(
  client: Client,
  args: Args,
  options: PullOptions,
): Promise<AsyncIterable<Page>> {
  const { endpoint, list, days } = options;
  let pages: AsyncIterable<Page>;
  if (list.kind !== "pools") pages = readPages(client, endpoint, args, list, options);
  else {
    const { readPoolsWithTokens } = await import("../client/pools-with-tokens.ts");
    pages = readPoolsWithTokens({ client, endpoint, args, list, ofPool: list, reading: options });
  }
  if (days !== undefined && list.kind !== "candles") pages = rowsBefore(pages, days.to, endpoint);
  const isGrouped = groupsIn(endpoint.reply) !== undefined;
  if (isGrouped) pages = pagesOfGroups(pages, options.groups);
  if (options.limit !== undefined)
    pages = isGrouped ? firstOfEach(pages, options.limit) : firstRows(pages, options.limit, list.isStrict);
  if (options.isValidated) pages = validatedPages(pages, endpoint);
  // Candles are marked last, so that only rows from the service are checked, not the added ones.
  if (list.kind !== "candles") return pages;
  const { markedCandles } = await import("./marked-candles.ts");
  const asOf = (): number => Math.min(list.now, client.meter.asOf ?? list.now);
  return markedCandles(pages, args, { ...list, asOf }, list.start);
}

/** A service may include the end of a range, in Unix seconds. A row without a readable time is kept. */
async function* rowsBefore(
  pages: AsyncIterable<Page>,
  until: number,
  endpoint: Endpoint,
): AsyncGenerator<Page> {
  const timeField = timeFieldOf(rowShape(endpoint)) ?? "";
  for await (const page of pages) {
    const kept = page.rows.marks().map((mark) => {
      const time = parseRfc3339(String(member(mark, timeField)));
      return time === undefined || time.seconds < until;
    });
    yield kept.includes(false) ? { ...page, rows: page.rows.keep(kept) } : page;
  }
}

async function* pagesOfGroups(pages: AsyncIterable<Page>, groups: readonly string[]): AsyncGenerator<Page> {
  for await (const page of pages) if (groups.includes(page.group)) yield page;
}

async function* firstRows(
  pages: AsyncIterable<Page>,
  limit: number,
  isStrict: boolean,
): AsyncGenerator<Page> {
  let left = limit;
  for await (const page of pages) {
    const shown = page.rows.length <= left ? page : cutPage(page, left);
    left -= page.rows.length;
    if (left > 0) yield shown;
    else return yield* closing(shown, isStrict);
  }
}

/** Each group has the same limit. A page is marked as cut if any group was, because readers look at the last one. */
async function* firstOfEach(pages: AsyncIterable<Page>, limit: number): AsyncGenerator<Page> {
  let isCut = false;
  for await (const page of pages) {
    isCut ||= page.rows.length > limit;
    yield isCut ? cutPage(page, limit) : page;
  }
}

function cutPage(page: Page, limit: number): Page {
  const kept = Array.from({ length: page.rows.length }, (_, index) => index < limit);
  return { ...page, rows: page.rows.keep(kept), end: { kind: "cut", doubts: page.end.doubts } };
}

/** The user may need invalid rows, so they are passed on before the pull fails and names the first one. */
async function* validatedPages(pages: AsyncIterable<Page>, endpoint: Endpoint): AsyncGenerator<Page> {
  // The schemas make up a fifth of a run's code, so they are imported only when needed.
  const { compileRowCheck } = await import("../api/row-check.ts");
  const checks = new Map<string, ReturnType<typeof compileRowCheck>>();
  let [total, wrong] = [0, 0];
  let first: string | undefined;
  for await (const page of pages) {
    const check = checks.get(page.group) ?? compileRowCheck(rowShape(endpoint, page.group).record);
    checks.set(page.group, check);
    for (const row of page.rows.values()) {
      total += 1;
      const problem = check(row);
      if (problem === undefined) continue;
      wrong += 1;
      first ??= `${problem.field} of row ${total} must be ${problem.expected}`;
    }
    yield page;
  }
  if (first !== undefined)
    throw invalidResponse(`${wrong} of ${total} rows do not match the API schema: ${first}`);
}

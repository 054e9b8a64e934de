import { type Endpoint, onlyGroup, type Args } from "../api/endpoint.ts";
import { invalidResponse } from "../base/failure.ts";
import { groupsIn, isLong, isPaged, listNameOf, traitsOf } from "../api/reply.ts";
import { isObject, member, rawMembers } from "../base/json/json-scan.ts";
import type { Client } from "./client.ts";
import { checkEcho, createOwnershipCheck, foreignFailure } from "./response/ownership.ts";
import { textRows } from "./rows.ts";
import {
  closing,
  createPage,
  ended,
  endlessList,
  everyRow,
  type Page,
  pageOf,
  type Reading,
  rowsSentIn,
  doubtOf,
} from "./page.ts";
import { createSeenKeys } from "./seen-keys.ts";
import { isDocument, type ListPlan, type ListRequest } from "./list-plan.ts";

/** Fetching stops when the consumer stops, so that unneeded pages do not cost credits. */
export async function* readPages(
  client: Client,
  endpoint: Endpoint,
  args: Args,
  list: ListPlan,
  reading: Reading = everyRow(createSeenKeys("all", false)),
): AsyncGenerator<Page> {
  const { reply } = endpoint;
  const request = { client, endpoint, args, list };
  if (!isLong(reply) || list.kind === "once") return yield* askOnce(request);
  if (list.kind === "made") return yield* list.pages(request);
  const read = { ...request, ...reading };
  // Paging is a third of the code of a request, and commands for one pool or token do without it.
  switch (reply.kind) {
    case "cursor-pages": {
      const { readCursorPages } = await import("./pages/cursor-pages.ts");
      return yield* judged(readCursorPages(read, reply), list.isStrict);
    }
    case "numbered-pages": {
      const { readNumberedPages } = await import("./pages/numbered-pages.ts");
      return yield* judged(readNumberedPages(read, reply), list.isStrict);
    }
    case "batch": {
      if (list.kind !== "batch") throw new Error(`${reply.kind} without inputs`);
      const { askInBatches } = await import("./pages/batches.ts");
      return yield* askInBatches(request, reply, list);
    }
    case "candles": {
      const { candlePages } = await import("./candles/made-candles.ts");
      return yield* candlePages(request, reply.maxLimit);
    }
    default:
      // A kind without a case would otherwise compile, and its lists would be empty.
      return reply satisfies never;
  }
}

/** The pull gives up after this many consecutive pages of repeated rows, because each page costs a credit. */
const maxRepeatedPages = 3;
/** More empty pages are accepted, because a filter that matches few rows may leave some empty. */
const maxEmptyPages = 10;

/** Passes pages through. Fails if the list goes on without new rows, or after its last page if doubts remain. */
async function* judged(pages: AsyncIterable<Page>, isStrict: boolean): AsyncGenerator<Page> {
  let [repeats, empty] = [0, 0];
  for await (const page of pages) {
    const { adds, end } = page;
    if (end.kind === "last") yield* closing(page, isStrict);
    else yield page;
    // A page that was requested again on purpose is not a sign of an endless list.
    if (adds === "read again") continue;
    repeats = adds === "nothing" && rowsSentIn(page) > 0 ? repeats + 1 : 0;
    empty = adds === "nothing" ? empty + 1 : 0;
    const isExhausted = repeats === maxRepeatedPages || empty === maxEmptyPages;
    if (isExhausted && end.kind === "more") throw endlessList(empty, end.doubts);
  }
}

async function* askOnce(request: ListRequest): AsyncGenerator<Page> {
  const { text, value, warning } = await askOwn(request, request.list.isStrict);
  const notes = doubtOf(warning);
  if (!isDocument(request.list))
    for (const page of rowsOf(request.endpoint, text, value)) yield { ...page, notes };
  else {
    const whole = textRows([{ row: text.trim(), value: {} }]);
    yield { ...pageOf(whole, ended("inputs"), notes), as: "document" };
  }
}

/** The record of one asset. */
export async function readRecord(client: Client, endpoint: Endpoint, args: Args): Promise<unknown> {
  const { value } = await askOwn({ client, endpoint, args }, true);
  return value;
}

/** A response about another asset or network is requested again, and is never returned. */
async function askOwn({ client, endpoint, args }: Omit<ListRequest, "list">, isStrict: boolean) {
  const { reply } = endpoint;
  const foreignIn = createOwnershipCheck(endpoint, args);
  for (let repeats = 1; ; repeats += 1) {
    const { text, value } = (await client.ask(endpoint, args)).read();
    if (foreignIn === undefined) return { text, value, warning: undefined };
    const { isRecord } = traitsOf(reply);
    const rows = isRecord ? [value] : member(value, listNameOf(reply, onlyGroup) ?? "");
    const echo = isPaged(reply) ? member(value, "query") : undefined;
    const foreign = foreignIn(
      (field) => (Array.isArray(rows) ? rows : []).map((row) => member(row, field)),
      echo,
    );
    if (foreign === undefined) return { text, value, warning: checkEcho(endpoint, args, echo, isStrict) };
    if (!isStrict && foreign.only !== undefined) return { text, value, warning: foreign.problem };
    if (!(await client.again(repeats, foreign.problem))) throw foreignFailure(foreign, isRecord);
  }
}

/** One page per group. */
function rowsOf({ reply, command }: Endpoint, text: string, value: unknown): readonly Page[] {
  const { isAllRows, isRecord } = traitsOf(reply);
  if (isAllRows && !isRecord) return [createPage(text, value, command)];
  if (!isObject(value)) throw invalidResponse("invalid response: not an object");
  if (isRecord) return [pageOf(textRows([{ row: text.trim(), value }]), ended("inputs"))];
  const members = rawMembers(text);
  return (groupsIn(reply) ?? [onlyGroup]).map((group) => {
    const name = listNameOf(reply, group) ?? "";
    return { ...createPage(members.get(name), member(value, name), name), group };
  });
}

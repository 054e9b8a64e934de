import type { Args } from "../../contract/args.ts";
import { type Endpoint, onlyGroup } from "../../contract/endpoint.ts";
import { untrustedAnswer } from "../../contract/failure.ts";
import { rawMembers } from "../../json/raw-json.ts";
import type { Reply } from "../../contract/reply.ts";
import { askInBatches, type Subject } from "../batches.ts";
import type { Client } from "../client.ts";
import { askForCandles } from "../candles/candles.ts";
import { walkCursorPages } from "./cursor-pages.ts";
import type { Document } from "../answer/document.ts";
import { checkEcho } from "../answer/echo.ts";
import { walkNumberedPages } from "./numbered-pages.ts";
import { isObject, member } from "../../json/own-member.ts";
import { refuseEndless } from "./distinct-pages.ts";
import { createPage, type Page } from "./page.ts";
import { createSeenKeys, type SeenKeys } from "./seen-keys.ts";
import { textRows } from "../rows/rows.ts";
import type { Place } from "./place.ts";

/** Where a walk begins and how large its pages are; the defaults make it one page of the service's own size. */
export interface Walk {
  /** Rows one request asks for. */
  readonly pageSize: number;
  /** Refuse rows that the service did not filter or order as asked; see echo.ts. */
  readonly isStrict: boolean;
  /** Ask once, with nothing added to the arguments: for the rows of that answer, or for the answer whole, as it came. */
  readonly once?: "rows" | "document" | undefined;
  /** Begin there instead of at the beginning. */
  readonly start?: Place | undefined;
  /** The last row before that, as far as it is known: what tells it from others, and its time. */
  readonly after?: object | undefined;
  /** The rows that have come before; none where it is not given. */
  readonly seen?: SeenKeys | undefined;
  /** Rows wanted in all: nothing beyond them is asked for in advance. Undefined for every row. */
  readonly wanted?: number | undefined;
  /** What a batch asks for. */
  readonly subjects?: readonly Subject[] | undefined;
  /** Give what a batch left out a row of its own, with null as its value. */
  readonly fillMissing?: boolean | undefined;
  /** What candles say about themselves beyond what the service does; `now` is the run's clock reading in milliseconds. */
  readonly candles?: { readonly now: number; readonly fill: "null" | "previous" | undefined } | undefined;
}

/** The walk over the pages of a list, each row once. */
export interface ListWalk extends Walk {
  readonly seen: SeenKeys;
}

/**
 * Everything an endpoint answers to one question, page after page: which walk follows from its reply. Ends when
 * the consumer stops asking, so nobody pays for a page that is not wanted.
 */
export function walkPages(client: Client, endpoint: Endpoint, args: Args, walk: Walk): AsyncGenerator<Page> {
  const { reply } = endpoint;
  if (walk.once !== undefined) return askOnce(client, endpoint, args, walk);
  switch (reply.kind) {
    case "single":
    case "list":
    case "groups":
      return askOnce(client, endpoint, args, walk);
    case "cursor-pages":
    case "numbered-pages":
      return walkList(client, endpoint, reply, args, walk);
    case "batch":
      return askInBatches(client, endpoint, reply, args, walk);
    case "candles":
      return askForCandles(client, endpoint, reply, args, walk);
  }
}

function walkList(
  client: Client,
  endpoint: Endpoint,
  reply: Extract<Reply, { kind: "cursor-pages" | "numbered-pages" }>,
  args: Args,
  walk: Walk,
): AsyncGenerator<Page> {
  const seen = walk.seen ?? createSeenKeys("all", false);
  const list = { ...walk, seen };
  const pages =
    reply.kind === "cursor-pages"
      ? walkCursorPages(client, endpoint, reply, args, list)
      : walkNumberedPages(client, endpoint, reply, args, list);
  return refuseEndless(pages);
}

async function* askOnce(
  client: Client,
  endpoint: Endpoint,
  args: Args,
  { once = "rows", isStrict }: Walk,
): AsyncGenerator<Page> {
  const answer = await client.ask(endpoint, args);
  const isSearch = endpoint.reply.kind === "cursor-pages";
  const echo = isSearch ? member(answer.read().value, "query") : undefined;
  const warning = checkEcho(endpoint, args, echo, isStrict);
  if (once === "rows") for (const page of rowsOf(endpoint, answer)) yield { ...page, warning };
  else {
    const whole = textRows([{ row: answer.read().text.trim(), value: {} }]);
    yield { group: onlyGroup, rows: whole, isDocument: true, next: undefined, proof: "inputs", warning };
  }
}

/** The rows of one answer, one page for each group of them. */
function rowsOf(endpoint: Endpoint, document: Document): readonly Page[] {
  const { reply } = endpoint;
  const { text, value } = document.read();
  if (reply.kind === "list" || reply.kind === "batch" || reply.kind === "candles")
    return [createPage(text, value, endpoint.command)];
  if (!isObject(value)) throw untrustedAnswer("the answer is not an object");
  if (reply.kind === "single")
    return [
      { group: onlyGroup, rows: textRows([{ row: text.trim(), value }]), next: undefined, proof: "inputs" },
    ];
  const members = rawMembers(text);
  if (reply.kind !== "groups")
    return [createPage(members.get(reply.rows), member(value, reply.rows), reply.rows)];
  return reply.groups.map((group) => createPage(members.get(group), member(value, group), group, { group }));
}

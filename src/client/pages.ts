import type { Args } from "../model/args.ts";
import { type Endpoint, onlyGroup } from "../model/endpoint.ts";
import { untrustedAnswer } from "../model/failure.ts";
import { rawMembers } from "../model/raw-json.ts";
import { askInBatches, type Subject } from "./batches.ts";
import type { Client } from "./client.ts";
import { askForCandles } from "./candles.ts";
import { walkCursorPages } from "./cursor-pages.ts";
import { walkNumberedPages } from "./numbered-pages.ts";
import { isObject, member } from "../model/own-member.ts";
import { createPage, type Page } from "./page.ts";
import type { Place } from "./place.ts";

/** Where a walk begins and how large its pages are; the defaults make it one page of the service's own size. */
export interface Walk {
  /** Rows one request asks for. */
  readonly pageSize: number;
  /** Refuse rows that the service did not filter or order as asked; see echo.ts. */
  readonly isStrict: boolean;
  /** Begin there instead of at the beginning. */
  readonly start?: Place | undefined;
  /** Rows wanted in all: nothing beyond them is asked for in advance. Undefined for every row. */
  readonly wanted?: number | undefined;
  /** What a batch asks for. */
  readonly subjects?: readonly Subject[] | undefined;
  /** Give what a batch left out a row of its own, with null as its value. */
  readonly fillMissing?: boolean | undefined;
}

/**
 * Everything an endpoint answers to one question, page after page: which walk follows from its reply. Ends when
 * the consumer stops asking, so nobody pays for a page that is not wanted.
 */
export function walkPages(client: Client, endpoint: Endpoint, args: Args, walk: Walk): AsyncGenerator<Page> {
  const { reply } = endpoint;
  switch (reply.kind) {
    case "single":
      return askForOne(client, endpoint, args);
    case "list":
      return askForList(client, endpoint, args);
    case "groups":
      return askForGroups(client, endpoint, args, reply.groups);
    case "cursor-pages":
      return walkCursorPages(client, endpoint, reply, args, walk);
    case "numbered-pages":
      return walkNumberedPages(client, endpoint, reply, args, walk);
    case "batch":
      return askInBatches(client, endpoint, reply, args, walk);
    case "candles":
      return askForCandles(client, endpoint, reply, args);
  }
}

async function* askForOne(client: Client, endpoint: Endpoint, args: Args): AsyncGenerator<Page> {
  const { text, value } = await client.ask(endpoint, args);
  if (!isObject(value)) throw untrustedAnswer("the answer is not an object");
  yield { group: onlyGroup, rows: [text.trim()], values: [value], next: undefined };
}

async function* askForList(client: Client, endpoint: Endpoint, args: Args): AsyncGenerator<Page> {
  const { text, value } = await client.ask(endpoint, args);
  yield createPage(text, value, endpoint.command);
}

async function* askForGroups(
  client: Client,
  endpoint: Endpoint,
  args: Args,
  groups: readonly string[],
): AsyncGenerator<Page> {
  const { text, value } = await client.ask(endpoint, args);
  if (!isObject(value)) throw untrustedAnswer("the answer is not an object");
  const members = rawMembers(text);
  for (const group of groups)
    yield createPage(members.get(group), member(value, group), group, undefined, group);
}

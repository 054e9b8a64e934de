import type { Args } from "../../contract/args.ts";
import { type Endpoint, onlyGroup } from "../../contract/endpoint.ts";
import { invalidResponse } from "../../contract/failure.ts";
import { isObject, member, rawMembers } from "../../json/raw-json.ts";
import { askInBatches } from "../batches.ts";
import type { Client } from "../client.ts";
import { countBack } from "../candles/count-back.ts";
import { walkSlices } from "../candles/slice-answer.ts";
import { walkCursorPages } from "./cursor-pages.ts";
import type { Document } from "../response/answer-body.ts";
import { checkEcho } from "../response/echo.ts";
import { walkNumberedPages } from "./numbered-pages.ts";
import { refuseEndless } from "./distinct-pages.ts";
import { createSeenKeys } from "./seen-keys.ts";
import { textRows } from "../rows/rows.ts";
import { type Asking, createPage, type Page, type Walk } from "./page.ts";

/** Fetching stops when the consumer stops, so that unneeded pages do not cost credits. */
export function walkPages(client: Client, endpoint: Endpoint, args: Args, walk: Walk): AsyncGenerator<Page> {
  const { reply } = endpoint;
  const asking = { client, endpoint, args, walk };
  if (walk.once !== undefined) return askOnce(asking);
  const list = { ...asking, walk: { ...walk, seen: walk.seen ?? createSeenKeys("all", false) } };
  switch (reply.kind) {
    case "single":
    case "list":
    case "groups":
      return askOnce(asking);
    case "cursor-pages":
      return refuseEndless(walkCursorPages(list, reply));
    case "numbered-pages":
      return refuseEndless(walkNumberedPages(list, reply));
    case "batch":
      return askInBatches(asking, reply);
    case "candles": {
      const asked = { ...asking, maxLimit: reply.maxLimit };
      // A resumed pull already knows the start of its time range.
      const isCountedBack = args.has("count_back") && walk.start === undefined;
      return isCountedBack ? countBack(asked) : walkSlices(asked);
    }
  }
}

async function* askOnce({ client, endpoint, args, walk }: Asking): AsyncGenerator<Page> {
  const { once = "rows", isStrict } = walk;
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

/** One page per group. */
function rowsOf(endpoint: Endpoint, document: Document): readonly Page[] {
  const { reply } = endpoint;
  const { text, value } = document.read();
  if (reply.kind === "list" || reply.kind === "batch" || reply.kind === "candles")
    return [createPage(text, value, endpoint.command)];
  if (!isObject(value)) throw invalidResponse("invalid response: not an object");
  if (reply.kind === "single")
    return [
      { group: onlyGroup, rows: textRows([{ row: text.trim(), value }]), next: undefined, proof: "inputs" },
    ];
  const members = rawMembers(text);
  if (reply.kind !== "groups")
    return [createPage(members.get(reply.rows), member(value, reply.rows), reply.rows)];
  return reply.groups.map((group) => createPage(members.get(group), member(value, group), group, group));
}

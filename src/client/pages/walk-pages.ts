import type { Args } from "../../contract/args.ts";
import { type Endpoint, onlyGroup } from "../../contract/endpoint.ts";
import { invalidResponse } from "../../contract/failure.ts";
import { isObject, member, rawMembers } from "../../json/raw-json.ts";
import type { Client } from "../client.ts";
import type { Document } from "../response/answer-body.ts";
import { checkEcho } from "../response/echo.ts";
import { textRows } from "../rows/rows.ts";
import { type Asking, createPage, type Page, type Walk } from "./page.ts";

/** Fetching stops when the consumer stops, so that unneeded pages do not cost credits. */
export async function* walkPages(
  client: Client,
  endpoint: Endpoint,
  args: Args,
  walk: Walk,
): AsyncGenerator<Page> {
  const { reply } = endpoint;
  const asking = { client, endpoint, args, walk };
  const isOneAnswer = reply.kind === "single" || reply.kind === "list" || reply.kind === "groups";
  if (isOneAnswer || walk.once !== undefined) return yield* askOnce(asking);
  // Paging is a third of the code of a request, and commands for one pool or token do without it.
  const { walkList } = await import("./walk-list.ts");
  yield* walkList(asking, reply);
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

import { type Endpoint, onlyGroup, type Args } from "../api/endpoint.ts";
import { invalidResponse } from "../base/failure.ts";
import { groupsIn, isLong, isPaged, listNameOf, traitsOf } from "../api/reply.ts";
import { isObject, member, rawMembers } from "../base/json/json-scan.ts";
import type { Client } from "./client.ts";
import { checkEcho, createOwnershipCheck, foreignFailure } from "./response/ownership.ts";
import { textRows } from "./rows.ts";
import { createPage, ended, type Page, pageOf, type Reading, warningOf } from "./page.ts";
import type { Document } from "./document.ts";
import { isDocument, type ListPlan, type ListRequest } from "./list-plan.ts";

/** Fetching stops when the consumer stops, so that unneeded pages do not cost credits. */
export async function* readPages(
  client: Client,
  endpoint: Endpoint,
  args: Args,
  list: ListPlan,
  reading?: Reading,
): AsyncGenerator<Page> {
  const { reply } = endpoint;
  const request = { client, endpoint, args, list };
  if (!isLong(reply) || list.kind === "once") return yield* askOnce(request);
  if (list.kind === "made") return yield* list.pages(request);
  // Paging is a third of the code of a request, and commands for one pool or token do without it.
  const { readList } = await import("./pages/read-list.ts");
  yield* readList(request, reply, reading);
}

async function* askOnce({ client, endpoint, args, list }: ListRequest): AsyncGenerator<Page> {
  const { answer, warning } = await askOwn(client, endpoint, args, list.isStrict);
  if (!isDocument(list))
    for (const page of rowsOf(endpoint, answer)) yield { ...page, notes: warningOf(warning) };
  else {
    const whole = textRows([{ row: answer.read().text.trim(), value: {} }]);
    yield { ...pageOf(whole, ended("inputs"), warningOf(warning)), as: "document" };
  }
}

/** A response about another asset or network is requested again, and is never returned. */
async function askOwn(
  client: Client,
  endpoint: Endpoint,
  args: Args,
  isStrict: boolean,
): Promise<{ readonly answer: Document; readonly warning: string | undefined }> {
  const { reply } = endpoint;
  const foreignIn = createOwnershipCheck(endpoint, args);
  for (let repeats = 1; ; repeats += 1) {
    const answer = await client.ask(endpoint, args);
    if (foreignIn === undefined) return { answer, warning: undefined };
    const { value } = answer.read();
    const { isRecord } = traitsOf(reply);
    const rows = isRecord ? [value] : member(value, listNameOf(reply, onlyGroup) ?? "");
    const echo = isPaged(reply) ? member(value, "query") : undefined;
    const foreign = foreignIn(
      (field) => (Array.isArray(rows) ? rows : []).map((row) => member(row, field)),
      echo,
    );
    if (foreign === undefined) return { answer, warning: checkEcho(endpoint, args, echo, isStrict) };
    if (!isStrict && foreign.only !== undefined) return { answer, warning: foreign.problem };
    if (!(await client.again(repeats, foreign.problem))) throw foreignFailure(foreign, isRecord);
  }
}

/** One page per group. */
function rowsOf(endpoint: Endpoint, document: Document): readonly Page[] {
  const { reply } = endpoint;
  const { text, value } = document.read();
  const { isAllRows, isRecord } = traitsOf(reply);
  if (isAllRows && !isRecord) return [createPage(text, value, endpoint.command)];
  if (!isObject(value)) throw invalidResponse("invalid response: not an object");
  if (isRecord) return [pageOf(textRows([{ row: text.trim(), value }]), ended("inputs"))];
  const members = rawMembers(text);
  const name = listNameOf(reply, onlyGroup) ?? "";
  const groups = groupsIn(reply);
  if (groups === undefined) return [createPage(members.get(name), member(value, name), name)];
  return groups.map((group) => createPage(members.get(group), member(value, group), group, group));
}

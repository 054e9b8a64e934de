import { readCursor, writeCursor } from "../answers/page-cursor.ts";
import { CreditAccount } from "../credit-account.ts";
import type { SandboxRequest, SandboxResponse } from "../exchange.ts";
import { handle } from "../handle.ts";
import { Refusal } from "../refusal.ts";
import type { Account, SandboxState } from "../state.ts";
import { cursorOf, droppedFilter, pageOf } from "./can-strike.ts";
import type { Fault, Faults } from "./fault.ts";

/** The answer of the service with the changes made. It costs what it would have without them. */
export function changedAnswer(
  changes: Faults,
  request: SandboxRequest,
  state: SandboxState,
  answer: (request: SandboxRequest) => SandboxResponse,
): SandboxResponse {
  let response = answer(changes.reduce(withoutFilter, request));
  for (const change of changes) response = changeBody(change, request, state, response);
  return response;
}

/** A filter that never arrives is neither applied nor echoed. */
function withoutFilter(request: SandboxRequest, fault: Fault): SandboxRequest {
  const name = fault.kind === "drop-filter" ? droppedFilter(fault, request.target) : undefined;
  return name === undefined ? request : { ...request, target: withParam(request.target, name, undefined) };
}

function changeBody(
  { kind, amount }: Fault,
  request: SandboxRequest,
  state: SandboxState,
  response: SandboxResponse,
): SandboxResponse {
  const { body } = response;
  if (kind === "empty") return { ...response, status: amount ?? response.status, body: "" };
  if (kind === "invalid-json") return { ...response, body: body.slice(0, Math.ceil(body.length / 2)) };
  if (response.status !== 200) return response;
  if (kind === "repeat-cursor") return { ...response, body: repeatCursor(body, request.target) };
  if (kind === "duplicate-page") return { ...response, body: duplicateRows(body, request, state) };
  return response;
}

// A quotation mark within a text is escaped, so these stand where the rows end and nowhere else.
const ROWS_END = /\],"(?:has_next_page|page_info)":/;

function repeatCursor(body: string, target: string): string {
  const end = ROWS_END.exec(body)?.index ?? body.length;
  const cursor = JSON.stringify(cursorOf(searchOf(target)));
  const tail = body
    .slice(end)
    .replace(/"next_cursor":"[^"]*"/, () => `"next_cursor":${cursor}`)
    .replace('"has_next_page":false', '"has_next_page":true');
  return body.slice(0, end) + tail;
}

/** The rows of the page before, with all that stands behind the rows as it is. */
function duplicateRows(body: string, request: SandboxRequest, state: SandboxState): string {
  const before = handle({ ...request, target: pageBefore(request.target, state) }, unmetered(state)).body;
  const [rowsEnd, end] = [ROWS_END.exec(before)?.index, ROWS_END.exec(body)?.index];
  return rowsEnd === undefined || end === undefined ? body : before.slice(0, rowsEnd) + body.slice(end);
}

function pageBefore(target: string, state: SandboxState): string {
  const search = searchOf(target);
  const cursor = cursorOf(search);
  if (cursor === "") return withParam(target, "page", String(pageOf(search) - 1));
  return withParam(target, "cursor", cursorBefore(cursor, search, state));
}

/** Before a transaction's id lies an unknown number of pages: the rows of the first come again. */
function cursorBefore(cursor: string, search: string, state: SandboxState): string {
  const limit = Number(new URLSearchParams(search).get("limit") ?? 10);
  try {
    const { at, offset } = readCursor(cursor, state.at());
    return writeCursor({ at, offset: Math.max(0, offset - limit) });
  } catch (error) {
    if (error instanceof Refusal) return "";
    throw error;
  }
}

/** For an answer that is looked at and not given. */
function unmetered(state: SandboxState): SandboxState {
  return { ...state, account: ({ tier }) => freshAccount(tier) };
}

function freshAccount(tier: Account["tier"]): Account {
  return { tier, credits: new CreditAccount(tier, {}), rate: undefined };
}

function searchOf(target: string): string {
  return target.split("?", 2)[1] ?? "";
}

function withParam(target: string, name: string, value: string | undefined): string {
  const params = new URLSearchParams(searchOf(target));
  if (value === undefined) params.delete(name);
  else params.set(name, value);
  return `${target.split("?", 1)[0] ?? ""}?${params.toString()}`;
}

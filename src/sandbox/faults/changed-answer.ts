import { readCursor, writeCursor } from "../answers/page-cursor.ts";
import { CreditAccount } from "../credit-account.ts";
import type { SandboxRequest, SandboxResponse } from "../exchange.ts";
import { handle } from "../handle.ts";
import { Refusal } from "../refusal.ts";
import type { Account } from "../accounts.ts";
import type { SandboxState } from "../state.ts";
import { cursorOf, droppedFilter, pageOf } from "./can-strike.ts";
import type { Fault, Faults } from "./fault.ts";
import { cutList, joinList, type ListBody, searchOf } from "./list-body.ts";

/** The answer of the service with the changes made. It costs what it would have without them. */
export function changedAnswer(
  changes: Faults,
  request: SandboxRequest,
  state: SandboxState,
  answer: (request: SandboxRequest) => SandboxResponse,
): SandboxResponse {
  let response = answer(changes.reduce(withoutFilter, request));
  const earlier = state.faults?.earlier(request.target);
  if (response.status === 200) state.faults?.returned(request.target, response.body);
  for (const change of changes) response = changeBody(change, request, state, response, earlier);
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
  earlier: string | undefined,
): SandboxResponse {
  const { body } = response;
  if (kind === "empty") return { ...response, status: amount ?? response.status, body: "" };
  if (kind === "invalid-json") return { ...response, body: body.slice(0, Math.ceil(body.length / 2)) };
  if (response.status !== 200) return response;
  if (kind === "stale-page") return { ...response, body: earlier ?? body };
  const list = cutList(body);
  const changed = list === undefined ? undefined : changeList(kind, list, request, state, earlier);
  return changed === undefined ? response : { ...response, body: joinList(changed) };
}

/** Undefined for a fault that is not one of lists. */
function changeList(
  kind: Fault["kind"],
  list: ListBody,
  request: SandboxRequest,
  state: SandboxState,
  earlier: string | undefined,
): ListBody | undefined {
  const { rows, after } = list;
  if (kind === "empty-page") return { ...list, rows: [] };
  if (kind === "short-page") return { ...list, rows: rows.slice(0, Math.floor(rows.length / 2)) };
  if (kind === "missing-cursor") return { ...list, after: withoutCursor(after) };
  if (kind === "repeat-cursor") return { ...list, after: withCursor(after, cursorOf(request.target)) };
  if (kind === "duplicate-page") return { ...list, rows: rowsBefore(request, state, earlier) ?? rows };
  return undefined;
}

function withCursor(after: string, cursor: string): string {
  return after
    .replace(/"next_cursor":"[^"]*"/u, () => `"next_cursor":${JSON.stringify(cursor)}`)
    .replace('"has_next_page":false', '"has_next_page":true');
}

function withoutCursor(after: string): string {
  return after
    .replace(/,"next_cursor":"[^"]*"|"next_cursor":"[^"]*",/u, "")
    .replace('"has_next_page":false', '"has_next_page":true');
}

/** The rows of the page before; of a list without pages, those that were returned before. */
function rowsBefore(
  request: SandboxRequest,
  state: SandboxState,
  earlier: string | undefined,
): readonly string[] | undefined {
  const isPaged = cursorOf(request.target) !== "" || pageOf(request.target) > 1;
  const before = isPaged
    ? handle({ ...request, target: pageBefore(request.target, state) }, unmetered(state)).body
    : earlier;
  return before === undefined ? undefined : cutList(before)?.rows;
}

function pageBefore(target: string, state: SandboxState): string {
  const cursor = cursorOf(target);
  if (cursor === "") return withParam(target, "page", String(pageOf(target) - 1));
  return withParam(target, "cursor", cursorBefore(cursor, searchOf(target), state));
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

function withParam(target: string, name: string, value: string | undefined): string {
  const params = new URLSearchParams(searchOf(target));
  if (value === undefined) params.delete(name);
  else params.set(name, value);
  return `${target.split("?", 1)[0] ?? ""}?${params.toString()}`;
}

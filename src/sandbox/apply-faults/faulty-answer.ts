import { STATUS_CODES } from "node:http";
import { meaningOf, serviceErrors } from "../../api/service-errors.ts";
import { readCursor, supportedNetworks, writeCursor } from "../answers/answer.ts";
import { arrive, bodyIn, respondWith } from "../service/arrival.ts";
import { paymentRequired, rateLimited } from "../service/billing-refusals.ts";
import { type Account, keyOf, openAccount } from "../service/accounts.ts";
import { handle } from "../handle.ts";
import { defaultSettings, type SandboxRequest, type SandboxResponse } from "../sandbox-exchange.ts";
import { writeJson } from "../wire/json-writer.ts";
import { Refusal, refuse } from "../wire/service-refusal.ts";
import type { NetworkFacts } from "../well-known.ts";
import type { SandboxState } from "../service/state.ts";
import type { Work } from "../work.ts";
import { droppedFilter, type DueFaults } from "../faults/due-faults.ts";
import type { Fault, Faults } from "../fault-kinds.ts";
import {
  cursorOf,
  cutList,
  joinList,
  type ListBody,
  pageOf,
  paramsOf,
  pathOf,
  routeOf,
  withParam,
} from "../faults/list-body.ts";

export interface FaultyResponse extends SandboxResponse {
  /** Undefined sends the response normally. */
  readonly delivery: Fault | undefined;
}

export function* answerWithFaults(request: SandboxRequest, state: SandboxState): Work<FaultyResponse> {
  const cache = state.edgeCache(request.host, request.target);
  const copy = cache?.free();
  if (copy !== undefined) {
    const { account, caller } = arrive(request, state);
    const free = { plan: account.tier, key: keyOf(caller), credits: 0, faults: [] };
    return { ...copy, account: free, delivery: undefined };
  }
  const response = yield* answerOfService(request, state);
  return { ...response, ...cache?.pass(response) };
}

function* answerOfService(request: SandboxRequest, state: SandboxState): Work<FaultyResponse> {
  const due = state.faults.forRequest(request.target);
  const response =
    due.answer === undefined
      ? yield* changedAnswer(due.changes, request, state)
      : standIn(due.answer, request, state);
  return withDueFaults(response, due);
}

export function withDueFaults(response: SandboxResponse, due: DueFaults): FaultyResponse {
  const { answer, delivery, changes, headers } = due;
  const all = [answer, ...(answer === undefined ? changes : []), ...headers, delivery];
  const faults = all.flatMap((fault) => (fault === undefined ? [] : [fault.text]));
  return {
    ...response,
    headers: changeHeaders(headers, response.headers),
    account: { ...response.account, faults },
    delivery,
  };
}

/** The response costs as much as the original one. */
function* changedAnswer(
  changes: Faults,
  request: SandboxRequest,
  state: SandboxState,
): Work<SandboxResponse> {
  const { faults } = state;
  let response = yield* handle(changes.reduce(withoutFilter, request), state);
  const earlier = faults.earlier(request.target);
  if (response.status === 200) faults.returned(request.target, response.body);
  for (const change of changes) response = yield* changeBody(change, request, state, response, earlier);
  return response;
}

function withoutFilter(request: SandboxRequest, fault: Fault): SandboxRequest {
  const name = fault.kind === "drop-filter" ? droppedFilter(fault, request.target) : undefined;
  return name === undefined ? request : { ...request, target: withParam(request.target, name, undefined) };
}

function* changeBody(
  fault: Fault,
  request: SandboxRequest,
  state: SandboxState,
  response: SandboxResponse,
  earlier: string | undefined,
): Work<SandboxResponse> {
  const { body } = response;
  const { kind, amount } = fault;
  if (kind === "empty") return { ...response, status: amount ?? response.status, body: "" };
  if (kind === "invalid-json") return { ...response, body: body.slice(0, Math.ceil(body.length / 2)) };
  if (response.status !== 200) return response;
  if (kind === "stale-page") return { ...response, body: earlier ?? body };
  if (kind === "foreign-page") return { ...response, body: yield* foreignBody(request, state, body) };
  const list = cutList(body);
  if (list === undefined) return response;
  return {
    ...response,
    body: joinList({ ...list, ...(yield* changeList(fault, list, request, state, earlier)) }),
  };
}

/** Empty if the fault does not affect lists. */
function* changeList(
  { kind, amount = 0 }: Fault,
  { rows, after }: ListBody,
  request: SandboxRequest,
  state: SandboxState,
  earlier: string | undefined,
): Work<Partial<ListBody>> {
  if (kind === "empty-page") return { rows: [] };
  if (kind === "no-rows") return { rows: [], after: withoutTotals(after) };
  if (kind === "short-page") return { rows: rows.slice(0, Math.floor(rows.length / 2)) };
  if (kind === "duplicate-page") return { rows: (yield* rowsBefore(request, state, earlier)) ?? rows };
  if (kind === "overlap-page") {
    const repeated =
      (yield* rowsBefore(request, state, earlier))?.slice(-Math.min(amount, rows.length)) ?? [];
    return { rows: [...repeated, ...rows.slice(repeated.length)] };
  }
  const promising = after.replace('"has_next_page":false', '"has_next_page":true');
  if (kind === "missing-cursor") {
    return { after: promising.replace(/,"next_cursor":"[^"]*"|"next_cursor":"[^"]*",/u, "") };
  }
  if (kind !== "repeat-cursor") return {};
  const cursor = JSON.stringify(cursorOf(request.target));
  return { after: promising.replace(/"next_cursor":"[^"]*"/u, () => `"next_cursor":${cursor}`) };
}

/** As if the list were empty. */
function withoutTotals(after: string): string {
  return after
    .replaceAll(/"(total_items|total_pages)":\d+/gu, '"$1":0')
    .replace('"has_next_page":true', '"has_next_page":false')
    .replace(/,"next_cursor":"[^"]*"|"next_cursor":"[^"]*",/u, "");
}

/** A cache that confuses its keys returns another list with this page's number and totals, but its own cursor. */
function* foreignBody(request: SandboxRequest, state: SandboxState, body: string): Work<string> {
  const target = yield* foreignTarget(request.target, state);
  const foreign = target === undefined ? undefined : yield* handle({ ...request, target }, unmetered(state));
  if (foreign?.status !== 200) return body;
  const [own, other] = [cutList(body), cutList(foreign.body)];
  const isNumbered = own?.after.includes('"total_pages":') === true;
  return isNumbered && other !== undefined ? joinList({ ...other, after: own.after }) : foreign.body;
}

/**
 * The same request for another pool or token of the network, or else for another network. A transaction ID is a cursor
 * of its own pool only, so the other pool's list begins at its first page.
 */
function* foreignTarget(target: string, state: SandboxState): Work<string | undefined> {
  const params = paramsOf(target);
  const own = routeOf(target)?.path.get("network");
  if (own === undefined) {
    const chosen = params.get("chains")?.split(",") ?? [];
    const other = supportedNetworks(state).find(({ id }) => !chosen.includes(id));
    params.set("chains", other?.id ?? "");
    return other === undefined ? undefined : `${pathOf(target)}?${params.toString()}`;
  }
  const network = state.market.network(own);
  if (network === undefined) return undefined;
  yield* state.market.prepareLookups(network);
  const path = otherAddress(target, network, state);
  if (path !== undefined) {
    params.delete("cursor");
    return `${path}?${params.toString()}`;
  }
  const other = supportedNetworks(state).find(({ id }) => id !== own);
  if (other === undefined) return undefined;
  yield* state.market.prepareLookups(other);
  const tokens = params.get("tokens")?.split(",").length;
  if (tokens !== undefined) {
    const others = state.market.tokens(other, state.at()).slice(0, tokens);
    params.set("tokens", others.map(({ address }) => address).join(","));
  }
  return `${pathOf(target).replace(`/networks/${own}/`, `/networks/${other.id}/`)}?${params.toString()}`;
}

/** The path with another address; undefined if it contains none. */
function otherAddress(target: string, network: NetworkFacts, state: SandboxState): string | undefined {
  const values = routeOf(target)?.path;
  const [pool, token] = [values?.get("pool_address"), values?.get("token_address")];
  const own = pool ?? token;
  const { market } = state;
  const at = state.at();
  const all =
    pool === undefined
      ? market.tokens(network, at).map(({ address }) => address)
      : market.pools(network, at).map(({ id }) => id);
  const other = all.find((address) => address.toLowerCase() !== own?.toLowerCase());
  if (own === undefined || other === undefined) return undefined;
  return pathOf(target).replace(encodeURIComponent(own), other);
}

/** Returns the previous response's rows for a list without pages, and if they end with the cursor's transaction. */
function* rowsBefore(
  request: SandboxRequest,
  state: SandboxState,
  earlier: string | undefined,
): Work<readonly string[] | undefined> {
  const { target } = request;
  const cursor = cursorOf(target);
  const isPaged = cursor !== "" || pageOf(target) > 1;
  const previous = earlier === undefined ? undefined : cutList(earlier)?.rows;
  if (cursor !== "" && previous?.at(-1)?.includes(`"id":"${cursor}"`) === true) return previous;
  const before = isPaged
    ? (yield* handle({ ...request, target: pageBefore(target, state) }, unmetered(state))).body
    : earlier;
  return before === undefined ? undefined : cutList(before)?.rows;
}

function pageBefore(target: string, state: SandboxState): string {
  const cursor = cursorOf(target);
  if (cursor === "") return withParam(target, "page", String(pageOf(target) - 1));
  const limit = Number(paramsOf(target).get("limit") ?? 10);
  return withParam(target, "cursor", cursorBefore(cursor, limit, state));
}

/** A transaction ID does not reveal the page that it ends, so the empty cursor repeats the first page. */
function cursorBefore(cursor: string, limit: number, state: SandboxState): string {
  try {
    const { at, offset } = readCursor(cursor, state.at());
    return writeCursor({ at, offset: Math.max(0, offset - limit) });
  } catch (error) {
    if (error instanceof Refusal) return "";
    throw error;
  }
}

/** For responses that are used internally and not sent. */
function unmetered(state: SandboxState): SandboxState {
  const terms = { ...defaultSettings, requestsPerMinute: Number.POSITIVE_INFINITY };
  return { ...state, account: ({ tier }) => openAccount(tier, terms) };
}

const removedHeaders: Partial<Record<Fault["kind"], readonly string[]>> = {
  "no-plan-header": ["X-Api-Plan"],
  "no-credit-headers": ["X-Credits-Limit", "X-Credits-Remaining", "X-Credits-Reset"],
  "no-ratelimit-headers": ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"],
  "no-retry-after": ["Retry-After"],
};

function changeHeaders(faults: Faults, original: SandboxResponse["headers"]): SandboxResponse["headers"] {
  const headers = { ...original };
  for (const { kind, word, amount = 0 } of faults) {
    for (const name of removedHeaders[kind] ?? []) delete headers[name];
    if (kind === "wrong-date")
      headers["Date"] = new Date(Date.parse(headers["Date"] ?? "") + amount).toUTCString();
    if (kind === "plan") headers["X-Api-Plan"] = word ?? "keyless";
  }
  return headers;
}

/**
 * Costs the same as a real response with that status: one credit for 2xx, 400, 404 and 410, and nothing otherwise. It
 * does not count toward the rate limit, so faults do not cause rate limit errors.
 */
export function standIn(fault: Fault, request: SandboxRequest, state: SandboxState): SandboxResponse {
  const arrived = arrive(request, state);
  const { account, at } = arrived;
  const status = fault.amount ?? 500;
  // Opening a stream is free, and so are rejections.
  const isStream = request.host === "stream_free" || request.host === "stream_paid";
  const isPriced = status < 300 || status === 400 || status === 404 || status === 410;
  const charged = !isStream && isPriced && account.credits.canPay(1, at) ? 1 : 0;
  account.credits.charge(charged, at);
  if (fault.kind === "html") {
    // An edge server in front of the service does not send plan or credit headers.
    const headers = { "Content-Type": "text/html" };
    return { ...respondWith(arrived, { status, headers }, page(status), charged), headers };
  }
  const refusal = refusalFor(fault, status, account, at);
  const body = fault.kind === "status" ? bodyIn(state.dialect, refusal) : refusal.body;
  return respondWith(arrived, refusal, writeJson(body), charged);
}

function refusalFor(fault: Fault, status: number, account: Account, at: number): Refusal {
  const message = `${(STATUS_CODES[status] ?? "refused").toLowerCase()}, injected by the sandbox`;
  if (fault.kind === "message-only") return new Refusal(status, { message });
  if (status === 402) return paymentRequired(account, at);
  if (status === 429) return rateLimited(account.tier, account.rate?.limit ?? 1000, Number(fault.word ?? 1));
  const { code } = meaningOf(status);
  // A 4xx without a code has only a message.
  const hasCode = status >= 500 || serviceErrors[code].status === status;
  return hasCode ? refuse(status, code, message) : new Refusal(status, { message });
}

function page(status: number): string {
  const title = `${status} ${STATUS_CODES[status] ?? ""}`.trim();
  return `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1><p>Blocked: injected by the sandbox.</p></body></html>\n`;
}

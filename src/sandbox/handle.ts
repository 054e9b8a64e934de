import { splitPath } from "../contract/endpoints/templates.ts";
import { answers } from "./answers/all.ts";
import { answerStats } from "./answers/stats.ts";
import { countAddresses } from "./answers/multi-prices.ts";
import { blockedPage } from "./blocked-page.ts";
import { identify } from "./caller.ts";
import type { SandboxRequest, SandboxResponse } from "./exchange.ts";
import { guard } from "./guards.ts";
import { writeInstant } from "./instant.ts";
import { type Json, type JsonObject, writeJson } from "./json-writer.ts";
import { Query } from "./query.ts";
import { refuse, Refusal } from "./refusal.ts";
import { removedPath } from "./removed-paths.ts";
import { findRoute, type Route } from "./routes.ts";
import type { Account } from "./accounts.ts";
import type { SandboxState } from "./state.ts";

interface Outcome {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

/** The whole service for one request. Nothing but the state's meters changes; no socket, no clock of its own. */
export function handle(request: SandboxRequest, state: SandboxState): SandboxResponse {
  const at = state.at();
  const caller = identify(request.headers["authorization"], request.host, state.dialect);
  const account = state.account(caller, request.remoteAddress);
  const [path, search] = splitTarget(request.target);
  const segments = splitPath(path) ?? [];
  const query = new Query(search, at);
  const removed = removedPath(segments, state.dialect);
  const route = findRoute(segments);
  const cost = route?.endpoint === "multi_prices" ? countAddresses(query) : 1;
  // Specification, Removed endpoints: always 410, whoever asks and whatever is left to spend.
  const refusal =
    removed ??
    guard({ host: request.host, caller, account, route, query, cost, at, elapsed: state.options.elapsed() });

  let charged = 0;
  let outcome: Outcome;
  if (refusal === undefined) {
    // Before the answer, so that `/usage` says what the headers say.
    account.credits.charge(cost, at);
    outcome = attempt(() => answer(request, state, route, path, query, account, at));
    charged = price(outcome.status, cost);
    account.credits.charge(charged - cost, at);
  } else {
    outcome = refusal;
    if (refusal === removed && caller.kind !== "invalid" && account.credits.canPay(1, at)) charged = 1;
    account.credits.charge(charged, at);
  }
  const page = outcome.status === 401 ? blockedPage(caller, state.dialect) : undefined;
  return {
    status: page === undefined ? outcome.status : 403,
    headers: {
      ...standardHeaders(state, account, at),
      ...outcome.headers,
      ...(page && { "Content-Type": "text/html" }),
    },
    body: page ?? writeJson(state.dialect === "public" ? publicForm(outcome) : outcome.body),
    account: { plan: account.tier, key: keyOf(caller), credits: charged },
  };
}

function answer(
  request: SandboxRequest,
  state: SandboxState,
  route: Route | undefined,
  path: string,
  query: Query,
  account: Account,
  at: number,
): Json {
  const { market, dialect } = state;
  const isStats = dialect === "public" && path === "/stats";
  if (route === undefined && !isStats) {
    const about =
      path === "/" ? "this is the sandbox of dexdata, interface version 1.0.4; try /networks" : path;
    throw refuse(404, "route_not_found", `no such path: ${about}`);
  }
  if (request.method !== "GET") throw methodNotAllowed(request.method);
  const reply = route === undefined ? answerStats : answers[route.endpoint];
  return reply({
    state,
    market,
    dialect,
    path: route?.path ?? new Map(),
    query,
    account,
    at,
    host: request.host,
  });
}

function methodNotAllowed(method: string): Refusal {
  const { status, body } = refuse(405, "method_not_allowed", `${method} is not allowed here; use GET`);
  return new Refusal(status, body, { Allow: "GET" });
}

function attempt(make: () => Json): Outcome {
  try {
    return { status: 200, headers: {}, body: make() };
  } catch (error) {
    if (error instanceof Refusal) return error;
    const why = error instanceof Error ? error.message : String(error);
    return refuse(500, "internal_error", `internal error: ${why}`);
  }
}

/** A batch costs its items only when it is answered; 401, 402, 403, 429 and server errors cost nothing. */
function price(status: number, cost: number): number {
  if (status < 300) return cost;
  return status === 400 || status === 404 ? 1 : 0;
}

export function standardHeaders(state: SandboxState, account: Account, at: number): Record<string, string> {
  return {
    "Content-Type": "application/json; charset=utf-8",
    // Of its own time, which programs may tell by it.
    Date: new Date(at * 1000).toUTCString(),
    "X-Api-Plan": account.tier,
    "X-Credits-Limit": String(account.credits.limit),
    "X-Credits-Remaining": String(account.credits.remaining(at)),
    "X-Credits-Reset": String(account.credits.resetsAt(at)),
    "X-Dexdata-Sandbox": `simulated data; seed=${state.options.seed ?? 1}; at=${writeInstant(at)}`,
  };
}

/** Wire-facts, section 6: outside plan and billing, public refusals were seen with a message and nothing else. */
export function publicForm({ status, body }: Outcome): Json {
  if (status < 400 || status === 410 || !isObject(body) || "tier" in body) return body;
  return { message: body["message"] ?? "" };
}

function isObject(body: Json): body is JsonObject {
  return typeof body === "object" && body !== null && !Array.isArray(body);
}

export function keyOf(caller: ReturnType<typeof identify>): SandboxResponse["account"]["key"] {
  if (caller.kind === "keyed") return caller.tier;
  return caller.kind === "invalid" ? "invalid" : "none";
}

/** Path and query of a request target, which a proxy's client sends with scheme and host. */
export function splitTarget(target: string): readonly [path: string, search: string] {
  const local = target.replace(/^https?:\/\/[^/?#]*/i, "");
  const mark = local.indexOf("?");
  return mark === -1 ? [local, ""] : [local.slice(0, mark), local.slice(mark + 1)];
}

import { findEndpoint, type FoundEndpoint, splitPath } from "../contract/endpoints/find-endpoint.ts";
import { answers } from "./answers/all-answers.ts";
import { countAddresses } from "./answers/price-batch.ts";
import { answerStats } from "./answers/whole-service.ts";
import { arrive, type Arrived, bodyIn, type Outcome, respondWith } from "./arrival.ts";
import { guard, planRefusal } from "./guards.ts";
import type { Json } from "./json-writer.ts";
import { removedPath } from "./removed-paths.ts";
import type { SandboxRequest, SandboxResponse } from "./sandbox-exchange.ts";
import { asRefusal, methodNotAllowed, refuse } from "./service-refusal.ts";
import type { SandboxState } from "./state.ts";
import type { Work } from "./work.ts";

/** Handles one request without a socket or clock, and changes only the meters in `state`. */
export function* handle(request: SandboxRequest, state: SandboxState): Work<SandboxResponse> {
  const arrived = arrive(request, state);
  const { path, query, caller, account, at } = arrived;
  const segments = splitPath(path) ?? [];
  const removed = removedPath(segments, state.dialect);
  const route = findEndpoint(segments);
  const cost = route?.endpoint.reply.kind === "batch" ? countAddresses(query) : 1;
  // Specification, Removed endpoints: always 410, for every caller, regardless of remaining credits.
  const refusal =
    removed ??
    guard(arrived, state.options.elapsed(), cost, () => route && planRefusal(route.endpoint, arrived));

  let charged = 0;
  let outcome: Outcome;
  if (refusal === undefined) {
    // Charge before creating the response, so that `/usage` shows the same numbers as the headers.
    account.credits.charge(cost, at);
    outcome = yield* attempt(() => answer(arrived, state, route));
    charged = price(outcome.status, cost);
    account.credits.charge(charged - cost, at);
  } else {
    outcome = refusal;
    if (refusal === removed && caller.kind !== "invalid" && account.credits.canPay(1, at)) charged = 1;
    account.credits.charge(charged, at);
  }
  return respondWith(arrived, state, outcome, bodyIn(state.dialect, outcome), charged);
}

function* answer(arrived: Arrived, state: SandboxState, route: FoundEndpoint | undefined): Work<Json> {
  const { request, path, query, account, at } = arrived;
  const { market, dialect } = state;
  const isStats = dialect === "public" && path === "/stats";
  if (route === undefined && !isStats) {
    const about = path === "/" ? "this is the dexdata sandbox, API version 1.0.4; try /networks" : path;
    throw refuse(404, "route_not_found", `path not found: ${about}`);
  }
  if (request.method !== "GET")
    throw methodNotAllowed(`${request.method} is not allowed here; use GET`, "GET");
  const reply = route === undefined ? answerStats : answers[route.endpoint.id];
  const values = route?.path ?? new Map<string, string>();
  const network = market.network(values.get("network") ?? "");
  if (network !== undefined) yield* market.prepare(network);
  const body = reply({ state, market, dialect, path: values, query, account, at, host: request.host });
  return isWork(body) ? yield* body : body;
}

function isWork(body: Json | Work<Json>): body is Work<Json> {
  return typeof body === "object" && body !== null && "next" in body;
}

function* attempt(make: () => Work<Json>): Work<Outcome> {
  try {
    return { status: 200, headers: {}, body: yield* make() };
  } catch (cause) {
    return asRefusal(cause);
  }
}

/** A batch costs more than one credit only if it succeeds. 401, 402, 403, 429 and server errors are free. */
function price(status: number, cost: number): number {
  if (status < 300) return cost;
  return status === 400 || status === 404 ? 1 : 0;
}

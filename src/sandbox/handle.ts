import type { EndpointId } from "../api/endpoints/all.ts";
import { findEndpoint, type FoundEndpoint, pathSegments } from "../api/find-endpoint.ts";
import type { Answer } from "./answers/answer.ts";
import { answerPoolOhlcv, answerTokenOhlcv } from "./answers/candle-answers.ts";
import { answerPool, answerToken } from "./answers/pool-and-token.ts";
import { answerPoolsSearch } from "./answers/pool-search.ts";
import { answerMultiPrices, countAddresses } from "./answers/price-batch.ts";
import { answerTokensSearch } from "./answers/token-search.ts";
import { answerPoolTransactions } from "./answers/transaction-pages.ts";
import { answerDexes, answerNetworks, answerStats, answerUsage } from "./answers/whole-service.ts";
import { answerSearch } from "./answers/word-search.ts";
import { arrive, type Arrived, respondRefusal, respondWith } from "./service/arrival.ts";
import { guard, planRefusal } from "./service/guards.ts";
import { type Json, writeJson } from "./wire/json-writer.ts";
import type { SandboxRequest, SandboxResponse } from "./sandbox-exchange.ts";
import { asRefusal, methodNotAllowed, refuse, removedPath } from "./wire/service-refusal.ts";
import type { SandboxState } from "./service/state.ts";
import type { Work } from "./work.ts";

const answers: Readonly<Record<EndpointId, Answer>> = {
  networks: answerNetworks,
  dexes: answerDexes,
  pool: answerPool,
  pool_transactions: answerPoolTransactions,
  pool_ohlcv: answerPoolOhlcv,
  token_ohlcv: answerTokenOhlcv,
  token: answerToken,
  network_tokens_search: answerTokensSearch,
  tokens_search: answerTokensSearch,
  network_pools_search: answerPoolsSearch,
  pools_search: answerPoolsSearch,
  search: answerSearch,
  multi_prices: answerMultiPrices,
  usage: answerUsage,
};

/** Handles one request without a socket or clock, and changes only the meters in `state`. */
export function* handle(request: SandboxRequest, state: SandboxState): Work<SandboxResponse> {
  const arrived = arrive(request, state);
  const { pathname, query, caller, account, at } = arrived;
  const segments = pathSegments(pathname);
  const removed = removedPath(segments, state.dialect);
  if (removed !== undefined) {
    // Specification, Removed endpoints: always 410, for every caller, regardless of remaining credits.
    const charged = caller.kind !== "invalid" && account.credits.canPay(1, at) ? 1 : 0;
    account.credits.charge(charged, at);
    return respondRefusal(arrived, removed, charged);
  }
  const route = findEndpoint(segments);
  const cost = route?.endpoint.reply.kind === "batch" ? countAddresses(query) : 1;
  const refusal = guard(arrived, cost, route && planRefusal(route.endpoint, arrived));
  if (refusal !== undefined) return respondRefusal(arrived, refusal, 0);
  // Charge before creating the response, so that `/usage` shows the same numbers as the headers.
  account.credits.charge(cost, at);
  try {
    const body = writeJson(yield* answer(arrived, route));
    return respondWith(arrived, { status: 200, headers: {} }, body, cost);
  } catch (cause) {
    const refused = asRefusal(cause);
    // A batch costs more than one credit only if it succeeds. Server errors are free.
    const charged = refused.status === 400 || refused.status === 404 ? 1 : 0;
    account.credits.charge(charged - cost, at);
    return respondRefusal(arrived, refused, charged);
  }
}

function* answer(arrived: Arrived, route: FoundEndpoint | undefined): Work<Json> {
  const { request, pathname, market, dialect } = arrived;
  const isStats = dialect === "public" && pathname === "/stats";
  if (route === undefined && !isStats) {
    const about =
      pathname === "/" ? "this is the dexdata sandbox, API version 1.0.4; try /networks" : pathname;
    throw refuse(404, "route_not_found", `path not found: ${about}`);
  }
  if (request.method !== "GET")
    throw methodNotAllowed(`${request.method} is not allowed here; use GET`, "GET");
  const reply = route === undefined ? answerStats : answers[route.endpoint.id];
  const path = route?.path ?? new Map<string, string>();
  const network = market.network(path.get("network") ?? "");
  if (network !== undefined) yield* market.prepareLookups(network);
  const body = reply({ ...arrived, path });
  return isWork(body) ? yield* body : body;
}

function isWork(body: Json | Work<Json>): body is Work<Json> {
  return typeof body === "object" && body !== null && "next" in body;
}

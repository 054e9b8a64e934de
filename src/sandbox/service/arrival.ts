import { blockedPage, identify, keyOf } from "./accounts.ts";
import { type JsonObject, writeJson } from "../wire/json-writer.ts";
import { Query } from "../wire/query.ts";
import { writeInstant } from "../wire/request-times.ts";
import type { Dialect, SandboxRequest, SandboxResponse } from "../sandbox-exchange.ts";
import type { Refusal } from "../wire/service-refusal.ts";
import type { SandboxState } from "./state.ts";

/** `at` is in Unix seconds on the simulated clock. Responses must not contain anything later. */
export type Arrived = ReturnType<typeof arrive>;

export function arrive(request: SandboxRequest, state: SandboxState) {
  const { dialect } = state;
  const at = state.at();
  const caller = identify(request.headers.authorization, request.host, dialect);
  const account = state.account(caller, request.remoteAddress);
  const [pathname = "", ...search] = request.target.split("?");
  const query = new Query(search.join("?"), at);
  const market = state.seenMarket(state.market, pathname);
  return { request, state, market, dialect, pathname, query, caller, account, at };
}

export function respondWith(
  { account, at, caller, state }: Arrived,
  { status, headers }: Pick<SandboxResponse, "status" | "headers">,
  body: string,
  credits: number,
): SandboxResponse {
  return {
    status,
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      // The simulated time, so that clients can use this header as a clock.
      Date: new Date(at * 1000).toUTCString(),
      "X-Api-Plan": account.tier,
      "X-Credits-Limit": String(account.credits.limit),
      "X-Credits-Remaining": String(account.credits.remaining(at)),
      "X-Credits-Reset": String(account.credits.resetsAt(at)),
      "X-Dexdata-Sandbox": `simulated data; seed=${state.options.seed}; at=${writeInstant(at)}`,
      ...headers,
    },
    body,
    account: { plan: account.tier, key: keyOf(caller), credits, faults: [] },
  };
}

export function respondRefusal(
  arrived: Arrived,
  refusal: Refusal,
  credits: number,
  body = bodyIn(arrived.dialect, refusal),
): SandboxResponse {
  const page = refusal.status === 401 ? blockedPage(arrived.caller, arrived.dialect) : undefined;
  if (page === undefined) return respondWith(arrived, refusal, writeJson(body), credits);
  return respondWith(arrived, { status: 403, headers: { "Content-Type": "text/html" } }, page, credits);
}

/** Wire-facts, section 6: public error bodies have only a message, except for plan and billing errors. */
export function bodyIn(dialect: Dialect, { status, body }: Refusal): JsonObject {
  if (dialect === "spec" || status === 410 || "tier" in body) return body;
  return { message: body["message"] ?? "" };
}

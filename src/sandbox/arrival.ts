import type { Account } from "./accounts.ts";
import { blockedPage, type Caller, identify, keyOf } from "./caller.ts";
import { type Json, type JsonObject, writeJson } from "./json-writer.ts";
import { Query } from "./query.ts";
import { writeInstant } from "./request-times.ts";
import type { Dialect, SandboxRequest, SandboxResponse } from "./sandbox-exchange.ts";
import type { SandboxState } from "./state.ts";

export interface Arrived<Request extends SandboxRequest = SandboxRequest> {
  readonly request: Request;
  readonly path: string;
  readonly query: Query;
  readonly caller: Caller;
  readonly account: Account;
  /** Unix seconds on the simulated clock. */
  readonly at: number;
}

export function arrive<Request extends SandboxRequest>(
  request: Request,
  state: SandboxState,
): Arrived<Request> {
  const at = state.at();
  const caller = identify(request.headers["authorization"], request.host, state.dialect);
  const account = state.account(caller, request.remoteAddress);
  const [path, search] = splitTarget(request.target);
  return { request, path, query: new Query(search, at), caller, account, at };
}

/** Clients that use a proxy send the target with a scheme and host. */
function splitTarget(target: string): readonly [path: string, search: string] {
  const local = target.replace(/^https?:\/\/[^/?#]*/i, "");
  const mark = local.indexOf("?");
  return mark === -1 ? [local, ""] : [local.slice(0, mark), local.slice(mark + 1)];
}

export interface Outcome {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

export function respondWith(
  arrived: Arrived,
  state: SandboxState,
  { status, headers }: Outcome,
  body: Json,
  credits: number,
): SandboxResponse {
  const { caller, account } = arrived;
  const page = status === 401 ? blockedPage(caller, state.dialect) : undefined;
  return {
    status: page === undefined ? status : 403,
    headers: {
      ...standardHeaders(arrived, state),
      ...headers,
      ...(page && { "Content-Type": "text/html" }),
    },
    body: page ?? writeJson(body),
    account: { plan: account.tier, key: keyOf(caller), credits },
  };
}

export function standardHeaders(
  { account, at }: Pick<Arrived, "account" | "at">,
  state: SandboxState,
): Record<string, string> {
  return {
    "Content-Type": "application/json; charset=utf-8",
    // The simulated time, so that clients can use this header as a clock.
    Date: new Date(at * 1000).toUTCString(),
    "X-Api-Plan": account.tier,
    "X-Credits-Limit": String(account.credits.limit),
    "X-Credits-Remaining": String(account.credits.remaining(at)),
    "X-Credits-Reset": String(account.credits.resetsAt(at)),
    "X-Dexdata-Sandbox": `simulated data; seed=${state.options.seed ?? 1}; at=${writeInstant(at)}`,
  };
}

/** Wire-facts, section 6: public error bodies have only a message, except for plan and billing errors. */
export function bodyIn(dialect: Dialect, { status, body }: Outcome): Json {
  if (dialect === "spec" || status < 400 || status === 410 || !isObject(body) || "tier" in body) return body;
  return { message: body["message"] ?? "" };
}

function isObject(body: Json): body is JsonObject {
  return typeof body === "object" && body !== null && !Array.isArray(body);
}

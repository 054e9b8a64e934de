import { STATUS_CODES } from "node:http";
import { paymentRequired, rateLimited } from "../billing-refusals.ts";
import { identify } from "../caller.ts";
import type { SandboxRequest, SandboxResponse } from "../exchange.ts";
import { keyOf, publicForm, standardHeaders } from "../handle.ts";
import { writeJson } from "../json-writer.ts";
import { type EnvelopeCode, refuse, Refusal } from "../refusal.ts";
import type { Account } from "../accounts.ts";
import type { SandboxState } from "../state.ts";
import type { Fault } from "./fault.ts";

/**
 * What comes instead of the answer. It costs what such an answer costs: 2xx, 400, 404 and 410 one credit, any other
 * nothing. It takes no place in the minute, so that a limit and a fault can be told apart.
 */
export function standIn(fault: Fault, request: SandboxRequest, state: SandboxState): SandboxResponse {
  const at = state.at();
  const caller = identify(request.headers["authorization"], request.host, state.dialect);
  const account = state.account(caller, request.remoteAddress);
  const status = fault.amount ?? 500;
  // Opening a stream costs nothing, and neither does a refusal.
  const isStream = request.host === "stream_free" || request.host === "stream_paid";
  const charged = !isStream && hasPrice(status) && account.credits.canPay(1, at) ? 1 : 0;
  account.credits.charge(charged, at);
  const accounting = { plan: account.tier, key: keyOf(caller), credits: charged };
  // An edge in front of the service knows nothing of plans and credits, nor do its headers.
  if (fault.kind === "html") {
    return { status, headers: { "Content-Type": "text/html" }, body: page(status), account: accounting };
  }
  const refusal = refusalFor(fault, status, account, at);
  const isPublic = state.dialect === "public" && fault.kind === "status";
  return {
    status,
    headers: { ...standardHeaders(state, account, at), ...refusal.headers },
    body: writeJson(isPublic ? publicForm(refusal) : refusal.body),
    account: accounting,
  };
}

function hasPrice(status: number): boolean {
  return status < 300 || status === 400 || status === 404 || status === 410;
}

function refusalFor(fault: Fault, status: number, account: Account, at: number): Refusal {
  const message = `${(STATUS_CODES[status] ?? "refused").toLowerCase()}, as --faults asked`;
  if (fault.kind === "message-only") return new Refusal(status, { message });
  if (status === 402) return paymentRequired(account, at);
  if (status === 429) {
    const limit = account.rate?.limit ?? 1000;
    const refusal = rateLimited(account.tier, limit, 1000);
    return fault.retryAfter === undefined ? refusal : waitingFor(refusal, fault.retryAfter);
  }
  const code = codes[status] ?? (status >= 500 ? "unavailable" : undefined);
  return code === undefined ? new Refusal(status, { message }) : refuse(status, code, message);
}

/** The other statuses of the specification; a 4xx without a code of its own has a message and nothing else. */
const codes: Readonly<Record<number, EnvelopeCode>> = {
  400: "invalid_param",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  410: "endpoint_removed",
  500: "internal_error",
};

function waitingFor({ status, body, headers }: Refusal, seconds: number): Refusal {
  const text = String(seconds);
  const told = { ...headers, "Retry-After": text, "RateLimit-Reset": text };
  return new Refusal(status, { ...body, retry_after: seconds }, told);
}

function page(status: number): string {
  const title = `${status} ${STATUS_CODES[status] ?? ""}`.trim();
  return `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1><p>Blocked by the sandbox, as --faults asked.</p></body></html>\n`;
}

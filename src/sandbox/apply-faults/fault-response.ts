import { STATUS_CODES } from "node:http";
import { meaningOf, serviceErrors } from "../../api/service-errors.ts";
import { paymentRequired, rateLimited } from "../service/billing-refusals.ts";
import type { SandboxRequest, SandboxResponse } from "../sandbox-exchange.ts";
import { arrive, bodyIn, respondWith } from "../service/arrival.ts";
import { writeJson } from "../wire/json-writer.ts";
import { Refusal, refuse } from "../wire/service-refusal.ts";
import type { Account } from "../service/accounts.ts";
import type { SandboxState } from "../service/state.ts";
import type { Fault } from "../fault-kinds.ts";

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
  const charged = !isStream && hasPrice(status) && account.credits.canPay(1, at) ? 1 : 0;
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

function hasPrice(status: number): boolean {
  return status < 300 || status === 400 || status === 404 || status === 410;
}

function refusalFor(fault: Fault, status: number, account: Account, at: number): Refusal {
  const message = `${(STATUS_CODES[status] ?? "refused").toLowerCase()}, injected by the sandbox`;
  if (fault.kind === "message-only") return new Refusal(status, { message });
  if (status === 402) return paymentRequired(account, at);
  if (status === 429) return rateLimited(account.tier, account.rate?.limit ?? 1000, fault.retryAfter ?? 1);
  const { code } = meaningOf(status);
  // A 4xx without a code has only a message.
  const hasCode = status >= 500 || serviceErrors[code].status === status;
  return hasCode ? refuse(status, code, message) : new Refusal(status, { message });
}

function page(status: number): string {
  const title = `${status} ${STATUS_CODES[status] ?? ""}`.trim();
  return `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1><p>Blocked: injected by the sandbox.</p></body></html>\n`;
}

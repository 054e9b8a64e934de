import type { SandboxResponse } from "../exchange.ts";
import type { Fault, Faults } from "./fault.ts";

const CREDITS = ["X-Credits-Limit", "X-Credits-Remaining", "X-Credits-Reset"];
const RATE_LIMIT = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];

/** The answer with other headers, or fewer. */
export function changeHeaders(faults: Faults, response: SandboxResponse): SandboxResponse {
  const headers = { ...response.headers };
  for (const fault of faults) {
    for (const name of removed(fault)) delete headers[name];
    if (fault.kind === "plan" && fault.tier !== undefined) headers["X-Api-Plan"] = fault.tier;
  }
  return { ...response, headers };
}

function removed({ kind }: Fault): readonly string[] {
  if (kind === "no-plan-header") return ["X-Api-Plan"];
  if (kind === "no-credit-headers") return CREDITS;
  if (kind === "no-ratelimit-headers") return RATE_LIMIT;
  return kind === "no-retry-after" ? ["Retry-After"] : [];
}

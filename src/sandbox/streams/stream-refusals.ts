import type { Tier } from "../../contract/tier.ts";
import type { Dialect } from "../dialect.ts";
import type { JsonObject } from "../json-writer.ts";
import { documentation, links } from "../links.ts";
import { refuse, Refusal } from "../refusal.ts";

/** Specification, section Errors: before a stream, 400 also where REST says 404. `place`: which entry of a batch. */
export function refuseEntry(param: string, message: string, place: string): Refusal {
  return refuse(400, "invalid_param", `${place}${message}`, { param });
}

/** Wire-facts 5.7: the one refusal of the public service that is a 404 about an asset. */
export function tokenNotIndexed(chain: string, address: string): Refusal {
  return new Refusal(404, { message: `token not found: ${chain}/${address}` });
}

export function previewOnly(tier: Tier): Refusal {
  const message = "keyless streams show the preview assets only — register for a free key";
  return new Refusal(403, { error: "preview_only", tier, message, links: links[tier] });
}

/** Specification, Events 3, and wire-facts 5.7. */
export function streamLimit(tier: Tier, dialect: Dialect): Refusal {
  const message =
    dialect === "spec"
      ? "ip stream limit exceeded"
      : "Concurrent stream limit reached for your plan. Close an open stream before starting another.";
  return tooManyStreams(tier, message, dialect);
}

export function serverStreamLimit(tier: Tier, dialect: Dialect): Refusal {
  return tooManyStreams(tier, "global stream limit exceeded", dialect);
}

/** Seconds. Nobody knows when another stream ends, so this is only how often to ask. */
const retryAfter = 5;

/** Specification, Status codes: a 429 carries Retry-After, also for stream limits. The public service sends none. */
function tooManyStreams(tier: Tier, message: string, dialect: Dialect): Refusal {
  const body = { error: "rate_limited", tier, message };
  if (dialect === "public") return new Refusal(429, { ...body, links: links[tier] });
  const headers = { "Retry-After": String(retryAfter) };
  return new Refusal(429, { ...body, retry_after: retryAfter, links: links[tier] }, headers);
}

/** Specification, Removed endpoints: GET and POST /stream. */
export function removedStream(dialect: Dialect): Refusal {
  const replacement = "/sse/prices";
  if (dialect === "public") {
    return new Refusal(410, { code: 410, message: "endpoint removed", replacement });
  }
  const message = `endpoint removed; use ${replacement} with method=token_price`;
  return new Refusal(410, { error: "endpoint_removed", code: 410, message, replacement, documentation });
}

/** Wire-facts 5.7: outside plan and billing, the public service's streams refuse with a message and nothing else. */
export function refusalBody({ status, body }: Refusal, dialect: Dialect): JsonObject {
  if (dialect === "spec" || status === 410 || "tier" in body) return body;
  if (status === 401) return { message: "api key verification has failed" };
  if (body["error"] === "route_not_found") return { message: "Not Found" };
  return { message: body["message"] };
}

/** The message of a 500, and of the `error` event in its place when the stream is open (specification, Events 2). */
export function internalError(cause: unknown): string {
  return `internal error: ${cause instanceof Error ? cause.message : String(cause)}`;
}

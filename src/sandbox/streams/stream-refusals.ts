import type { Tier } from "../../contract/tier.ts";
import type { Dialect } from "../sandbox-exchange.ts";
import { bodyIn } from "../arrival.ts";
import type { Json } from "../json-writer.ts";
import { links } from "../billing-refusals.ts";
import { Refusal, refuse } from "../service-refusal.ts";

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

/** Wire-facts 5.7: outside plan and billing, the public service's streams refuse with words of their own. */
export function streamBodyIn(dialect: Dialect, refusal: Refusal): Json {
  const written = bodyIn(dialect, refusal);
  if (written === refusal.body) return written;
  if (refusal.status === 401) return { message: "api key verification has failed" };
  return refusal.body["error"] === "route_not_found" ? { message: "Not Found" } : written;
}

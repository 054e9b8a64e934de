import { removedEndpoints } from "../../api/endpoints/removed-endpoints.ts";
import { matchTemplate } from "../../api/endpoints/find-endpoint.ts";
import { documentation } from "./billing-refusals.ts";
import type { Dialect } from "../sandbox-exchange.ts";
import { Refusal } from "../wire/service-refusal.ts";

/** A 410 for a removed path; undefined for other paths. Placeholders are written as in the specification. */
export function removedPath(segments: readonly string[], dialect: Dialect): Refusal | undefined {
  for (const { path, replacement, carried } of removedEndpoints) {
    if (matchTemplate(path, segments) === undefined) continue;
    const query = Object.entries(carried).map(([old, name]) => `?${name}={${old}}`);
    return removed(`${replacement}${query.join("")}`, dialect);
  }
  return undefined;
}

/** Specification, "Removed endpoints": a 410 for GET and POST /stream. */
export function removedStream(dialect: Dialect): Refusal {
  return removed("/sse/prices", dialect, " with method=token_price");
}

function removed(replacement: string, dialect: Dialect, how = ""): Refusal {
  if (dialect === "public") return new Refusal(410, { code: 410, message: "endpoint removed", replacement });
  const message = `endpoint removed; use ${replacement}${how}`;
  return new Refusal(410, { error: "endpoint_removed", code: 410, message, replacement, documentation });
}

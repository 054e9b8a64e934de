import { matchTemplate, removedEndpoints } from "../../api/find-endpoint.ts";
import type { ServiceCode } from "../../api/service-errors.ts";
import type { Dialect } from "../sandbox-exchange.ts";
import type { JsonObject } from "./json-writer.ts";

/** Thrown by guards and endpoints. `handle` turns it into a response. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: JsonObject, headers: Readonly<Record<string, string>> = {}) {
    super(`refused with ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

export function refuse(
  status: number,
  error: ServiceCode,
  message: string,
  more: { readonly param?: string; readonly resource?: "pool" | "token" } = {},
): Refusal {
  return new Refusal(status, { error, message, ...more });
}

export function methodNotAllowed(message: string, allowed: string): Refusal {
  return new Refusal(405, { error: "method_not_allowed", message }, { Allow: allowed });
}

export function asRefusal(cause: unknown): Refusal {
  return cause instanceof Refusal ? cause : refuse(500, "internal_error", internalError(cause));
}

/** For a 500, or for the `error` event that replaces it in an open stream (specification, Events 2). */
export function internalError(cause: unknown): string {
  return `internal error: ${cause instanceof Error ? cause.message : String(cause)}`;
}

export function invalidParam(param: string, rule: string): Refusal {
  return refuse(400, "invalid_param", `invalid query parameters: ${param} (${rule})`, { param });
}

export function choiceRule(choices: readonly string[]): string {
  return `must be one of [${choices.join(" ")}]`;
}

export function missingParam(param: string): Refusal {
  return refuse(400, "missing_param", `missing query parameter: ${param}`, { param });
}

export function notFound(resource: "pool" | "token"): Refusal {
  return refuse(404, "not_found", `${resource} not found`, { resource });
}

export const documentation = "https://docs.dexpaprika.com";

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

import type { JsonObject } from "./json-writer.ts";

/** The codes of the envelope of the specification, section Errors. */
export type EnvelopeCode =
  | "invalid_param"
  | "missing_param"
  | "unauthorized"
  | "invalid_api_key"
  | "forbidden"
  | "not_found"
  | "unsupported_network"
  | "route_not_found"
  | "method_not_allowed"
  | "endpoint_removed"
  | "rate_limited"
  | "internal_error"
  | "unavailable";

/** Thrown by guards and answers; `handle` turns it into the response. */
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
  error: EnvelopeCode,
  message: string,
  more: { readonly param?: string; readonly resource?: Resource } = {},
): Refusal {
  return new Refusal(status, { error, message, ...more });
}

/** What a 404 could not find. */
export type Resource = "pool" | "token" | "dex";

export function invalidParam(param: string, rule: string): Refusal {
  return refuse(400, "invalid_param", `invalid query parameters: ${param} (${rule})`, { param });
}

/** For a fixed set of values, the message lists them. */
export function invalidChoice(param: string, choices: readonly string[]): Refusal {
  return invalidParam(param, `must be one of [${choices.join(" ")}]`);
}

export function missingParam(param: string): Refusal {
  return refuse(400, "missing_param", `missing query parameter: ${param}`, { param });
}

export function unsupportedNetwork(slug: string): Refusal {
  return refuse(404, "unsupported_network", `unsupported network: ${slug}`, { param: "network" });
}

export function notFound(resource: Resource): Refusal {
  return refuse(404, "not_found", `${resource} not found`, { resource });
}

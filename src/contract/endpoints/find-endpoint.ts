import type { ContractEndpoint } from "../endpoint.ts";
import { type EndpointId, endpoints } from "./all.ts";
import { matchTemplate } from "./templates.ts";

/** The endpoint that answers at a path. */
export interface FoundEndpoint {
  readonly endpoint: ContractEndpoint<EndpointId>;
  /** Values of the path's placeholders. */
  readonly path: ReadonlyMap<string, string>;
}

/** A fixed word wins over an identifier (`tokens/search` is no token's address), so such templates come first. */
const byFixedWords = endpoints.toSorted((a, b) => placeholders(a) - placeholders(b));

export function findEndpoint(segments: readonly string[]): FoundEndpoint | undefined {
  for (const endpoint of byFixedWords) {
    const path = matchTemplate(endpoint.path, segments);
    if (path !== undefined) return { endpoint, path };
  }
  return undefined;
}

function placeholders(endpoint: ContractEndpoint): number {
  return endpoint.path.split("{").length - 1;
}

import { endpoints } from "../endpoints/all.ts";
import type { Endpoint, EndpointId } from "../model/endpoint.ts";
import { matchTemplate } from "./templates.ts";

export interface Route {
  readonly endpoint: EndpointId;
  /** Values of the path's placeholders. */
  readonly path: ReadonlyMap<string, string>;
}

/** A fixed word wins over an identifier (`tokens/search` is no token's address), so such templates come first. */
const byFixedWords = endpoints.toSorted((a, b) => placeholders(a) - placeholders(b));

export function findRoute(segments: readonly string[]): Route | undefined {
  for (const endpoint of byFixedWords) {
    const path = matchTemplate(endpoint.path, segments);
    if (path !== undefined) return { endpoint: endpoint.id, path };
  }
  return undefined;
}

function placeholders(endpoint: Endpoint): number {
  return endpoint.path.split("{").length - 1;
}

import { findEndpoint } from "../contract/endpoints/find-endpoint.ts";
import type { EndpointId } from "../contract/endpoints/all.ts";

export interface Route {
  readonly endpoint: EndpointId;
  /** Values of the path's placeholders. */
  readonly path: ReadonlyMap<string, string>;
}

export function findRoute(segments: readonly string[]): Route | undefined {
  const found = findEndpoint(segments);
  return found === undefined ? undefined : { endpoint: found.endpoint.id, path: found.path };
}

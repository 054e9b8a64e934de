import type { ContractEndpoint } from "../endpoint.ts";
import { type EndpointId, endpoints } from "./all.ts";

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

/**
 * The segments of a path, percent-decoded; undefined where one cannot be decoded. A slash at the end is a segment
 * of its own, so that `/networks/` is another path than `/networks`.
 */
export function splitPath(path: string): readonly string[] | undefined {
  try {
    return path.split("/").slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** The values of the template's `{names}`, none of them empty; undefined when the path is another. */
export function matchTemplate(
  template: string,
  segments: readonly string[],
): ReadonlyMap<string, string> | undefined {
  const parts = template.split("/").slice(1);
  if (parts.length !== segments.length) return undefined;
  const values = new Map<string, string>();
  for (const [index, part] of parts.entries()) {
    const segment = segments[index] ?? "";
    if (!part.startsWith("{")) {
      if (part !== segment) return undefined;
    } else if (segment === "") return undefined;
    else values.set(part.slice(1, -1), segment);
  }
  return values;
}

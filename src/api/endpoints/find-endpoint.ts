import type { ContractEndpoint } from "../endpoint.ts";
import { endpoints } from "./all.ts";

export type FoundEndpoint = NonNullable<ReturnType<typeof findEndpoint>>;

/** A fixed word takes precedence over an identifier: `tokens/search` does not name a token. */
const byFixedWords = endpoints.toSorted((a, b) => placeholders(a) - placeholders(b));

/** `path` contains the values of the placeholders in the path. */
export function findEndpoint(segments: readonly string[]) {
  for (const endpoint of byFixedWords) {
    const path = matchTemplate(endpoint.path, segments);
    if (path !== undefined) return { endpoint, path };
  }
  return undefined;
}

function placeholders(endpoint: ContractEndpoint): number {
  return endpoint.path.split("{").length - 1;
}

/** Undefined if a segment cannot be decoded. A trailing slash adds an empty segment. */
export function splitPath(path: string): readonly string[] | undefined {
  try {
    return path.split("/").slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** Undefined if the path does not match. Empty values do not match. */
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

import { removedEndpoints } from "../contract/endpoints/removed-endpoints.ts";
import { matchTemplate } from "../contract/endpoints/templates.ts";
import type { Dialect } from "./dialect.ts";
import { documentation } from "./links.ts";
import { Refusal } from "./refusal.ts";

/** The 410 of a removed path; undefined for any other. The placeholders stay as the specification writes them. */
export function removedPath(segments: readonly string[], dialect: Dialect): Refusal | undefined {
  for (const { path, replacement: successor, carried } of removedEndpoints) {
    if (matchTemplate(path, segments) === undefined) continue;
    const query = Object.entries(carried).map(([old, name]) => `?${name}={${old}}`);
    const replacement = `${successor}${query.join("")}`;
    if (dialect === "public")
      return new Refusal(410, { code: 410, message: "endpoint removed", replacement });
    const message = `endpoint removed; use ${replacement}`;
    return new Refusal(410, { error: "endpoint_removed", code: 410, message, replacement, documentation });
  }
  return undefined;
}

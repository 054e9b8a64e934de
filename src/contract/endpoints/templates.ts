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

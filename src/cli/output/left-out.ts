import type { Renderer } from "../../render/renderer.ts";

/** A line about the columns that were asked for by name and are not shown: whoever named them should know. */
export function leftOutLines(renderer: Renderer): readonly string[] {
  const names = renderer.leftOut?.() ?? [];
  if (names.length === 0) return [];
  return [`dexdata: no room for ${names.join(", ")}; -o wide shows all, beyond the window`];
}

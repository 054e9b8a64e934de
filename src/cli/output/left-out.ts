import type { Renderer } from "../../render/renderer.ts";

/** A line about columns without which the table is not what was asked for: with `--quiet` too. */
export function leftOutLines(renderer: Renderer): readonly string[] {
  const names = renderer.leftOut?.() ?? [];
  if (names.length === 0) return [];
  return [`dexdata: no room for ${names.join(", ")}; -o wide shows all, beyond the window`];
}

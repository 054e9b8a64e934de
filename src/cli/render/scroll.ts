import type { Key } from "../../base/context/context.ts";
import { ellipsis, separator } from "./values/width.ts";

/** Which part of a long list a live screen shows, and whether it shows its keys. */
export function createScroll() {
  let [first, page, last, isHelpShown] = [0, 1, 0, false];
  return {
    key: (key: Key): void => {
      if (key === "?") isHelpShown = !isHelpShown;
      const steps = { up: -1, down: 1, "page-up": -page, "page-down": page, home: -first, end: last - first };
      const step = new Map<string, number>(Object.entries(steps)).get(key) ?? 0;
      first = Math.max(0, Math.min(last, first + step));
    },
    /** The index of the first visible line. */
    first: (lines: number, visible: number): number => {
      page = Math.max(1, visible);
      last = Math.max(0, lines - visible);
      first = Math.min(first, last);
      return first;
    },
    isHelpShown: () => isHelpShown,
  };
}

export function keysLine(isUnicode: boolean, others: readonly string[] = ["s sort"]): string {
  const arrows = isUnicode ? "↑ ↓ PgUp PgDn scroll" : "arrows PgUp PgDn scroll";
  return ["q quit", ...others, arrows, "? hide keys"].join(separator(isUnicode));
}

/** `… 12 more lines` at the top of the list, and `lines 5–20 of 50` below it. */
export function restLine(first: number, visible: number, lines: number, isUnicode: boolean): string {
  if (first === 0) return `${ellipsis(isUnicode)} ${lines - visible} more lines`;
  return `lines ${first + 1}${isUnicode ? "–" : "-"}${first + visible} of ${lines}`;
}

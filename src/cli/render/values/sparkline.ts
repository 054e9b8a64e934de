/** Without the full block, which would touch the line above. */
const unicode = "▁▂▃▄▅▆▇";
/** Ordered by each character's height on the line. */
const ascii = "_.-'";

/**
 * Draws one character per value, from lowest to highest, and a space for a missing value. If all values are equal, they
 * are drawn at the bottom.
 */
export function sparkline(values: readonly (number | undefined)[], isUnicode: boolean): string {
  const levels = isUnicode ? unicode : ascii;
  const known = values.filter((value) => value !== undefined);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const range = most - least;
  const levelOf = (value: number): number =>
    range > 0 ? Math.round(((value - least) / range) * (levels.length - 1)) : 0;
  return values.map((value) => (value === undefined ? " " : levels.charAt(levelOf(value)))).join("");
}

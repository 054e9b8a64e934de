const unicode = "▁▂▃▄▅▆▇█";
/** In the order of the height at which each character appears on its line. */
const ascii = "_.-'";

/**
 * One character per value, the lowest at the bottom and the highest at the top, a space for a missing one. Equal values
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

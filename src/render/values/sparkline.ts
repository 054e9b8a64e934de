const unicode = "▁▂▃▄▅▆▇█";
/** As high as the characters of a line stand. */
const ascii = "_.-'";

/**
 * One character a value, the lowest at the bottom and the highest at the top, a blank where there is none; values that
 * did not move lie low.
 */
export function sparkline(values: readonly (number | undefined)[], isUnicode: boolean): string {
  const levels = isUnicode ? unicode : ascii;
  const known = values.filter((value) => value !== undefined);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const range = most - least;
  return values
    .map((value) => {
      if (value === undefined) return " ";
      const level = range > 0 ? Math.round(((value - least) / range) * (levels.length - 1)) : 0;
      return levels.charAt(level);
    })
    .join("");
}

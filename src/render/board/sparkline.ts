const unicode = "▁▂▃▄▅▆▇█";
/** As high as the characters of a line stand. */
const ascii = "_.-'";

/** One character a value, the lowest at the bottom and the highest at the top; a value that did not move lies low. */
export function sparkline(values: readonly number[], isUnicode: boolean): string {
  const levels = isUnicode ? unicode : ascii;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const range = most - least;
  return values
    .map((value) => {
      const level = range > 0 ? Math.round(((value - least) / range) * (levels.length - 1)) : 0;
      return levels.charAt(level);
    })
    .join("");
}

const on: readonly string[] = ["1", "true", "t", "yes", "y", "on"];
const off: readonly string[] = ["false", "f", "no", "n", "off", "none"];

/** In any case. Undefined for other words, because guessing could turn simulated data on or off unnoticed. */
export function readSwitch(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (on.includes(word)) return true;
  return off.includes(word) || /^0+$/u.test(word) ? false : undefined;
}

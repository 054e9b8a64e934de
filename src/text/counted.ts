/** Formats a number with a noun: `1,234 events`, `1 event`. */
export function counted(number: number, noun: string): string {
  return `${grouped(String(number))} ${noun}${number === 1 ? "" : "s"}`;
}

/** Formats a string of digits with thousands separators: `1,234,567`. */
export function grouped(digits: string): string {
  return digits.replaceAll(/\B(?=(\d{3})+$)/gu, ",");
}

/** Formats a time in milliseconds since the epoch for messages and for `--events`. */
export function instant(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

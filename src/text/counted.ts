/** `1,234 events`, `1 event`. */
export function counted(number: number, noun: string): string {
  return `${grouped(String(number))} ${noun}${number === 1 ? "" : "s"}`;
}

/** `1,234,567`, from digits alone. */
export function grouped(digits: string): string {
  return digits.replaceAll(/\B(?=(\d{3})+$)/gu, ",");
}

/** An instant in milliseconds since the epoch, as lines on stderr and in `--events` say it. */
export function instant(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** A time to wait, never said shorter than it is. */
export function seconds(milliseconds: number): string {
  return `${Math.ceil(milliseconds / 1000)} s`;
}

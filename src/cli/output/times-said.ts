/** An instant in milliseconds since the epoch, as lines on stderr and in `--events` say it. */
export function instant(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** A time to wait, never said shorter than it is. */
export function seconds(milliseconds: number): string {
  return `${Math.ceil(milliseconds / 1000)} s`;
}

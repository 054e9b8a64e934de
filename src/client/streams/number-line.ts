import { fields, valueOf } from "./field-names.ts";

/** An `id:` line that says a number, as most do: read where it lies, without a search for its end. */
export interface NumberLine {
  /** Bytes that the line takes with its LF where it is such a one; else 0. */
  readonly lengthAt: (chunk: Buffer, at: number) => number;
  /** What the last one said. */
  readonly value: () => number;
}

const [LF, ZERO] = [0x0a, 0x30];
/** Of a number that keeps all of them. */
const mostDigits = 15;

/** Only of a number without zeros before it, which is written in one way. */
export function createNumberLine(): NumberLine {
  let value = Number.NaN;
  return {
    value: () => value,
    lengthAt: (chunk, at) => {
      const from = valueOf(fields.id, chunk, at);
      if (from === -1) return 0;
      let end = from;
      let number = 0;
      for (let digit = digitAt(chunk, end); digit >= 0; digit = digitAt(chunk, end)) {
        number = 10 * number + digit;
        end += 1;
      }
      const digits = end - from;
      const isWhole = digits === 1 || (digits > 1 && digits <= mostDigits && chunk[from] !== ZERO);
      if (!isWhole || chunk[end] !== LF) return 0;
      value = number;
      return end + 1 - at;
    },
  };
}

/** Negative where none stands there. */
function digitAt(chunk: Buffer, at: number): number {
  const digit = (chunk[at] ?? LF) - ZERO;
  return digit <= 9 ? digit : -1;
}

/** A number as its sign, the digits without leading zeros, and the power of ten of the first digit. */
interface Parts {
  readonly sign: -1 | 0 | 1;
  readonly digits: string;
  readonly exponent: bigint;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,20}))?$/u;

function partsOf(text: string): Parts | undefined {
  const match = NUMBER.exec(text);
  if (match === null) return undefined;
  const [, minus, whole = "", fraction = "", power = "0"] = match;
  const all = whole + fraction;
  const zeros = /^0*/u.exec(all)?.[0].length ?? 0;
  if (zeros === all.length) return { sign: 0, digits: "", exponent: 0n };
  const exponent = BigInt(whole.length - zeros) + BigInt(power);
  return { sign: minus === "" ? 1 : -1, digits: all.slice(zeros), exponent };
}

/** Compares two numbers in all their digits, whatever their exponents. Undefined if a text is not a number. */
export function compareDecimals(one: string, other: string): number | undefined {
  if (!NUMBER.test(one) || !NUMBER.test(other)) return undefined;
  // Rounding to doubles can make different numbers equal, but it never changes their order.
  const [near, nearOther] = [Number(one), Number(other)];
  if (near !== nearOther) return near < nearOther ? -1 : 1;
  if (one === other) return 0;
  const [a, b] = [partsOf(one), partsOf(other)];
  if (a === undefined || b === undefined) return undefined;
  if (a.sign !== b.sign || a.sign === 0) return a.sign - b.sign;
  if (a.exponent !== b.exponent) return a.exponent < b.exponent ? -a.sign : a.sign;
  const width = Math.max(a.digits.length, b.digits.length);
  const [left, right] = [a.digits.padEnd(width, "0"), b.digits.padEnd(width, "0")];
  if (left === right) return 0;
  return left < right ? -a.sign : a.sign;
}

/** The number of digits before the decimal point when the number is written without an exponent. */
export function wholeDigits(text: string): bigint {
  const exponent = partsOf(text)?.exponent ?? 0n;
  return exponent > 0n ? exponent : 0n;
}

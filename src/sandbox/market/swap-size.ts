const SIZES = 4096;
const SPREAD = 1.4;

/** Multiples of the middle size: a log-normal law, so that most swaps are small and a few make the volume. */
const table = makeTable();

/** @param word any 32-bit integer */
export function swapSize(word: number): number {
  const place = (word >>> 20) & (SIZES - 1);
  const part = (word & 0xfffff) / 0x100000;
  const from = table[place] ?? 1;
  return from + ((table[place + 1] ?? from) - from) * part;
}

function makeTable(): Float64Array {
  const sizes = new Float64Array(SIZES + 1);
  for (let index = 0; index <= SIZES; index += 1) {
    sizes[index] = Math.exp(SPREAD * normalQuantile((index + 0.5) / (SIZES + 1)));
  }
  return sizes;
}

/** Winitzki's approximation of the inverse error function, to about two digits: enough for a shape. */
function normalQuantile(share: number): number {
  const side = 2 * share - 1;
  const logarithm = Math.log(1 - side * side);
  const half = 2 / (Math.PI * 0.147) + logarithm / 2;
  return Math.sign(side) * Math.SQRT2 * Math.sqrt(Math.sqrt(half * half - logarithm / 0.147) - half);
}

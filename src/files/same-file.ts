import type { BigIntStats } from "node:fs";

/**
 * Whether two looks were at one file, however it was named. Of a volume Windows tells 64 bits to who asks by name, and
 * 32 to who asks by an open file.
 */
export function isSameFile(
  one: Pick<BigIntStats, "dev" | "ino">,
  other: Pick<BigIntStats, "dev" | "ino">,
): boolean {
  return one.ino === other.ino && BigInt.asUintN(32, one.dev) === BigInt.asUintN(32, other.dev);
}

import { statSync } from "node:fs";
import { fileOf } from "../file-pattern.ts";

/** What a part of a file's name lasts at least, in milliseconds, and for how many of those earlier files are looked for. */
const spans: readonly (readonly [part: string, milliseconds: number, most: number])[] = [
  ["M", 60_000, 3000],
  ["H", 3_600_000, 3000],
  ["d", 86_400_000, 1000],
  ["m", 27 * 86_400_000, 40],
  ["Y", 365 * 86_400_000, 10],
];

/** The newest file of such a name that holds something; undefined where there is none. */
export function newestFile(pattern: string, now: number): string | undefined {
  const parts = [...pattern.matchAll(/%(.)/gsu)].map(([, part]) => part);
  const [, step, most] = spans.find(([part]) => parts.includes(part)) ?? ["", 0, 0];
  for (let back = 0; back <= most; back += 1) {
    const file = fileOf(pattern, now - back * step);
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0) return file;
  }
  return undefined;
}

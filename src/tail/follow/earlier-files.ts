import { readdirSync, type Stats, statSync } from "node:fs";
import path from "node:path";
import { fileOf } from "../file-pattern.ts";

/** What a part of a file's name lasts at least, in milliseconds, and for how many of those earlier files are looked for. */
const spans: readonly (readonly [part: string, milliseconds: number, most: number])[] = [
  ["M", 60_000, 3000],
  ["H", 3_600_000, 3000],
  ["d", 86_400_000, 1000],
  ["m", 27 * 86_400_000, 40],
  ["Y", 365 * 86_400_000, 10],
];

/** What logrotate puts behind a name: `.1`, with `dateext` `-20261121`, and perhaps what it was compressed with. */
const movedAway = /^[.-]\d[\d-]*(?:\.(?:gz|bz2|xz|zst))?$/u;

/** The newest file of such a name that holds something; undefined where there is none. */
export function newestFile(pattern: string, now: number): string | undefined {
  const file = fileOf(pattern, now);
  if (isWritten(found(file))) return file;
  const moved = newestMoved(file);
  if (moved !== undefined) return moved;
  const parts = [...pattern.matchAll(/%(.)/gsu)].map(([, part]) => part);
  const [, step, most] = spans.find(([part]) => parts.includes(part)) ?? ["", 0, 0];
  for (let back = 1; back <= most; back += 1) {
    const earlier = fileOf(pattern, now - back * step);
    if (isWritten(found(earlier))) return earlier;
  }
  return undefined;
}

/** Where what the file held is after it was moved away: its newest, that was written to last. */
function newestMoved(file: string): string | undefined {
  const [folder, name] = [path.dirname(file), path.basename(file)];
  let newest: { readonly file: string; readonly at: number } | undefined;
  for (const entry of readdirSync(folder)) {
    if (!entry.startsWith(name) || !movedAway.test(entry.slice(name.length))) continue;
    const moved = path.join(folder, entry);
    const stats = found(moved);
    if (isWritten(stats) && stats.mtimeMs > (newest?.at ?? 0)) newest = { file: moved, at: stats.mtimeMs };
  }
  return newest?.file;
}

function found(file: string): Stats | undefined {
  return statSync(file, { throwIfNoEntry: false });
}

function isWritten(stats: Stats | undefined): stats is Stats {
  return stats?.isFile() === true && stats.size > 0;
}

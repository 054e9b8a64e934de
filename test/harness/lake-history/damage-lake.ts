import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { dataFiles } from "../lake.ts";

/** What people, disks and other programs do to a file. Only `flip` needs `--force` to be found. */
const damages = {
  delete: (file: string) => rmSync(file),
  empty: (file: string) => truncateSync(file, 0),
  truncate: (file: string, random: () => number) =>
    truncateSync(file, Math.floor(random() * readFileSync(file).length)),
  exchange: (file: string, _random: () => number, other: string) => copyFileSync(other, file),
  flip: (file: string, random: () => number) => {
    const bytes = readFileSync(file);
    const at = 4 + Math.floor(random() * Math.max(1, bytes.length - 8));
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    writeFileSync(file, bytes);
  },
} as const;

export type Damage = keyof typeof damages;

/** Damages one file of the directory. Undefined if it has none. */
export function damageLake(root: string, random: () => number): Damage | undefined {
  const files = dataFiles(root).map((name) => path.join(root, name));
  const drawn = (): string | undefined => files[Math.floor(random() * files.length)];
  const [file, other] = [drawn(), drawn()];
  if (file === undefined || other === undefined) return undefined;
  const kinds = ["delete", "empty", "truncate", "flip", "exchange"] as const;
  const name = kinds[Math.floor(random() * (file === other ? 4 : 5))] ?? "flip";
  damages[name](file, random, other);
  return name;
}

import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { makeFolder } from "../src/model/make-folder.ts";
import type { CodeKeeping } from "./code-cache.ts";
import { stampOf } from "./code-stamp.ts";

/** Once a run is over, for the next one. A full disk or a home that cannot be written to is no failure. */
export function writeCode({ folder, isNew, compiled }: CodeKeeping): void {
  try {
    const isMade = makeFolder(folder, 0o700);
    if (isNew || isMade) removeOlderCode(folder);
    for (const { name, script, changed } of compiled) {
      const code = script.createCachedData();
      replace(path.join(folder, name), Buffer.concat([stampOf(code, changed), code]));
    }
  } catch {
    // The next run compiles as this one did.
  }
}

/** Whole or not at all, whoever else writes it now. */
function replace(file: string, content: Buffer): void {
  const staged = `${file}.${process.pid}-${process.hrtime.bigint().toString(36)}`;
  try {
    writeFileSync(staged, content, { mode: 0o600, flag: "wx" });
    renameSync(staged, file);
  } catch (cause) {
    rmSync(staged, { force: true });
    throw cause;
  }
}

const month = 30 * 24 * 60 * 60 * 1000;

/** Of an earlier build in the same place, and what no program has written to for a month. */
function removeOlderCode(folder: string): void {
  const [parent, name] = [path.dirname(folder), path.basename(folder)];
  const place = name.slice(0, name.indexOf("-", "code-".length) + 1);
  for (const other of readdirSync(parent).filter((each) => each.startsWith("code-") && each !== name)) {
    const isOld = Date.now() - statSync(path.join(parent, other)).mtimeMs > month;
    if (isOld || other.startsWith(place)) rmSync(path.join(parent, other), { recursive: true, force: true });
  }
}

import { createHash } from "node:crypto";
import path from "node:path";
import type { Context } from "../../base/context/context.ts";
import { findFolders } from "../folders.ts";
import { makeFolder, namesIn } from "../../base/files/paths.ts";
import { replaceWithText } from "../../base/files/replace-file.ts";
import { readJsonFile } from "../../base/files/json-file.ts";

type Surroundings = Pick<Context, "env" | "platform">;
type Caching = Surroundings & Pick<Context, "clock" | "random">;

/** In milliseconds. */
const lifetime = 24 * 60 * 60 * 1000;

/** Rows of texts without tabs. */
export type CachedRows = readonly (readonly string[])[];

/** Undefined after a day. */
export function readCachedList(context: Caching, name: string): CachedRows | undefined {
  const kept = readKept(fileOf(context, name));
  const age = context.clock.now() - (kept?.at ?? Number.NaN);
  return age >= 0 && age < lifetime ? kept?.rows : undefined;
}

/**
 * Ignores age and host: completions may be inexact, other hosts are rare, and determining the current one would take
 * too long at a shell prompt.
 */
export function readNewestList(context: Surroundings, ending: string): CachedRows {
  const folder = findFolders(context).cache;
  let newest: ReturnType<typeof readKept>;
  for (const name of namesIn(folder).filter((each) => /^list-[\da-f]+\.json$/u.test(each))) {
    const kept = readKept(path.join(folder, name));
    if (kept?.name.endsWith(ending) === true && kept.at > (newest?.at ?? 0)) newest = kept;
  }
  return newest?.rows ?? [];
}

/** The cache is only used for suggestions, so a directory that is not writable is not an error. */
export function writeCachedList(context: Caching, name: string, rows: CachedRows): void {
  const file = fileOf(context, name);
  try {
    makeFolder(path.dirname(file), 0o700);
    const texts = rows.map((row) => row.join("\t"));
    const content = JSON.stringify({ name, at: context.clock.now(), texts });
    replaceWithText(context.random, file, content, { mode: 0o600 });
  } catch {
    // If the list was not saved, the next run requests it again.
  }
}

/** Named after a hash, because the list's name contains a URL. */
function fileOf(context: Caching, name: string): string {
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 16);
  return path.join(findFolders(context).cache, `list-${hash}.json`);
}

function readKept(location: string) {
  const file = readJsonFile(location);
  if (file.state !== "read") return undefined;
  const { name, at, texts } = file.object;
  if (!Array.isArray(texts)) return undefined;
  return { name: String(name), at: Number(at), rows: texts.map((text) => String(text).split("\t")) };
}

export function listEnding(id: string, network: string | undefined): string {
  return ` ${id} ${network ?? ""}`;
}

import { createHash } from "node:crypto";
import { readdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import type { Context } from "../context/context.ts";
import { findFolders } from "./folders.ts";
import { makeFolder } from "../files/make-folder.ts";
import { stageFile } from "../files/staged-file.ts";
import { readJsonFile } from "../files/read-json-file.ts";

type Surroundings = Pick<Context, "env" | "platform">;
type Caching = Surroundings & Pick<Context, "clock" | "random">;

/** Milliseconds that a list of the service stays good enough for suggestions. */
const lifetime = 24 * 60 * 60 * 1000;

/** The texts kept under that name, if they are younger than a day. */
export function readCachedList(context: Caching, name: string): readonly string[] | undefined {
  const kept = readKept(fileOf(context, name));
  const age = context.clock.now() - (kept?.at ?? Number.NaN);
  return age >= 0 && age < lifetime ? kept?.texts : undefined;
}

/**
 * The newest of the lists whose names end so, however old: what is offered to be typed need not be as good as what is
 * said of a mistake. Lists of other hosts than the configured one count too; they are rare, and which one would be
 * asked takes more than a shell waits for.
 */
export function readNewestList(context: Surroundings, ending: string): readonly string[] {
  const folder = findFolders(context).cache;
  let newest: KeptTexts | undefined;
  for (const name of listsIn(folder)) {
    const kept = readKept(path.join(folder, name));
    if (kept?.name.endsWith(ending) === true && kept.at > (newest?.at ?? 0)) newest = kept;
  }
  return newest?.texts ?? [];
}

/** Kept for suggestions only, so a folder that cannot be written to is no failure. */
export function writeCachedList(context: Caching, name: string, texts: readonly string[]): void {
  const file = fileOf(context, name);
  let staged: string | undefined;
  try {
    makeFolder(path.dirname(file), 0o700);
    const content = JSON.stringify({ name, at: context.clock.now(), texts });
    staged = stageFile(context.random, file, content, { mode: 0o600 });
    renameSync(staged, file);
  } catch {
    // The next run asks again.
    if (staged !== undefined) rmSync(staged, { force: true });
  }
}

/** Names hold a URL, so the file is named by their hash. */
function fileOf(context: Caching, name: string): string {
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 16);
  return path.join(findFolders(context).cache, `list-${hash}.json`);
}

interface KeptTexts {
  readonly name: string;
  readonly at: number;
  readonly texts: readonly string[];
}

function readKept(location: string): KeptTexts | undefined {
  const file = readJsonFile(location);
  if (file.state !== "read") return undefined;
  const { name, at, texts } = file.object;
  return Array.isArray(texts) ? { name: String(name), at: Number(at), texts: texts.map(String) } : undefined;
}

function listsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => /^list-[\da-f]+\.json$/u.test(name));
  } catch {
    return [];
  }
}

import { createHash } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Context } from "../model/context.ts";
import { findFolders } from "./folders.ts";
import { readJsonFile } from "./read-json-file.ts";

type Caching = Pick<Context, "env" | "platform" | "clock" | "random">;

/** Milliseconds that a list of the service stays good enough for suggestions. */
const lifetime = 24 * 60 * 60 * 1000;

/** The texts kept under that name, if they are younger than a day. */
export function readCachedList(context: Caching, name: string): readonly string[] | undefined {
  const file = readJsonFile(fileOf(context, name));
  if (file.state !== "read") return undefined;
  const { at, texts } = file.object;
  const age = context.clock.now() - Number(at);
  if (!Array.isArray(texts) || !(age >= 0 && age < lifetime)) return undefined;
  return texts.map(String);
}

/** Kept for suggestions only, so a folder that cannot be written to is no failure. */
export function writeCachedList(context: Caching, name: string, texts: readonly string[]): void {
  const file = fileOf(context, name);
  const staged = `${file}.${Math.floor(context.random() * 1e9)}`;
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(staged, JSON.stringify({ name, at: context.clock.now(), texts }));
    renameSync(staged, file);
  } catch {
    // The next run asks again.
  }
}

/** Names hold a URL, so the file is named by their hash. */
function fileOf(context: Caching, name: string): string {
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 16);
  return path.join(findFolders(context).cache, `list-${hash}.json`);
}

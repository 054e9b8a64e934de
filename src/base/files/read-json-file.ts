import { readFileSync, statSync } from "node:fs";
import { CLOSE_ARRAY, CLOSE_OBJECT, eachOutsideStrings, OPEN_ARRAY, OPEN_OBJECT } from "../json/json-scan.ts";
import { isObject } from "../json/raw-json.ts";
import { cannotBeRead, errorCode } from "./file-errors.ts";

export type JsonFile =
  | { readonly state: "absent" }
  /** `mode` contains the permission bits. */
  | { readonly state: "read"; readonly object: Readonly<Record<string, unknown>>; readonly mode: number }
  /** `problem` starts with the path. It never quotes the content, which may contain a key. */
  | { readonly state: "broken"; readonly problem: string };

/** dexdata's own files are a few hundred bytes long. Any other file at this path must not fill the memory. */
const MAX_BYTES = 1024 * 1024;

export function readJsonFile(path: string): JsonFile {
  const broken = (why: string): JsonFile => ({ state: "broken", problem: `${path} ${why}` });
  let text: string;
  let mode: number;
  try {
    const stat = statSync(path);
    // Reading from a pipe could block forever.
    if (!stat.isFile()) return broken("is not a file");
    if (stat.size > MAX_BYTES)
      return broken(`is larger than ${MAX_BYTES / 1024 / 1024} MiB, the limit for this file`);
    text = readFileSync(path, "utf8");
    mode = stat.mode & 0o777;
  } catch (error) {
    return errorCode(error) === "ENOENT" ? { state: "absent" } : broken(cannotBeRead(error));
  }
  try {
    if (isDeep(text)) return broken(`is nested deeper than ${maxDepth} levels`);
    const parsed: unknown = JSON.parse(text.replace(/^\uFEFF/u, ""));
    return isObject(parsed) ? { state: "read", object: parsed, mode } : broken("is not a JSON object");
  } catch {
    // The parser's message is not used, because it quotes the text around the error.
    return broken("is not valid JSON");
  }
}

/** dexdata's files have three levels. JSON.stringify and String recurse and could overflow the stack. */
const maxDepth = 100;

/** Throws a SyntaxError if a string in the text is unterminated. */
function isDeep(text: string): boolean {
  let depth = 0;
  eachOutsideStrings(text, (code, at) => {
    if (code === OPEN_ARRAY || code === OPEN_OBJECT) depth += 1;
    if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth -= 1;
    // Skips the rest of the text once the limit is exceeded.
    return depth > maxDepth ? text.length : at;
  });
  return depth > maxDepth;
}

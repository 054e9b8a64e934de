import { readFileSync, statSync } from "node:fs";
import { errorCode } from "./error-code.ts";
import { cannotBeRead } from "./file-fault.ts";

/** What stands in a file that holds one JSON object. */
export type JsonFile =
  | { readonly state: "absent" }
  /** `mode`: the permission bits. */
  | { readonly state: "read"; readonly object: Readonly<Record<string, unknown>>; readonly mode: number }
  /** `problem` begins with the path and never quotes the content: it may hold a key. */
  | { readonly state: "broken"; readonly problem: string };

/** Ours are a few hundred bytes; something else at that path must not fill memory. */
const MAX_BYTES = 1024 * 1024;

export function readJsonFile(path: string): JsonFile {
  const broken = (why: string): JsonFile => ({ state: "broken", problem: `${path} ${why}` });
  let text: string;
  let mode: number;
  try {
    const stat = statSync(path);
    // Reading a pipe would wait for ever.
    if (!stat.isFile()) return broken("is not a file");
    if (stat.size > MAX_BYTES) return broken("is too large to be ours");
    text = readFileSync(path, "utf8");
    mode = stat.mode & 0o777;
  } catch (error) {
    return errorCode(error) === "ENOENT" ? { state: "absent" } : broken(cannotBeRead(error));
  }
  if (isDeep(text)) return broken(`is nested deeper than ${maxDepth} levels`);
  try {
    const parsed: unknown = JSON.parse(text.replace(/^\uFEFF/u, ""));
    return isObject(parsed) ? { state: "read", object: parsed, mode } : broken("is not a JSON object");
  } catch {
    // The parser's own message quotes the text around the fault.
    return broken("is not JSON");
  }
}

/** Files of this program have three. JSON.stringify and String call themselves once per level, until the stack is full. */
const maxDepth = 100;

const [quote, backslash] = [34, 92];
const [openArray, closeArray, openObject, closeObject] = [91, 93, 123, 125];

function isDeep(text: string): boolean {
  let [depth, isText] = [0, false];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) isText = !isText;
    else if (isText) index += code === backslash ? 1 : 0;
    else if (code === openArray || code === openObject) depth += 1;
    else if (code === closeArray || code === closeObject) depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

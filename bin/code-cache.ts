import { lstatSync, readFileSync, statSync } from "node:fs";
import Module, { createRequire } from "node:module";
import path from "node:path";
import vm from "node:vm";
import { version } from "../src/model/version.ts";
import { findFolders } from "../src/settings/folders.ts";
import { makeFolder } from "../src/model/make-folder.ts";
import { codeStart, isStamped } from "./code-stamp.ts";

/** What `node:module` has from 22.1 on: a cache of its own. */
interface CachingLoader {
  readonly enableCompileCache: (folder: string) => unknown;
}

const compileMethod = "_compile";

/** What it has beside its types: how a CommonJS file is compiled and run. */
interface Loader {
  readonly wrap: (content: string) => string;
  readonly prototype: { [compileMethod]: (this: NodeModule, content: string, file: string) => unknown };
}

/** What a run had to compile, to be kept for the next one when its work is done. */
export interface CodeKeeping {
  readonly folder: string;
  /** It was made by this run, for the first time since the program was built here. */
  readonly isNew: boolean;
  readonly compiled: readonly CompiledChunk[];
}

export interface CompiledChunk {
  readonly name: string;
  readonly script: vm.Script;
  /** When its file was last changed, milliseconds. */
  readonly changed: number;
}

/**
 * Keeps the compiled code of this program's chunks: a short command spends a quarter of its time on compiling. Call it
 * when V8's flags are set, for code is good under the flags it was compiled with only, which V8 checks; `flags`: those of
 * them that the program set itself. It never makes a run fail: where nothing can be kept, chunks are compiled as ever.
 */
export function keepCompiledCode(entry: string, flags: readonly string[]): CodeKeeping | undefined {
  // Node's own variable for a cache of its own. Coverage is less exact in code that is not compiled anew.
  if (isSet("NODE_DISABLE_COMPILE_CACHE") || isSet("NODE_V8_COVERAGE")) return undefined;
  const folder = folderOf(entry, flags);
  if (folder === undefined || !isOursAlone(folder)) return undefined;
  if (isCachingLoader(Module)) return keepByNode(Module, folder);
  return isLoader(Module) ? keepByHand(Module, entry, folder) : undefined;
}

function isCachingLoader(module: object): module is CachingLoader {
  return "enableCompileCache" in module;
}

function isLoader(module: { readonly prototype: object }): module is Loader {
  return "wrap" in module && compileMethod in module.prototype;
}

/** When the work is done. */
export async function saveCompiledCode(keeping: CodeKeeping | undefined): Promise<void> {
  if (keeping === undefined || (keeping.compiled.length === 0 && !keeping.isNew)) return;
  const { writeCode } = await import("./write-code.ts");
  writeCode(keeping);
}

const isSet = (name: string): boolean => (process.env[name] ?? "") !== "";

/** `code-PLACE-BUILD`: one for every place of the program under every Node and its flags, until it is built anew there. */
function folderOf(entry: string, flags: readonly string[]): string | undefined {
  const built = statSync(entry, { throwIfNoEntry: false })?.mtimeMs;
  if (built === undefined) return undefined;
  const { cache } = findFolders({ env: process.env, platform: process.platform });
  const place = [entry, process.version, process.arch, ...process.execArgv, ...flags].join("\0");
  return path.join(cache, `code-${sumOfText(place)}-${version}-${Math.floor(built)}`);
}

function sumOfText(text: string): string {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0;
  return (sum >>> 0).toString(36);
}

/** V8 runs the code it is given as it is, so nobody else may have written there. True where there is no folder yet. */
function isOursAlone(folder: string): boolean {
  try {
    const found = lstatSync(folder, { throwIfNoEntry: false });
    // Windows keeps a home for its user by other means.
    if (found === undefined || process.geteuid === undefined) return true;
    return found.isDirectory() && found.uid === process.geteuid() && (found.mode & 0o022) === 0;
  } catch {
    return false;
  }
}

/** It would make a folder that others may read into. */
function keepByNode({ enableCompileCache }: CachingLoader, folder: string): CodeKeeping | undefined {
  try {
    const isNew = makeFolder(folder, 0o700);
    enableCompileCache(folder);
    return { folder, isNew, compiled: [] };
  } catch {
    return undefined;
  }
}

function keepByHand({ prototype, wrap }: Loader, entry: string, folder: string): CodeKeeping {
  const chunks = path.dirname(entry);
  const { cache } = createRequire(entry);
  const compile = prototype[compileMethod];
  const compiled: CompiledChunk[] = [];
  prototype[compileMethod] = function (content, filename): unknown {
    if (path.dirname(filename) !== chunks) return compile.call(this, content, filename);
    const name = path.basename(filename);
    const changed = Math.floor(statSync(filename).mtimeMs);
    const cachedData = readCode(path.join(folder, name), changed);
    const script = new vm.Script(wrap(content), {
      filename,
      ...(cachedData !== undefined && { cachedData }),
    });
    if (cachedData === undefined || script.cachedDataRejected === true)
      compiled.push({ name, script, changed });
    const run: unknown = script.runInThisContext();
    if (typeof run !== "function") throw new TypeError(`${filename} is no module`);
    const require = (id: string): unknown =>
      id.startsWith("./") ? requireChunk(path.join(chunks, id)) : this.require(id);
    return run.call(this.exports, this.exports, require, this, filename, chunks);
  };
  // As Node's own would, but for all that it looks up for each file (real path, folders, package.json): 4 ms of a run.
  const requireChunk = (file: string): unknown => {
    const known = cache[file];
    if (known !== undefined) return known.exports;
    const chunk = new Module(file);
    cache[file] = chunk;
    prototype[compileMethod].call(chunk, readFileSync(file, "utf8"), file);
    chunk.loaded = true;
    return chunk.exports;
  };
  return { folder, isNew: false, compiled };
}

/** The code that was compiled from the file as it stands; undefined where there is none, or not all of it. */
function readCode(file: string, changed: number): Buffer | undefined {
  try {
    const bytes = readFileSync(file);
    const code = bytes.subarray(codeStart);
    return isStamped(bytes, code, changed) ? code : undefined;
  } catch {
    return undefined;
  }
}

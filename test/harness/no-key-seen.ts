import childProcess, { ChildProcess } from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { searchFolder, startSearch } from "./key-search.ts";

/**
 * Applies to every test: searches all output of the program and of child processes, in streams and in files of the
 * temporary directory, for keys (promise 1), and fails the test or file in which it finds one. Programs whose name
 * begins with `key` print one on purpose.
 */
const sightings: string[] = [];
let [bytes, files] = [0, 0];

/** Returns and clears the sightings since the last call: a test that writes a key on purpose calls it. */
export function takeSightings(): readonly string[] {
  return sightings.splice(0);
}

/** Returns a listener for the chunks of one output. */
export function watchOutput(name: string): (chunk: Buffer) => void {
  const { see } = startSearch();
  return (chunk) => {
    bytes += chunk.length;
    const seen = see(chunk);
    if (seen !== undefined) sightings.push(`${name}: ${seen}`);
  };
}

/** Call this after each test. */
export function failWhenSeen(): void {
  const seen = takeSightings();
  if (seen.length > 0) throw new Error(`a key was written:\n${seen.join("\n")}`);
}

/** Call this after each test file, when its own hooks have removed its directories. */
export function endSearch(): void {
  failWhenSeen();
  fs.appendFileSync(path.join(tmpdir(), "searched.ndjson"), `${JSON.stringify({ bytes, files })}\n`);
  [bytes, files] = [0, 0];
}

interface Spawned {
  readonly file?: string;
  readonly args?: readonly string[];
}

const spawn: unknown = Reflect.get(ChildProcess.prototype, "spawn");
if (typeof spawn !== "function") throw new Error("spawn is no method");
Reflect.set(ChildProcess.prototype, "spawn", function watched(this: ChildProcess, options: Spawned): unknown {
  const result: unknown = Reflect.apply(spawn, this, [options]);
  if (!printsKeys(options)) {
    const words = options.args?.join(" ") ?? "";
    tap(this.stdout, `stdout of ${words}`);
    tap(this.stderr, `stderr of ${words}`);
  }
  return result;
});

function printsKeys({ file = "", args = [] }: Spawned): boolean {
  return [file, ...args].some((word) => path.basename(word).startsWith("key"));
}

/** A listener would make the stream flow, and change a test of a slow reader. */
function tap(stream: Readable | null, name: string): void {
  if (stream === null) return;
  const watch = watchOutput(name);
  const push = stream.push.bind(stream);
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (Buffer.isBuffer(chunk)) watch(chunk);
    return push(chunk, encoding);
  };
}

for (const name of ["spawnSync", "execFileSync", "execSync"] as const) {
  const original: unknown = Reflect.get(childProcess, name);
  if (typeof original !== "function") throw new Error(`${name} is no function`);
  Reflect.set(childProcess, name, (...given: unknown[]): unknown => {
    const result: unknown = Reflect.apply(original, childProcess, given);
    const watch = watchOutput(`output of ${String(given[0])} ${String(given[1])}`);
    for (const output of outputsOf(result)) watch(Buffer.from(output));
    return result;
  });
}

function outputsOf(result: unknown): readonly (string | Buffer)[] {
  if (typeof result === "string" || Buffer.isBuffer(result)) return [result];
  if (typeof result !== "object" || result === null) return [];
  return Object.entries(result)
    .filter(([name]) => name === "stdout" || name === "stderr")
    .flatMap(([, value]) => outputsOf(value));
}

const { rmSync } = fs;
fs.rmSync = (target, options) => {
  const isFolder =
    options?.recursive === true && fs.statSync(target, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder === true) {
    const searched = searchFolder(String(target));
    sightings.push(...searched.sightings);
    bytes += searched.bytes;
    files += searched.files;
  }
  rmSync(target, options);
};

// `import { rmSync } from "node:fs"` binds a copy, which only this call updates.
syncBuiltinESMExports();

import { readFileSync } from "node:fs";
import path from "node:path";
import { defineConfig, type Plugin } from "rolldown";
import { chunkGroups } from "./bin/build/chunks.ts";
import { preparedHelp } from "./bin/build/prepared-help.ts";
import { allCommands } from "./src/program/all-commands.ts";
import { manPage } from "./src/program/help/man-page.ts";
import { declarations, sandboxDeclarations } from "./src/library/declarations.ts";
import { thirdPartyLicenses } from "./bin/build/third-party-licenses.ts";

const version = /"version": "(.+)"/.exec(readFileSync("package.json", "utf8"))?.[1] ?? "";

/**
 * What packages load at their start and this program never comes to: HTTP/2 (8 ms, off unless asked for), bodies that
 * are forms, and subcommands that are programs of their own (6 ms). To come there all the same is an error that says so.
 */
const leftOut: Plugin = {
  name: "left-out",
  resolveId: (id, importer = "") => {
    const isUndici = /node_modules[\\/]undici[\\/]/u.test(importer);
    if (isUndici && /(?:client-h2|web\/fetch\/body)\.js$/u.test(id)) return "\0left-out";
    // Types, encodings and codecs that our Parquet files do not have: a fifth of the two libraries.
    const isParquet = /node_modules[\\/]hyparquet(?:-writer)?[\\/]/u.test(importer);
    const isUnused = /\/(?:variant|wkb|geospatial|geoparquet|delta|snappy|splitstream)\.js$/u.test(id);
    if (isParquet && isUnused) return "\0left-out";
    // A module of its own, or commander would load undici for it.
    if (id === "node:child_process" && /node_modules[\\/]commander[\\/]/u.test(importer))
      return "\0left-out-of-commander";
    return undefined;
  },
  load: (id) =>
    id.startsWith("\0left-out")
      ? 'module.exports = () => { throw new Error("this part of a package is left out of the build"); };'
      : undefined,
};

/** The manual is written for everybody, and the same whenever it is built. */
const anybodys = {
  env: { HOME: "/home/you" },
  platform: "linux",
  clock: { now: () => Date.UTC(2026, 10, 21, 8, 54) },
};

const source = (file: string): string => readFileSync(`src/${file}`, "utf8");

/** What belongs to the package beside its programs, made from the same contract. */
const packageFiles: Plugin = {
  name: "package-files",
  generateBundle() {
    const library = declarations(source("library/public-types.ts"));
    const sandbox = sandboxDeclarations(
      ["sandbox/received-request.ts", "library/sandbox-types.ts"].map(source),
    );
    this.emitFile({ type: "asset", fileName: "library.d.cts", source: library });
    this.emitFile({ type: "asset", fileName: "sandbox.d.cts", source: sandbox });
    this.emitFile({ type: "asset", fileName: "dexdata.1", source: manPage(allCommands, version, anybodys) });
  },
};

/** What of Node undici loads at its start for one class and one number: 6 ms for http, 2 ms for assert. */
const standIns: Readonly<Record<string, string>> = {
  "node:http": "module.exports = { IncomingMessage: class IncomingMessage {}, maxHeaderSize: 16384 };",
  "node:assert":
    'module.exports = (holds, why) => { if (!holds) throw Object.assign(new Error(why ?? "undici: an assertion failed"), { code: "ERR_ASSERTION" }); };',
};

/** undici has its parser twice, with and without SIMD, and 70 kB each. The one without runs on every machine. */
const oneParser: Plugin = {
  name: "one-parser",
  resolveId: (id, importer = "") =>
    id.endsWith("llhttp_simd-wasm.js")
      ? path.resolve(path.dirname(importer), id.replace("llhttp_simd-wasm.js", "llhttp-wasm.js"))
      : undefined,
};

const standIn: Plugin = {
  name: "stand-in",
  resolveId: (id, importer = "") =>
    id in standIns && /node_modules[\\/]undici[\\/]/u.test(importer) ? `\0stand-in:${id}` : undefined,
  load: (id) => (id.startsWith("\0stand-in:") ? standIns[id.slice("\0stand-in:".length)] : undefined),
};

/**
 * Node's modules that many chunks name and few runs come to: each is loaded where something of it is first used. Only
 * their named imports: what follows a default import is another form.
 */
const late: Plugin = {
  name: "late",
  renderChunk: (code) =>
    code.replaceAll(
      /^let (\w+) = require\("(node:(?:crypto|zlib|os|tty|fs\/promises|timers\/promises))"\);$(?!\n\1 = )/gmu,
      'let $1 = new Proxy({}, { get: (_, name) => require("$2")[name] });',
    ),
};

/**
 * V8 parses an arrow function once with its file, and again when it is called. A function in parentheses is compiled
 * with its file, so that Node 22 and later keep it in their compile cache. undici has 24 modules, each in such a function.
 */
const eagerModules: Plugin = {
  name: "eager-modules",
  renderChunk: (code) => code.replaceAll(/\(\(\((exports(?:, module)?)\) => \{/gu, "((function ($1) {"),
};

// CommonJS chunks start a few milliseconds sooner than ES modules, and a command loads only the
// chunks it needs: every `import()` in the source becomes a chunk of its own.
export default defineConfig({
  input: { dexdata: "bin/dexdata.ts", library: "bin/library.ts", sandbox: "bin/sandbox.ts" },
  platform: "node",
  logLevel: "silent",
  plugins: [leftOut, standIn, oneParser, late, eagerModules, packageFiles, preparedHelp, thirdPartyLicenses],
  transform: { define: { DEXDATA_VERSION: JSON.stringify(version) } },
  output: {
    dir: "dist",
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    cleanDir: true,
    // Half of it to fetch, and to read at each start. Functions keep their names, so that a trace says where it broke.
    minify: { mangle: { keepNames: true }, compress: true, codegen: { removeWhitespace: true } },
    codeSplitting: { groups: chunkGroups },
  },
});

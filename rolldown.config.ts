import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "rolldown";
import { chunkGroups, readableChunks } from "./bin/build/chunks.ts";
import { allCommands } from "./src/cli/all-commands.ts";
import { manPage } from "./src/cli/program/help/man-page.ts";
import { preparedFile } from "./src/cli/help-page.ts";
import { preparedPage, preparedWords } from "./src/cli/program/help/print-help.ts";
import { declarations, sandboxDeclarations } from "./src/library/declarations.ts";
import { thirdPartyLicenses } from "./bin/build/third-party-licenses.ts";

const version = /"version": "(.+)"/.exec(readFileSync("package.json", "utf8"))?.[1] ?? "";

/**
 * Parts of packages that would be loaded at startup although this program never uses them: HTTP/2 (8 ms, off by
 * default), form bodies, and subcommands that are separate programs (6 ms). Using one throws an error that says so.
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
    // A validator of JSON Schema, 0.15 MB. Settings are checked before conf writes them.
    const isConf = /node_modules[\\/]conf[\\/]/u.test(importer);
    if (isConf && /^ajv(?:-formats$|\/)/u.test(id)) return "\0left-out";
    // A separate module, or commander would load undici for it.
    if (id === "node:child_process" && /node_modules[\\/]commander[\\/]/u.test(importer))
      return "\0left-out-of-commander";
    return undefined;
  },
  load: (id) =>
    id.startsWith("\0left-out")
      ? 'module.exports = () => { throw new Error("this part of a package is left out of the build"); };'
      : undefined,
};

/** The manual does not depend on who builds it, or when. */
const anyUser = {
  env: { HOME: "/home/you" },
  platform: "linux",
  clock: { now: () => Date.UTC(2026, 10, 21, 8, 54) },
};

const source = (file: string): string => readFileSync(`src/${file}`, "utf8");

/** The other files of the package, generated from the same contract as its programs. */
export const packageFiles: Plugin = {
  name: "package-files",
  generateBundle() {
    const library = declarations(source("library/public-types.ts"));
    const sandbox = sandboxDeclarations(
      ["sandbox/received-request.ts", "library/sandbox-types.ts"].map(source),
    );
    this.emitFile({ type: "asset", fileName: "library.d.cts", source: library });
    this.emitFile({ type: "asset", fileName: "sandbox.d.cts", source: sandbox });
    // `man` reads compressed pages. Uncompressed, this would be the largest text of the package.
    const manual = gzipSync(manPage(allCommands, version, anyUser));
    this.emitFile({ type: "asset", fileName: "dexdata.1.gz", source: manual });
    for (const words of preparedWords(allCommands)) {
      const fileName = preparedFile(words === "" ? [] : words.split(" "));
      this.emitFile({ type: "asset", fileName, source: JSON.stringify(preparedPage(allCommands, words)) });
    }
  },
};

/** Node modules that undici loads at startup for only a class, a number and a check: 6 ms for http, 2 ms for assert. */
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
 * Many chunks import these Node modules, but few runs use them, so each is loaded on first use (11 ms for one pool). Only
 * named imports are changed, because a default import is compiled differently.
 */
const late: Plugin = {
  name: "late",
  renderChunk: (code) =>
    code.replaceAll(
      /^let (\w+) = require\("(node:(?:crypto|zlib|os|tty|v8|vm|fs\/promises|timers\/promises))"\);$(?!\n\1 = )/gmu,
      'let $1 = new Proxy({}, { get: (_, name) => require("$2")[name] });',
    ),
};

export const programPlugins: readonly Plugin[] = [leftOut, standIn, oneParser, late, readableChunks];

export const shared = {
  platform: "node",
  logLevel: "silent",
  transform: { define: { DEXDATA_VERSION: JSON.stringify(version) } },
} as const;

// CommonJS chunks load a few milliseconds faster than ES modules. A command loads only the chunks it needs, because each
// `import()` in the source becomes a separate chunk.
export default defineConfig({
  ...shared,
  input: { dexdata: "bin/dexdata.ts", library: "bin/library.ts", sandbox: "bin/sandbox.ts" },
  plugins: [...programPlugins, packageFiles, thirdPartyLicenses],
  output: {
    dir: "dist",
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    cleanDir: true,
    minify: false, // see readableChunks
    codeSplitting: { groups: chunkGroups },
  },
});

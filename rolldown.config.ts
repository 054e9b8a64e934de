import { readFileSync } from "node:fs";
import { defineConfig } from "rolldown";

const version = /"version": "(.+)"/.exec(readFileSync("package.json", "utf8"))?.[1];

// CommonJS chunks start a few milliseconds sooner than ES modules, and a command loads only the
// chunks it needs: every `import()` in the source becomes a chunk of its own.
export default defineConfig({
  input: { dexdata: "bin/dexdata.ts" },
  platform: "node",
  transform: { define: { DEXDATA_VERSION: JSON.stringify(version) } },
  output: {
    dir: "dist",
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    cleanDir: true,
    // Named after what they hold, so that a glance at dist, and the test of what a command loads, can tell.
    codeSplitting: {
      groups: ["undici", "zod", "commander", "cli-table3", "chalk", "ora", "conf"].map((name) => ({
        name,
        test: new RegExp(`node_modules[\\\\/]${name}[\\\\/]`),
      })),
    },
  },
});

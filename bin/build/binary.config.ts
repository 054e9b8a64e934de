import path from "node:path";
import { defineConfig, type Plugin } from "rolldown";
import { packageFiles, programPlugins, shared } from "../../rolldown.config.ts";
import { thirdPartyLicenses } from "./third-party-licenses.ts";

/** The executable has its files inside, and Node compiles its script during the build. */
const replaced: Readonly<Record<string, string>> = {
  "package-file.ts":
    'import { getAsset } from "node:sea"; export const readPackageFile = (name) => getAsset(name, "utf8");',
  "compile-cache.ts": "export const enableCompileCache = () => false;",
};

const singleFile: Plugin = {
  name: "single-file",
  load: (id) => (path.dirname(id) === path.resolve("bin") ? replaced[path.basename(id)] : undefined),
};

export default defineConfig({
  ...shared,
  input: { dexdata: "bin/dexdata.ts" },
  plugins: [singleFile, ...programPlugins, packageFiles, thirdPartyLicenses],
  output: {
    dir: "build/dist",
    format: "cjs",
    entryFileNames: "[name].cjs",
    cleanDir: true,
    minify: false,
    codeSplitting: false,
  },
});

import { defineConfig } from "rolldown";

// Node 20 cannot run TypeScript.
export default defineConfig({
  input: { "check-live": "test/live/check-live.ts" },
  platform: "node",
  logLevel: "silent",
  output: { dir: "coverage", format: "esm", entryFileNames: "[name].mjs" },
});

import { defineConfig } from "rolldown";

/** Node 20 runs no TypeScript: the check is bundled first, without the packages it stands on. */
export default defineConfig({
  input: "test/mutations/main.ts",
  platform: "node",
  logLevel: "silent",
  external: /^(?!\.{0,2}\/)/u,
  output: { file: "coverage/mutations.mjs", format: "esm", codeSplitting: false },
});

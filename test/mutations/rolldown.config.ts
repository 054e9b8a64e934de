import { defineConfig } from "rolldown";

/** Node 20 cannot run TypeScript, so the check is bundled first, without its packages. */
export default defineConfig({
  input: "test/mutations/main.ts",
  platform: "node",
  logLevel: "silent",
  external: /^(?!\.{0,2}\/)/u,
  output: { file: "coverage/mutations.mjs", format: "esm", codeSplitting: false },
});

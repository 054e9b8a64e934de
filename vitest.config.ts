import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["test/harness/global-setup.ts"],
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/harness/no-public-host.ts"],
    // Real sockets and child processes on two cores: generous, but a hang still ends.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "forks",
    reporters: process.env["CI"] === undefined ? ["default"] : ["default", "json"],
    outputFile: { json: "coverage/results.json" },
  },
});

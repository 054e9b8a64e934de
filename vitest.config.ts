import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["test/harness/global-setup.ts"],
    include: ["test/**/*.test.ts"],
    setupFiles: "test/harness/setup.ts",
    // Real sockets and child processes on two cores: generous, but a hang still ends.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    // Half of the time is waiting: on clocks, sockets and other processes.
    maxWorkers: availableParallelism() + 2,
    reporters: process.env["CI"] === undefined ? ["default"] : ["default", "json"],
    outputFile: { json: "coverage/results.json" },
  },
});

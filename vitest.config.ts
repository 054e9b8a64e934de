import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Tests that wait for about a minute. If one of them starts last, the others are done, and the processors idle. */
const waiting = [
  "tail/follow-disturbed.slow",
  "tail/blind-runs.slow",
  "end-to-end/stream-soak",
  "end-to-end/long-pulls",
];

const isWaiting = ({ moduleId }: TestSpecification): boolean =>
  waiting.some((name) => moduleId.includes(name));

class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- vitest's own method, which returns a promise
    const sorted = await super.sort(files);
    return sorted.toSorted((left, right) => Number(isWaiting(right)) - Number(isWaiting(left)));
  }
}

export default defineConfig({
  test: {
    globalSetup: ["test/harness/global-setup.ts"],
    include: ["test/**/*.test.ts"],
    setupFiles: "test/harness/setup.ts",
    // Real sockets and child processes on two cores: generous, but a hang still ends.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    // Garbage takes a tenth of the time by default: more processes than processors, each with threads for it.
    execArgv: ["--max-semi-space-size=64", "--single-threaded-gc"],
    // Half of the time is waiting: on clocks, sockets and other processes.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: WaitingFirst },
    reporters: process.env["CI"] === undefined ? ["default"] : ["default", "json"],
    outputFile: { json: "coverage/results.json" },
  },
});

/** What the tests use of the sandbox, as one bundle; see bundled-sandbox.ts. */
export { handle } from "../../src/sandbox/handle.ts";
export { startSandbox } from "../../src/sandbox/server.ts";
export { createSandboxState } from "../../src/sandbox/state.ts";
export { answerWithFaults } from "../../src/sandbox/faults/answer-with-faults.ts";
export { createFaultCounter } from "../../src/sandbox/faults/fault-counter.ts";
export { isFaultProblem, parseFaults } from "../../src/sandbox/faults/parse-faults.ts";

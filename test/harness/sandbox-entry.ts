/** The parts of the sandbox that the tests use, as one bundle; see bundled-sandbox.ts. */
export { startLibrarySandbox } from "../../src/library/start-library-sandbox.ts";
export { handle } from "../../src/sandbox/handle.ts";
export { startSandbox } from "../../src/sandbox/server.ts";
export { createSandboxState } from "../../src/sandbox/state.ts";
export { answerWithFaults } from "../../src/sandbox/faults/faulty-answer.ts";
export { createFaultCounter } from "../../src/sandbox/faults/due-faults.ts";
export { isFaultProblem, parseFaults } from "../../src/sandbox/faults/parse-faults.ts";
export { createMarket } from "../../src/sandbox/market/market.ts";

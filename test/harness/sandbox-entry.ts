import {
  answerWithFaults as answerInSteps,
  type FaultyResponse,
} from "../../src/sandbox/apply-faults/faulty-answer.ts";
import { handle as handleInSteps } from "../../src/sandbox/handle.ts";
import { startSandbox as startInDialect, type RunningSandbox } from "../../src/sandbox/server.ts";
import type { SandboxOptions, SandboxRequest, SandboxResponse } from "../../src/sandbox/sandbox-exchange.ts";
import { createSandboxState as createInDialect, type SandboxState } from "../../src/sandbox/service/state.ts";
import { finish } from "../../src/sandbox/work.ts";

/** The parts of the sandbox that the tests use, as one bundle; see bundled-sandbox.ts. */
export { startLibrarySandbox } from "../../src/library/start-library-sandbox.ts";
export { openStream } from "../../src/sandbox/streams/open-stream.ts";
export { plainDecimal, sourceOf } from "../../src/sandbox/streams/feed-events.ts";
export { StreamHub } from "../../src/sandbox/streams/stream-hub.ts";
export { createFaultCounter } from "../../src/sandbox/faults/due-faults.ts";
export { parseFaults } from "../../src/sandbox/parse-faults.ts";
export { createMarket, createNewMarket } from "./shared-market.ts";

export { handleInSteps };

/** Tests follow the specification unless they name the public dialect, which is the default for users. */
export function createSandboxState(options: SandboxOptions): SandboxState {
  return createInDialect({ dialect: "spec", ...options });
}

export async function startSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  return await startInDialect({ dialect: "spec", ...options });
}

export function handle(request: SandboxRequest, state: SandboxState): SandboxResponse {
  return finish(handleInSteps(request, state));
}

export function answerWithFaults(request: SandboxRequest, state: SandboxState): FaultyResponse {
  return finish(answerInSteps(request, state));
}

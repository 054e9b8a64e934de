import type { RunningSandbox } from "../../src/sandbox/server.ts";
import { parseFaults, startSandbox } from "./bundled-sandbox.ts";

/** Starts a sandbox without a rate limit, whose clock the test moves; `faults` as in `--faults`, none if empty. */
export async function startFaultySandbox(now: () => number, faults = ""): Promise<RunningSandbox> {
  const parsed = faults === "" ? undefined : parseFaults(faults);
  return await startSandbox({
    now,
    elapsed: () => performance.now(),
    requestsPerMinute: Number.POSITIVE_INFINITY,
    ...(parsed !== undefined && { faults: parsed }),
  });
}

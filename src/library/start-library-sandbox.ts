import type { Clock } from "../base/context/context.ts";
import { invalidInput, usageFailure } from "../base/failure.ts";
import { isTier, type Tier, tiers } from "../api/tier.ts";
import { errorCode } from "../base/files/file-errors.ts";
import { connectionOf, environmentOf } from "../sandbox/caller-access.ts";
import type { ReceivedRequest } from "../sandbox/received-request.ts";
import { startSandbox } from "../sandbox/server.ts";
import { wholeNumber } from "./check-options.ts";
import { readFaults, readSandboxOptions } from "./read-sandbox-options.ts";
import type { Sandbox, SandboxOptions } from "./sandbox-types.ts";

/** Milliseconds. JavaScript has no later dates that RFC 3339 can express. */
const endOfTime = Date.parse("9999-12-31T23:59:59Z");

export async function startLibrarySandbox(
  clock: Pick<Clock, "now" | "elapsed">,
  options: SandboxOptions = {},
): Promise<Sandbox> {
  const { begin, speed, ...service } = readSandboxOptions(options, clock.now());
  const started = clock.elapsed();
  let advanced = 0;
  const now = (): number => begin + (clock.elapsed() - started) * speed + advanced;
  let requests: ReceivedRequest[] = [];
  const running = await startSandbox({
    ...service,
    now,
    elapsed: () => clock.elapsed() + advanced,
    log: (request) => requests.push(request),
  }).catch((cause: unknown) => {
    if (!["EADDRINUSE", "EACCES"].includes(errorCode(cause))) throw cause;
    throw usageFailure(
      `port ${service.port}: it or one of the next three ports is in use or not allowed`,
      "choose another port, or omit it to use free ports",
    );
  });
  const { restFree, restPaid, streamFree, streamPaid, keys, setFaults, close } = running;
  return {
    urls: { restFree, restPaid, streamingFree: streamFree, streamingPaid: streamPaid },
    keys,
    clientOptions: (tier = "pro") => {
      const { rest, streaming, key } = connectionOf(running, knownTier(tier));
      const target = { tier, baseUrl: rest, streamingUrl: streaming, now: () => new Date(now()) };
      return key === undefined ? target : { ...target, apiKey: key };
    },
    environment: (tier = "pro") => {
      // Without it, other processes follow the real clock, which never stops. An empty variable counts as unset.
      const isReal = options.clock === undefined && speed === 1 && advanced === 0;
      const DEXDATA_NOW = isReal ? "" : new Date(now()).toISOString();
      return { ...environmentOf(running, knownTier(tier)), DEXDATA_NOW };
    },
    now: () => new Date(now()),
    advance: (milliseconds) => {
      const left = Math.max(0, Math.floor(endOfTime - now()));
      advanced += wholeNumber("milliseconds", milliseconds, 0, left);
    },
    setFaults: (faults) => setFaults(readFaults(faults)),
    takeRequests: () => {
      const taken = requests;
      requests = [];
      return taken;
    },
    close,
  };
}

function knownTier(tier: string): Tier {
  if (isTier(tier)) return tier;
  throw invalidInput(`tier "${tier}"`, `must be one of ${tiers.join(", ")}`);
}

import type { Clock } from "../base/context/context.ts";
import { invalidInput, usageFailure } from "../base/failure.ts";
import { tiers } from "../api/tier.ts";
import { errorCode } from "../base/files/file-errors.ts";
import { connectionOf, environmentOf } from "../sandbox/caller-access.ts";
import type { Faults } from "../sandbox/fault-kinds.ts";
import { parseFaults } from "../sandbox/parse-faults.ts";
import { formatInstant } from "../base/time/time.ts";
import { readInstant } from "../api/read-param.ts";
import type { ReceivedRequest } from "../sandbox/received-request.ts";
import { startSandbox } from "../sandbox/server.ts";
import { checkNames, oneOf, orUnlimited, wholeNumber } from "./check-options.ts";
import { timeText } from "./read-params.ts";
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
  const requests: ReceivedRequest[] = [];
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
      const { rest, streaming, key } = connectionOf(running, oneOf("tier", tier, tiers));
      const target = { tier, baseUrl: rest, streamingUrl: streaming, now: () => new Date(now()) };
      return key === undefined ? target : { ...target, apiKey: key };
    },
    environment: (tier = "pro") => {
      // Without it, other processes follow the real clock, which never stops. An empty variable counts as unset.
      const isReal = options.clock === undefined && speed === 1 && advanced === 0;
      const DEXDATA_NOW = isReal ? "" : new Date(now()).toISOString();
      return { ...environmentOf(running, oneOf("tier", tier, tiers)), DEXDATA_NOW };
    },
    now: () => new Date(now()),
    advance: (milliseconds) => {
      const left = Math.max(0, Math.floor(endOfTime - now()));
      advanced += wholeNumber("milliseconds", milliseconds, 0, left);
    },
    setFaults: (faults) => setFaults(readFaults(faults)),
    takeRequests: () => requests.splice(0),
    close,
  };
}

/** Milliseconds. A timer cannot wait much longer. */
const maxDuration = 86_400_000;
/** A larger limit would have no additional effect. */
const maxCredits = 1_000_000_000_000;

const optionNames = Object.keys({
  clock: true,
  speed: true,
  seed: true,
  faults: true,
  dialect: true,
  rpm: true,
  minute: true,
  credits: true,
  packs: true,
  overageCap: true,
  latency: true,
  port: true,
} satisfies Readonly<Record<keyof SandboxOptions, true>>);

/** `now` is in milliseconds since the epoch. */
function readSandboxOptions(options: SandboxOptions, now: number) {
  checkNames(options, "option", optionNames, "startSandbox");
  const { speed = 1, dialect = "public", rpm, credits, overageCap } = options;
  const { seed = 1, minute = 60_000, packs = 0, latency = 0, port = 0 } = options;
  amount("speed", speed, 1_000_000, "a number such as 0, 1 or 60");
  return {
    begin: options.clock === undefined ? now : readClock(options.clock, now),
    speed,
    faults: readFaults(options.faults),
    seed: wholeNumber("seed", seed, 0, 4_294_967_295),
    dialect: oneOf("dialect", dialect, ["spec", "public"]),
    minuteMs: wholeNumber("minute", minute, 1, maxDuration),
    packs: wholeNumber("packs", packs, 0, maxCredits),
    latencyMs: wholeNumber("latency", latency, 0, maxDuration),
    port: wholeNumber("port", port, 0, 65_532),
    ...(rpm !== undefined && {
      requestsPerMinute:
        rpm === "unlimited" ? Number.POSITIVE_INFINITY : wholeNumber("rpm", rpm, 1, maxCredits, orUnlimited),
    }),
    ...(credits !== undefined && { credits: wholeNumber("credits", credits, 0, maxCredits) }),
    ...(overageCap !== undefined && {
      overageCapUsd: amount("overageCap", overageCap, 1_000_000_000, "an amount in USD, such as 20 or 0.5"),
    }),
  };
}

function readFaults(faults: SandboxOptions["faults"] = []): Faults {
  const list: readonly unknown[] = [faults].flat();
  const wrong = list.findIndex((each) => typeof each !== "string");
  if (wrong >= 0)
    throw invalidInput(`faults "${String(list[wrong])}"`, "must be a string, or an array of strings");
  const text = list.join(",");
  return text === "" ? [] : parseFaults(text, "faults");
}

function readClock(clock: NonNullable<SandboxOptions["clock"]>, now: number): number {
  const text = timeText("clock", clock);
  return Date.parse(formatInstant(readInstant(`clock "${text}"`, text, now)));
}

function amount(name: string, value: number, max: number, accepted: string): number {
  if (typeof value === "number" && value >= 0 && value < max) return value;
  throw invalidInput(name, `must be ${accepted}`);
}

import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { constants } from "node:os";
import { type Context, isInterruption } from "../../context/context.ts";
import { usageFailure } from "../../contract/failure.ts";
import { withoutSecrets } from "../../contract/key.ts";
import { formatInstant, parseTimeBound } from "../../time/time.ts";
import type { RunningSandbox } from "../../sandbox/server.ts";
import { errorCode } from "../../files/error-code.ts";
import { cannotBeStarted, cannotBeWritten } from "../../files/file-fault.ts";
import { say } from "../say.ts";
import type { FlagValues } from "../flags/flags.ts";
import { readCount, readFileName, readText } from "../flags/read-flag.ts";
import { readSpeed } from "../flags/read-speed.ts";
import { readServiceOptions } from "./sandbox-options.ts";

/** Serves until a signal ends it, or for as long as one command runs inside. */
export async function runSandbox(
  words: readonly string[],
  flags: FlagValues,
  context: Context,
): Promise<number> {
  const seed = readCount(flags, "seed", { min: 0, max: 4_294_967_295 }) ?? 1;
  const port = readCount(flags, "port", { min: 0, max: 65_532 }) ?? 4747;
  const begin = readClock(flags, context);
  const speed = readSpeed(flags) ?? 1;
  const started = context.clock.elapsed();
  const now = (): number => begin + (context.clock.elapsed() - started) * speed;
  const service = readServiceOptions(flags);
  const log = openLog(flags, context);
  const { startSandbox } = await import("../../sandbox/server.ts");
  const isCommand = words.length > 0;
  const sandbox = await startSandbox({
    seed,
    now,
    elapsed: context.clock.elapsed,
    port: isCommand && flags["port"] === undefined ? 0 : port,
    ...(log !== undefined && { log }),
    ...service,
  }).catch((cause: unknown) => {
    throw portFailure(cause, port);
  });
  try {
    if (isCommand) return await runInside(words, sandbox, context);
    const from = formatInstant({ seconds: Math.floor(begin / 1000), fraction: "" });
    await context.stdout.write(flags["env"] === true ? exportLines(sandbox) : welcome(sandbox, seed, from));
    await context.clock.sleep(Number.POSITIVE_INFINITY, context.signal);
    return 0;
  } finally {
    await sandbox.close();
  }
}

function welcome(sandbox: RunningSandbox, seed: number, from: string): string {
  const keys = Object.entries(sandbox.keys).map(([tier, key]) => `  ${tier.padEnd(10)} ${key}`);
  const settings = Object.entries(environment(sandbox)).map(([name, value]) => `${name}=${value}`);
  return `${[
    `dexdata sandbox: simulated data, seed ${seed}, from ${from}`,
    "",
    `  REST, keyless and free             ${sandbox.restFree}`,
    `  REST, dev, pro and enterprise      ${sandbox.restPaid}`,
    `  streams, keyless and free          ${sandbox.streamFree}`,
    `  streams, dev, pro and enterprise   ${sandbox.streamPaid}`,
    "",
    "keys",
    ...keys,
    "",
    "in another terminal",
    `  ${settings.join(" ")} dexdata pools search ethereum`,
    "",
    "Ctrl-C stops it",
  ].join("\n")}\n`;
}

function exportLines(sandbox: RunningSandbox): string {
  return Object.entries(environment(sandbox))
    .map(([name, value]) => `export ${name}=${value}\n`)
    .join("");
}

/** What makes dexdata, or a test of somebody's own client, ask the sandbox as a Pro customer. */
function environment(sandbox: RunningSandbox): Readonly<Record<string, string>> {
  return {
    DEXDATA_BASE_URL: sandbox.restFree,
    DEXDATA_PRO_BASE_URL: sandbox.restPaid,
    DEXDATA_STREAMING_URL: sandbox.streamFree,
    DEXDATA_STREAMING_PRO_URL: sandbox.streamPaid,
    DEXDATA_API_KEY: sandbox.keys.pro,
    DEXDATA_TIER: "pro",
  };
}

/** Runs one command with the sandbox's addresses in its environment, and ends as it ends. */
async function runInside(
  words: readonly string[],
  sandbox: RunningSandbox,
  context: Context,
): Promise<number> {
  const [command = "", ...args] = words;
  // Otherwise a dexdata inside would start a sandbox of its own.
  const env = { ...context.env, DEXDATA_SANDBOX: "", ...environment(sandbox) };
  const child = spawn(command, args, { stdio: "inherit", env });
  const stop = (): void => {
    const { reason }: { reason: unknown } = context.signal;
    const cause = isInterruption(reason) ? reason.cause : undefined;
    // Ctrl-C and Ctrl-\ reach everything in the terminal; twice would make the command inside give up at once.
    if (cause !== "SIGINT" && cause !== "SIGQUIT") child.kill("SIGTERM");
    else if (!context.stdin.isTerminal) child.kill(cause);
  };
  context.signal.addEventListener("abort", stop);
  return await new Promise<number>((resolve, reject) => {
    child.once("error", (cause) => reject(usageFailure(`"${command}": ${cannotBeStarted(cause)}`)));
    // Codes of a foreign command are its own; they are passed on as they are, a signal as a shell would.
    child.once("exit", (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  }).finally(() => context.signal.removeEventListener("abort", stop));
}

/** A file that cannot be opened is refused; one that fails later, on a full disk, is said once and served on. */
function openLog(flags: FlagValues, context: Context): ((line: string) => void) | undefined {
  const path = readFileName(flags, "log");
  if (path === undefined) return undefined;
  const append = (text: string): string | undefined => {
    try {
      appendFileSync(path, text);
      return undefined;
    } catch (cause) {
      return `--log "${withoutSecrets(path)}": ${cannotBeWritten(cause)}`;
    }
  };
  const refused = append("");
  if (refused !== undefined) throw usageFailure(refused);
  let isSaid = false;
  return (line) => {
    const problem = append(`${line}\n`);
    if (problem === undefined || isSaid) return;
    isSaid = true;
    void say(context, `dexdata: ${problem}; serving goes on`).catch(() => undefined);
  };
}

function readClock(flags: FlagValues, context: Context): number {
  const typed = readText(flags, "clock");
  if (typed === undefined) return context.clock.now();
  const instant = parseTimeBound(typed, context.clock.now());
  if ("problem" in instant) throw usageFailure(`--clock "${typed}": ${instant.problem}`, instant.next);
  return instant.seconds * 1000;
}

function portFailure(cause: unknown, port: number): unknown {
  if (!["EADDRINUSE", "EACCES"].includes(errorCode(cause))) return cause;
  return usageFailure(
    `ports ${port} to ${port + 3} cannot be used: one is taken or not allowed`,
    "choose others with --port, or any free ones with --port 0",
  );
}

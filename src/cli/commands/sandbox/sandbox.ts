import { spawn } from "node:child_process";
import { constants } from "node:os";
import { type Context, isInterruption } from "../../../base/context/context.ts";
import { usageFailure } from "../../../base/failure.ts";
import { withoutSecrets } from "../../../base/key.ts";
import { readReplacedClock } from "../../../client/settings.ts";
import { showSeconds } from "../../../base/time/time.ts";
import { environmentOf } from "../../../sandbox/caller-access.ts";
import { defaultSettings, type SandboxSettings } from "../../../sandbox/sandbox-exchange.ts";
import type { RunningSandbox } from "../../../sandbox/server.ts";
import { cannotBeStarted, errorCode } from "../../../base/files/file-errors.ts";
import { openLogFile } from "../../../base/files/log-file.ts";
import { writeWarning } from "../../run/report.ts";
import { readNow } from "../../run/run-options.ts";
import type { Input } from "../command.ts";
import type { SandboxFlags } from "./sandbox-flags.ts";

/** Runs the sandbox until a signal arrives, or while the given command runs. */
export async function runSandbox(
  { words, flags, typed }: Input<SandboxFlags>,
  context: Context,
): Promise<number> {
  const { seed, port, speed } = flags;
  const real = context.clock.now();
  // Like --sandbox, the service and the command in it share this time.
  const begin =
    flags.clock === undefined ? readNow({}, context) : readReplacedClock("--clock", flags.clock, real);
  const started = context.clock.elapsed();
  const now = (): number => begin + (context.clock.elapsed() - started) * speed;
  const { startSandbox } = await import("../../../sandbox/server.ts");
  const isCommand = words.length > 0;
  if (isCommand && flags.env === true)
    throw usageFailure(
      "--env cannot be used with a command, which gets these variables anyway",
      "leave out --env",
    );
  const sandbox = await startSandbox({
    seed,
    now,
    elapsed: context.clock.elapsed,
    port: isCommand && !typed.has("port") ? 0 : port,
    log: openLog(flags.log, context),
    requestsPerMinute: flags.rpm,
    minuteMs: flags.minute ?? defaultSettings.minuteMs,
    credits: flags.credits,
    packs: flags.packs ?? defaultSettings.packs,
    overageCapUsd: flags["overage-cap"],
    latencyMs: flags.latency ?? defaultSettings.latencyMs,
    dialect: flags.dialect,
    faults: flags.faults ?? [],
  }).catch((cause: unknown) => {
    if (!["EADDRINUSE", "EACCES"].includes(errorCode(cause))) throw cause;
    throw usageFailure(
      `cannot use ports ${port} to ${port + 3}: one is in use or not allowed`,
      "choose other ports with --port, or free ones with --port 0",
    );
  });
  try {
    const from = showSeconds(begin / 1000);
    // Otherwise a command that looks for the rows of the last hour would request them from another time.
    const clock = flags.clock === undefined ? {} : { DEXDATA_NOW: from };
    if (isCommand) return await runInside(words, { ...environmentOf(sandbox, "pro"), ...clock }, context);
    const exports = assignments(sandbox).map((assignment) => `export ${assignment}\n`);
    await context.stdout.write(flags.env === true ? exports.join("") : welcome(sandbox, seed, from));
    await context.clock.sleep(Number.POSITIVE_INFINITY, context.signal);
    return 0;
  } finally {
    await sandbox.close();
  }
}

function welcome(sandbox: RunningSandbox, seed: number, from: string): string {
  const keys = Object.entries(sandbox.keys).map(([tier, key]) => `  ${tier.padEnd(10)} ${key}`);
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
    `  ${assignments(sandbox).join(" ")} dexdata pools search ethereum`,
    "",
    "press Ctrl-C to stop",
  ].join("\n")}\n`;
}

const assignments = (sandbox: RunningSandbox): readonly string[] =>
  Object.entries(environmentOf(sandbox, "pro")).map(([name, value]) => `${name}=${value}`);

const afterDashes = "check the command after --";

async function runInside(
  words: readonly string[],
  access: Readonly<Record<string, string>>,
  context: Context,
): Promise<number> {
  const [command = "", ...args] = words;
  if (command === "") throw usageFailure("missing command", afterDashes);
  // Without this, DEXDATA_SANDBOX would make a dexdata process inside the sandbox start a second sandbox.
  const env = { ...context.env, DEXDATA_SANDBOX: "", ...access };
  const child = spawn(command, args, { stdio: "inherit", env });
  const stop = (): void => {
    const { reason }: { reason: unknown } = context.signal;
    const cause = isInterruption(reason) ? reason.cause : undefined;
    // The terminal also sends Ctrl-C and Ctrl-\ to the command, and a second signal would end it immediately.
    if (cause !== "SIGINT" && cause !== "SIGQUIT") child.kill("SIGTERM");
    else if (!context.stdin.isTerminal) child.kill(cause);
  };
  context.signal.addEventListener("abort", stop);
  return await new Promise<number>((resolve, reject) => {
    child.once("error", (cause) =>
      reject(usageFailure(`"${command}" ${cannotBeStarted(cause)}`, afterDashes)),
    );
    // The exit code is passed on unchanged. A signal is converted to an exit code, as in a shell.
    child.once("exit", (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  }).finally(() => context.signal.removeEventListener("abort", stop));
}

/** If writes fail, for example because the disk is full, the first failure is reported and the sandbox continues. */
function openLog(file: string | undefined, context: Context): SandboxSettings["log"] {
  if (file === undefined) return () => undefined;
  const append = openLogFile({
    file,
    label: `--log "${withoutSecrets(file)}"`,
    onProblem: (problem) =>
      void writeWarning(context, `${problem}; the sandbox keeps running`).catch(() => undefined),
  });
  return (request) => void append(`${JSON.stringify(request)}\n`);
}

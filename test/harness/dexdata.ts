import { createRequire } from "node:module";
import { inject } from "vitest";
import { localExits } from "../../src/base/exit-codes.ts";
import type * as entry from "./program-entry.ts";
import { createTestContext, type TestContext, type TestContextOptions } from "./test-context.ts";

/**
 * One bundle for all test files: vitest's loader takes more than a second per file for the program's modules. The
 * mutation tests change single modules, and load them from the sources.
 */
const program =
  process.env["DEXDATA_TEST_SOURCES"] === "1"
    ? await import("./program-entry.ts")
    : // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the bundle that global-setup.ts makes of that very module
      (createRequire(import.meta.url)(inject("bundledProgram")) as typeof entry);

const { allCommands, main, parseCommandLine } = program;
export const { openParquet, readRows, rowRanges, UnreadableParquet } = program;

export interface Outcome {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly context: TestContext;
}

/**
 * The sandbox sends events every 100 ms of real time. A stream for which time passes a thousand times faster gives up a
 * silent connection in less than that, and might never receive an event.
 */
const streamSpeed = 20;

/** Runs the program in this process: the words are split as a shell would, and the test controls everything outside. */
export async function dexdata(
  words: string | readonly string[],
  options: TestContextOptions = {},
): Promise<Outcome> {
  const argv = typeof words === "string" ? words.split(" ").filter((word) => word !== "") : words;
  const isLive = argv.includes("stream") && argv.includes("--sandbox");
  const context = createTestContext({
    ...(isLive && { speed: streamSpeed }),
    ...options,
    env: { LANG: "C.UTF-8", ...options.env },
  });
  return await run(argv, context);
}

/**
 * Runs it with a context that the test has prepared, e.g. a reader that closes or a signal. Sleeps pass a thousand times
 * faster, so the timeout of a request is long unless the test sets one.
 */
export async function run(argv: readonly string[], context: TestContext): Promise<Outcome> {
  const env = { ...context.env, DEXDATA_TIMEOUT: context.env["DEXDATA_TIMEOUT"] ?? "24h" };
  const exit = await main(argv, { ...context, env });
  checkDeclared(exit, argv);
  return { exit, stdout: context.stdoutText(), stderr: context.stderrText(), context };
}

const alwaysDeclared: readonly number[] = localExits.filter((exit) =>
  allCommands.every(({ exits }) => exits.includes(exit)),
);

/** A script that reads `commands -o json` relies on the list. */
function checkDeclared(exit: number, argv: readonly string[]): void {
  // Most runs end like this, and parsing again would take a fortieth of the time of all tests.
  if (alwaysDeclared.includes(exit)) return;
  const { asks } = parseCommandLine(argv, allCommands);
  const command = asks.kind === "command" ? asks.command : undefined;
  if (command?.passesExit === true && argv.includes("--")) return;
  const declared: readonly number[] = command?.exits ?? localExits;
  if (!declared.includes(exit))
    throw new Error(
      `exit ${exit} of "${command?.words ?? "no command"}" is not declared: ${declared.join(", ")}`,
    );
}

import { main } from "../../src/cli/main.ts";
import { createTestContext, type TestContext, type TestContextOptions } from "./test-context.ts";

export interface Outcome {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly context: TestContext;
}

/**
 * One run of the program in this process: words as a shell would split them, everything outside in the test's
 * hands. Sleeps pass a thousand times faster, so the time-out of a request is long unless the test says so.
 */
export async function dexdata(
  words: string | readonly string[],
  options: TestContextOptions = {},
): Promise<Outcome> {
  const argv = typeof words === "string" ? words.split(" ").filter((word) => word !== "") : words;
  const context = createTestContext({
    ...options,
    env: { DEXDATA_TIMEOUT: "24h", LANG: "C.UTF-8", ...options.env },
  });
  return await run(argv, context);
}

/** The same with a context the test has prepared: a reader that closes, a signal that comes. */
export async function run(argv: readonly string[], context: TestContext): Promise<Outcome> {
  const exit = await main(argv, context);
  return { exit, stdout: context.stdoutText(), stderr: context.stderrText(), context };
}

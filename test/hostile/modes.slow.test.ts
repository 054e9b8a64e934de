import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { commands, type HostileCommand } from "../harness/hostile/commands.ts";
import { findForbidden } from "../harness/hostile/forbidden.ts";
import { kinds } from "../harness/hostile/kinds.ts";
import type { Mode } from "../harness/hostile/mode.ts";
import { serveInTest } from "../harness/serve-in-test.ts";

/** A timeout that never occurs and that equals no wait. */
const timeout = 86_399_999;

interface Outcome {
  readonly command: string;
  readonly exit: number;
  readonly says: string | undefined;
  readonly requests: number;
  readonly hasRows: boolean;
  /** A character on stdout or stderr that must not be there. */
  readonly forbidden: string | undefined;
  readonly waits: readonly number[] | undefined;
  readonly hasStack: boolean;
}

/** Returns the outcome of a run with a mode, in the form of the mode's table. */
async function runMode(mode: Mode, command: HostileCommand): Promise<Outcome> {
  const server = await serveInTest((request, index) => mode.reply(command, request, index));
  const { exit, stdout, stderr, context } = await dexdata(
    `${command.words} --error-format text ${mode.flags ?? ""}`,
    {
      env: {
        DEXDATA_TIMEOUT: `${timeout}ms`,
        DEXDATA_BASE_URL: server.url,
        DEXDATA_PRO_BASE_URL: server.url,
        DEXDATA_API_KEY: "api_pro_0123456789",
        DEXDATA_TIER: "pro",
      },
    },
  );
  const asked = server.requests.filter(({ path }, index) => index === 0 || path === server.requests[0]?.path);
  const said = stderr
    .split("\n")
    .filter((line) => /^(?:error|warning): /u.test(line))[0]
    ?.replace(/^\w+: /u, "");
  return {
    command: command.words,
    exit,
    says: said,
    requests: asked.length,
    hasRows: stdout !== "",
    forbidden: findForbidden(stdout + stderr),
    waits: mode.waits === undefined ? undefined : context.clock.asked.filter((each) => each !== timeout),
    hasStack: /\n\s+at |a bug in dexdata/u.test(stderr),
  };
}

describe.each(kinds)("a hostile %s", (_, modes) => {
  test.each(modes.map((mode) => [mode.name, mode] as const))("%s", async (_name, mode) => {
    const { exit, says, requests } = mode.ends;
    const wrong: object[] = [];
    for (const command of commands.filter((each) => mode.isFor?.(each) ?? each.isOfKind)) {
      const outcome = await runMode(mode, command);
      const expected = {
        ...outcome,
        exit,
        requests,
        hasRows: mode.ends.hasRows ?? exit === 0,
        hasStack: false,
        forbidden: undefined,
        waits: mode.waits,
      };
      const isAsSaid = says === undefined ? outcome.says === undefined : says.test(outcome.says ?? "");
      if (!isAsSaid || !isDeepStrictEqual(outcome, expected)) wrong.push(outcome);
    }
    expect({ ends: mode.ends, wrong }).toEqual({ ends: mode.ends, wrong: [] });
  });
});

import { afterEach, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { findForbidden } from "../harness/hostile/forbidden.ts";
import { streamModes } from "../harness/hostile/stream-modes.ts";
import { type ScriptedServer, startScriptedServer } from "../harness/scripted-server.ts";

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

test.each(streamModes.map((mode) => [mode.name, mode] as const))(
  "a hostile stream %s",
  async (_, { reply, exit, says, rows, requests }) => {
    const { url, requests: seen } = (server = await startScriptedServer((_request, index) => reply(index)));
    const outcome = await dexdata(
      "stream ethereum:0xabc --limit 2 --max-reconnects 1 --error-format text --quiet",
      { env: { DEXDATA_STREAMING_URL: url, DEXDATA_BASE_URL: url }, flows: true },
    );
    const lines = outcome.stdout.split("\n").slice(0, -1);
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
    const said = outcome.stderr.split("\n").find((line) => line.startsWith("dexdata: "));
    expect({
      exit: outcome.exit,
      rows: lines.length,
      requests: seen.length,
      forbidden: findForbidden(outcome.stdout + outcome.stderr),
      isBug: /a bug in dexdata|\n\s+at /u.test(outcome.stderr),
    }).toEqual({ exit, rows, requests, forbidden: undefined, isBug: false });
    if (says !== undefined) expect(said?.slice("dexdata: ".length)).toMatch(says);
  },
);

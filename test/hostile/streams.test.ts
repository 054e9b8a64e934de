import { afterEach, describe, expect, test } from "vitest";
import { listen } from "../harness/hostile/hostile-stream.ts";
import { streamModes, withEvents } from "../harness/hostile/stream-modes.ts";
import { type ScriptedServer, startScriptedServer } from "../harness/scripted-server.ts";

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const feeds = [
  ["prices", "token_price"],
  ["ohlcv", "token_ohlcv"],
] as const;

describe.each(feeds)("a hostile stream of %s", (feed, name) => {
  test.each(streamModes.map((mode) => [mode.name, mode] as const))(
    "%s",
    async (_, { reply, exit, says, rows, requests }) => {
      const { url, requests: seen } = (server = await startScriptedServer((_request, index) =>
        withEvents(name, reply(index)),
      ));
      const outcome = await listen(`--feed ${feed} --quiet`, url);
      for (const line of outcome.lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
      expect({ ...outcome, lines: outcome.lines.length, requests: seen.length }).toEqual({
        exit,
        lines: rows,
        requests,
        forbidden: undefined,
        isBug: false,
        says: says === undefined ? outcome.says : expect.stringMatching(says),
      });
    },
  );
});

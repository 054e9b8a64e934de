import { describe, expect, test } from "vitest";
import { commands } from "../harness/hostile/commands.ts";
import { listen } from "../harness/hostile/hostile-stream.ts";
import { kinds } from "../harness/hostile/kinds.ts";
import { type Mode, oneOfEachEnding } from "../harness/hostile/mode.ts";
import { streamModes, withEvents } from "../harness/hostile/stream-modes.ts";
import { serveInTest } from "../harness/serve-in-test.ts";

const feeds = [
  ["prices", "token_price"],
  ["ohlcv", "token_ohlcv"],
] as const;

describe.each(feeds)("a hostile stream of %s", (feed, name) => {
  // 64 MiB of one feed are enough: their parser does not know the feed.
  const chosen = streamModes.filter((mode) => feed === "prices" || !mode.name.endsWith("without end"));
  test.each(chosen.map((mode) => [mode.name, mode] as const))(
    "%s",
    async (_, { reply, exit, says, rows, requests }) => {
      const { url, requests: seen } = await serveInTest((_request, index) => withEvents(name, reply(index)));
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

interface End {
  readonly exit: number;
  readonly says: RegExp;
  readonly requests: number;
}

/** Data after the headers is not read. */
const notAStream: End = {
  exit: 1,
  says: /^invalid response: (?:application\/json|text\/html; charset=UTF-8|no content type|HTTP 205) instead of an event stream from 127\.0\.0\.1:\d+$/u,
  requests: 1,
};
const endedForGood: End = {
  exit: 8,
  says: /^the service ended the stream permanently \(HTTP 204\)$/u,
  requests: 1,
};
const breaksAfterHeaders: ReadonlySet<string> = new Set([
  "resets after the headers",
  "resets in the body",
  "sends less than it says",
  "never ends its chunks",
  "says half its length",
  "lies about a chunk's length",
  "counts a chunk in no number",
  "floods with headers after the body",
  "stalls in the body",
  "trickles its body",
]);

const failed = (status: number): End => ({
  exit: 7,
  says: new RegExp(`^the streaming host failed \\(HTTP ${status}\\)$`, "u"),
  requests: 2,
});
/** The meaning of each status, for any body; a retry follows if it may get another response. */
const refusals: Readonly<Record<number, End>> = {
  400: {
    exit: 2,
    says: /^(?:invalid asset ethereum:0x0000000000000000000000000000000000000abc|the service rejected the stream for ethereum:0x0000000000000000000000000000000000000abc)$/u,
    requests: 1,
  },
  401: { exit: 4, says: /^the service rejected the key from DEXDATA_API_KEY$/u, requests: 1 },
  402: { exit: 5, says: /^out of credits on the .+ plan/u, requests: 1 },
  403: { exit: 4, says: /does not allow this request$|blocked the request before/u, requests: 1 },
  404: {
    exit: 3,
    says: /^(?:\/sse\/ohlcv not found on http:\S+|invalid asset ethereum:0x0000000000000000000000000000000000000abc)$/u,
    requests: 1,
  },
  405: { exit: 2, says: /^the service rejected the stream \(HTTP 405\)$/u, requests: 1 },
  410: { exit: 3, says: /^\/sse\/ohlcv was removed from the API$/u, requests: 1 },
  413: { exit: 2, says: /^the service rejected the stream \(HTTP 413\)$/u, requests: 1 },
  429: { exit: 6, says: /^rate limit of the .+ plan exceeded$/u, requests: 2 },
  500: failed(500),
  502: failed(502),
  503: failed(503),
  530: failed(530),
  600: failed(600),
};

/** Returns the expected outcome of a REST mode on the request that opens a stream. */
function endOf(kind: string, { name, ends }: Mode): End {
  const status = Number(/\d{3}/u.exec(name)?.[0]);
  if (status === 204) return endedForGood;
  if (kind === "refusal") {
    const says = new RegExp(
      `^the streaming host returned a redirect \\(HTTP ${status}\\), which dexdata does not follow$`,
      "u",
    );
    return refusals[status] ?? { exit: 1, says, requests: 1 };
  }
  if (kind !== "connection" || ends.says === undefined || breaksAfterHeaders.has(name)) return notAStream;
  return { exit: ends.exit, says: ends.says, requests: Math.min(2, ends.requests) };
}

const [command] = commands.filter(({ endpoint }) => endpoint.id === "pool_transactions");

describe.each(kinds)("a stream of candles with a hostile %s", (kind, modes) => {
  // The waits of a stream before it reconnects are tested separately.
  const waitless = modes.filter(({ waits }) => waits === undefined);
  const chosen = oneOfEachEnding(waitless, (mode) => endOf(kind, mode));
  test.each(chosen.map((mode) => [mode.name, mode] as const))("%s", async (_name, mode) => {
    if (command === undefined) throw new Error("no command asks for transactions");
    const { url, requests } = await serveInTest((request, index) => mode.reply(command, request, index));
    const isSlow = mode.flags?.includes("--timeout") === true;
    const outcome = await listen("--feed ohlcv --quiet", url, isSlow ? "30s" : "24h");
    const { exit, says, requests: most } = endOf(kind, mode);
    expect({ ...outcome, requests: requests.length }).toEqual({
      exit,
      says: expect.stringMatching(says),
      lines: [],
      requests: most,
      forbidden: undefined,
      isBug: false,
    });
  });
});

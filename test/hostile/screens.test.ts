import type { FeedName } from "../../src/api/feeds.ts";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { findEndpoint } from "../../src/api/find-endpoint.ts";
import { run } from "../harness/dexdata.ts";
import {
  findForbidden,
  findForbiddenInPictures,
  forbidden,
  forbiddenHeaders as headers,
} from "../harness/hostile/forbidden.ts";
import { madeUpAddress, madeUpAnswer, soundText, type TextOf } from "../harness/hostile/made-up-answer.ts";
import { json, type Reply, type SeenRequest, slow } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { createTestContext, type TestContext } from "../harness/test-context.ts";

/** Leaves the values that the program itself reads unchanged. */
const shownTexts: TextOf = (name, field) =>
  ["id", "chain", "pool_id", "time_open", "created_at"].includes(name) ? soundText(name, field) : forbidden;
const everyText: TextOf = () => forbidden;

interface Picture {
  readonly name: string;
  readonly words: string;
  readonly answer: (request: SeenRequest, index: number, context: TestContext) => Reply;
  /** A part of the hostile text, to ensure that something was shown. */
  readonly shows: RegExp;
  readonly exit: number;
}

function rowsOf(request: SeenRequest, textOf: TextOf): Reply {
  const found = findEndpoint(request.path.split("/").slice(1));
  if (found === undefined) throw new Error(`${request.path} is no endpoint`);
  return json(madeUpAnswer(found.endpoint, textOf), { headers });
}
const rows: Picture["answer"] = (request) => rowsOf(request, shownTexts);
/** Uses strings in place of numbers. */
const texts: Picture["answer"] = (request) => {
  const reply = rowsOf(request, shownTexts);
  if (reply.mode !== "answer") throw new Error("rows are an answer");
  return { ...reply, body: String(reply.body).replaceAll("1.5", JSON.stringify(forbidden)) };
};

const sent = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const eventNames: Readonly<Record<FeedName, string>> = {
  prices: "token_price",
  transactions: "pool",
  ohlcv: "token_ohlcv",
  reserves: "token_reserves",
};
const sends =
  (name: string): Picture["answer"] =>
  () =>
    slow({
      headers: { ...headers, "content-type": "text/event-stream" },
      chunks: [
        sent("warning", { message: forbidden }),
        sent(forbidden.replaceAll(/[\r\n]/gu, ""), {}),
        sent(name, { chain: forbidden, address: forbidden, p: forbidden, [forbidden]: 1 }),
        ...["price", "price_0_usd", "volume_usd", "close", "total_reserve_usd", "total_delta_usd"].map(
          (value) =>
            sent(name, {
              chain: "ethereum",
              address: "0x0000000000000000000000000000000000000abc",
              [value]: forbidden,
            }),
        ),
      ],
      stayOpen: true,
    });

/** Hostile rows, others in their place, a rejection, and the end. */
const rounds: Picture["answer"] = (request, index, context) => {
  if (index === 3) context.interrupt({ cause: "SIGINT" });
  if (index === 2) return json({ message: forbidden, error: forbidden }, { status: 501, headers });
  return rowsOf(request, index === 0 ? everyText : shownTexts);
};

const shown = /\\u(?:\{1b\}|001b)\]0;o/u;
/** A chart shows no text from the service. */
const isDrawn = /candles/u;
const words = ["tokens search", "pools search"];

const pictures: readonly Picture[] = [
  ...words.flatMap((command): readonly Picture[] => [
    { name: `${command} --spark`, words: `${command} ethereum --spark`, answer: rows, shows: shown, exit: 0 },
    {
      name: `${command} --spark, texts in place of numbers`,
      words: `${command} --spark`,
      answer: texts,
      shows: shown,
      exit: 0,
    },
  ]),
  {
    name: "tokens search --watch",
    words: "tokens search --watch 30s --retries 0",
    answer: rounds,
    shows: shown,
    exit: 130,
  },
  ...["", "--pool"].map((flag) => ({
    name: `ohlcv --chart ${flag}, texts in place of numbers`,
    words: `ohlcv ethereum ${madeUpAddress} ${flag} --from -1h --chart`,
    answer: texts,
    shows: isDrawn,
    exit: 0,
  })),
  {
    name: "ohlcv --chart of an address that was copied from somewhere",
    words: `ohlcv ethereum ${forbidden.replaceAll(/\s/gu, "")} --from -1h --chart`,
    answer: rows,
    shows: shown,
    exit: 2,
  },
  ...Object.entries(eventNames).map(([feed, name]) => ({
    name: `stream --feed ${feed}`,
    words: `stream ethereum:0x0000000000000000000000000000000000000abc --feed ${feed} --limit 7`,
    answer: sends(name),
    shows: shown,
    exit: 0,
  })),
];

describe.each([
  ["a terminal", true],
  ["a pipe", false],
])("promise 2: hostile text drawn on %s cannot control it", (_, isTerminal) => {
  test.each(pictures.map((each) => [each.name, each] as const))("%s", async (_name, picture) => {
    const { url } = await serveInTest((request, index) => picture.answer(request, index, context));
    const context = createTestContext({
      flows: true,
      isTerminal,
      columns: 200,
      rows: 40,
      env: {
        LANG: "C.UTF-8",
        NO_COLOR: "1",
        TERM: "xterm",
        DEXDATA_PRO_BASE_URL: url,
        DEXDATA_STREAMING_PRO_URL: url,
        DEXDATA_API_KEY: "api_pro_0123456789",
        DEXDATA_TIER: "pro",
      },
    });
    const isStream = picture.words.startsWith("stream");
    const log = path.join(context.home, "events.ndjson");
    const argv = picture.words.split(" ").filter((word) => word !== "");
    const { exit, stdout, stderr } = await run(
      [...argv, "--error-format", "text", "-vv", ...(isStream ? ["--events", log] : [])],
      context,
    );
    const seen = stdout + stderr;
    expect({
      exit,
      found: findForbiddenInPictures(seen),
      logged: isStream ? findForbidden(readFileSync(log, "utf8")) : undefined,
      isForged: /^\{"id":"forged"/mu.test(seen),
    }).toEqual({ exit: picture.exit, found: undefined, logged: undefined, isForged: false });
    expect(seen).toMatch(picture.shows);
  });
});

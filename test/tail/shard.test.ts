import { dataOf, type StreamEvent } from "../../src/client/stream-event.ts";
import { describe, expect, test } from "vitest";
import { inTime } from "../harness/in-time.ts";
import { feeds } from "../../src/api/feeds.ts";
import { empty, hang, json, raw, reset, slow } from "../harness/scripted-server.ts";
import { failureOf, keep, ping, price, stream, streamError } from "./keeping.ts";

const texts = (events: readonly StreamEvent[]): readonly string[] =>
  events.map((event) => dataOf(event).toString("utf8"));

describe("one connection", () => {
  test("data events are passed on unchanged; pings and unknown names end nothing (rule 166)", async () => {
    const kept = await keep(() =>
      stream([
        ping,
        price("1"),
        'event: news\ndata: {}\n\nevent: warning\ndata: {"message":"slow"}\n\n',
        price("2"),
      ]),
    );
    await kept.until(() => kept.events.length === 2);
    expect(texts(kept.events)).toEqual(['{"p":"1"}', '{"p":"2"}']);
    expect(kept.said).toEqual(["unknown: news", "warning: slow"]);
    expect(kept.opened()).toBe(1);
    expect(kept.waits).toEqual([]);
  });

  test("rule 126: one asset is a GET request for an uncompressed event stream, with the bare key", async () => {
    const kept = await keep(() => stream([price("1")]), { key: "api_pro_1" });
    await kept.until(() => kept.events.length === 1);
    const [request] = kept.requests;
    expect(request?.method).toBe("GET");
    expect(request?.url).toBe("/sse/prices?method=token_price&chain=ethereum&address=0xabc");
    expect(request?.headers).toMatchObject({
      accept: "text/event-stream",
      "accept-encoding": "identity",
      authorization: "api_pro_1",
    });
  });

  test("rule 125: several assets are one POST with a JSON array", async () => {
    const subjects = ["0x1", "0x2"].map((address) => ({ network: "base", address }));
    const kept = await keep(() => stream([price("1")]), { subscription: { subjects } });
    await kept.until(() => kept.events.length === 1);
    expect(kept.requests[0]?.method).toBe("POST");
    expect(kept.requests[0]?.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(kept.requests[0]?.body ?? "")).toEqual([
      { chain: "base", address: "0x1", method: "token_price" },
      { chain: "base", address: "0x2", method: "token_price" },
    ]);
  });

  test("a repeated event is removed only at the beginning: later, it is what the service changed back", async () => {
    const kept = await keep((_, index) =>
      stream(
        [[price("1", "60")], [price("1", "60"), price("2", "61")], [price("3", "61"), price("2", "61")]][
          index
        ] ?? [],
        { stayOpen: index === 2 },
      ),
    );
    await kept.until(() => kept.events.length >= 4);
    expect(texts(kept.events)).toEqual(["1", "2", "3", "2"].map((value) => `{"p":"${value}"}`));
  });

  test("an incomplete event is never passed on: neither at the end of a stream nor across two", async () => {
    const half = 'event: token_price\ndata: {"p":"half"}\n';
    const kept = await keep((_, index) =>
      index === 0 ? stream([price("1"), half], { stayOpen: false }) : stream([`\n${price("2")}`]),
    );
    await kept.until(() => kept.events.length === 2);
    expect(texts(kept.events)).toEqual(['{"p":"1"}', '{"p":"2"}']);
  });

  test("a slow consumer pauses the socket, and its delay does not count as silence of the service", async () => {
    let release = (): void => undefined;
    const kept = await keep(() => stream([price("1"), price("2")]), {
      onEvents: async () => await new Promise<void>((resolve) => (release = resolve)),
    });
    await kept.until(() => kept.events.length === 1);
    await kept.context.clock.sleep(400_000);
    expect(kept.events.length).toBe(1);
    release();
    await kept.until(() => kept.events.length === 2);
    expect(kept.opened()).toBe(1);
  });

  test("ends at once when stopped, in every state", async () => {
    const states = [
      await keep(() => hang()),
      await keep(() => stream([])),
      await keep(() => empty(503)),
      await keep(() => stream([price("1")]), { onEvents: async () => await new Promise(() => undefined) }),
    ];
    const [opening, quiet, waiting, blocked] = states;
    await opening?.until(() => opening.requests.length === 1);
    await quiet?.until(() => quiet.opened() === 1);
    await waiting?.until(() => waiting.waits.length === 3);
    await blocked?.until(() => blocked.events.length === 1);
    for (const state of states) state.stop();
    const ends = Promise.all(states.map(async ({ end }) => await end));
    expect(await inTime(1000, ends)).toEqual(states.map(() => "stopped"));
    for (const state of states) await state.until(() => state.openRequests() === 0);
  });
});

describe("causes of a reconnect", () => {
  test.each([
    [
      "the service ends the stream",
      stream([price("1")], { stayOpen: false }),
      "the service ended the stream",
    ],
    [
      "an error event",
      stream([price("1"), streamError("server is going away")]),
      "the service ended the stream with an error: server is going away",
    ],
    [
      "an error event without data",
      stream([price("1"), "event: error\ndata:\n\n"]),
      "the service ended the stream with an error: (no message)",
    ],
    [
      "an error event with an empty message",
      stream([price("1"), streamError(" ")]),
      "the service ended the stream with an error: (no message)",
    ],
    ["silence", stream([price("1")]), "no data for 45s, not even a ping"],
    [
      "an event that never ends",
      stream([price("1"), "data: ", ...Array.from({ length: 65 }, () => "x".repeat(1024 * 1024))]),
      "the service sent an event larger than 64 MiB",
    ],
    [
      "a broken line",
      raw([
        `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${price("1").length.toString(16)}\r\n${price("1")}\r\n`,
      ]),
      "connection closed",
    ],
  ])("%s: reconnects, and reports a gap with the reason", async (_, first, reason) => {
    const kept = await keep((_request, index) => (index === 0 ? first : stream([price("2")])));
    await kept.until(() => kept.events.length === 2);
    expect(texts(kept.events)).toEqual(['{"p":"1"}', '{"p":"2"}']);
    expect(kept.reasons[0]).toBe(reason);
    const [gap] = kept.gaps;
    expect(gap?.reason).toBe(reason);
    expect((gap?.to.elapsed ?? 0) - (gap?.from.elapsed ?? 0)).toBeGreaterThanOrEqual(1000);
  });

  test.each([
    ["429", () => json({ error: "rate_limited", message: "slow down" }, { status: 429 })],
    ["500", () => empty(500)],
    ["503", () => empty(503)],
    ["a reset", () => reset("before")],
  ])("%s while connecting is retried", async (_, reply) => {
    const kept = await keep((_request, index) => (index < 2 ? reply() : stream([price("1")])));
    await kept.until(() => kept.events.length === 1);
    expect(kept.waits).toEqual([1000, 2000]);
    // There is no gap before the first connection.
    expect(kept.gaps).toEqual([]);
  });

  test("rule 161: waits of 1, 2, 4 … 60 s, and jitter only adds to them", async () => {
    for (const random of [0, 0.999]) {
      const kept = await keep(() => empty(500), { random });
      await kept.until(() => kept.waits.length >= 9);
      const least = [1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1000);
      for (const [index, wait] of kept.waits.slice(0, 9).entries()) {
        expect(wait).toBeGreaterThanOrEqual(least[index] ?? 0);
        expect(wait).toBeLessThanOrEqual((least[index] ?? 0) * 1.5);
      }
      kept.stop();
    }
  });

  const warning = 'event: warning\ndata: {"message":"w"}\n\n';
  test.each([
    ["a data event on a connection that was open for 30 s does", stream([ping, price("1")]), 1000],
    ["a data event on one that ends at once does not", stream([price("1")], { stayOpen: false }), 8000],
    ["a ping and a warning on one that was open for 30 s do not", stream([ping, warning]), 8000],
  ])("rule 161: whether waits start over: %s", async (_, fourth, wait) => {
    // A connection that stays open is closed after 45 s of silence.
    const kept = await keep((_request, index) =>
      index === 3 ? fourth : stream([ping, warning], { stayOpen: false }),
    );
    await kept.until(() => kept.waits.length >= 5);
    expect(kept.waits.slice(0, 5)).toEqual([1000, 2000, 4000, wait, 2 * wait]);
  });

  test("Retry-After is respected, from the header and from the body", async () => {
    const replies = [
      json({ error: "rate_limited", message: "slow down" }, { status: 429, headers: { "retry-after": "7" } }),
      json({ error: "rate_limited", message: "slow down", retry_after: 90 }, { status: 429 }),
    ];
    const kept = await keep((_, index) => replies[index] ?? stream([price("1")]));
    await kept.until(() => kept.events.length === 1);
    expect(kept.waits[0]).toBeGreaterThanOrEqual(7000);
    expect(kept.waits[1]).toBeGreaterThanOrEqual(90_000);
  });

  test.each([
    ["the least wait", "retry: 5000\n", 5000],
    ["60 s at most", "retry: 3153600000000\n", 60_000],
    ["of any number of digits", `retry: ${"9".repeat(400)}\n`, 60_000],
    ["no less than the backoff", "retry: 0\n", 1000],
    ["ignored where it is not a number", "retry: 5s\nretry: -5000\nretry: 5e3\n", 1000],
    ["the last valid one", "retry: 9000\nretry: 7000\nretry: soon\n", 7000],
  ])("the field retry is %s, for each later connection", async (_, field, wait) => {
    const kept = await keep((_request, index) =>
      stream(index === 0 ? [field, price("1")] : [], { stayOpen: false }),
    );
    await kept.until(() => kept.waits.length >= 3);
    expect(kept.waits.slice(0, 3)).toEqual([1000, 2000, 4000].map((least) => Math.max(least, wait)));
  });

  test("pings keep a connection without data open", async () => {
    const kept = await keep(async () => stream(Array.from({ length: 40 }, () => ping)));
    await kept.until(() => kept.opened() === 1);
    await kept.context.clock.sleep(30_000);
    expect(kept.waits).toEqual([]);
  });

  test("a suspended machine or a changed clock is an interruption", async () => {
    for (const jump of [3_600_000, -60_000]) {
      const kept = await keep((_, index) => stream([price(String(index))]));
      await kept.until(() => kept.events.length === 1);
      const before = kept.context.clock.now();
      kept.context.clock.setNow(before + jump);
      await kept.until(() => kept.events.length === 2);
      expect(kept.reasons[0]).toMatch(
        jump > 0 ? /^this machine was suspended for 1h, or its clock was set forward$/u : /set back by 1m$/u,
      );
      expect(kept.gaps[0]?.from.now).toBeLessThanOrEqual(before);
      kept.stop();
    }
  });

  test("a timer that fires far too late is an interruption: the process was stopped", async () => {
    const kept = await keep((_, index) => stream([price(String(index))]));
    await kept.until(() => kept.events.length === 1);
    kept.context.clock.advance(120_000);
    await kept.until(() => kept.events.length === 2);
    expect(kept.reasons[0]).toMatch(/^this machine was suspended/u);
  });
});

describe("a response that is not from the service", () => {
  const html = slow({ headers: { "content-type": "text/html" }, chunks: ["<html>"] });
  test.each([
    ["408", json({ message: "too slow" }, { status: 408 }), "the service rejected the stream (HTTP 408)"],
    ["418", json({}, { status: 418 }), "the service rejected the stream (HTTP 418)"],
    ["302", json({}, { status: 302 }), /returned a redirect \(HTTP 302\)/u],
    ["a page", html, /^invalid response: text\/html instead of an event stream from /u],
  ])("%s is retried after a stream was open", async (_, answer, reason) => {
    const kept = await keep((__, index) =>
      index === 1 ? answer : stream([price(String(index))], { stayOpen: index > 0 }),
    );
    await kept.until(() => kept.events.length === 2);
    expect(kept.requests.length).toBe(3);
    expect(kept.reasons[1]).toMatch(reason);
  });

  test("408 is retried also if no stream was open before", async () => {
    const kept = await keep((_, index) => (index === 0 ? json({}, { status: 408 }) : stream([price("1")])));
    await kept.until(() => kept.events.length === 1);
  });
});

describe("causes of an end", () => {
  test.each([0, 1])("204 to connection %i ends the stream permanently", async (index) => {
    const kept = await keep((_, at) =>
      at === index ? empty(204) : stream([price("1")], { stayOpen: false }),
    );
    const { exit, code, message, status } = failureOf(await kept.end);
    expect({ exit, code, message, status, requests: kept.requests.length }).toEqual({
      exit: 8,
      code: "stream_ended",
      message: "the service ended the stream permanently (HTTP 204)",
      status: 204,
      requests: index + 1,
    });
  });

  const longWaits = [
    ["429", json({}, { status: 429, headers: { "retry-after": "3601" } })],
    ["429, in its body", json({ error: "rate_limited", retry_after: 3601 }, { status: 429 })],
    ["503", json({}, { status: 503, headers: { "retry-after": "3601" } })],
  ] as const;
  test.each(longWaits)(
    "a wait of more than an hour ends the run (%s), before a stream was open and after",
    async (_, reply) => {
      for (const before of [0, 1]) {
        const kept = await keep((__, index) =>
          index < before ? stream([price("1")], { stayOpen: false }) : reply,
        );
        const { exit, code, message, details } = failureOf(await kept.end);
        expect({ exit, code, message, waits: kept.waits.length }).toEqual({
          exit: 6,
          code: "wait_too_long",
          message: "the service requested a wait of 1h1s, longer than the limit of 1h",
          waits: before,
        });
        expect(details.next).toBe("try again in 1h1s, or use another key (--profile)");
      }
    },
  );

  test.each([
    [400, 2],
    [401, 4],
    [402, 5],
    [403, 4],
    [404, 3],
    [405, 2],
    [410, 3],
  ])("status %i: one request, exit %i", async (status, exit) => {
    const kept = await keep(() => json({ message: "no" }, { status }));
    expect(failureOf(await kept.end).exit).toBe(exit);
    expect(kept.requests.length).toBe(1);
  });

  test("the same applies to a later connection: delivered events remain", async () => {
    const kept = await keep((_, index) =>
      index === 0
        ? stream([price("1")], { stayOpen: false })
        : json({ error: "payment_required" }, { status: 402 }),
    );
    expect(failureOf(await kept.end).exit).toBe(5);
    expect(kept.events.length).toBe(1);
  });

  test("an error event with the message `token not found` is not retried", async () => {
    const kept = await keep(() => stream([price("1"), streamError("token not found")]));
    const failure = failureOf(await kept.end);
    expect([failure.exit, failure.details.why]).toEqual([3, "token not found"]);
    expect(kept.requests.length).toBe(1);
    expect(kept.events.length).toBe(1);
  });

  test("a 200 that is not an event stream is not read and not retried", async () => {
    const kept = await keep(() => json({ p: "1" }));
    const failure = failureOf(await kept.end);
    expect(failure.exit).toBe(1);
    expect(failure.message).toMatch(/^invalid response: application\/json instead of an event stream from /u);
    expect(kept.requests.length).toBe(1);
    expect(kept.openRequests()).toBe(0);
  });

  test("too many connections in a row without data (--max-reconnects)", async () => {
    const kept = await keep((_, index) => stream(index === 0 ? [price("1")] : [], { stayOpen: false }), {
      limits: { maxReconnects: 2 },
    });
    const failure = failureOf(await kept.end);
    expect([failure.exit, failure.message]).toEqual([8, "the service ended the stream"]);
    expect(kept.requests.length).toBe(3);
  });
});

describe("a stream with IDs", () => {
  const candles = { feed: { ...feeds.prices, hasTimeIds: true } };
  test("continues after the newest ID, and drops the repeated event", async () => {
    const kept = await keep(
      (_, index) =>
        index === 0
          ? stream([price("1", "100"), price("2", "101"), price("1b", "100")], { stayOpen: false })
          : stream([price("2", "101"), price("2", "101"), price("3", "102")]),
      { subscription: candles },
    );
    await kept.until(() => kept.events.length === 5);
    expect(kept.requests.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "101"]);
    // Dropped once at the boundary; a second repetition comes from the service.
    expect(texts(kept.events)).toEqual(["1", "2", "1b", "2", "3"].map((p) => `{"p":"${p}"}`));
  });

  test("a changed repetition is a correction and is passed on", async () => {
    const kept = await keep((_, index) =>
      stream(index === 0 ? [price("1", "100")] : [price("1 corrected", "100")], { stayOpen: index > 0 }),
    );
    await kept.until(() => kept.events.length === 2);
    expect(texts(kept.events)).toEqual(['{"p":"1"}', '{"p":"1 corrected"}']);
  });

  test("T11: an ID in milliseconds does not spoil the resumption", async () => {
    const seconds = Date.parse("2026-11-21T08:54:00Z") / 1000;
    const kept = await keep(
      (_, index) =>
        index === 0
          ? stream(
              [
                price("1", String(seconds)),
                price("2", String(seconds * 1000)),
                price("3", String(seconds + 1)),
              ],
              {
                stayOpen: false,
              },
            )
          : stream([price("4", String(seconds + 2))]),
      { subscription: candles },
    );
    await kept.until(() => kept.events.length === 4);
    expect(kept.requests.at(-1)?.headers["last-event-id"]).toBe(String(seconds + 1));
  });

  const sent = async (...connections: readonly (readonly string[])[]): Promise<readonly unknown[]> => {
    const kept = await keep((_, index) =>
      stream(connections[index] ?? [price("last")], { stayOpen: index >= connections.length }),
    );
    await kept.until(() => kept.requests.length > connections.length);
    return kept.requests.map(({ headers }) => {
      const id = headers["last-event-id"];
      // Node reads headers as Latin-1; the standard sends UTF-8.
      return typeof id === "string" ? Buffer.from(id, "latin1").toString("utf8") : id;
    });
  };

  test.each([
    ["a number", "100"],
    ["any text", "100-7 a"],
    ["not ASCII", "né\u4e00"],
    ["of 1,024 bytes", "1".repeat(1024)],
  ])("P2: an ID that is %s is sent with every later connection, on every feed", async (_, id) => {
    expect(await sent([price("1", id)], [], [price("2")])).toEqual([undefined, id, id, id]);
  });

  test("P2: the last ID counts, from any event, even if it is smaller", async () => {
    expect(await sent([price("1", "9"), price("2", "7")])).toEqual([undefined, "7"]);
    expect(await sent([price("1", "9"), 'event: ping\nid: 10\ndata: {"time":1}\n\n'])).toEqual([
      undefined,
      "10",
    ]);
    expect(await sent([price("1", "9"), "id: 11\n\n"])).toEqual([undefined, "11"]);
  });

  test("P2: an empty ID resets it, an ID with NUL is ignored", async () => {
    expect(await sent([price("1", "9"), price("2", "")])).toEqual([undefined, undefined]);
    expect(await sent([price("1", "9")], ["id\n\n"])).toEqual([undefined, "9", undefined]);
    expect(await sent([price("1", "9"), price("2", "8\0")])).toEqual([undefined, "9"]);
    const kept = await keep((_, index) => stream([price("1", "9"), "id\n\n"], { stayOpen: index > 0 }), {
      subscription: candles,
    });
    await kept.until(() => kept.requests.length === 2);
    expect(kept.requests.at(-1)?.headers).not.toHaveProperty("last-event-id");
  });

  test.each([
    ["a control character", "1\u0001"],
    ["a space", " "],
    ["longer than 1,024 bytes", "1".repeat(1025)],
  ])("an ID that is %s is sent in no header, and the asset stays reachable", async (_, id) => {
    expect(await sent([price("1", id)], [])).toEqual([undefined, undefined, undefined]);
  });
});

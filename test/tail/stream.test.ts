import { execFileSync } from "node:child_process";
import dns from "node:dns";
import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  hang,
  html,
  json,
  type Reply,
  type ScriptedServer,
  type SeenRequest,
  slow,
} from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { ping, price, stream, streamError } from "./keeping.ts";
import { askedFor, listen, logged, pricesOf, refuse } from "./stream-run.ts";

const folder = temporaryFolder();
const inFolder = (name: string): string => path.join(folder, name);
const one = "ethereum:0x0000000000000000000000000000000000000abc";
const many = (count: number, from = 0): readonly string[] =>
  Array.from({ length: count }, (_, index) => `base:0x${(from + index).toString(16).padStart(40, "0")}`);
/** Waits for the server, which notices the closed connections a moment later. */
const closed = async (server: { readonly openRequests: () => number }): Promise<void> => {
  while (server.openRequests() > 0) await new Promise((resolve) => setTimeout(resolve, 1));
};
const candle = (id: number, close: string): string =>
  `event: token_ohlcv\ndata: {"timestamp":${id},"close":${close}}\nid: ${id}\nrequest_id: 0\n\n`;

describe("events", () => {
  test("each is one line with the service's own text; several in a chunk are one write", async () => {
    const chunk = `${price("1.10")}event: token_price\ndata: { "p" : "2",\ndata: "name":"\u202ex" }\n\n`;
    const server = await serveInTest(() => stream([chunk]));
    const running = listen(`${one} --limit 2`, server);
    const { exit, stdout, stderr } = await running.outcome;
    expect([exit, stderr]).toEqual([0, ""]);
    expect(stdout).toBe('{"p":"1.10"}\n{"p":"2","name":"\\u202ex"}\n');
    expect(running.context.stdout.chunks.length).toBe(1);
  });

  test("rules 130 and 166: an event with a price is one of the feed, whatever its name; others are only reported", async () => {
    const unnamed = 'data: {"p":"1"}\n\n';
    const other = 'event: swap\ndata: {"p":"2"}\n\nevent: status\ndata: {"state":"ok"}\n\ndata: text\n\n';
    const server = await serveInTest(() => stream([unnamed, ping, other, price("3")]));
    const file = inFolder("EVENTS-NAMES");
    const running = listen([one, "--limit", "3", "--envelope", "--events", file], server);
    const { exit, stdout } = await running.outcome;
    const lines = stdout
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect([exit, lines]).toEqual([
      0,
      ["message", "swap", "token_price"].map((event, index) =>
        expect.objectContaining({ event, data: { p: String(index + 1) } }),
      ),
    ]);
    const unknown = logged(file).filter(({ event }) => event === "unknown");
    expect(unknown.map(({ message }) => message)).toEqual(["status", "message"]);
    expect(logged(file).at(-1)).toMatchObject({ event: "credits", credits: 3 });
  });

  test("invalid JSON never reaches stdout, is reported, and does not count toward --limit", async () => {
    const broken = "event: token_price\ndata: {broken\n\n";
    const server = await serveInTest(() => stream([broken + price("1") + broken + price("2") + price("3")]));
    const file = inFolder("EVENTS-BROKEN");
    const { exit, stdout, stderr } = await listen([one, "--limit", "2", "--events", file], server).outcome;
    expect([exit, stdout]).toEqual([0, '{"p":"1"}\n{"p":"2"}\n']);
    expect(logged(file).filter(({ event }) => event === "left_out")).toMatchObject([
      { name: "token_price", so_far: 1, connection: 1 },
      { so_far: 2 },
    ]);
    expect(logged(file).at(-1)).toMatchObject({ event: "credits", events: 2, credits: 5 });
    expect(stderr).toMatch(
      /skipped event token_price on connection 1: invalid JSON; 1 event skipped so far/u,
    );
  });

  test("--max-event: a larger event is skipped and reported, its connection stays; it is complete if the size is allowed", async () => {
    const large = price("1".repeat(2 * 1024 * 1024));
    const server = await serveInTest(() => stream([large, price("2"), large + large + price("3")]));
    const file = inFolder("EVENTS-LARGE");
    const running = listen([one, "--limit", "2", "--events", file], server);
    const { exit, stdout, stderr } = await running.outcome;
    expect([exit, stdout, server.requests.length]).toEqual([0, '{"p":"2"}\n{"p":"3"}\n', 1]);
    const skipped = (count: string): string =>
      "warning: skipped event token_price on connection 1: larger than 1 MiB (--max-event); " +
      `${count} lost so far\n`;
    expect(stderr).toBe(skipped("1 event") + skipped("2 events"));
    // A third is part of a series.
    expect(logged(file)).toMatchObject([
      { event: "open" },
      { event: "lost", reason: "larger than 1 MiB", name: "token_price", so_far: 1, names: [one] },
      { event: "lost", so_far: 2 },
      { event: "close" },
      // The service charges for them.
      { event: "credits", events: 2, credits: 5 },
    ]);
    const allowed = await listen(`${one} --max-event 3 --limit 1`, server).outcome;
    expect([allowed.exit, allowed.stderr, allowed.stdout.length]).toEqual([0, "", 2 * 1024 * 1024 + 9]);
  });

  test.each(["0", "17", "1.5", "1MiB"])("--max-event %s is rejected before any request", async (typed) => {
    const server = await serveInTest(pricesOf);
    const { exit, stdout, stderr } = await listen(`${one} --max-event ${typed}`, server).outcome;
    expect([exit, stdout, server.requests.length]).toEqual([2, "", 0]);
    expect(stderr).toContain(`--max-event "${typed}": `);
  });

  test("--envelope: the asset, the time and the id, by which a candle that is sent again is recognized", async () => {
    const server = await serveInTest(() => stream([candle(100, "1"), candle(101, "2"), candle(100, "1.5")]));
    const { stdout } = await listen(`${one} --feed ohlcv --envelope --limit 3`, server, {
      env: { DEXDATA_API_KEY: "api_pro_1", DEXDATA_TIER: "pro" },
    }).outcome;
    const rows = stdout
      .trim()
      .split("\n")
      .map((line): Record<string, unknown> => JSON.parse(line));
    expect(rows.map(({ id, network, address, feed }) => [id, network, address, feed])).toEqual([
      ["100", "ethereum", "0x0000000000000000000000000000000000000abc", "ohlcv"],
      ["101", "ethereum", "0x0000000000000000000000000000000000000abc", "ohlcv"],
      ["100", "ethereum", "0x0000000000000000000000000000000000000abc", "ohlcv"],
    ]);
    expect(rows[0]?.["received"]).toMatch(/^2026-11-21T08:54:00\.\d{3}Z$/u);
  });

  test("in a batch, the position identifies the asset of an event", async () => {
    const server = await serveInTest(pricesOf);
    const { stdout } = await listen(["--envelope", "--limit", "3", ...many(3)], server).outcome;
    const rows = stdout
      .trim()
      .split("\n")
      .map((line): Record<string, unknown> => JSON.parse(line));
    expect(rows.map(({ address }) => address)).toEqual([
      "0x0000000000000000000000000000000000000000",
      "0x0000000000000000000000000000000000000001",
      "0x0000000000000000000000000000000000000002",
    ]);
  });

  test("warnings from the service are printed without control characters", async () => {
    const warning = `event: warning\ndata: ${JSON.stringify({ message: "\u001b[2Jslow" })}\n\n`;
    const server = await serveInTest(() => stream([warning, price("1")]));
    const running = listen(one, server);
    await running.until(() => running.context.stderrText().includes("warning"));
    const { stderr } = await running.interrupted();
    expect(stderr).toBe("warning: message from the service: \\u{1b}[2Jslow\n");
  });

  test("a warning that arrives with the last event is printed too", async () => {
    const warning = `event: warning\ndata: ${JSON.stringify({ message: "slow" })}\n\n`;
    const server = await serveInTest(() => stream([warning + price("1")]));
    const { exit, stderr } = await listen(`${one} --limit 1`, server).outcome;
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "warning: message from the service: slow\n" });
  });
});

describe("rules 125 and 218: assets on connections", () => {
  test("240 on the free plan: 10 connections of 24, and every asset's update arrives", async () => {
    const server = await serveInTest(pricesOf);
    const { exit, stdout } = await listen([...many(240), "--limit", "240"], server).outcome;
    expect(exit).toBe(0);
    expect(server.requests.map((request) => askedFor(request).length)).toEqual(
      Array.from({ length: 10 }, () => 24),
    );
    const addresses = stdout
      .trim()
      .split("\n")
      .map((line) => String(JSON.parse(line).address));
    expect(new Set(addresses)).toEqual(new Set(many(240).map((name) => name.replace("base:", ""))));
  });

  test("--limit waits for the lines of the other connections, even if the reader is slow", async () => {
    const { context, outcome } = listen([...many(48), "--limit", "48"], await serveInTest(pricesOf));
    const { stdout, clock } = context;
    let accept: (() => void) | undefined;
    stdout.slowDown(async () => {
      if (accept === undefined) return await new Promise((resolve) => (accept = resolve));
      accept();
      return await clock.sleep(500);
    });
    expect(await outcome).toMatchObject({ exit: 0, stderr: "" });
  });

  test("260: exit 6 with the assets that do not fit, before any request", async () => {
    const server = await serveInTest(pricesOf);
    const { exit, stderr } = await listen(many(260), server).outcome;
    expect(exit).toBe(6);
    expect(stderr).toBe(
      "error: too many assets: 260, but 10 connections with 25 assets each can hold only 250\n" +
        `  hint: assets that do not fit: ${many(7, 250).join(", ")} and 3 more\n`,
    );
    expect(server.requests.length).toBe(0);
  });

  test("a repeated asset is requested once", async () => {
    const server = await serveInTest(pricesOf);
    await listen(
      [
        "base:0x000000000000000000000000000000000000000A",
        "base:0x000000000000000000000000000000000000000a",
        "base:0x000000000000000000000000000000000000000B",
        "--limit",
        "2",
      ],
      server,
    ).outcome;
    expect(server.requests.flatMap(askedFor).map(({ address }) => address)).toEqual([
      "0x000000000000000000000000000000000000000A",
      "0x000000000000000000000000000000000000000B",
    ]);
  });

  test("rule 162: a lower limit found at run time ends it with exit 6 and the assets that do not fit", async () => {
    const server = await serveInTest((request) =>
      server.openRequests() > 2 ? refuse(429, "ip stream limit exceeded") : pricesOf(request),
    );
    const { exit, stderr } = await listen(many(75), server).outcome;
    expect(exit).toBe(6);
    expect(stderr).toMatch(
      /the service allows 2 connections, but 75 assets require 3; no room for 25 assets/u,
    );
    const refused = server.requests.slice(2).map((request) => askedFor(request)[0]?.address);
    // Retried three times: the limit may be due to a connection that has just been closed.
    expect(refused.length).toBe(4);
    expect(stderr).toContain(`base:${refused[0]}`);
    expect(stderr).toContain("  service: ip stream limit exceeded");
  });

  /** Serves candles, which need one connection each, with a limit of ten streams per address. */
  const tenStreams = async () => {
    let accepted = 0;
    const server: ScriptedServer = await serveInTest(() => {
      if (server.openRequests() > 10) return refuse(429, "ip stream limit exceeded");
      accepted += 1;
      return stream([candle(1, "1")]);
    });
    return { server, accepted: () => accepted };
  };
  const dev = { env: { DEXDATA_API_KEY: "api_dev_1", DEXDATA_TIER: "dev" } };

  test.each([
    ["without a stop", []],
    ["with a --for that ends while a place is still waited for", ["--for", "5s"]],
    ["with a --for that ends later", ["--for", "1h"]],
  ])("P4: an eleventh of ten streams, %s: exit 6 with the asset that has no stream", async (_, flags) => {
    const { server } = await tenStreams();
    const words = [...many(11), "--feed", "ohlcv", "--error-format", "json", ...flags];
    const { exit, stderr } = await listen(words, server, { ...dev, speed: 20 }).outcome;
    expect(exit).toBe(6);
    const failure: Record<string, unknown> = JSON.parse(stderr.trim().split("\n").at(-1) ?? "");
    expect(failure).toMatchObject({
      code: "too_many_assets",
      status: 429,
      message: "the service allows 10 connections, but 11 assets require 11; no room for 1 asset",
      service_message: "ip stream limit exceeded",
      assets_fit: 10,
      assets_left: [expect.stringMatching(/^base:0x0{39}[\da]$/u)],
    });
  });

  test("P4: the number of streams that the service accepted is remembered: no list opens more", async () => {
    const { server, accepted } = await tenStreams();
    const list = inFolder("LIST-ELEVEN");
    writeFileSync(list, many(10).join("\n"));
    const running = listen([`@${list}`, "--feed", "ohlcv"], server, { ...dev, speed: 50 });
    await running.until(() => running.lines().length === 10);
    writeFileSync(list, many(11).join("\n"));
    running.context.reload();
    await running.until(() =>
      running.context
        .stderrText()
        .includes("skipped asset base:0x000000000000000000000000000000000000000a (ip stream limit"),
    );
    const before = accepted();
    running.context.reload();
    await running.until(() => running.context.stderrText().includes("list ignored: "));
    expect(running.context.stderrText()).toContain(
      "new asset list ignored: too many assets: 11, but 10 connections can hold only 10\n",
    );
    // Replacing one asset needs no additional connection. The service may still count the closed one at first.
    writeFileSync(list, [...many(9), "base:0x0000000000000000000000000000000000000099"].join("\n"));
    running.context.reload();
    await running.until(() => running.lines().length === 11);
    expect(accepted()).toBe(before + 1);
    expect((await running.interrupted()).exit).toBe(130);
  });

  /** Simulates a feed with one asset per connection, on a host with a lower limit than the plan. */
  const crowded = async (places: number) => {
    const server: ScriptedServer = await serveInTest((request) => {
      if (server.openRequests() > places) return refuse(429, "Concurrent stream limit reached");
      const rows = askedFor(request).map(
        ({ address }, at) => `event: token_reserves\ndata: {"token_id":"${address}"}\nrequest_id: ${at}\n\n`,
      );
      return stream([rows.join("")]);
    });
    return server;
  };
  const free = { env: { DEXDATA_API_KEY: "api_free_1", DEXDATA_TIER: "free" } };

  test.each([
    ["one asset each", 8, 5, "8 assets require 8; no room for 3 assets", 3],
    ["several assets", 30, 1, "30 assets require 2; no room for 15 assets", 15],
  ])(
    "rule 162: connections of %s that the host rejects end the stream with exit 6, and their assets are listed",
    async (_, count, places, problem, left) => {
      const server = await crowded(places);
      const words = [...many(count), "--feed", "reserves", "--error-format", "json"];
      const { exit, stderr } = await listen(words, server, free).outcome;
      expect(exit).toBe(6);
      const { message, assets_left: names }: { message: string; assets_left: string[] } = JSON.parse(
        stderr.trimEnd().split("\n").at(-1) ?? "",
      );
      expect(message).toBe(
        `the service allows ${places === 1 ? "1 connection" : `${places} connections`}, but ${problem}`,
      );
      expect(names.length).toBe(left);
      expect(server.requests.every(({ method }) => method === (count === 8 ? "GET" : "POST"))).toBe(true);
    },
  );

  test("assets of a reloaded list without a place are skipped, and the others stay", async () => {
    const server = await crowded(5);
    const list = inFolder("LIST-CROWDED-FEED");
    writeFileSync(list, many(5).join("\n"));
    const running = listen([`@${list}`, "--feed", "reserves"], server, dev);
    await running.until(() => running.lines().length === 5);
    writeFileSync(list, many(6).join("\n"));
    running.context.reload();
    await running.until(() =>
      running.context
        .stderrText()
        .includes("skipped asset base:0x0000000000000000000000000000000000000005 (Concurrent"),
    );
    expect(running.lines().length).toBe(5);
    const { exit, stderr } = await running.interrupted();
    expect(exit).toBe(130);
    expect(stderr).not.toContain("the list of assets changed");
  });

  test("trades of more pools than connections use a POST; if that is rejected, exit 6", async () => {
    const env = { DEXDATA_API_KEY: "api_dev_1", DEXDATA_TIER: "dev" };
    const batch = "event: pool\ndata: {}\n\n";
    const taking = await serveInTest(() => stream([batch]));
    expect(
      (await listen([...many(31), "--feed", "transactions", "--limit", "2"], taking, { env }).outcome).exit,
    ).toBe(0);
    expect(taking.requests.map(({ method }) => method)).toEqual(["POST", "POST"]);
    const refusing = await serveInTest(() => refuse(405, "POST is not allowed here"));
    const { exit, stderr } = await listen([...many(31), "--feed", "transactions"], refusing, { env }).outcome;
    expect(exit).toBe(6);
    expect(stderr).toMatch(
      /too many assets: 31, but 30 connections can hold only 30\n {2}hint: assets that do not fit: base:0x000000000000000000000000000000000000001e\n/u,
    );
  });
});

describe("an asset that is not streamed (rule 128)", () => {
  const bad = "base:0x0000000000000000000000000000000000000007";
  const refusing =
    (words: string, status = 400) =>
    async (request: SeenRequest) =>
      await Promise.resolve(
        askedFor(request).some(({ address }) => address === "0x0000000000000000000000000000000000000007")
          ? refuse(status, words)
          : pricesOf(request),
      );

  test("named by the message: exit 2, one request", async () => {
    const server = await serveInTest(
      refusing("token not found: base/0x0000000000000000000000000000000000000007"),
    );
    const { exit, stderr, stdout } = await listen(many(25), server).outcome;
    expect([exit, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(
      /^error: invalid asset base:0x0000000000000000000000000000000000000007\n {2}service: token not found: base\/0x0000000000000000000000000000000000000007\n/u,
    );
    expect(server.requests.length).toBe(1);
  });

  test("found by bisection if the message does not help", async () => {
    const server = await serveInTest(refusing("bad request"));
    const { exit, stderr } = await listen(many(25), server).outcome;
    expect(exit).toBe(2);
    expect(stderr).toMatch(/^error: invalid asset base:0x0000000000000000000000000000000000000007\n/u);
    expect(server.requests.length).toBeLessThanOrEqual(8);
  });

  test("several without a name: REST is checked for the suspects, its credits are counted, and --max-credits can prevent it", async () => {
    const isBad = (address: string): boolean => Number(address) % 2 === 1;
    const rest = await serveInTest(({ query }) =>
      json(
        (query.get("tokens") ?? "")
          .split(",")
          .filter((id) => !isBad(id))
          .map((id) => ({ id, chain: "base", price_usd: 1 })),
      ),
    );
    const server = await serveInTest((request) =>
      askedFor(request).some(({ address }) => isBad(address)) ? refuse(400, "no") : pricesOf(request),
    );
    const env = { DEXDATA_BASE_URL: rest.url };
    const words = [...many(25), "--on-invalid", "drop", "--stats", "--limit", "13"];
    const { exit, stderr } = await listen(words, server, { env }).outcome;
    expect(exit).toBe(0);
    const asked = rest.requests.flatMap(({ query }) => (query.get("tokens") ?? "").split(","));
    expect(asked.length).toBeGreaterThan(0);
    expect(stderr).toContain(`\n13 events, ${13 + asked.length} credits, `);
    expect(stderr).toContain(
      "skipped assets base:0x0000000000000000000000000000000000000001, base:0x0000000000000000000000000000000000000003, ",
    );
    const openings = server.requests.length;
    const bounded = await listen([...words, "--max-credits", "13"], server, { env }).outcome;
    expect(bounded.stderr).toContain("\n13 events, 13 credits, ");
    expect(server.requests.length - openings).toBeGreaterThan(openings + 8);
  });

  test("--on-invalid drop continues with the others, and reports it", async () => {
    const server = await serveInTest(refusing("bad request"));
    const words = [...many(25), "--on-invalid", "drop", "--limit", "24"];
    const { exit, stdout, stderr } = await listen(words, server).outcome;
    expect(exit).toBe(0);
    expect(stdout).not.toContain('"0x0000000000000000000000000000000000000007"');
    expect(stdout.trim().split("\n").length).toBe(24);
    expect(stderr).toBe(`warning: skipped asset ${bad} (bad request)\n`);
  });

  test("an asset that the stream itself reports as unknown: dropped, or exit 3", async () => {
    const env = { DEXDATA_API_KEY: "api_dev_1", DEXDATA_TIER: "dev" };
    const server = await serveInTest((request) =>
      askedFor(request).some(({ address }) => address === "0x0000000000000000000000000000000000000007")
        ? stream([streamError("token not found")])
        : stream([candle(100, "1")]),
    );
    const words = `${bad} base:0x0000000000000000000000000000000000000008 --feed ohlcv`;
    expect((await listen(words, server, { env }).outcome).exit).toBe(3);
    const dropping = listen(`${words} --on-invalid drop`, server, { env });
    await dropping.until(() => dropping.lines().length === 1 && dropping.context.stderrText() !== "");
    expect((await dropping.interrupted()).stderr).toBe(`warning: skipped asset ${bad} (token not found)\n`);
  });

  test("several on a connection, rejected by the stream itself: each half is streamed", async () => {
    const server = await serveInTest((request) =>
      askedFor(request).some(({ address }) => address === "0x0000000000000000000000000000000000000007")
        ? stream([streamError("token not found")])
        : pricesOf(request),
    );
    // Slow enough for the expected response of a probe to arrive.
    const options = { speed: 20 };
    expect((await listen(many(10), server, options).outcome).stderr).toContain(`invalid asset ${bad}\n`);
    const dropping = listen([...many(10), "--on-invalid", "drop"], server, options);
    await dropping.until(() => dropping.lines().length === 9);
    expect((await dropping.interrupted()).stderr).toContain(
      `warning: skipped asset ${bad} (token not found)\n`,
    );
  });

  test("a list that changes during the search for an invalid asset", async () => {
    const list = inFolder("LIST-BAD");
    writeFileSync(list, many(25).join("\n"));
    const server = await serveInTest(async (request, index) =>
      index > 1 && askedFor(request).length < 24 ? hang() : await refusing("bad request")(request),
    );
    const running = listen(`@${list} --limit 24`, server);
    await running.until(() => server.requests.length === 3);
    writeFileSync(
      list,
      many(25)
        .filter((name) => name !== bad)
        .join("\n"),
    );
    running.context.reload();
    expect((await running.outcome).exit).toBe(0);
  });

  test("an empty list is a failure, also with drop; a 404 is exit 3", async () => {
    const server = await serveInTest(
      refusing("token not found: base/0x0000000000000000000000000000000000000007", 404),
    );
    const env = { DEXDATA_API_KEY: "api_dev_1", DEXDATA_TIER: "dev" };
    const words = `${bad} --feed ohlcv --on-invalid drop`;
    expect((await listen(words, server, { env }).outcome).exit).toBe(3);
    const { stderr } = await listen(words, server, { env }).outcome;
    expect(stderr).toContain(`error: no valid asset is left: invalid asset ${bad}\n`);
    expect(stderr).not.toContain("--on-invalid");
    const both = listen(
      `${bad} base:0x0000000000000000000000000000000000000008 --feed ohlcv --on-invalid drop`,
      server,
      { env },
    );
    await both.until(() =>
      both.context.stderrText().includes("skipped asset base:0x0000000000000000000000000000000000000007"),
    );
    expect((await both.interrupted()).exit).toBe(130);
  });
});

describe("stops", () => {
  const endless = async () =>
    await serveInTest(() => stream(Array.from({ length: 400 }, (_, at) => price(String(at)))));

  test("--limit: exactly this many lines, exit 0, and every connection is closed", async () => {
    const server = await endless();
    const { exit, stdout } = await listen(`${one} --limit 7`, server).outcome;
    expect([exit, stdout.trim().split("\n").length]).toEqual([0, 7]);
    await closed(server);
  });

  test("--max-credits: this many lines, exit 5", async () => {
    const { exit, stdout, stderr } = await listen(`${one} --max-credits 5`, await endless()).outcome;
    expect([exit, stdout.trim().split("\n").length]).toEqual([5, 5]);
    expect(stderr).toContain("raise --max-credits");
    // It does not wait until the connection is lost, while the service charges more events.
    expect(stderr).not.toContain("reconnecting");
  });

  test("--for: exit 0, even without events", async () => {
    const pings = slow({
      headers: { "content-type": "text/event-stream" },
      chunks: Array.from({ length: 9999 }, () => ping),
      everyMs: 5,
    });
    const running = listen(`${one} --for 10m`, await serveInTest(() => pings));
    expect((await running.outcome).exit).toBe(0);
    expect(running.context.clock.elapsed()).toBeGreaterThanOrEqual(600_000);
  });

  test.each([
    ["--for: exit 8 if a connection never opened", 99, "rate limit of the keyless plan exceeded"],
    ["--for: exit 8 where a connection was down at the end", 0, "the service ended the stream"],
  ])("%s, and the gap lasts until the end", async (_, openFrom, reason) => {
    const server = await serveInTest((_request, index) =>
      index === openFrom ? stream([price("1")], { stayOpen: false }) : refuse(429, "slow down"),
    );
    const file = inFolder(`EVENTS-${openFrom}`);
    const { exit, stderr } = await listen([one, "--for", "20m", "--events", file], server).outcome;
    expect(exit).toBe(8);
    expect(stderr).toMatch(/may be missing events from 2026-11-21T08:54:00\.000Z to 2026-11-21T09:1\d/u);
    const events = logged(file).slice(-3);
    expect(events.map(({ event }) => event)).toEqual(["gap", "close", "credits"]);
    expect(events[0]).toMatchObject({ reason, names: [one], from: "2026-11-21T08:54:00.000Z" });
  });

  test("SIGTERM while a connection is down: the gap is reported, exit 143", async () => {
    const server = await serveInTest((_request, index) =>
      index === 0 ? stream([price("1")], { stayOpen: false }) : refuse(503, "down"),
    );
    const running = listen(one, server);
    await running.until(() => server.requests.length > 2);
    running.context.interrupt({ cause: "SIGTERM" });
    const { exit, stderr } = await running.outcome;
    expect(exit).toBe(143);
    expect(stderr).toMatch(
      /gap: ethereum:0x0000000000000000000000000000000000000abc may be missing events from .* \(the service ended the stream\)\n$/u,
    );
  });

  test("--idle-exit: exit 8 with the reason, and never before its time", async () => {
    const running = listen(
      `${one} --idle-exit 5m`,
      await serveInTest((_, index) => stream(index === 0 ? [price("1")] : [])),
    );
    const { exit, stderr } = await running.outcome;
    expect(exit).toBe(8);
    expect(stderr).toContain("no event for 5m (--idle-exit)");
    expect(running.context.clock.elapsed()).toBeGreaterThanOrEqual(300_000);
  });

  test("--idle-exit: a connection without events is noticed and named while others are busy", async () => {
    const server = await serveInTest((request) =>
      slow({
        headers: { "content-type": "text/event-stream" },
        chunks: Array.from({ length: 200 }, () =>
          askedFor(request)[0]?.address === "0x0000000000000000000000000000000000000000" ? price("1") : ping,
        ),
        everyMs: 10,
        stayOpen: true,
      }),
    );
    const running = listen([...many(30), "--idle-exit", "30s"], server, { speed: 100 });
    const { exit, stderr } = await running.outcome;
    expect(exit).toBe(8);
    expect(stderr).toBe(
      "error: no event from 15 assets for 30s (--idle-exit)\n" +
        `  hint: check that each of these is traded, or use a longer --idle-exit: ${many(7, 15).join(", ")} and 8 more\n`,
    );
    expect(running.lines().length).toBeGreaterThan(5);
  });

  test("--idle-exit: a connection that never opened counts as idle, and is reported", async () => {
    const server = await serveInTest((request) =>
      askedFor(request)[0]?.address === "0x0000000000000000000000000000000000000000"
        ? stream(Array.from({ length: 9 }, () => price("1")))
        : hang(),
    );
    const running = listen([...many(26), "--idle-exit", "20s"], server, { speed: 100 });
    const { exit, stderr } = await running.outcome;
    expect(exit).toBe(8);
    expect(stderr).toContain("error: no event for 20s (--idle-exit)\n");
    expect(stderr).toContain(
      `hint: check that each of these is traded, or use a longer --idle-exit: ${many(7).join(", ")} and`,
    );
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s: exit %i, complete lines, nothing on stderr", async (cause, exit) => {
    const server = await serveInTest(() => stream([price("1")]));
    const running = listen(one, server);
    await running.until(() => running.lines().length === 1);
    running.context.interrupt({ cause });
    const outcome = await running.outcome;
    expect([outcome.exit, outcome.stdout, outcome.stderr]).toEqual([exit, '{"p":"1"}\n', ""]);
    await closed(server);
  });

  test("a reader that closes: exit 0, no message, and no more requests", async () => {
    const server = await endless();
    const running = listen(one, server);
    running.context.stdout.closeAfter(30);
    const { exit, stderr } = await running.outcome;
    expect([exit, stderr]).toEqual([0, ""]);
    await closed(server);
    expect(server.requests.length).toBe(1);
  });

  test("an end by the service, or endless rejections, are never exit 0", async () => {
    const ending = await serveInTest(() => stream([], { stayOpen: false }));
    expect((await listen(`${one} --max-reconnects 3`, ending).outcome).exit).toBe(8);
    const full = await serveInTest(() => refuse(429, "slow down"));
    expect((await listen(`${one} --max-reconnects 1`, full).outcome).exit).toBe(6);
    const spent = await serveInTest((_, index) =>
      index === 0
        ? stream([price("1")], { stayOpen: false })
        : refuse(402, "no", { error: "payment_required" }),
    );
    expect((await listen(one, spent).outcome).exit).toBe(5);
  });

  test("--idle-exit does not count the time while the reader of stdout is stalled", async () => {
    const running = listen(`${one} --idle-exit 1m`, await endless());
    const resume = running.context.stdout.stall();
    await running.until(() => running.context.stdout.chunks.length === 1);
    await running.context.clock.sleep(300_000);
    resume();
    await running.until(() => running.context.stdout.chunks.length > 1);
    expect((await running.interrupted()).exit).toBe(130);
  });

  test("a stalled reader pauses the socket", async () => {
    const server = await endless();
    const running = listen(one, server);
    const resume = running.context.stdout.stall();
    await running.until(() => running.context.stdout.chunks.length === 1);
    const before = running.context.stdout.bytes().length;
    await running.context.clock.sleep(120_000);
    expect(running.context.stdout.bytes().length).toBe(before);
    resume();
    await running.until(() => running.context.stdout.chunks.length > 1);
    expect((await running.interrupted()).stderr).toBe(
      "note: at the current rate, 60 credits/hour, 43,200 a month; the keyless plan's 10,000 monthly credits last 6d22h\n",
    );
  });
});

describe("messages", () => {
  const cut = async () =>
    await serveInTest((request, index) =>
      index === 0 ? stream([price("1")], { stayOpen: false }) : pricesOf(request),
    );

  test("an interruption: a line when it starts and a line with both times when it ends", async () => {
    const { stderr } = await listen(`${one} --limit 2`, await cut()).outcome;
    expect(stderr).toMatch(
      /^warning: connection 1 lost: the service ended the stream; reconnecting in 1s \(ethereum:0x0000000000000000000000000000000000000abc\)\nwarning: gap: ethereum:0x0000000000000000000000000000000000000abc may be missing events from 2026-11-21T08:54:00\.\d{3}Z to 2026-11-21T08:54:01\.\d{3}Z \(the service ended the stream\)\n$/u,
    );
  });

  test("--events: open, retry, gap, close and credits, each a complete line", async () => {
    const running = listen(["--events", inFolder("EVENTS"), one, "--limit", "2"], await cut());
    const { exit } = await running.outcome;
    expect(exit).toBe(0);
    const events = logged(inFolder("EVENTS"));
    expect(events.map(({ event }) => event)).toEqual(["open", "retry", "open", "gap", "close", "credits"]);
    expect(events[3]).toMatchObject({ reason: "the service ended the stream", connection: 1, names: [one] });
    expect(events[5]).toMatchObject({ events: 2, credits: 2 });
  });

  test("repeated messages of the service are logged once a minute with their number, and up to 1 kB of each", async () => {
    const noise = `event: ${"n".repeat(5000)}\ndata: {}\n\nevent: warning\ndata: ${"w".repeat(5000)}\n\n`;
    const server = await serveInTest((_, index) =>
      index === 0
        ? stream([noise.repeat(50) + price("1")], { stayOpen: false })
        : stream([noise + price("2")]),
    );
    const file = inFolder("EVENTS-NOISE");
    const running = listen([one, "--events", file], server);
    await running.until(() => running.lines().length === 2);
    await running.interrupted();
    const events = logged(file).filter(({ event }) => event === "unknown" || event === "warning");
    expect(events.map(({ event }) => event)).toEqual(["unknown", "warning"]);
    expect(events.every(({ message }) => String(message).length === 1025)).toBe(true);
  });

  test("if --events cannot be written for a while, the next line is complete and reports the missing lines", async () => {
    const file = inFolder("EVENTS-LOST");
    const server = await serveInTest((_, index) => stream([price(String(index))], { stayOpen: index > 0 }));
    const running = listen([one, "--limit", "3", "--events", file], server, { speed: 20 });
    await running.until(() => running.lines().length === 1);
    rmSync(file);
    mkdirSync(file);
    await running.until(() => running.lines().length === 2);
    rmSync(file, { recursive: true });
    await running.interrupted();
    expect(readFileSync(file, "utf8")).toMatch(
      /^\n\{"event":"log_lost","at":"[^"]+","lines":\d\}\n\{"event":"close",/u,
    );
  });

  test("--stats: the number of assets and connections, the totals, and the file", async () => {
    const args = [...many(30), "--limit", "30", "--stats"];
    const { stderr } = await listen(args, await serveInTest(pricesOf)).outcome;
    expect(stderr).toBe("30 assets on 2 connections\n30 events, 30 credits, 0ms\n");
    const file = inFolder("STATS.ndjson");
    const toFile = await listen([...args, "--out", file], await serveInTest(pricesOf)).outcome;
    expect(toFile.stderr).toContain(`\n30 events added to ${file}, 30 credits, `);
  });

  test("many assets are counted, not named", async () => {
    const server = await serveInTest((request, index) =>
      index === 0
        ? slow({ headers: { "content-type": "text/event-stream" }, chunks: [] })
        : pricesOf(request),
    );
    const { stderr } = await listen([...many(20), "--limit", "20"], server).outcome;
    expect(stderr).toMatch(
      /connection 1 lost: the service ended the stream; reconnecting in \S+ \(20 assets\)/u,
    );
    expect(stderr).toMatch(/gap: 20 assets may be missing events from/u);
  });
});

describe("ohlcv", () => {
  const env = { DEXDATA_API_KEY: "api_pro_1", DEXDATA_TIER: "pro" };

  test("interval and since are sent; after an interruption the newest ID, without since", async () => {
    const server = await serveInTest((_, index) =>
      stream(index === 0 ? [candle(100, "1")] : [candle(100, "1"), candle(101, "2")], {
        stayOpen: index > 0,
      }),
    );
    const { stdout } = await listen(`${one} --feed ohlcv --interval 5s --since -5m --limit 2`, server, {
      env,
    }).outcome;
    expect(stdout).toBe('{"timestamp":100,"close":1}\n{"timestamp":101,"close":2}\n');
    const [first, second] = server.requests;
    expect(first?.query.get("interval")).toBe("5s");
    expect(Number(first?.query.get("since"))).toBe(Date.parse("2026-11-21T08:49:00Z") / 1000);
    expect(second?.query.has("since")).toBe(false);
    expect(second?.headers["last-event-id"]).toBe("100");
  });

  test.each([
    ["prices", price("1")],
    ["ohlcv", candle(100, "1")],
  ])("without --interval, none is sent: %s", async (feed, event) => {
    const server = await serveInTest(() => stream([event]));
    const running = listen(`${one} --feed ${feed} --limit 1`, server, { env });
    expect(await running.outcome).toMatchObject({ exit: 0, stderr: "" });
    expect(server.requests.map(({ query }) => query.has("interval"))).toEqual([false]);
  });

  test("--since -15m at any fraction of a second: as far back as the service certainly accepts on arrival", async () => {
    const server = await serveInTest(() => stream([candle(100, "1")]));
    const now = "2026-11-21T08:54:00.750Z";
    const running = listen(`${one} --feed ohlcv --since -15m --limit 1`, server, { env, now });
    const { exit, stderr } = await running.outcome;
    expect([exit, stderr]).toEqual([0, ""]);
    expect(Number(server.requests[0]?.query.get("since"))).toBe(Date.parse("2026-11-21T08:39:05Z") / 1000);
  });

  test("before the first candle, it resumes at the original start", async () => {
    const server = await serveInTest((_, index) =>
      stream(index === 0 ? [] : [candle(101, "2")], { stayOpen: index > 0 }),
    );
    await listen(`${one} --feed ohlcv --since -5m --limit 1`, server, { env }).outcome;
    const [first, second] = server.requests;
    expect(second?.headers["last-event-id"]).toBe(first?.query.get("since"));
  });
});

describe("the key", () => {
  test("rules 145 and 157: sent bare to the streaming host, and nowhere else; no message shows it", async () => {
    const rest = await serveInTest(() => refuse(500, "nobody asks here"));
    const key = "api_pro_secret_1234567890";
    const server = await serveInTest((_, index) =>
      index === 0 ? stream([`event: error\ndata: {"message":"${key}"}\n\n`]) : refuse(401, `bad key ${key}`),
    );
    const running = listen(["-vv", one, "--events", inFolder("EVENTS-KEY")], server, {
      env: {
        DEXDATA_API_KEY: key,
        DEXDATA_TIER: "pro",
        DEXDATA_BASE_URL: rest.url,
        DEXDATA_PRO_BASE_URL: rest.url,
      },
    });
    const { exit, stdout, stderr } = await running.outcome;
    expect(exit).toBe(4);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([key, key]);
    expect(server.requests.every(({ url }) => !url.includes(key))).toBe(true);
    expect(rest.requests).toEqual([]);
    expect(stdout + stderr + readFileSync(inFolder("EVENTS-KEY"), "utf8")).not.toContain("secret");
  });

  test("a redirect is not followed", async () => {
    const other = await serveInTest(pricesOf);
    const server = await serveInTest(() => ({
      mode: "answer",
      status: 302,
      headers: { location: other.url },
      body: "",
    }));
    expect((await listen(one, server).outcome).exit).toBe(1);
    expect(other.requests).toEqual([]);
  });
});

describe("a custom host", () => {
  test("--streaming-url replaces the configured host", async () => {
    const [configured, own] = [await serveInTest(pricesOf), await serveInTest(pricesOf)];
    expect((await listen(`${one} --limit 1 --streaming-url ${own.url}/v1`, configured).outcome).exit).toBe(0);
    expect(own.requests.map(({ path: asked }) => asked)).toEqual(["/v1/sse/prices"]);
    expect(configured.requests).toEqual([]);
  });

  test("the sandbox's key is sent to no other host, also if the environment turns the sandbox on", async () => {
    const own = await serveInTest(pricesOf);
    const env = { DEXDATA_SANDBOX: "1" };
    const { exit, stderr } = await listen(`${one} --streaming-url ${own.url}`, own, { env }).outcome;
    expect([exit, own.requests.length]).toEqual([2, 0]);
    expect(stderr).toContain(
      "--streaming-url cannot be used with DEXDATA_SANDBOX: the sandbox has separate hosts and keys",
    );
  });

  test("--for ends a run that waits for a host without a response: exit 8, and the time is reported", async () => {
    const { exit, stderr } = await listen(`${one} --for 20s`, await serveInTest(() => hang())).outcome;
    expect(exit).toBe(8);
    expect(stderr).toMatch(
      /^warning: connection 1 never opened; gap: ethereum:0x0000000000000000000000000000000000000abc may be missing events from 2026-11-21T08:54:00\.000Z to 2026-11-21T08:54:20\.\d{3}Z \(never connected\)\n$/u,
    );
  });

  test("a plan that the service does not apply to the key is reported once", async () => {
    const server = await serveInTest((_, index) =>
      slow({
        headers: { "content-type": "text/event-stream", "x-api-plan": "free" },
        chunks: [price(String(index))],
      }),
    );
    const env = { DEXDATA_API_KEY: "api_pro_1", DEXDATA_TIER: "pro" };
    const { stderr } = await listen(`${one} --limit 3`, server, { env }).outcome;
    expect(stderr.match(/the service applied the free plan, not pro/gu)?.length).toBe(1);
  });
});

describe("SIGHUP", () => {
  test("reloads @file: only connections whose assets change are reopened, and the gap is reported", async () => {
    const server = await serveInTest(pricesOf);
    writeFileSync(inFolder("LIST"), many(50).join("\n"));
    // Slower than usual: no busy machine may let the silence of 25 s pass, which would be the reason for the gap.
    const running = listen([`@${inFolder("LIST")}`], server, { speed: 50 });
    await running.until(() => running.lines().length === 50);
    expect(server.requests.length).toBe(2);
    writeFileSync(
      inFolder("LIST"),
      [...many(49), "base:0x0000000000000000000000000000000000000999"].join("\n"),
    );
    expect(running.context.reload()).toBe(true);
    await running.until(() => running.lines().length === 75);
    // The added asset is first tried alone.
    expect(server.requests.slice(2).map((request) => askedFor(request).length)).toEqual([1, 25]);
    expect(server.requests.flatMap(askedFor).at(-1)?.address).toBe(
      "0x0000000000000000000000000000000000000999",
    );
    writeFileSync(inFolder("LIST"), "");
    running.context.reload();
    await running.until(() => running.context.stderrText().includes("list ignored"));
    const { stderr } = await running.interrupted();
    expect(stderr).toMatch(/asset list reloaded: 50 assets/u);
    expect(stderr).toMatch(/gap: 24 assets may be missing events from .* \(the list of assets changed\)/u);
    expect(stderr).toMatch(/gap: base:0x0+999 may be missing events from .* \(the list of assets changed\)/u);
    expect(stderr).toMatch(/new asset list ignored: no assets to stream/u);
    expect(server.requests.length).toBe(4);
  });

  test("assets whose first attempts fail have a gap, at the start and after a reload", async () => {
    const list = inFolder("LIST-REFUSED");
    writeFileSync(list, many(2).join("\n"));
    let failures = 2;
    const server = await serveInTest((request) => {
      failures -= 1;
      return failures < 0 ? pricesOf(request) : refuse(503, "down");
    });
    const events = inFolder("EVENTS-REFUSED");
    const running = listen([`@${list}`, "--events", events], server);
    await running.until(() => running.lines().length === 2);
    writeFileSync(list, many(3).join("\n"));
    failures = 3;
    running.context.reload();
    await running.until(() => running.lines().length === 5);
    await running.interrupted();
    const gaps = logged(events).filter(({ event }) => event === "gap");
    const [first, second] = [many(2), many(1, 2)];
    expect(gaps.map(({ names, reason }) => ({ names, reason }))).toEqual([
      { names: first, reason: expect.stringContaining("HTTP 503") },
      { names: first, reason: "the list of assets changed" },
      { names: second, reason: "the list of assets changed" },
    ]);
    const times = gaps.map(({ from, to }) => [Date.parse(String(from)), Date.parse(String(to))]);
    const [atStart = [], atReload = [], added = []] = times;
    for (const [from = 0, to = 0] of times) expect(to).toBeGreaterThan(from);
    // The one of the added asset begins with the reload.
    expect(added[0]).toBeGreaterThanOrEqual(atStart[1] ?? Number.NaN);
    expect(added[0]).toBeGreaterThanOrEqual(atReload[0] ?? Number.NaN);
    // A retry names the start of the gap.
    const retries = logged(events).filter(({ event }) => event === "retry");
    expect([retries[0], retries.at(-1)].map((retry) => retry?.["from"])).toEqual([
      gaps[0]?.["from"],
      gaps[1]?.["from"],
    ]);
  });

  test("a new asset that the service rejects interrupts no other asset", async () => {
    const list = inFolder("LIST-REJECTED");
    writeFileSync(list, many(2).join("\n"));
    const [invalid = ""] = many(1, 999);
    const server = await serveInTest((request) =>
      askedFor(request).some(({ address }) => invalid.endsWith(address))
        ? refuse(400, "invalid asset")
        : pricesOf(request),
    );
    const running = listen([`@${list}`], server);
    await running.until(() => running.lines().length === 2);
    writeFileSync(list, [...many(2), invalid].join("\n"));
    running.context.reload();
    await running.until(() => running.context.stderrText().includes("reloaded: 2 assets"));
    const { stderr } = await running.interrupted();
    expect(stderr).toContain(`skipped asset ${invalid}`);
    expect(stderr).not.toContain("gap: ");
    expect(server.requests.map((request) => askedFor(request).length)).toEqual([2, 1]);
  });

  test("the host remains known when the only open connection is no longer needed", async () => {
    const list = inFolder("LIST-KNOWN");
    writeFileSync(list, many(26).join("\n"));
    let pages = Number.POSITIVE_INFINITY;
    const server = await serveInTest((request) => {
      if (askedFor(request).some(({ address }) => address.endsWith("19"))) return pricesOf(request);
      if (pages === Number.POSITIVE_INFINITY) return refuse(503, "down");
      pages -= 1;
      return pages < 0 ? pricesOf(request) : html(403);
    });
    const running = listen([`@${list}`], server);
    await running.until(() => running.lines().length === 13);
    writeFileSync(list, many(13).join("\n"));
    running.context.reload();
    await running.until(() => running.context.stderrText().includes("reloaded: 13 assets"));
    pages = 3;
    await running.until(() => running.lines().length === 26);
    expect((await running.interrupted()).exit).toBe(130);
  });

  describe("assets that a reload adds have a gap while they wait", () => {
    const gapsIn = (events: string): readonly (readonly [unknown, unknown])[] =>
      logged(events)
        .filter(({ event }) => event === "gap")
        .map(({ names, reason }) => [names, reason]);
    const reloaded = "the list of assets changed";
    const start = async (
      name: string,
      answer: (asked: readonly string[]) => Reply | undefined,
      count: number,
    ) => {
      const [list, events] = [inFolder(`LIST-${name}`), inFolder(`EVENTS-${name}`)];
      writeFileSync(list, many(count).join("\n"));
      const server = await serveInTest(
        (request) => answer(askedFor(request).map(({ address }) => `base:${address}`)) ?? pricesOf(request),
      );
      const running = listen([`@${list}`, "--events", events], server, { speed: 50 });
      await running.until(() => running.lines().length === count);
      const reload = (assets: readonly string[]): void => {
        writeFileSync(list, assets.join("\n"));
        running.context.reload();
      };
      return { server, running, events, reload };
    };

    test("for other connections", async () => {
      const { running, events, reload } = await start("WAITING", () => undefined, 25);
      reload([...many(24), ...many(20, 100)]);
      await running.until(() => running.lines().length === 25 + 44);
      await running.interrupted();
      expect(gapsIn(events)).toContainEqual([many(19, 101), reloaded]);
    });

    test("for the search for an invalid asset", async () => {
      const [invalid = ""] = many(1, 999);
      const { running, events, reload } = await start(
        "SEARCHING",
        (asked) =>
          asked.length > 2 && asked.includes(invalid)
            ? refuse(400, `invalid address: ${invalid.split(":")[1]}`)
            : undefined,
        2,
      );
      reload([...many(3), invalid]);
      await running.until(() => running.lines().length >= 5);
      const { stderr } = await running.interrupted();
      expect(stderr).toContain(`skipped asset ${invalid}`);
      expect(gapsIn(events)).toEqual([
        [many(2), reloaded],
        [many(1, 2), reloaded],
      ]);
    });

    test("for the host, when the list was reloaded once more", async () => {
      let isHanging = false;
      const { server, running, events, reload } = await start(
        "TWICE",
        (asked) => (isHanging && asked.length > 1 ? hang() : undefined),
        2,
      );
      isHanging = true;
      reload(many(3));
      // The list, the added asset alone, and the new list.
      await running.until(() => server.requests.length === 3);
      isHanging = false;
      reload(many(4));
      await running.until(() => running.lines().length === 2 + 4);
      await running.interrupted();
      expect(gapsIn(events)).toEqual([
        [many(2), reloaded],
        [many(1, 2), reloaded],
        [many(1, 3), reloaded],
      ]);
    });
  });

  test("while the host name cannot be resolved, the stream waits for it, and then uses the current list", async () => {
    const server = await serveInTest(pricesOf);
    const list = inFolder("LIST-NAMELESS");
    writeFileSync(list, many(2).join("\n"));
    const env = { DEXDATA_STREAMING_URL: server.url.replace("127.0.0.1", "localhost") };
    const running = listen([`@${list}`, "--max-reconnects", "9"], server, { env });
    await running.until(() => running.lines().length === 2);
    const missing = Object.assign(new Error("getaddrinfo ENOTFOUND localhost"), { code: "ENOTFOUND" });
    const { lookup } = dns;
    let asked = 0;
    const fail = (...words: readonly unknown[]): void => {
      asked += 1;
      const callback = words.at(-1);
      if (typeof callback === "function") setImmediate(() => void callback(missing));
    };
    Object.assign(dns, { lookup: fail });
    try {
      writeFileSync(list, many(30).join("\n"));
      running.context.reload();
      await running.until(() => asked >= 4);
    } finally {
      Object.assign(dns, { lookup });
    }
    await running.until(() => running.lines().length === 2 + 30);
    const { exit, stderr } = await running.interrupted();
    expect(exit).toBe(130);
    expect(stderr).toMatch(/cannot resolve localhost:\d+; reconnecting in /u);
  });

  const pro = { env: { DEXDATA_API_KEY: "api_pro_1", DEXDATA_TIER: "pro" } };
  /** Simulates a host with a lower limit than the plan. */
  const crowded = async (places: number) => {
    const open = new Map<string, number>();
    const server: ScriptedServer = await serveInTest((request) => {
      const names = askedFor(request).map(({ address }) => address);
      if (server.openRequests() > places) return refuse(429, "streams limit reached");
      for (const name of names) open.set(name, (open.get(name) ?? 0) + 1);
      return pricesOf(request);
    });
    return { server, open };
  };

  test("new connections that the host rejects lose only their own assets, after the others", async () => {
    const list = inFolder("LIST-CROWDED");
    writeFileSync(list, many(50).join("\n"));
    const { server, open } = await crowded(2);
    const running = listen([`@${list}`, "--events", inFolder("EVENTS-CROWDED")], server, pro);
    await running.until(() => running.lines().length === 50);
    writeFileSync(list, [...many(49), ...many(30, 100)].join("\n"));
    running.context.reload();
    await running.until(() => running.context.stderrText().split("skipped asset").length === 3);
    const { stderr } = await running.interrupted();
    expect(stderr).toMatch(/skipped assets base:0x\w+, .* and \d+ more \(streams limit reached\)\n/u);
    // The connection that lost an asset and got a new one is open again, with it.
    expect(open.get("0x0000000000000000000000000000000000000064")).toBe(1);
    const events = logged(inFolder("EVENTS-CROWDED"));
    expect(events.some(({ event, connection }) => event === "close" && Number(connection) > 2)).toBe(true);
    expect(events.filter(({ event }) => event === "dropped").length).toBe(2);
    // On a busy machine, the quiet host is silent for more than 20 s of the test's time, which is a gap.
    const last = events.filter(({ event }) => event !== "gap").slice(-3);
    expect(last.map(({ event }) => event)).toEqual(["close", "close", "credits"]);
  });

  test("new connections wait for a reopened one that the service still counts", async () => {
    const list = inFolder("LIST-COUNTED");
    writeFileSync(list, many(50).join("\n"));
    let refusals = 0;
    const server: ScriptedServer = await serveInTest((request) => {
      if (refusals === 0 && server.openRequests() <= 2) return pricesOf(request);
      refusals = Math.max(0, refusals - 1);
      return refuse(429, "streams limit reached");
    });
    const running = listen([`@${list}`], server, pro);
    await running.until(() => running.lines().length === 50);
    refusals = 2;
    writeFileSync(list, [...many(49), ...many(30, 100)].join("\n"));
    running.context.reload();
    await running.until(() => running.context.stderrText().split("skipped asset").length === 3);
    const heard = new Set(running.lines().map((line) => String(JSON.parse(line).address)));
    await running.interrupted();
    expect(heard.has("0x0000000000000000000000000000000000000064")).toBe(true);
  });

  test("a dropped asset stays dropped while it is listed: an unchanged list opens no connection", async () => {
    const list = inFolder("LIST-DROPPED");
    writeFileSync(list, many(10).join("\n"));
    const server = await serveInTest((request) =>
      askedFor(request).some(({ address }) => address === "0x0000000000000000000000000000000000000007")
        ? refuse(400, "base/0x0000000000000000000000000000000000000007")
        : pricesOf(request),
    );
    const running = listen([`@${list}`, "--on-invalid", "drop"], server);
    await running.until(() => running.lines().length === 9);
    expect(server.requests.length).toBe(2);
    running.context.reload();
    await running.until(() => running.context.stderrText().includes("reloaded: 9 assets"));
    writeFileSync(list, many(11).join("\n"));
    running.context.reload();
    await running.until(() => running.lines().length === 19);
    expect(server.requests.length).toBe(4);
    writeFileSync(list, "base:0x0000000000000000000000000000000000000007");
    running.context.reload();
    await running.until(() => running.context.stderrText().includes("list ignored: "));
    await running.interrupted();
  });

  test("a connection whose assets are all dropped is logged as closed", async () => {
    const server = await serveInTest((request) =>
      askedFor(request).some(({ address }) => address === "0x0000000000000000000000000000000000000007")
        ? refuse(404, "token not found: base/0x0000000000000000000000000000000000000007")
        : stream([candle(1, "1")]),
    );
    const file = inFolder("EVENTS-ALL");
    const words = [
      "base:0x0000000000000000000000000000000000000007",
      "base:0x0000000000000000000000000000000000000008",
      "--feed",
      "ohlcv",
      "--on-invalid",
      "drop",
      "--events",
      file,
    ];
    const running = listen(words, server, pro);
    await running.until(() => running.lines().length === 1 && running.context.stderrText() !== "");
    await running.interrupted();
    expect(logged(file).filter(({ event, connection }) => event === "close" && connection === 1).length).toBe(
      1,
    );
  });

  test("a list that outgrows one asset per connection is spread over connections of several", async () => {
    const list = inFolder("LIST-GROWS");
    writeFileSync(list, many(5).join("\n"));
    const server = await serveInTest((request) =>
      stream([`event: token_reserves\ndata: {"n":${askedFor(request).length}}\n\n`]),
    );
    const env = { DEXDATA_API_KEY: "api_free_1", DEXDATA_TIER: "free" };
    const running = listen([`@${list}`, "--feed", "reserves"], server, { env });
    await running.until(() => running.lines().length === 5);
    writeFileSync(list, many(40).join("\n"));
    running.context.reload();
    await running.until(() => running.context.stderrText().includes("asset list reloaded"));
    await running.until(() => running.lines().length > 5);
    expect((await running.interrupted()).stderr).toContain("asset list reloaded: 40 assets");
  });

  test.skipIf(process.platform === "win32").each([
    ["Ctrl-C", "SIGINT", 130],
    ["SIGTERM", "SIGTERM", 143],
    ["--for", undefined, 0],
  ] as const)(
    "R13: %s while the list is read from a pipe without a writer: a clean end",
    async (_, cause, exit) => {
      const list = inFolder(`LIST-PIPE-${exit}`);
      const server = await serveInTest(() => stream([price("1")]));
      const unhandled: unknown[] = [];
      const note = (fault: unknown): void => void unhandled.push(fault);
      process.on("unhandledRejection", note);
      try {
        writeFileSync(list, one);
        const words = [`@${list}`, ...(cause === undefined ? ["--for", "20s"] : [])];
        const running = listen(words, server, { speed: 20 });
        await running.until(() => running.lines().length === 1);
        rmSync(list);
        execFileSync("mkfifo", [list]);
        expect(running.context.reload()).toBe(true);
        await new Promise(setImmediate);
        if (cause !== undefined) running.context.interrupt({ cause });
        const outcome = await running.outcome;
        expect([outcome.exit, outcome.stdout, outcome.stderr]).toEqual([exit, '{"p":"1"}\n', ""]);
        await new Promise(setImmediate);
        expect(unhandled).toEqual([]);
      } finally {
        process.off("unhandledRejection", note);
      }
    },
  );

  test("without a file SIGHUP is not handled: the signal ends the process as usual", async () => {
    const running = listen(one, await serveInTest(() => stream([price("1")])));
    await running.until(() => running.lines().length === 1);
    expect(running.context.reload()).toBe(false);
  });
});

describe("rejected before any request", () => {
  test("a file that is far too long for a list", async () => {
    const long = path.join(folder, "long");
    writeFileSync(long, `${one}\n`);
    truncateSync(long, 64 * 1024 * 1024 + 1);
    const server = await serveInTest(() => stream([price("1")]));
    expect(await listen(`@${long}`, server).outcome).toMatchObject({
      exit: 2,
      stdout: "",
      stderr: expect.stringContaining(`"@${long}": larger than 64 MiB, the limit for a list of assets`),
    });
    expect(server.requests.length).toBe(0);
    // Otherwise, all of it would be searched for keys.
    truncateSync(long, 0);
  });

  test.each([
    ["--limit 1", "missing <network> and <address>"],
    ["ethereum", 'missing <address> after network "ethereum"'],
    ["@/nowhere/list", '"@/nowhere/list": cannot be read (no such file)'],
    [`${one} --feed price`, 'invalid --feed "price": must be one of prices,'],
    [`${one} --by pool`, "--by pool with --feed prices: must be token"],
    [`${one} --interval 5s`, "--interval requires --feed ohlcv"],
    [`${one} --feed ohlcv --interval 2m`, 'invalid --interval "2m": must be one of 1s,'],
    [`${one} --feed ohlcv --since -1h`, 'invalid --since "-1h": must be within the last 15 minutes'],
    [`${one} --feed ohlcv --since 2027-01-01`, 'invalid --since "2027-01-01": must not be in the future'],
    [`${one} -o table`, 'invalid --output "table": must be ndjson'],
    [`${one} --limit 0`, '--limit "0"'],
    [`${one} --for 10`, '--for "10"'],
    [`${one} --streaming-url http://streams.example`, "must use https"],
    [`${one} --events /nowhere/events`, '--events "/nowhere/events": cannot be written (no such directory)'],
    [
      `${one} --events tail-%Y.ndjson`,
      'invalid --events "tail-%Y.ndjson": must be the name of one file, without %',
    ],
    [`${one} --out -`, 'invalid --out "-": must be a file name'],
    [`${one} --events -`, 'invalid --events "-": must be a file name'],
    [
      `${one} --out t.ndjson --events ./t.ndjson`,
      'invalid --events "./t.ndjson": must not be the --out file',
    ],
    [`${one} --out t --metrics ./t`, 'invalid --metrics "./t": must not be the --out file'],
    [`${one} --when price>1 --state t --events t`, 'invalid --state "t": must not be the --events file'],
    [`${one} @t --out t`, 'invalid --out "t": must not be the list that this run reads'],
    [`${one} --when price>1 --state .`, 'invalid --state ".": must be a file, not a directory'],
    [`${one} --metrics .`, 'invalid --metrics ".": must be a file, not a directory'],
    [`${one} --metrics README.md`, '--metrics "README.md": not a file that --metrics has written'],
    [`${one} --all`, 'unknown flag --all for "dexdata stream"'],
    [`${one} --fields p`, 'unknown flag --fields for "dexdata stream"'],
  ])("stream %s", async (words, message) => {
    const server = await serveInTest(pricesOf);
    const { exit, stderr, stdout } = await listen(words, server).outcome;
    expect([exit, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
    expect(server.requests.length).toBe(0);
  });
});

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createPendingLines } from "../../src/cli/commands/stream/stream-output.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { json, slow } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext } from "../harness/test-context.ts";
import { ping, price, stream } from "./keeping.ts";
import { listen, pricesOf, refuse } from "./stream-run.ts";

const asset = "ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const terminal = { isTerminal: true, columns: 100, env: { NO_COLOR: "1" } };
const [enter, leave] = ["\u001B[?1049h\u001B[?25l\u001B[?7l", "\u001B[?7h\u001B[?25h\u001B[?1049l"];
const folder = temporaryFolder();

test("on a terminal dexdata draws the board, and Ctrl-C restores the terminal and prints the last frame", async () => {
  const server = await serveInTest(pricesOf);
  const { context, until, interrupted } = listen(asset, server, terminal);
  await until(() => context.stdoutText().includes(" 1.0000 "));
  expect(context.stdoutText()).toContain("● 1 connection open");
  const { exit, stdout } = await interrupted();
  expect(exit).toBe(130);
  expect(stdout.startsWith(enter)).toBe(true);
  const [drawn, after = "", ...more] = stdout.split(leave);
  expect(more).toEqual([]);
  expect(drawn).not.toContain('{"');
  expect(after).toMatch(
    /^dexdata stream prices · 1 asset · running for \d+s\n\nASSET .*\nethereum:0xc02a.* 1\.0000 .*\n$/u,
  );
});

test("reaching a limit and a rejection restore the terminal too", async () => {
  const met = await listen([asset, "--limit", "1"], await serveInTest(pricesOf), terminal).outcome;
  expect(met.exit).toBe(0);
  expect(met.stdout.split(leave)).toHaveLength(2);
  const refusing = await serveInTest(() => refuse(400, "no such asset"));
  const refused = await listen(asset, refusing, terminal).outcome;
  expect(refused.exit).toBe(2);
  expect(refused.stdout.split(leave)).toHaveLength(2);
  expect(refused.stderr).toContain("no such asset");
});

test("Ctrl-Z restores the terminal for the shell and pauses drawing until the program continues, then redraws all", async () => {
  const { context, until, interrupted } = listen(asset, await serveInTest(pricesOf), terminal);
  await until(() => context.stdoutText().includes(" 1.0000 "));
  await context.suspend();
  expect(context.stdoutText().endsWith(leave)).toBe(true);
  await context.clock.sleep(10_000);
  expect(context.stdoutText().endsWith(leave)).toBe(true);
  context.goOn();
  await until(() => !context.stdoutText().endsWith(leave));
  await until(() => (context.stdoutText().split(leave)[1] ?? "").includes(" 1.0000 "));
  const { stdout } = await interrupted();
  expect(stdout.split(leave)[1]?.startsWith(enter)).toBe(true);
  expect(stdout.split(leave)).toHaveLength(3);
});

test("a closed terminal ends it without a message", async () => {
  const { context, until, outcome } = listen(asset, await serveInTest(pricesOf), terminal);
  await until(() => context.stdoutText().includes(" 1.0000 "));
  context.stdout.close();
  expect((await outcome).exit).toBe(0);
});

test("messages appear in the board while it is drawn, and on stderr after it ends", async () => {
  const server = await serveInTest((_request, index) =>
    index === 0 ? stream([price("1")], { stayOpen: false }) : stream([price("2")]),
  );
  const { context, until, interrupted } = listen(asset, server, { ...terminal, columns: 120 });
  await until(() => context.stdoutText().includes(" 2.0000 "));
  expect(context.stdoutText()).toContain("the service ended the stream");
  expect(context.stdoutText()).toContain("1 retrying");
  expect(context.stderrText()).not.toContain("the service ended the stream");
  const { stderr } = await interrupted();
  expect(stderr).toContain("the service ended the stream; reconnecting");
  expect(stderr).toMatch(/may be missing events from \S+Z to \S+Z/u);
});

test("what a run has learned of pools is kept even if it ends before it has learned all of them", async () => {
  const [one, other, last] = ["1", "2", "3"].map((end) => `0x${end.padStart(40, "0")}`);
  const server = await serveInTest(({ path: to }) => {
    if (to.startsWith("/sse/")) return stream([ping]);
    return to.endsWith(`${other}`) ? slow({ chunks: [], stayOpen: true }) : json({ id: one, tokens });
  });
  const tokens = ["A", "B"].map((symbol) => ({ id: `0x${symbol}`, symbol, decimals: 6 }));
  const asked = (): readonly string[] =>
    server.requests.map(({ path: to }) => to).filter((to) => !to.startsWith("/sse/"));
  const words = `--feed transactions ${[one, other, last].map((each) => `ethereum:${each}`).join(" ")}`;
  const env = { DEXDATA_API_KEY: "api_dev_1", DEXDATA_TIER: "dev", DEXDATA_PRO_BASE_URL: server.url };
  const first = listen(words, server, { ...terminal, env });
  await first.until(() => asked().length === 2);
  await first.interrupted();
  const { home, clock } = first.context;
  const next = listen(words, server, { ...terminal, now: clock.now(), env: { ...env, HOME: home } });
  await next.until(() => asked().length === 3);
  expect(asked()[2]).toContain(other);
});

test("the board is drawn up to ten times per second, at any number of events", async () => {
  const chunks = Array.from({ length: 100 }, (_, index) => price(String(index + 1)));
  const server = await serveInTest(() =>
    slow({ headers: { "content-type": "text/event-stream" }, chunks, everyMs: 1, stayOpen: true }),
  );
  const { context, until, interrupted } = listen(asset, server, { ...terminal, speed: 1 });
  await until(() => context.stdoutText().includes("100 events"));
  // The first frame, and the commands before it.
  expect(context.stdout.chunks.length).toBeLessThanOrEqual(2 + context.clock.elapsed() / 100);
  await interrupted();
});

test.each([
  { what: "-o ndjson", flags: ["-o", "ndjson"], env: {} },
  { what: "TERM=dumb", flags: [], env: { TERM: "dumb" } },
  { what: "DEXDATA_OUTPUT=ndjson", flags: [], env: { DEXDATA_OUTPUT: "ndjson" } },
])("$what: lines, also on a terminal", async ({ flags, env }) => {
  const { outcome } = listen([asset, "--limit", "1", ...flags], await serveInTest(pricesOf), {
    ...terminal,
    env,
  });
  const { exit, stdout } = await outcome;
  expect(exit).toBe(0);
  expect(stdout).toMatch(/^\{"address":.*\}\n$/u);
});

test("NO_COLOR draws without color, and a locale without UTF-8 in ASCII", async () => {
  const env = { NO_COLOR: "1", LANG: "C" };
  const { context, until, interrupted } = listen(asset, await serveInTest(pricesOf), { ...terminal, env });
  await until(() => context.stdoutText().includes(" 1.0000 "));
  const { stdout } = await interrupted();
  // oxlint-disable-next-line no-control-regex -- colors begin with one
  expect(stdout).not.toMatch(/\u001B\[[\d;]*m/u);
  expect(stdout.replaceAll("\u001B", "")).toMatch(/^[\r\n -~]*$/u);
});

test("--out appends to a file, and removes the incomplete line of a killed run", async () => {
  const file = path.join(folder, "ticks.ndjson");
  writeFileSync(file, '{"p":"0"}\n{"p":"to');
  const words = [asset, "--limit", "1", "--out", file];
  const first = await listen(words, await serveInTest(pricesOf)).outcome;
  expect(first).toMatchObject({ exit: 0, stdout: "" });
  expect(first.stderr).toContain("the last line was incomplete and was removed (8 bytes)");
  expect((await listen(words, await serveInTest(pricesOf)).outcome).exit).toBe(0);
  const lines = readFileSync(file, "utf8").split("\n");
  expect(lines.map((line) => (line === "" ? "" : JSON.parse(line).p))).toEqual(["0", "1", "1", ""]);
});

test("--out with fields writes each event to the file of its network, its asset and its own time", async () => {
  const made = path.join(folder, "fields");
  mkdirSync(made);
  const other = "base:0x4200000000000000000000000000000000000006";
  const now = Date.parse("2026-11-21T23:59:59.500Z");
  // One event is late, one has no time, and the times of two are wrong.
  const seconds = [-3600, 1, -7200, undefined, 3 * 86_400, -1e9];
  const events = seconds.flatMap((offset, line) =>
    [0, 1].map((index) => {
      const time = offset === undefined ? undefined : Math.floor(now / 1000) + offset;
      const data = JSON.stringify({ interval: "../x", price: "1", line, timestamp: time });
      return `event: token_price\ndata: ${data}\nrequest_id: ${index}\n\n`;
    }),
  );
  const server = await serveInTest(() => stream([events.join("")]));
  const words = [asset, other, "--limit", "12", "--out", path.join(made, "{network}/{token}/{date}.ndjson")];
  const { exit, stderr } = await listen(words, server, { now: "2026-11-21T23:59:59.500Z" }).outcome;
  expect(exit).toBe(0);
  const lines = (name: string): readonly number[] =>
    readFileSync(path.join(made, name), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).line);
  for (const name of [asset, other]) {
    const below = name.replace(":", "/");
    expect(readdirSync(path.join(made, below))).toEqual(["2026-11-21.ndjson", "2026-11-22.ndjson"]);
    expect(lines(`${below}/2026-11-21.ndjson`)).toEqual([0, 2, 3, 4, 5]);
    expect(lines(`${below}/2026-11-22.ndjson`)).toEqual([1]);
  }
  expect(readdirSync(made)).toEqual(["base", "ethereum"]);
  expect(
    stderr.match(/an event's time is 2026-11-24T23:59:59\.000Z, more than a day from its receipt/gu),
  ).toHaveLength(2);
  expect(stderr.match(/has no readable time; [^;]*; \d so far/gu)).toHaveLength(2);
});

test("100,000 shuffled events around midnight: each is in the file of its day, once", async () => {
  const made = path.join(folder, "midnight");
  mkdirSync(made);
  const random = createRandom(17);
  const midnight = Date.parse("2026-11-22T00:00:00Z") / 1000;
  const times = Array.from(
    { length: isLong ? 100_000 : 5000 },
    () => midnight - 300 + Math.floor(random() * 600),
  );
  const chains = times.map(() => `chain${Math.floor(random() * 20)}`);
  const events = times.map((time, id) => {
    const data = JSON.stringify({ chain: chains[id], address: "0x1", price: "1", timestamp: time, line: id });
    return `event: token_price\ndata: ${data}\n\n`;
  });
  const server = await serveInTest(() => stream([events.join("")]));
  const out = path.join(made, "{network}", "{date}.ndjson");
  const words = [
    asset,
    "base:0x4200000000000000000000000000000000000006",
    "--limit",
    String(times.length),
    "--out",
    out,
  ];
  const { exit } = await listen(words, server, { now: "2026-11-21T23:59:00Z" }).outcome;
  expect(exit).toBe(0);
  const seen = new Set<number>();
  const misplaced: unknown[] = [];
  for (const chain of readdirSync(made))
    for (const name of readdirSync(path.join(made, chain)))
      for (const line of readFileSync(path.join(made, chain, name), "utf8")
        .trimEnd()
        .split("\n")) {
        const id: number = JSON.parse(line).line;
        const time = times[id] ?? 0;
        if (chain !== chains[id] || name !== `2026-11-2${time < midnight ? 1 : 2}.ndjson`)
          misplaced.push([chain, name, time]);
        seen.add(id);
      }
  expect(misplaced).toEqual([]);
  expect(seen.size).toBe(times.length);
});

test("--out with a pattern writes a line without a time to the file of the time it was received", async () => {
  const made = path.join(folder, "%Y%m%d", "%H%M.ndjson");
  let count = 0;
  const server = await serveInTest((request) => {
    count += 1;
    return count === 1 ? stream([price("1")], { stayOpen: false }) : pricesOf(request);
  });
  const now = "2026-11-21T23:59:59.500Z";
  // The wait for the second connection crosses midnight.
  const { exit } = await listen([asset, "--limit", "2", "--out", made], server, { now }).outcome;
  expect(exit).toBe(0);
  const read = (name: string): string => readFileSync(path.join(folder, name), "utf8");
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(["20261121", "20261122"]));
  expect(read("20261121/2359.ndjson")).toBe('{"p":"1"}\n');
  expect(read("20261122/0000.ndjson")).toMatch(/^\{.*"p":"1"\}\n$/u);
});

test("--out on a terminal shows the board as well", async () => {
  const file = path.join(folder, "seen.ndjson");
  const words = [asset, "--limit", "1", "--out", file];
  const { stdout, exit } = await listen(words, await serveInTest(pricesOf), terminal).outcome;
  expect(exit).toBe(0);
  expect(stdout).toContain("dexdata stream prices");
  expect(readFileSync(file, "utf8")).toMatch(/^\{.*\}\n$/u);
});

test.each([
  [0, 0],
  [4, 1],
  [5, 1],
  [6, 2],
  [99, 4],
  [undefined, 4],
])(
  "of two pending writes, %s bytes that the reader has not accepted are the last ones",
  async (left, events) => {
    const never = new Promise<void>(() => undefined);
    const lines = createPendingLines({ write: async () => await never, unaccepted: () => left });
    for (const text of ["a\nb\nc\n", "last\n"]) void lines.write(Buffer.from(text));
    expect(await lines.unwritten(createTestContext().clock)).toBe(events);
  },
);

test("an unknown pattern and a missing directory are rejected before any request", async () => {
  const server = await serveInTest(pricesOf);
  for (const out of [
    "%Q.ndjson",
    "{pool}.ndjson",
    "{candle}",
    "{date}-%d",
    "{date",
    path.join(folder, "none", "x.ndjson"),
  ]) {
    const { exit, stderr } = await listen([asset, "--out", out], server).outcome;
    expect(exit).toBe(2);
    expect(stderr).toContain("--out");
  }
  expect(server.requests).toHaveLength(0);
});

test("--sandbox: --out with a date creates only files of the simulated time", async () => {
  const made = path.join(folder, "simulated");
  mkdirSync(made);
  const words = [asset, "--sandbox", "--limit", "2", "--out", path.join(made, "{date}.ndjson")];
  const { exit } = await listen(words, undefined, {
    env: { DEXDATA_NOW: "2026-11-19T08:54:00Z" },
    speed: 1,
  }).outcome;
  expect([exit, readdirSync(made)]).toEqual([0, ["2026-11-19.ndjson"]]);
});

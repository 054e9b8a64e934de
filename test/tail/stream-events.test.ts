import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parseDuration } from "../../src/api/duration.ts";
import { empty, type Reply, type SeenRequest } from "../harness/scripted-server.ts";
import { createRandom } from "../harness/random.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { price, stream } from "./keeping.ts";
import { askedFor, listen, logged, pricesOf, refuse } from "./stream-run.ts";

const folder = temporaryFolder();
const one = "ethereum:0x0000000000000000000000000000000000000abc";
const many = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `base:0x${index.toString(16).padStart(40, "0")}`);
let files = 0;
const newFile = (): string => path.join(folder, String((files += 1)));

describe("--events", () => {
  test("D4: every line has its time, and names every asset of its connection", async () => {
    const file = newFile();
    const server = await serveInTest((request, index) =>
      index === 0
        ? stream([price("1"), "event: token_price\ndata: {broken\n\nevent: news\ndata: {}\n\n"], {
            stayOpen: false,
          })
        : pricesOf(request),
    );
    const running = listen([...many(25), "--events", file], server);
    await running.until(() => running.lines().length === 26);
    const { stderr } = await running.interrupted();
    const events = logged(file);
    const kinds = new Set(events.map(({ event }) => event));
    expect([...kinds]).toEqual(["open", "unknown", "left_out", "retry", "gap", "close", "credits"]);
    for (const each of events) {
      expect(each).toMatchObject({ at: expect.stringMatching(/^2026-11-21T08:5\d:\d\d\.\d{3}Z$/u) });
      if (each["event"] !== "credits") expect(each["names"]).toEqual(many(25));
    }
    // Messages for people contain the number.
    expect(stderr).toContain("connection 1 lost: ");
  });

  test("P12: stderr shows the exact wait of the file, with any jitter", async () => {
    const file = newFile();
    const server = await serveInTest(() => refuse(503, "down"));
    const words = [one, "-v", "--max-reconnects", "30", "--events", file];
    const { stderr } = await listen(words, server, { random: createRandom(12) }).outcome;
    const said = [...stderr.matchAll(/; retrying in (\S+)/gu)].map(([, wait = ""]) =>
      wait
        .match(/[\d.]+[a-z]+/gu)
        ?.map((part) => parseDuration(part) ?? Number.NaN)
        .reduce((sum, part) => sum + part),
    );
    const waits = logged(file).flatMap(({ event, wait_ms: wait }) => (event === "retry" ? [wait] : []));
    expect(waits.length).toBe(30);
    expect(said).toEqual(waits);
  });

  const causes: readonly (readonly [string, string, string, (index: number) => Reply])[] = [
    ["--for", "--for 5s", "--for reached", () => stream([price("1")])],
    ["--limit", "--limit 1", "--limit reached", () => stream([price("1")])],
    [
      "--max-credits",
      "--max-credits 1",
      "--max-credits of 1 reached: 1 spent, next event costs 1",
      () => stream([price("1")]),
    ],
    ["--idle-exit", "--idle-exit 30s", "no event for 30s (--idle-exit)", () => stream([])],
    ["a refusal", "", "out of credits on the keyless plan", () => refuse(402, "no")],
    [
      "the service",
      "",
      "the service ended the stream permanently (HTTP 204)",
      (index) => (index === 0 ? stream([price("1")], { stayOpen: false }) : empty(204)),
    ],
  ];
  test.each(causes)("P12: close names its cause: %s", async (_, flags, cause, reply) => {
    const file = newFile();
    const server = await serveInTest((_request, index) => reply(index));
    await listen([one, "--events", file, ...flags.split(" ").filter(Boolean)], server).outcome;
    const closes = logged(file).filter(({ event }) => event === "close");
    expect(closes).toMatchObject([
      { reason: expect.stringMatching(cause.replaceAll(/[()]/gu, ".")), connection: 1 },
    ]);
  });

  test.each([["SIGINT"], ["SIGTERM"]] as const)("P12: close names %s", async (cause) => {
    const file = newFile();
    const running = listen([one, "--events", file], await serveInTest(() => stream([price("1")])));
    await running.until(() => running.lines().length === 1);
    running.context.interrupt({ cause });
    await running.outcome;
    expect(logged(file).filter(({ event }) => event === "close")).toMatchObject([{ reason: cause }]);
  });
});

describe("P3: 204 ends a connection permanently", () => {
  /** Uses two connections: the service ends the one of 0x0. */
  const ending =
    (first: (request: SeenRequest) => Reply) =>
    (request: SeenRequest, index: number): Reply => {
      if (askedFor(request)[0]?.address !== "0x0000000000000000000000000000000000000000")
        return pricesOf(request);
      return index < 2 ? first(request) : empty(204);
    };
  const cut = (): Reply => stream([price("1")], { stayOpen: false });

  test.each([
    [
      "one that was open",
      cut,
      1,
      " lost: the service ended the stream permanently (HTTP 204); not reconnecting (13 assets)\n",
    ],
    [
      "one that never was",
      () => empty(204),
      0,
      "warning: cannot open connection 1: the service ended the stream permanently (HTTP 204); not retrying (13 assets)\n",
    ],
  ])("%s: the others remain, stderr reports it, and --for ends with exit 8", async (_, first, gaps, said) => {
    const file = newFile();
    const server = await serveInTest(ending(first));
    const words = [...many(26), "--for", "3m", "--events", file];
    const { exit, stdout, stderr } = await listen(words, server).outcome;
    expect(exit).toBe(8);
    expect(stdout.split("\n").length).toBeGreaterThanOrEqual(13);
    expect(stderr).toContain(said);
    const ofFirst = logged(file).filter(({ connection }) => connection === 1);
    expect(ofFirst.filter(({ event }) => event === "close")).toMatchObject([
      { reason: "the service ended the stream permanently (HTTP 204)" },
    ]);
    // The gap lasts until the end.
    expect(ofFirst.at(-1)).toMatchObject({ event: "gap", names: many(13) });
    expect(String(ofFirst.at(-1)?.["to"]) >= "2026-11-21T08:57:00").toBe(true);
    expect(ofFirst.filter(({ event }) => event === "open").length).toBe(gaps);
    const ofFirstAsset = server.requests.filter(
      (request) => askedFor(request)[0]?.address === "0x0000000000000000000000000000000000000000",
    );
    expect(ofFirstAsset.length).toBe(1 + gaps);
  });

  test("the last connection ends the stream with exit 8", async () => {
    const server = await serveInTest((_, index) => (index === 0 ? cut() : empty(204)));
    const { exit, stderr } = await listen(one, server).outcome;
    expect([exit, server.requests.length]).toEqual([8, 2]);
    expect(stderr).toContain("error: the service ended the stream permanently (HTTP 204)\n");
    expect(stderr).toMatch(
      /gap: ethereum:0x0000000000000000000000000000000000000abc may be missing events from \S+ to \S+ \(the service ended the stream\)\n/u,
    );
  });

  test("SIGHUP with the same list does not reopen it", async () => {
    const list = newFile();
    const server = await serveInTest(ending(() => empty(204)));
    writeFileSync(list, many(26).join("\n"));
    const running = listen([`@${list}`], server);
    await running.until(() => running.context.stderrText().includes("not retrying"));
    await running.until(() => running.lines().length === 13);
    running.context.reload();
    await running.until(() => running.context.stderrText().includes("reloaded: 13 assets"));
    expect((await running.interrupted()).exit).toBe(130);
    expect(server.requests.length).toBe(2);
  });
});

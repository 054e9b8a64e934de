import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { nameOf } from "../../src/client/subject.ts";
import { run } from "../harness/dexdata.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext } from "../harness/test-context.ts";
import { pool } from "./following.ts";
import { price, stream } from "./keeping.ts";
import { askedFor, listen, logged, pricesOf, refuse } from "./stream-run.ts";

const folder = temporaryFolder();
const one = "ethereum:0x0000000000000000000000000000000000000abc";
const inFolder = (name: string): string => path.join(folder, name);

test("T13: the message of a 200 with JSON is shown", async () => {
  const server = await serveInTest(() => json({ message: "maintenance until 9" }));
  const { exit, stderr } = await listen(one, server).outcome;
  expect([exit, stderr]).toEqual([
    1,
    expect.stringMatching(
      /application\/json instead of an event stream .*\n {2}service: maintenance until 9\n/u,
    ),
  ]);
});

test("T13: of a series of failures, each reason is on stderr once", async () => {
  const replies = [503, 503, 500, 503, 500].map((status) => refuse(status, "down"));
  const server = await serveInTest((request, index) =>
    index === 0 ? stream([price("1")], { stayOpen: false }) : (replies[index - 1] ?? pricesOf(request)),
  );
  const { stderr } = await listen(`${one} --limit 2`, server).outcome;
  const said = [...stderr.matchAll(/lost: (.*?); reconnecting/gu)].map(([, reason]) => reason);
  expect(said).toEqual([
    "the service ended the stream",
    "the streaming host failed (HTTP 503)",
    "the streaming host failed (HTTP 500)",
  ]);
});

test("T13: a reload does not reset the waits", async () => {
  const [list, log] = [inFolder("list"), inFolder("log")];
  writeFileSync(list, `${one}\nethereum:0x0000000000000000000000000000000000000abd`);
  const server = await serveInTest((_, index) =>
    index === 0 ? stream([price("1")], { stayOpen: false }) : refuse(503, "down"),
  );
  const running = listen([`@${list}`, "--events", log, "--max-reconnects", "9"], server);
  const waits = () =>
    logged(log).flatMap(({ event, wait_ms: wait }) => (event === "retry" ? [Number(wait)] : []));
  await running.until(() => server.requests.length === 5);
  writeFileSync(list, one);
  running.context.reload();
  await running.until(() => running.context.stderrText().includes("reloaded"));
  const before = waits().length;
  await running.until(() => waits().length > before + 1);
  await running.interrupted();
  expect(Math.min(...waits().slice(before))).toBeGreaterThanOrEqual(8000);
});

test.skipIf(process.platform === "win32")("of two reloads, the list of the last one counts", async () => {
  const list = inFolder("twice");
  const [two, three] = [one.replace("abc", "abd"), one.replace("abc", "abe")];
  writeFileSync(list, one);
  const server = await serveInTest(pricesOf);
  const running = listen(`@${list}`, server);
  await running.until(() => running.lines().length === 1);
  const slow = `${list}-slow`;
  execFileSync("mkfifo", [slow]);
  renameSync(slow, list);
  running.context.reload();
  const pipe = await open(list, "w");
  renameSync(list, slow);
  writeFileSync(list, three);
  running.context.reload();
  await new Promise((resolve) => setTimeout(resolve, 100));
  await pipe.writeFile(two);
  await pipe.close();
  await running.until(() => running.context.stderrText().split("asset list reloaded").length === 3);
  const last = (): readonly string[] => askedFor(server.requests.at(-1) ?? expect.fail()).map(nameOf);
  await running.until(() => last().includes(three));
  expect(last()).toEqual([three]);
});

test("a reload tries new assets in batches that the service accepts", async () => {
  const list = inFolder("sixty");
  const assets = Array.from(
    { length: 90 },
    (_, index) => `ethereum:0x${String(index + 1).padStart(40, "0")}`,
  );
  writeFileSync(list, assets.slice(0, 60).join("\n"));
  const server = await serveInTest((request) =>
    askedFor(request).length > 25 ? refuse(413, "request entity too large") : pricesOf(request),
  );
  const running = listen([`@${list}`], server);
  await running.until(() => running.lines().length === 60);
  writeFileSync(list, assets.slice(30).join("\n"));
  running.context.reload();
  await running.until(() => running.context.stderrText().includes("reloaded"));
  expect(server.requests.every((request) => askedFor(request).length <= 25)).toBe(true);
  expect((await running.interrupted()).stderr).not.toContain("skipped");
});

test.each(["events", "out"])(
  "N16: a restart after kill -9 reports the gap from the last line of --%s",
  async (flag) => {
    const [log, out] = [inFolder(`log-${flag}`), inFolder(`out-${flag}`)];
    const words = [one, "--events", log, ...(flag === "out" ? ["--out", out] : [])];
    const ended = "2026-11-21T08:40:00.000Z";
    writeFileSync(log, `{"event":"open","at":"${ended}","connection":1,"names":["${one}"]}\n{"event":"re`);
    const first = listen(words, await serveInTest(pricesOf));
    await first.until(() => readFileSync(log, "utf8").includes('"gap"'));
    await first.interrupted();
    const gaps = readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line.includes('"gap"'));
    expect(gaps.map((line) => JSON.parse(line))).toMatchObject([
      { from: ended, to: "2026-11-21T08:54:00.000Z", reason: "dexdata was not running", names: [one] },
    ]);
  },
);

test("N16: a restart that is rejected permanently reports the gap, too", async () => {
  const log = inFolder("log-rejected");
  const ended = "2026-11-21T08:40:00.000Z";
  writeFileSync(log, `{"event":"open","at":"${ended}","connection":1,"assets":1,"names":["${one}"]}\n`);
  const server = await serveInTest((_, index) => refuse(index === 0 ? 503 : 401, "invalid key"));
  const { exit } = await listen([one, "--events", log], server).outcome;
  expect(exit).toBe(4);
  const gap = logged(log).find(({ event }) => event === "gap");
  expect(gap).toMatchObject({ from: ended, reason: "dexdata was not running", names: [one] });
});

test("N16: a restart after kill -9 during an outage reports the gap from its start", async () => {
  const log = inFolder("log-outage");
  const lineOf = (event: string, at: string) =>
    `{"event":"${event}","at":"2026-11-21T08:${at}Z","connection":1,"names":["${one}"]}\n`;
  const before = [lineOf("retry", "20:00"), lineOf("open", "21:00"), lineOf("credits", "30:00")];
  const outage = [lineOf("retry", "40:00"), lineOf("credits", "41:00"), lineOf("retry", "42:00")];
  // Another asset had its events for longer. The last line is of a clock that was ahead.
  const other = one.replace("abc", "abd");
  const after = [lineOf("open", "45:00").replace(one, other), lineOf("open", "55:00")];
  writeFileSync(log, [...before, ...outage, ...after].join(""));
  const { outcome } = listen([one, other, "--events", log, "--limit", "1"], await serveInTest(pricesOf));
  expect((await outcome).stderr).toContain(
    "events from 2026-11-21T08:40:00.000Z to 2026-11-21T08:54:00.000Z",
  );
});

describe("a restart after kill -9 reports the gap of each connection from the time until which it had all events", () => {
  const other = "base:0x0000000000000000000000000000000000000002";
  const time = (at: string): string => `2026-11-21T08:${at}.000Z`;
  const line = (event: string, at: string, facts: object = {}): string =>
    `${JSON.stringify({ event, at: time(at), ...facts })}\n`;
  const ofOther = { connection: 2, names: [other] };
  const ofOne = { connection: 1, names: [one] };
  const opened = line("open", "20:00", ofOne) + line("open", "20:00", ofOther);

  test.each([
    [
      "another one was opened again since",
      "31:00",
      line("open", "33:00", ofOther) + line("credits", "41:00"),
    ],
    ["it has not been open since an earlier kill", "19:00", line("close", "33:00", ofOther)],
    ["others wrote to --out since", "31:00", line("credits", "34:00"), "out"],
  ])("it was lost, and %s", async (what, from, after, out = "") => {
    const [log, file] = [inFolder(`log-${what}`), inFolder(`out-${what}`)];
    writeFileSync(log, `${opened}${line("retry", "32:00", { from: time(from), ...ofOne })}${after}`);
    writeFileSync(file, "");
    utimesSync(file, Date.parse(time("50:00")) / 1000, Date.parse(time("50:00")) / 1000);
    const words = [one, "--events", log, "--limit", "1", ...(out === "" ? [] : ["--out", file])];
    const { stderr } = await listen(words, await serveInTest(pricesOf)).outcome;
    expect(stderr).toContain(`events from ${time(from)} to ${time("54:00")}`);
  });

  test("it was alive, but a dead path may not have been noticed yet", async () => {
    const log = inFolder("log-alive");
    writeFileSync(log, `${opened}${line("retry", "32:00", ofOther)}${line("credits", "41:00")}`);
    const { stderr } = await listen([one, "--events", log, "--limit", "1"], await serveInTest(pricesOf))
      .outcome;
    expect(stderr).toContain(`events from ${time("40:10")} to ${time("54:00")}`);
  });

  test("the log of a refused or lost connection has the start of its gap", async () => {
    const log = inFolder("log-from");
    const server = await serveInTest((_, index) =>
      index === 1 ? stream([price("1")], { stayOpen: false }) : refuse(503, "down"),
    );
    const running = listen([one, "--events", log], server);
    await running.until(() => server.requests.length === 4);
    await running.interrupted();
    const starts = (kind: string): readonly unknown[] =>
      logged(log)
        .filter(({ event }) => event === kind)
        .map(({ from }) => from);
    const [first, second] = starts("gap");
    expect(second).not.toBe(first);
    expect(starts("retry").slice(0, 3)).toEqual([first, second, second]);
  });
});

test.each([
  ["ticks.ndjson", "ticks.ndjson"],
  ["{date}.ndjson", "2026-11-21.ndjson"],
  ["{token}/{date}.ndjson", `${one.split(":")[1]}/2026-11-20.ndjson`],
])("N16: a restart without --events reports the gap from the newest file of --out %s", async (out, file) => {
  const below = inFolder(`of-${out.length}`);
  const earlier = path.join(below, file);
  mkdirSync(path.dirname(earlier), { recursive: true });
  writeFileSync(earlier, `${JSON.stringify({ address: one })}\n`);
  const ended = Date.parse("2026-11-21T08:40:00Z") / 1000;
  utimesSync(earlier, ended, ended);
  const words = [one, "--limit", "1", "--out", path.join(below, out), "--error-format", "text"];
  const { exit, stderr } = await listen(words, await serveInTest(pricesOf)).outcome;
  expect(exit).toBe(0);
  expect(stderr).toContain(
    `warning: gap: ${one} may be missing events from 2026-11-21T08:40:00.000Z to 2026-11-21T08:54:00.000Z ` +
      "(dexdata was not running)\n",
  );
});

test.each([
  ["incomplete", '{"address":"0x'],
  ["without a line break", `{"address":"${one}"}`],
])("N16: a restart that could not connect does not move the gap: last line %s", async (what, last) => {
  const out = inFolder(`torn-${what}`);
  writeFileSync(out, `${JSON.stringify({ address: one })}\n${last}`);
  const ended = Date.parse("2026-11-21T08:40:00Z") / 1000;
  utimesSync(out, ended, ended);
  const down = await serveInTest(() => refuse(503, "down"));
  const failing = listen([one, "--out", out], down);
  await failing.until(() => down.requests.length === 2);
  await failing.interrupted();
  const words = [one, "--limit", "1", "--out", out, "--error-format", "text"];
  const { stderr } = await listen(words, await serveInTest(pricesOf)).outcome;
  expect(stderr).toContain("from 2026-11-21T08:40:00.000Z to 2026-11-21T08:54:00.000Z");
});

test("two runs that share --events are told so, once each", async () => {
  const log = inFolder("log-shared");
  const words = [one, "--events", log, "--error-format", "text"];
  const server = await serveInTest(pricesOf);
  const first = listen(words, server);
  await first.until(() => first.lines().length > 0);
  const second = listen(words, server);
  await second.until(() => second.lines().length > 0);
  const ended = [await first.interrupted(), await second.interrupted()];
  const warning = `warning: --events "${log}": something else also writes to this file, perhaps another run`;
  expect(ended.map(({ stderr }) => stderr.split(warning).length - 1)).toEqual([1, 1]);
});

test.each(["twice.ndjson", "twice-{date}.ndjson"])("only one run at a time can write to %s", async (name) => {
  const server = await serveInTest(pricesOf);
  const out = inFolder(name);
  const first = listen([one, "--out", out], server);
  await first.until(() => server.requests.length === 1);
  const words = [`txns ethereum ${pool} --follow`, `stream ${one}`];
  for (const each of words) {
    const refused = await run([...each.split(" "), "--out", out], createTestContext());
    expect(refused).toMatchObject({ exit: 7, stderr: expect.stringContaining("is in use by process") });
  }
  expect(server.requests.length).toBe(1);
  expect((await first.interrupted()).exit).toBe(130);
  expect((await listen([one, "--out", out, "--limit", "1"], server).outcome).exit).toBe(0);
});

test("N16: a first run has no gap", async () => {
  const log = inFolder("log-first");
  const { exit, stderr } = await listen([one, "--events", log, "--limit", "1"], await serveInTest(pricesOf))
    .outcome;
  expect([exit, stderr]).toEqual([0, ""]);
  expect(logged(log).map(({ event }) => event)).toEqual(["open", "close", "credits"]);
});

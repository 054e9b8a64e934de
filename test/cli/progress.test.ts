import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Output } from "../../src/base/context/context.ts";
import { dexdata, run } from "../harness/dexdata.ts";
import { deepList, faultyService } from "../harness/faulty-lists.ts";
import { endlessList } from "../harness/endless-list.ts";
import { picturesIn, screenOf } from "../harness/screen.ts";
import { json, type Reply } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext, type TestContext, type TestContextOptions } from "../harness/test-context.ts";

// Loading it from source takes longer than the waits below.
beforeAll(async () => {
  await import("../../src/cli/render/live-line.ts");
});
const folder = temporaryFolder();
const words = "pools search ethereum --limit 300 --page-size 100 --fields id -o ndjson";
const busy = (): Reply => json({ error: "rate_limited" }, { status: 429, headers: { "retry-after": "30" } });

/**
 * A terminal for stdout and stderr, and a service that rejects the first request for the second page as
 * soon as `isDue` returns true.
 */
async function onTerminal(
  options: TestContextOptions = {},
  isDue = (_shown: string): boolean => true,
): Promise<TestContext> {
  const server = await serveInTest(async (request, index) => {
    if (index !== 1) return endlessList(request);
    while (!isDue(terminal.stdoutText())) await new Promise(setImmediate);
    return busy();
  });
  const env = {
    DEXDATA_BASE_URL: server.url,
    LANG: "C.UTF-8",
    TERM: "xterm",
    NO_COLOR: "1",
  };
  const terminal = createTestContext({
    isTerminal: { stdout: true, stderr: true },
    speed: 100,
    ...options,
    env: { ...env, ...options.env },
  });
  return { ...terminal, stderr: terminal.stdout };
}

/** Returns the states of the live line, without the spinner. */
function pictures(text: string): readonly string[] {
  return picturesIn(text).map((picture) => picture.slice(2));
}

const ids = Array.from({ length: 300 }, (_, index) => index);

describe("the live line", () => {
  test("shows the progress and counts a wait down, and leaves neither behind nor repeats them", async () => {
    const { exit, stdout } = await run(words.split(" "), await onTerminal({ columns: 100 }));
    expect(exit).toBe(0);
    const drawn = pictures(stdout);
    const seconds = drawn.flatMap((line) => /waiting (\d+)s for/u.exec(line)?.[1] ?? []).map(Number);
    expect(seconds[0]).toBeGreaterThan(27);
    expect(seconds.toSorted((a, b) => b - a)).toEqual(seconds);
    expect(seconds.at(-1)).toBe(1);
    expect(drawn.find((line) => line.includes("waiting 20s"))).toMatch(
      /^100 of 300 rows · waiting 20s for the rate limit \(HTTP 429, attempt 2\) · about (?:\d+m)?\d+[ms] left/u,
    );
    const screen = screenOf(stdout);
    expect(screen.slice(0, 300).map((line) => /^\{"id":"[^"]+"\}$/u.test(line))).toEqual(ids.map(() => true));
    expect(screen.slice(300)).toEqual([
      expect.stringMatching(/^more rows available; /u),
      expect.stringMatching(/^4 requests, 3 credits, [\d.]+s$/u),
    ]);
  });

  test("counts down a wait for the rate limit in the same place", async () => {
    const { stdout } = await run([...words.split(" "), "--rpm", "2"], await onTerminal());
    expect(pictures(stdout)).toContainEqual(
      expect.stringMatching(/waiting 20s for the rate limit · about /u),
    );
    expect(screenOf(stdout).filter((line) => line.includes("waiting"))).toEqual([]);
  });

  test("drops parts that do not fit a narrow terminal", async () => {
    const { stdout } = await run(words.split(" "), await onTerminal({ columns: 34 }));
    const drawn = pictures(stdout);
    const waiting = drawn.slice(5, 50);
    expect(new Set(waiting)).toEqual(new Set(["100 of 300 rows"]));
  });

  test("is in ASCII if the locale is not UTF-8", async () => {
    const { stdout } = await run(words.split(" "), await onTerminal({ env: { LANG: "C" } }));
    expect(pictures(stdout)[50]).toMatch(/^100 of 300 rows, waiting \d+s/u);
  });

  test.each([
    ["with -q", "-q", {}],
    ["with --progress none", "--progress none", {}],
    ["on a terminal that cannot clear a line", "", { TERM: "dumb" }],
    ["on a terminal that does not say what it is", "", { TERM: "" }],
  ])("is not shown %s, and a long wait gets its own line", async (_, flags, env) => {
    const argv = `${words} ${flags}`.trim().split(" ");
    const { stdout } = await run(argv, await onTerminal({ env }));
    expect(stdout).not.toContain("\u001B");
    expect(stdout.split("\n").filter((line) => line.startsWith("note: "))).toEqual([
      "note: rate limited (HTTP 429); retrying in 31s",
    ]);
  });

  test("is erased before the first byte of data for a program that may print to the same terminal", async () => {
    const server = await serveInTest((request, index) =>
      index === 0 || index === 2 ? busy() : endlessList(request),
    );
    const context = createTestContext({
      isTerminal: { stderr: true },
      speed: 100,
      env: { DEXDATA_BASE_URL: server.url, TERM: "xterm", NO_COLOR: "1" },
    });
    let screen = "";
    const seen = (output: Output): Output => ({
      ...output,
      write: async (text) => {
        screen += typeof text === "string" ? text : Buffer.from(text).toString();
        await output.write(text);
      },
    });
    const { stdout, stderr } = context;
    const { exit } = await run(words.split(" "), {
      ...context,
      stdout: { ...stdout, ...seen(stdout) },
      stderr: { ...stderr, ...seen(stderr) },
    });
    expect(exit).toBe(0);
    const first = screen.indexOf('{"id"');
    expect(picturesIn(screen.slice(0, first)).length).toBeGreaterThan(5);
    expect(screenOf(screen.slice(0, first))).toEqual([]);
    expect(screen.slice(first)).not.toContain("\u001B");
  });

  test("is not drawn into an unfinished line", async () => {
    const argv = words.replace("ndjson", "json").split(" ");
    // Before the first row, nothing else is on the line.
    const { stdout } = await run(argv, await onTerminal({}, (shown) => shown.includes("[\n")));
    const rows = stdout.slice(stdout.indexOf("[\n"));
    expect(rows).not.toContain("\u001B");
    expect(rows).toContain("note: rate limited (HTTP 429); retrying in 31s\n");
  });

  test("is cleared immediately by a signal, and not drawn again", async () => {
    const context = await onTerminal();
    const ending = run(words.split(" "), context);
    while (pictures(context.stdoutText()).length < 5) await new Promise(setImmediate);
    context.interrupt({ cause: "SIGINT" });
    const shown = context.stdoutText();
    expect(screenOf(shown).length).toBe(100);
    const { exit, stdout } = await ending;
    expect(exit).toBe(130);
    expect(stdout.slice(shown.length)).not.toContain("\u001B");
  });

  test("yields the terminal to the shell on Ctrl-Z, and continues afterwards", async () => {
    const context = await onTerminal();
    const ending = run(words.split(" "), context);
    while (pictures(context.stdoutText()).length < 5) await new Promise(setImmediate);
    await context.suspend();
    expect(screenOf(context.stdoutText()).length).toBe(100);
    context.goOn();
    expect((await ending).exit).toBe(0);
  });
});

describe("--progress plain", () => {
  test("prints a line every 10 s without a terminal, and reports a wait once", async () => {
    const server = await serveInTest((request, index) => (index === 1 ? busy() : endlessList(request)));
    const { stderr, exit } = await dexdata(`${words} --progress plain --error-format text`, {
      env: { DEXDATA_BASE_URL: server.url },
      speed: 100,
    });
    expect(exit).toBe(0);
    const lines = stderr.trimEnd().split("\n");
    expect(lines.map((line) => line.replace(/(?:\d+m)?\d+s\b|\d+m\b|\d+(?:\.\d)?(?= rows)/gu, "N"))).toEqual([
      "note: rate limited (HTTP 429); retrying in N",
      ...[1, 2, 3].map(
        () =>
          "progress: 100 of N rows, waiting N for the rate limit (HTTP 429, attempt 2), about N left, 2 requests, 1 credit, N rows/s",
      ),
    ]);
  });
});

describe("the total of the progress", () => {
  /** Trades in few pools, so that the sandbox has less to fold. */
  const token = "0x85ade1e7513bf30c550191a1094cf6cafc120926";
  const plain = "--progress plain --error-format text";

  test("is the number of inputs if there are several, with the label of the current one", async () => {
    const stdin = Array.from({ length: 10 }, (_, index) => `sui:0x${index} Coin${index}`).join("\n");
    const { stderr } = await dexdata(`token - --sandbox --rpm 10 --parallel 1 ${plain}`, { stdin });
    expect(stderr).toMatch(
      /^progress: (\d) of 10 inputs done, Coin\1, .*about (?:\d+m)?\d+[ms] left, \d requests, \d credits/mu,
    );
  });

  test("has no rows per second in sync, which counts them late, and no total before one is known", async () => {
    const asset = "ethereum:0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
    const typed = `sync ${path.join(folder, "lake")} ${asset} --kind transactions --from -1h --sandbox --rpm 10`;
    const { stderr } = await dexdata(`${typed} --parallel 1 --faults 429=15x1 ${plain}`, { speed: 100 });
    const lines = stderr.split("\n").filter((line) => line.startsWith("progress: "));
    expect(lines[0]).toMatch(/^progress: requesting, waiting /u);
    expect(lines.filter((line) => !/^progress: (?:requesting|\d of \d).* credits?$/u.test(line))).toEqual([]);
  });

  test("is derived from the time range if intervals may have no candle", async () => {
    const { stderr } = await dexdata(
      `ohlcv ethereum ${token} --interval 1m --from -3d --sandbox --rpm 10 --parallel 1 ${plain}`,
    );
    expect(stderr).toMatch(
      /progress: [\d,]+ rows, waiting \d+s for the rate limit, about (?:\d+m)?\d+[ms] left/u,
    );
  });

  test("is the total of the service if it sends one", async () => {
    const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
    const { stderr } = await dexdata(
      `txns ethereum ${pool} --from -10m --all --page-size 5 --sandbox --rpm 2 ${plain}`,
    );
    expect(stderr).toMatch(/^progress: \d+ of 23 rows, /mu);
  });

  test("remains the same after page 100, where another time range starts", async () => {
    const server = await serveInTest(faultyService());
    const { exit, stderr } = await dexdata(
      `${deepList.words.replace("--page-size 11", "--page-size 14")} --rpm 40 ${plain}`,
      {
        env: {
          DEXDATA_PRO_BASE_URL: server.url,
          DEXDATA_API_KEY: "api_pro_0123456789",
          DEXDATA_TIER: "pro",
          DEXDATA_NOW: "2026-11-21T08:54:00Z",
        },
      },
    );
    expect(exit).toBe(0);
    const seen = [...stderr.matchAll(/^progress: ([\d,]+) of ([\d,]+) rows/gmu)];
    const rows = seen.map(([, count = ""]) => Number(count.replaceAll(",", "")));
    expect(new Set(seen.map(([, , total]) => total))).toEqual(new Set(["1,434"]));
    expect(rows.toSorted((a, b) => a - b)).toEqual(rows);
    expect(rows.at(-1)).toBeGreaterThan(1100);
  });
});

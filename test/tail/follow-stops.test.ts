import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { dexdata, run } from "../harness/dexdata.ts";
import { rowsOf } from "../harness/rows.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { createTestContext, type TestContext } from "../harness/test-context.ts";
import { marketRows, pool, startFollowing, writtenRows } from "./following.ts";

const sandbox = useSandbox();
const from = `--from ${sandboxNow / 1000 - 3600}`;
const window = marketRows(1, sandboxNow - 3_600_000, sandboxNow);

/** Against a market that stands still, by the clock: what is written is the window, then nothing comes. */
async function followStill(words: string, prepare: (context: TestContext) => void = () => undefined) {
  const context = createTestContext({ env: { DEXDATA_TIMEOUT: "24h", ...sandbox.env() } });
  prepare(context);
  sandbox.takeLog();
  const argv = `txns ethereum ${pool} --follow --poll 10s ${words}`.split(" ");
  const outcome = await run(argv, context);
  return { ...outcome, requests: sandbox.takeLog().length };
}

describe("a stop", () => {
  test("--limit, and --for: exit 0, with what was read written", async () => {
    const limited = await followStill(`${from} --limit 20 -o ndjson`);
    expect(limited.exit).toBe(0);
    expect(writtenRows(limited.stdout)).toEqual(window.slice(0, 20));
    const timed = await followStill(`${from} --for 5m -o ndjson`);
    expect(timed.exit).toBe(0);
    expect(writtenRows(timed.stdout)).toEqual(window);
  });

  test("--idle-exit: exit 8, so that whoever watches hears of it", async () => {
    const { exit, stdout, stderr } = await followStill(
      `${from} --idle-exit 2m -o ndjson --error-format text`,
    );
    expect(exit).toBe(8);
    expect(writtenRows(stdout)).toEqual(window);
    expect(stderr).toContain("error: no new row for 120s (--idle-exit)\n");
  });

  test("--max-credits: exit 5 before the request that would pass it, with what was read written", async () => {
    const { exit, stdout, stderr, requests } = await followStill(
      `${from} --max-credits 6 --page-size 40 -o ndjson`,
    );
    expect({ exit, requests }).toEqual({ exit: 5, requests: 6 });
    expect(writtenRows(stdout)).toEqual(window);
    expect(stderr).toContain("--max-credits of 6 reached");
  });

  test("--max-credits counts the events of the stream too, each a credit", async () => {
    const following = await startFollowing(`${from} --max-credits 15 -o ndjson`, { pace: 10 });
    const { exit, stdout } = await following.outcome;
    expect(exit).toBe(5);
    const rest = following.log.filter(({ url }) => String(url).startsWith("/networks/")).length;
    expect(rest).toBeLessThan(15);
    expect(writtenRows(stdout).length).toBeGreaterThanOrEqual(window.length);
  });

  test.each([
    ["SIGHUP", 129],
    ["SIGINT", 130],
    ["SIGQUIT", 131],
    ["SIGTERM", 143],
  ] as const)("%s: exit %i, with what was read written in whole lines", async (cause, expected) => {
    const { exit, stdout } = await followStill(`${from} -o ndjson`, (context) => {
      void context.clock.sleep(600_000).then(() => context.interrupt({ cause }));
    });
    expect(exit).toBe(expected);
    expect(writtenRows(stdout)).toEqual(window);
  });

  test("SIGHUP, which has nothing to reload: exit 129, with what was read written", async () => {
    const { exit, stdout } = await followStill(`${from} -o ndjson`, (context) => {
      void context.clock.sleep(600_000).then(() => context.reload());
    });
    expect(exit).toBe(129);
    expect(writtenRows(stdout)).toEqual(window);
  });

  test.each([
    [
      "SIGTERM",
      143,
      (context: TestContext) => {
        void context.clock.sleep(600_000).then(() => context.interrupt({ cause: "SIGTERM" }));
      },
    ],
    ["--for 10m", 0, () => undefined],
  ] as const)(
    "a reader that sleeps does not keep it from %s: exit %i, and what it did not take is said",
    async (stop, expected, prepare) => {
      const words = stop === "SIGTERM" ? from : `${from} ${stop}`;
      const { exit, stderr } = await followStill(`${words} -o ndjson`, (context) => {
        context.stdout.stall();
        prepare(context);
      });
      expect(exit).toBe(expected);
      expect(stderr).toContain(
        `warning: ${window.length} rows may be missing at the end: the program reading the output did not accept them\n`,
      );
    },
  );

  test("a reader that sleeps does not make a failure exit 0", async () => {
    const following = await startFollowing(`${from} -o ndjson`, { sandbox: { faults: "401/sse" } });
    following.context.stdout.stall();
    const { exit, stderr } = await following.outcome;
    expect(exit).toBe(4);
    expect(stderr).toContain("rows may be missing at the end");
  });

  test("a reader that goes away: exit 0, nothing on stderr but the cost, and no further request", async () => {
    const { exit, stderr, requests } = await followStill(`${from} -o ndjson`, (context) =>
      context.stdout.closeAfter(2000),
    );
    expect(exit).toBe(0);
    expect(stderr).toMatch(/^note: reading every 10s: [^\n]*\n$/u);
    expect(requests).toBeLessThanOrEqual(3);
  });

  test("what it was stands in --events and, where asked for, on stderr: rows, events and credits", async () => {
    const log = path.join(createTestContext().home, "events.ndjson");
    const following = await startFollowing(`${from} --for 3m --stats --events ${log} -o ndjson`, { pace: 5 });
    const { stderr } = await following.outcome;
    const last = rowsOf(readFileSync(log, "utf8")).at(-1);
    const rest = following.log.filter(({ url }) => String(url).startsWith("/networks/")).length;
    const events = Number(last?.["events"]);
    expect(events).toBeGreaterThan(10);
    // The end may cut off a read that is under way: nobody knows whether the service charged for that.
    const inDoubt = Number(last?.["in_doubt"]);
    expect(inDoubt).toBeLessThanOrEqual(1);
    expect(last).toMatchObject({ event: "credits", requests: rest, credits: rest + events - inDoubt });
    expect(stderr).toContain(`; stream events cost ${events} additional credits\n`);
  });

  test("what an answer that did not come whole may have cost stands apart in --events", async () => {
    const log = path.join(createTestContext().home, "events.ndjson");
    const words = `${from} --for 1m --events ${log} -o ndjson`;
    const following = await startFollowing(words, { sandbox: { faults: "truncate@3/networks" } });
    await following.outcome;
    const last = rowsOf(readFileSync(log, "utf8")).at(-1);
    const rest = following.log.filter(({ url }) => String(url).startsWith("/networks/")).length;
    const credits = rest - 1 + Number(last?.["events"]);
    expect(last).toMatchObject({ event: "credits", requests: rest, credits, in_doubt: 1 });
  });
});

describe("refused before anything is sent", () => {
  test.each([
    ["--follow --all", "--all cannot be used with --follow"],
    ["--follow --to now", "--to cannot be used with --follow"],
    ["--follow --page 2", "--page cannot be used with --follow"],
    ["--follow --cursor 0x1", "--cursor cannot be used with --follow"],
    ["--follow --out rows.ndjson --resume", "--resume cannot be used with --follow"],
    ["--follow --out rows.ndjson --force", "--force cannot be used with --follow"],
    [
      "--follow --out rows.ndjson -o json",
      "--output json cannot be used with --follow and --out: rows are appended as ndjson",
    ],
    [
      "--follow --out /nowhere/rows.ndjson",
      '--out "/nowhere/rows.ndjson": directory /nowhere does not exist',
    ],
    [
      "--follow -o json",
      "--output json cannot be used with --follow: a json document is complete only when the run ends",
    ],
    ["--follow --out -", 'invalid --out "-": must be a file name'],
    ["--follow --receipt r.json", "--receipt cannot be used with --follow"],
    ["--follow --estimate", "--estimate cannot be used with --follow"],
    ["--follow --deadline 1h", "--deadline cannot be used with --follow"],
    ["--follow --validate", "--validate cannot be used with --follow"],
    ["--follow --poll 1s", 'invalid --poll "1s": must be 2s or more'],
    ["--follow --poll 15", 'invalid --poll "15": must be a duration'],
    ["--follow --for 0s", 'invalid --for "0s": must be a duration'],
    ["--follow --events /nowhere/e.ndjson", '--events "/nowhere/e.ndjson": cannot be written'],
    [
      "--follow --events tail-%Y%m%d.ndjson",
      'invalid --events "tail-%Y%m%d.ndjson": must be the name of one file, without %',
    ],
    [
      "--follow --out rows.ndjson --events ./rows.ndjson",
      'invalid --events "./rows.ndjson": must not be the --out file',
    ],
    ["--follow --poll 5s --streaming-url http://127.0.0.1:1", "--poll cannot be used with --streaming-url"],
    ["--poll 5s", "--poll requires --follow"],
    ["--for 5m", "--for requires --follow"],
    ["--idle-exit 5m", "--idle-exit requires --follow"],
    ["--events e.ndjson", "--events requires --follow"],
  ])("%s", async (words, message) => {
    sandbox.takeLog();
    const { exit, stdout, stderr } = await dexdata(`txns ethereum ${pool} ${words} --error-format text`, {
      env: sandbox.env(),
    });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(`error: ${message}`);
    expect(sandbox.takeLog()).toEqual([]);
  });
});

describe("what the service refuses", () => {
  test("a pool it does not know: exit 3, after one credit, without opening a stream", async () => {
    sandbox.takeLog();
    const { exit } = await dexdata("txns ethereum 0x0000000000000000000000000000000000000001 --follow", {
      env: sandbox.env(),
    });
    expect(exit).toBe(3);
    expect(sandbox.takeLog().map(({ url }) => url.split("?")[0])).not.toContain("/sse/transactions");
  });

  test("a plan that may not: exit 4", async () => {
    const { exit } = await dexdata(`txns ethereum ${pool} --follow`, { env: sandbox.env("free") });
    expect(exit).toBe(4);
  });

  test("credits that run out on the way: exit 5, with what was read written", async () => {
    const following = await startFollowing(`${from} -o ndjson --poll 5s`, {
      pace: 20,
      sandbox: { credits: 12 },
    });
    const { exit, stdout } = await following.outcome;
    expect(exit).toBe(5);
    const written = writtenRows(stdout);
    expect(written.length).toBeGreaterThan(window.length);
    expect(written).toEqual(
      marketRows(1, sandboxNow - 3_600_000, following.simulated()).slice(0, written.length),
    );
  });
});

describe("forms", () => {
  test("--out adds lines to the file of the instant, from run to run", async () => {
    const folder = createTestContext().home;
    const follow = async (words: string) =>
      await followStill(`${from} ${words} --out ${folder}/swaps-%Y%m%d.ndjson`);
    const first = await follow("--limit 20");
    expect({ exit: first.exit, stdout: first.stdout }).toEqual({ exit: 0, stdout: "" });
    await follow("--limit 5");
    const lines = readFileSync(path.join(folder, "swaps-20261121.ndjson"), "utf8");
    expect(writtenRows(lines)).toEqual([...window.slice(0, 20), ...window.slice(0, 5)]);
  });

  test.each([
    ["swaps.ndjson", "swaps.ndjson"],
    ["swaps-%Y%m%d-%H.ndjson", "swaps-20261121-03.ndjson"],
  ])(
    "--out %s without --from goes on where its rows end, without a hole or a repeat",
    async (name, older) => {
      const folder = createTestContext().home;
      const first = await followStill(`${from} --limit 20 -o ndjson`);
      const file = path.join(folder, older);
      // A run that was killed: half of a line at the end.
      writeFileSync(file, name === older ? `${first.stdout}{"id":"0x` : first.stdout);
      const { exit, stderr } = await followStill(`--out ${folder}/${name} --limit ${window.length - 20}`);
      expect(exit).toBe(0);
      const end = new Date(String(rowsOf(first.stdout).at(-1)?.["created_at"])).toISOString();
      expect(stderr).toContain(`note: resuming ${file} from ${end}\n`);
      const newer = readFileSync(
        path.join(folder, name === older ? older : "swaps-20261121-08.ndjson"),
        "utf8",
      );
      const lines = name === older ? newer : first.stdout + newer;
      expect(writtenRows(lines)).toEqual(window);
    },
  );

  test.each([
    ["swaps.ndjson.1", "swaps.ndjson.2.gz"],
    ["swaps.ndjson-20261121", "swaps.ndjson-20261120"],
  ])("--out without --from goes on behind %s, where its file was moved away", async (moved, before) => {
    const folder = createTestContext().home;
    const first = await followStill(`${from} --limit 20 -o ndjson`);
    writeFileSync(path.join(folder, before), "older");
    utimesSync(path.join(folder, before), 1, 1);
    writeFileSync(path.join(folder, moved), first.stdout);
    // Of another file, and of no time at all.
    for (const other of ["swaps.ndjson.old", "swaps.ndjson2.1"])
      writeFileSync(path.join(folder, other), "not ours");
    writeFileSync(path.join(folder, "swaps.ndjson"), "");
    const words = `--out ${folder}/swaps.ndjson --limit ${window.length - 20}`;
    const { exit, stderr } = await followStill(words);
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: expect.stringContaining(`note: resuming ${path.join(folder, moved)} from `),
    });
    const lines = first.stdout + readFileSync(path.join(folder, "swaps.ndjson"), "utf8");
    expect(writtenRows(lines)).toEqual(window);
  });

  test("--out says that it cannot tell where a file ends that was moved away and compressed", async () => {
    const file = path.join(createTestContext().home, "swaps.ndjson");
    writeFileSync(`${file}.1.gz`, gzipSync('{"id":"0x1"}\n'));
    const { stderr } = await followStill(`--out ${file} --for 1m`);
    expect(stderr).toContain(
      `note: cannot find where the rows of ${file}.1.gz end, so rows between that point and now are not fetched (to fetch them, use --from)\n`,
    );
  });

  test("--out with --from says what is written again, what is not read, and where it cannot tell", async () => {
    const file = path.join(createTestContext().home, "swaps.ndjson");
    const follow = async (words: string) => (await followStill(`--out ${file} ${words}`)).stderr;
    await follow(`${from} --limit 20`);
    expect(await follow(`${from} --limit 1`)).toContain(
      "; rows since --from are written even if the file already contains them (",
    );
    expect(await follow(`--from ${sandboxNow / 1000 - 60} --for 1m`)).toContain(
      "; rows between that time and --from are not fetched\n",
    );
    writeFileSync(file, '{"id":"0x1"}\n');
    expect(await follow("--for 1m")).toContain(
      `note: cannot find where the rows of ${file} end, so rows between that point and now are not fetched (to fetch them, use --from)\n`,
    );
  });

  test("a table on a terminal goes on growing, with times that stay true", async () => {
    const { exit, stdout } = await followStill(`${from} --limit 30 -o table`, (context) => {
      Object.assign(context.stdout, { isTerminal: true, columns: 100 });
    });
    expect(exit).toBe(0);
    expect(stdout).toContain("2026-11-21");
    expect(stdout).not.toMatch(/\bago\b/u);
  });
});

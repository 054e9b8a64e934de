import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { dexdata, run } from "../harness/dexdata.ts";
import { rowsOf } from "../harness/rows.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { html } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { createTestContext, type TestContext } from "../harness/test-context.ts";
import { marketRows, pool, startFollowing, writtenRows } from "./following.ts";
import { logged } from "./stream-run.ts";

const sandbox = useSandbox();
const from = `--from ${sandboxNow / 1000 - 3600}`;
const window = marketRows(1, sandboxNow - 3_600_000, sandboxNow);

/** Follows an unchanging market on the test clock: the rows of the time range are written, then no more arrive. */
async function followStill(words: string, prepare: (context: TestContext) => void = () => undefined) {
  const context = createTestContext({ env: sandbox.env() });
  prepare(context);
  sandbox.takeLog();
  const argv = `txns ethereum ${pool} --follow --poll 10s ${words}`.split(" ");
  const outcome = await run(argv, context);
  return { ...outcome, requests: sandbox.takeLog().length };
}

describe("a stop", () => {
  test("--limit and --for: exit 0, and all rows read are written", async () => {
    const limited = await followStill(`${from} --limit 20 -o ndjson`);
    expect(limited.exit).toBe(0);
    expect(writtenRows(limited.stdout)).toEqual(window.slice(0, 20));
    const timed = await followStill(`${from} --for 1m -o ndjson`);
    expect(timed.exit).toBe(0);
    expect(writtenRows(timed.stdout)).toEqual(window);
  });

  test("--idle-exit: exit 8, so that a monitor notices", async () => {
    const { exit, stdout, stderr } = await followStill(
      `${from} --idle-exit 2m -o ndjson --error-format text`,
    );
    expect(exit).toBe(8);
    expect(writtenRows(stdout)).toEqual(window);
    expect(stderr).toContain("error: no new row for 120s (--idle-exit)\n");
  });

  test("--max-credits: exit 5 before the request that would exceed it, and all rows read are written", async () => {
    const { exit, stdout, stderr, requests } = await followStill(
      `${from} --max-credits 6 --page-size 40 -o ndjson`,
    );
    expect({ exit, requests }).toEqual({ exit: 5, requests: 6 });
    expect(writtenRows(stdout)).toEqual(window);
    expect(stderr).toContain("--max-credits of 6 reached");
  });

  test("--max-credits also counts stream events, at 1 credit each", async () => {
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
  ] as const)("%s: exit %i, and all rows read are written as complete lines", async (cause, expected) => {
    const { exit, stdout } = await followStill(`${from} -o ndjson`, (context) => {
      void context.clock.sleep(60_000).then(() => context.interrupt({ cause }));
    });
    expect(exit).toBe(expected);
    expect(writtenRows(stdout)).toEqual(window);
  });

  test("SIGHUP without a list to reload: exit 129, and all rows read are written", async () => {
    const { exit, stdout } = await followStill(`${from} -o ndjson`, (context) => {
      void context.clock.sleep(60_000).then(() => context.reload());
    });
    expect(exit).toBe(129);
    expect(writtenRows(stdout)).toEqual(window);
  });

  test.each([
    [
      "SIGTERM",
      143,
      (context: TestContext) => {
        void context.clock.sleep(60_000).then(() => context.interrupt({ cause: "SIGTERM" }));
      },
    ],
    ["--for 1m", 0, () => undefined],
  ] as const)(
    "a stalled reader does not prevent %s: exit %i, and the rows it did not accept are reported",
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

  test("a stalled reader does not turn a failure into exit 0", async () => {
    const following = await startFollowing(`${from} -o ndjson`, { sandbox: { faults: "401/sse" } });
    following.context.stdout.stall();
    const { exit, stderr } = await following.outcome;
    expect(exit).toBe(4);
    expect(stderr).toContain("rows may be missing at the end");
  });

  test("a reader that closes: exit 0, only the cost on stderr, and no more requests", async () => {
    const { exit, stderr, requests } = await followStill(`${from} -o ndjson`, (context) =>
      context.stdout.closeAfter(2000),
    );
    expect(exit).toBe(0);
    expect(stderr).toMatch(/^note: reading every 10s: [^\n]*\n$/u);
    expect(requests).toBeLessThanOrEqual(3);
  });

  test("a summary of rows, events and credits is in --events and, if requested, on stderr", async () => {
    const log = path.join(createTestContext().home, "events.ndjson");
    const following = await startFollowing(`${from} --for 3m --stats --events ${log} -o ndjson`, { pace: 5 });
    const { stderr } = await following.outcome;
    const last = logged(log).at(-1);
    const rest = following.log.filter(({ url }) => String(url).startsWith("/networks/")).length;
    const events = Number(last?.["events"]);
    expect(events).toBeGreaterThan(10);
    // The end may interrupt a read, and it is unknown whether the service charged for that.
    const inDoubt = Number(last?.["in_doubt"]);
    expect(inDoubt).toBeLessThanOrEqual(1);
    expect(last).toMatchObject({ event: "credits", requests: rest, credits: rest + events - inDoubt });
    expect(stderr).toContain(` requests, ${events} events, ${rest + events - inDoubt} credits`);
    expect(
      stderr.match(/^note: at the current rate, [\d,]+ credits\/hour, [\d,]+ a month(?:$|; your )/gmu),
    ).toHaveLength(1);
  });

  test.each([
    ["--limit reached", `${from} --limit 3`],
    ["--for reached", "--for 10s"],
    ["SIGTERM", "--for 1h"],
    ["--max-credits of 0 reached: 0 spent, next request costs 1", "--max-credits 0"],
  ])("the event before the credits is close, with its cause: %s", async (cause, flags) => {
    const log = path.join(createTestContext().home, "events.ndjson");
    const following = await startFollowing(`${flags} --events ${log} --poll 2s`);
    if (cause === "SIGTERM") following.context.interrupt({ cause: "SIGTERM" });
    await following.outcome;
    expect(logged(log).at(-2)).toMatchObject({ event: "close", reason: expect.stringContaining(cause) });
  });

  test("each event has the label of the list", async () => {
    const { home } = createTestContext();
    const [log, list] = [path.join(home, "events.ndjson"), path.join(home, "pools.txt")];
    writeFileSync(list, `# busy pools\nethereum:${pool} USDC/WETH\n`);
    const following = await startFollowing(`${from} --for 3m --events ${log} -o ndjson`, {
      assets: [`@${list}`],
      pace: 5,
      sandbox: { faults: "late-rows=4m:50%" },
    });
    await following.outcome;
    const events = logged(log);
    expect(new Set(events.map(({ event }) => event))).toContain("late");
    for (const event of events)
      expect(event).toMatchObject({ names: [`ethereum:${pool}`], labels: ["USDC/WETH"] });
  });

  test("the possible cost of an incomplete response is separate in --events", async () => {
    const log = path.join(createTestContext().home, "events.ndjson");
    const words = `${from} --for 1m --events ${log} -o ndjson`;
    const following = await startFollowing(words, { sandbox: { faults: "truncate@3/networks" } });
    await following.outcome;
    const last = logged(log).at(-1);
    const rest = following.log.filter(({ url }) => String(url).startsWith("/networks/")).length;
    const credits = rest - 1 + Number(last?.["events"]);
    expect(last).toMatchObject({ event: "credits", requests: rest, credits, in_doubt: 1 });
  });
});

describe("rejected before any request", () => {
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
    ["--follow -o json", "json output cannot be used with --follow: it is complete only when the run ends"],
    ["--follow --out -", 'invalid --out "-": must be a file name'],
    ["--follow --receipt r.json", "--receipt cannot be used with --follow"],
    ["--follow --estimate", "--estimate cannot be used with --follow"],
    ["--follow --deadline 1h", "--deadline cannot be used with --follow"],
    ["--follow --validate", "--validate cannot be used with --follow"],
    ["--follow --poll 1s", 'invalid --poll "1s": must be a duration of 2s or more (several pools: 5s to 1h)'],
    ["--follow --poll 1", 'invalid --poll "1": must be a duration of 2s or more (several pools: 5s to 1h)'],
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
    [
      "--follow --out rows.ndjson --fields id,price_0_usd",
      '--fields "id,price_0_usd": with --follow and --out, a restart also needs log_index and created_at',
    ],
    ["--follow --out rows.ndjson --metrics rows.ndjson", 'invalid --metrics "rows.ndjson": must not be'],
    ["--follow --poll 5s --streaming-url http://127.0.0.1:1", "--poll cannot be used with --streaming-url"],
    ["--poll 5s", "--poll requires --follow"],
    ["--for 5m", "--for requires --follow or --watch"],
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

describe("rejections by another server", () => {
  test.each(["--poll 5s", ""])("do not end a run that has had a response (%s)", async (poll) => {
    const following = await startFollowing(`${from} -o ndjson --for 1m ${poll}`, {
      pace: 4,
      sandbox: { faults: "html@4-5,html=404@6" },
    });
    const { exit, stdout, stderr } = await following.outcome;
    expect({ exit, rows: writtenRows(stdout) }).toEqual({
      exit: 0,
      rows: marketRows(1, sandboxNow - 3_600_000, sandboxNow + 240_000).slice(0, writtenRows(stdout).length),
    });
    expect(writtenRows(stdout).length).toBeGreaterThan(window.length);
    expect(stderr).toMatch(/error page \(HTTP 403\)/u);
  });

  test("do not make one damaged response end a run", async () => {
    const faults = { faults: "503@4-8,invalid-json@9" };
    const following = await startFollowing(`${from} --for 2m --retries 0 --poll 5s`, { sandbox: faults });
    expect((await following.outcome).exit).toBe(0);
  });

  test("end a run at its first response", async () => {
    const { exit } = await (await startFollowing(from, { sandbox: { faults: "html@1-" } })).outcome;
    expect(exit).toBe(4);
  });

  test("do not end a run whose stream cannot be opened because of them", async () => {
    const { url } = await serveInTest(() => html(403));
    const following = await startFollowing(`${from} --for 1m`, { env: { DEXDATA_STREAMING_PRO_URL: url } });
    expect((await following.outcome).exit).toBe(0);
  });
});

describe("rejections by the service", () => {
  test("an unknown pool: exit 3, after 1 credit, without opening a stream", async () => {
    sandbox.takeLog();
    const { exit } = await dexdata("txns ethereum 0x0000000000000000000000000000000000000001 --follow", {
      env: sandbox.env(),
    });
    expect(exit).toBe(3);
    expect(sandbox.takeLog().map(({ url }) => url.split("?")[0])).not.toContain("/sse/transactions");
  });

  test("a plan that is too low: exit 4", async () => {
    const { exit } = await dexdata(`txns ethereum ${pool} --follow`, { env: sandbox.env("free") });
    expect(exit).toBe(4);
  });

  test("credits that run out during the run: exit 5, and all rows read are written", async () => {
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

describe("output", () => {
  test("--out appends lines to the file of the current time, from run to run", async () => {
    const folder = createTestContext().home;
    const follow = async (words: string) =>
      await followStill(`${from} ${words} --out ${folder}/swaps-%Y%m%d.ndjson`);
    const first = await follow("--limit 20");
    expect({ exit: first.exit, stdout: first.stdout }).toEqual({ exit: 0, stdout: "" });
    await follow("--limit 5");
    const lines = readFileSync(path.join(folder, "swaps-20261121.ndjson"), "utf8");
    expect(writtenRows(lines)).toEqual(window.slice(0, 25));
  });

  test.each([
    ["swaps.ndjson", "swaps.ndjson"],
    ["swaps-%Y%m%d-%H.ndjson", "swaps-20261121-03.ndjson"],
  ])(
    "--out %s without --from continues after the last row, without gaps or duplicates",
    async (name, older) => {
      const folder = createTestContext().home;
      const first = await followStill(`${from} --limit 20 -o ndjson`);
      const file = path.join(folder, older);
      // Simulates a killed run: an incomplete line at the end.
      writeFileSync(file, name === older ? `${first.stdout}{"id":"0x` : first.stdout);
      const { exit, stderr } = await followStill(`--out ${folder}/${name} --limit ${window.length - 20}`);
      expect(exit).toBe(0);
      const end = new Date(String(rowsOf(first.stdout).at(-1)?.["created_at"])).toISOString();
      expect(stderr).toContain(`note: continuing after the rows of ${folder}/${name}, which end at ${end}\n`);
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
  ])("--out without --from continues after %s if its file was moved", async (moved, before) => {
    const folder = createTestContext().home;
    const first = await followStill(`${from} --limit 20 -o ndjson`);
    writeFileSync(path.join(folder, before), "older");
    utimesSync(path.join(folder, before), 1, 1);
    writeFileSync(path.join(folder, moved), first.stdout);
    // Another file, and a file without a time.
    for (const other of ["swaps.ndjson.old", "swaps.ndjson2.1"])
      writeFileSync(path.join(folder, other), "not ours");
    writeFileSync(path.join(folder, "swaps.ndjson"), "");
    const words = `--out ${folder}/swaps.ndjson --limit ${window.length - 20}`;
    const { exit, stderr } = await followStill(words);
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: expect.stringContaining(
        `note: continuing after the rows of ${folder}/swaps.ndjson, which end at `,
      ),
    });
    const lines = first.stdout + readFileSync(path.join(folder, "swaps.ndjson"), "utf8");
    expect(writtenRows(lines)).toEqual(window);
  });

  test("--out reports that it cannot find the last row of a file that was moved and compressed", async () => {
    const file = path.join(createTestContext().home, "swaps.ndjson");
    writeFileSync(`${file}.1.gz`, gzipSync('{"id":"0x1"}\n'));
    const { stderr } = await followStill(`--out ${file} --for 1m`);
    expect(stderr).toContain(
      `warning: cannot find where the rows of ${file} end; rows before this run may be missing,`,
    );
  });

  test("--out with --from continues, or reports that it cannot find out where", async () => {
    const { home } = createTestContext();
    const [file, checkpoint] = [path.join(home, "swaps.ndjson"), path.join(home, ".swaps.ndjson.follow")];
    const follow = async (words: string) => (await followStill(`--out ${file} ${words}`)).stderr;
    await follow(`${from} --limit 20`);
    expect(await follow(`${from} --limit 1`)).toContain(`note: resuming from ${checkpoint}\n`);
    await follow(`--from ${sandboxNow / 1000 - 60} --for 1m`);
    expect(writtenRows(readFileSync(file, "utf8"))).toEqual(window);
    writeFileSync(file, '{"id":"0x1"}\n');
    const stderr = await follow("--for 1m");
    expect(stderr).toContain(`${file} has become shorter since it was written`);
    expect(stderr).toContain(`warning: cannot find where the rows of ${file} end; rows before this run`);
  });

  test("a table on a terminal keeps growing, with absolute times", async () => {
    const { exit, stdout } = await followStill(`${from} --limit 30 -o table`, (context) => {
      Object.assign(context.stdout, { isTerminal: true, columns: 100 });
    });
    expect(exit).toBe(0);
    expect(stdout).toContain("2026-11-21");
    expect(stdout).not.toMatch(/\bago\b/u);
  });
});

import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openMetrics } from "../../src/cli/run/output/metrics-file.ts";
import { dexdata, run } from "../harness/dexdata.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { leftOut } from "../harness/recipe-tools.ts";
import { usdcWeth } from "../harness/lake.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext } from "../harness/test-context.ts";
import { envOf } from "../tail/following.ts";
import { price, stream } from "../tail/keeping.ts";
import { listen, logged } from "../tail/stream-run.ts";

const folder = temporaryFolder();
const inFolder = (name: string): string => path.join(folder, name);

/** The samples, such as `dexdata_requests_total{result="ok"}`. */
function samplesOf(file: string): Readonly<Record<string, number>> {
  const lines = readFileSync(file, "utf8").split("\n");
  return Object.fromEntries(
    lines
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => [line.slice(8, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  );
}

const weth = "ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

describe("--metrics", () => {
  test.each([
    [`stream ${weth} --limit 1 --sandbox`, { rows_total: 1, 'connections{state="open"}': 0 }],
    [
      `txns ethereum ${usdcWeth} --follow --from -2m --poll 10s --for 1m --sandbox -o ndjson`,
      { running: 0, 'requests_total{result="rejected"}': 0 },
    ],
    [
      `txns ethereum ${usdcWeth} --follow --for 1m --sandbox --faults 500x1 -o ndjson`,
      { 'requests_total{result="failed"}': expect.toSatisfy((count) => count > 0) },
    ],
    [
      `sync ${inFolder("lake")} ethereum:${usdcWeth} --kind ohlcv --interval 24h --sandbox -q`,
      { sync_lost_ranges: 0, 'sync_files{state="damaged"}': 0 },
    ],
  ])("%s", async (words, expected) => {
    const file = inFolder("run.prom");
    const { exit, stderr } = await dexdata(`${words} --metrics ${file}`);
    expect([exit, stderr.includes("metrics")]).toEqual([0, false]);
    const samples = samplesOf(file);
    expect(samples).toMatchObject({ running: 0, ...expected });

    expect(samples['requests_total{result="ok"}']).toBeGreaterThanOrEqual(words.startsWith("stream") ? 0 : 1);
    checkFile(file);
  });

  test("a sync that fails keeps the time of the last success", async () => {
    const file = inFolder("sync.prom");
    const sync = async (root: string, more = "") =>
      await dexdata(
        `sync ${inFolder(root)} ethereum:${usdcWeth} --kind ohlcv --interval 24h --sandbox -q --metrics ${file} --retries 0 ${more}`,
      );
    await sync("first");
    const { sync_last_success_time_seconds: before } = samplesOf(file);
    expect(before).toBeGreaterThan(1_700_000_000);
    expect((await sync("second", "--faults 500")).exit).not.toBe(0);
    expect(samplesOf(file)).toMatchObject({ sync_last_success_time_seconds: before });
  });

  test.each(["month", "day"])(
    "a sync by %s counts each file once, also if it was written again",
    async (by) => {
      const [file, root] = [inFolder("files.prom"), inFolder(`by-${by}`)];
      const list = ` ethereum:${usdcWeth} --kind ohlcv --interval 15m --from 2026-11-18 --by ${by}`;
      for (const [day, words] of [
        ["20", list],
        ["21", ""],
      ]) {
        const env = { DEXDATA_NOW: `2026-11-${day}T09:00:00Z` };
        expect((await dexdata(`sync ${root}${words} --sandbox -q --metrics ${file}`, { env })).exit).toBe(0);
      }
      const names = readdirSync(root, { recursive: true }).map((name) => path.basename(String(name)));
      const count = (name: string): number => names.filter((each) => each === name).length;
      expect(count("open.parquet")).toBeGreaterThan(0);
      expect(samplesOf(file)).toMatchObject({
        'sync_files{state="complete"}': count("rows.parquet"),
        'sync_files{state="open"}': count("open.parquet"),
        'sync_files{state="damaged"}': 0,
      });
    },
  );

  test("a stream that was never open has old assets", async () => {
    const file = inFolder("never.prom");
    const server = await serveInTest(() => json({ message: "no" }, { status: 503 }));
    const { exit } = await listen([weth, "--for", "5m", "--metrics", file], server, { speed: 300 }).outcome;
    expect(exit).toBe(8);
    expect(samplesOf(file)["oldest_asset_age_seconds"]).toBeGreaterThan(280);
  });

  test("--watch counts the rows that it writes, and an old response is as old as it says", async () => {
    const file = inFolder("watch.prom");
    const body = '{"results":[{"id":"a","chain":"ethereum"},{"id":"b","chain":"ethereum"}]}';
    const headers = { age: "50", "cache-control": "max-age=60" };
    const server = await serveInTest(() => json(body, { headers }));
    const words = `pools search ethereum --watch 30s --for 2m --metrics ${file} --base-url ${server.url}`;
    const context = createTestContext({ flows: true, speed: 300 });
    expect((await run(words.split(" "), context)).exit).toBe(0);
    expect(server.requests.length).toBeGreaterThan(2);
    expect(samplesOf(file)["rows_total"]).toBe(2);
    expect(samplesOf(file)["oldest_asset_age_seconds"]).toBeGreaterThanOrEqual(50);
  });

  test("a link stays a link, and its target is replaced", async () => {
    const [file, link] = [inFolder("target.prom"), inFolder("link.prom")];
    symlinkSync("target.prom", link);
    for (const _ of ["created", "replaced"])
      expect((await dexdata(`stream ${weth} --limit 1 --sandbox --metrics ${link}`)).exit).toBe(0);
    expect([lstatSync(link).isSymbolicLink(), lstatSync(file).isFile()]).toEqual([true, true]);
    expect(samplesOf(file)).toMatchObject({ running: 0, rows_total: 1 });
  });

  test("each attempt to open a stream counts as a request", async () => {
    const file = inFolder("openings.prom");
    const server = await serveInTest((_, index) =>
      index === 2 ? stream([price("1")]) : json({ message: "no" }, { status: index === 0 ? 503 : 429 }),
    );
    await listen([weth, "--limit", "1", "--metrics", file], server, { speed: 300 }).outcome;
    expect(samplesOf(file)).toMatchObject({
      'requests_total{result="ok"}': 1,
      'requests_total{result="rejected"}': 1,
      'requests_total{result="failed"}': 1,
    });
  });

  test("a gap that is open when a stream ends counts", async () => {
    const [file, events] = [inFolder("gap.prom"), inFolder("gap.events")];
    const server = await serveInTest((_, index) =>
      index === 0 ? stream([price("1")], { stayOpen: false }) : json("{}", { status: 503 }),
    );
    const words = [weth, "--for", "5m", "--metrics", file, "--events", events];
    await listen(words, server, { speed: 300 }).outcome;
    const gaps = logged(events).filter(({ event }) => event === "gap");
    const lengths = gaps.map(({ from, to }) => Date.parse(String(to)) - Date.parse(String(from)));
    expect(gaps).toHaveLength(1);
    expect(samplesOf(file)["gap_seconds_total"]).toBeCloseTo(Number(lengths[0]) / 1000, 0);
  });

  test("the time that a follow could not read counts", async () => {
    const [file, events] = [inFolder("unread.prom"), inFolder("unread.events")];
    const server = await serveInTest(() => json("{}", { status: 503 }));
    const words = `txns ethereum ${usdcWeth} --follow --poll 10s --for 2m --metrics ${file} --events ${events}`;
    const env = { ...envOf(server.url), DEXDATA_RETRIES: "0" };
    const context = createTestContext({ flows: true, speed: 300, env });
    expect((await run(words.split(" "), context)).exit).toBe(8);
    const gaps = logged(events).filter(({ event }) => event === "gap");
    const lengths = gaps.map(({ from, to }) => Date.parse(String(to)) - Date.parse(String(from)));
    expect(lengths).toEqual([expect.toSatisfy((length) => length >= 120_000)]);
    expect(samplesOf(file)["gap_seconds_total"]).toBeCloseTo(Number(lengths[0]) / 1000, 0);
  });

  test.each([
    ["a stream that follows", "--for 1m --sandbox"],
    ["a stream that cannot be opened", "--for 1m --sandbox --faults 500x1000"],
  ])("%s has no connection at the end", async (_, words) => {
    const file = inFolder("ended.prom");
    await dexdata(`txns ethereum ${usdcWeth} --follow ${words} -o ndjson --metrics ${file}`);
    expect(samplesOf(file)).toMatchObject({
      running: 0,
      'connections{state="open"}': 0,
      'connections{state="retrying"}': 0,
    });
  });

  test("alerts on stdout count instead of the rows that were only tested", async () => {
    const [file, rows] = [inFolder("alerts.prom"), inFolder("alerts.rows")];
    const server = await serveInTest(() => stream(["3", "4", "5", "1", "6"].map((each) => price(each))));
    const counts = async (...more: readonly string[]): Promise<unknown> => {
      const words = [weth, "--when", "price < 2", "--for", "2s", "--metrics", file, ...more];
      await listen(words, server, { speed: 3, env: { PATH: process.env["PATH"] } }).outcome;
      return ["rows_total", "alerts_total"].map((name) => samplesOf(file)[name]);
    };
    expect(await counts()).toEqual([1, 1]);
    expect(await counts("--out", rows)).toEqual([5, 1]);
    expect(await counts("--", "cat")).toEqual([5, 1]);
    const pools = '{"results":[{"id":"a","chain":"ethereum"},{"id":"b","chain":"ethereum"}]}';
    const lists = await serveInTest(() => json(pools));
    const watch = `pools search ethereum --watch 30s --for 2m --metrics ${file} --base-url ${lists.url}`;
    const context = createTestContext({ flows: true, speed: 300 });
    await run([...watch.split(" "), "--when", "id = b"], context);
    expect(samplesOf(file)).toMatchObject({ rows_total: 1, alerts_total: 1 });
    const follow = `txns ethereum ${usdcWeth} --follow --from -20m --for 1m --sandbox --when size_usd>1000b`;
    expect((await dexdata(`${follow} --metrics ${file}`)).exit).toBe(8);
    expect(samplesOf(file)).toMatchObject({ rows_total: 0, alerts_total: 0 });
    await dexdata(`${follow} --out ${inFolder("tested.ndjson")} --metrics ${file}`);
    expect(samplesOf(file)["rows_total"]).toBeGreaterThan(0);
  }, 20_000);

  test("a change of the connection is shown within a second, and everything else within ten", () => {
    const context = createTestContext();
    const calls: [gap: number, call: () => void][] = [];
    const timer = (gap: number, call: () => void) => {
      calls.push([gap, call]);
      return () => undefined;
    };
    const clock = { ...context.clock, every: timer, after: timer };
    const file = inFolder("timed.prom");
    const metrics = openMetrics({ ...context, clock }, file, { warn: () => undefined });
    let rows = 1;
    metrics.shows({ rows_total: () => rows });
    expect(samplesOf(file)["rows_total"]).toBe(0);
    metrics.changed();
    metrics.changed();
    expect(calls.map(([gap]) => gap)).toEqual([10_000, 500]);
    calls[1]?.[1]();
    expect(samplesOf(file)["rows_total"]).toBe(1);
    rows = 2;
    calls[0]?.[1]();
    expect(samplesOf(file)["rows_total"]).toBe(2);
  });

  test("each run reports once that another one writes to its file, too", () => {
    const context = createTestContext();
    const file = inFolder("shared.prom");
    const start = (rows: number) => {
      const warnings: string[] = [];
      const metrics = openMetrics(context, file, { warn: (line) => warnings.push(line) });
      metrics.shows({ rows_total: () => rows });
      return { write: metrics.close, warnings };
    };
    const [earlier, one] = [start(1), start(2)];
    one.write();
    rmSync(file);
    one.write();
    expect(one.warnings).toEqual([]);
    for (let count = 0; count < 2; count += 1) for (const { write } of [earlier, one]) write();
    const line = `--metrics "${file}": another run writes to this file, too; use a different file for each run`;
    expect([earlier.warnings, one.warnings]).toEqual([[line], [line]]);
  });

  test("a file that cannot be written ends the run at its start, and is reported once later", async () => {
    const { exit, stderr } = await dexdata(
      `stream ${weth} --sandbox --limit 1 --error-format text --metrics ${inFolder("no/x.prom")}`,
    );
    expect([exit, stderr]).toEqual([
      2,
      expect.stringMatching(/cannot be written \(no such directory\)[^]*create the directory first/u),
    ]);
    const other = await dexdata(
      `price ${weth} --sandbox --error-format text --metrics ${inFolder("x.prom")}`,
    );
    expect([other.exit, other.stderr]).toEqual([
      2,
      "error: --metrics requires a run that lasts\n  hint: add --watch, or remove --metrics\n",
    ]);
    expect(existsSync(inFolder("x.prom"))).toBe(false);
  });

  test("a file is replaced in one step", () => {
    const file = inFolder("many.prom");
    writeFileSync(file, "");
    const context = createTestContext();
    let write = (): void => undefined;
    const after = (_: number, call: () => void) => {
      write = call;
      return () => undefined;
    };
    const clock = { ...context.clock, after };
    const metrics = openMetrics({ ...context, clock }, file, { warn: () => undefined });
    for (let count = 0; count < 40; count += 1) {
      metrics.shows({ rows_total: () => count, connections: () => ({ open: count, retrying: 0 }) });
      metrics.changed();
      write();
      expect(samplesOf(file)["rows_total"]).toBe(count);
    }
  });
});

/** Prints LEFT OUT without promtool. */
function checkFile(file: string): void {
  if (leftOut("promtool check metrics", ["promtool"]) !== undefined) return;
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], {
    input: readFileSync(file),
  });
  expect([status, String(stdout), String(stderr)]).toEqual([0, "", ""]);
}

import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { rowsOf } from "../harness/rows.ts";
import { sandboxNow } from "../harness/sandbox.ts";
import { writtenRows } from "./following.ts";
import { from, hour, marketRows, newList, pools, rowsBelow, withService } from "./many-pools.ts";

describe("many pools", () => {
  test("each row of each pool is written once, over two runs", async () => {
    const { folder, list } = newList(3);
    const faults = "late-rows=30s:5%,500:2%,429=1:1%,reset-body:1%";
    await withService({ sandbox: { faults, dialect: "public" } }, async ({ start, now }) => {
      for (let runs = 0; runs < 2; runs += 1) {
        const words = `txns @${list} --follow ${from} --for 130s --out ${path.join(folder, "{pool}.ndjson")}`;
        const { exit, stderr } = await start(words).outcome;
        expect({ exit, stderr }).toMatchObject({ exit: 0 });
      }
      const rows = rowsBelow(folder);
      expect(new Set(rows).size).toBe(rows.length);
      const wanted = marketRows(sandboxNow - hour, now() - 130_000, 3);
      expect(wanted.filter((row) => !rows.includes(row))).toEqual([]);
    });
  });
});

test.each(["before the end that is read", "compressed"])(
  "without a checkpoint, a pool whose last rows are %s is named",
  async (where) => {
    const { folder, list } = newList(2);
    const out = path.join(folder, "swaps.ndjson");
    await withService({}, async ({ start }) => {
      const words = `txns @${list} --follow ${from} --for 130s --out ${out} --error-format text`;
      expect((await start(words).outcome).exit).toBe(0);
      rmSync(path.join(folder, ".swaps.ndjson.follow"));
      const lines = readFileSync(out, "utf8").split(/(?<=\n)/u);
      const [busy = "", quiet = ""] = pools.map(({ id }) =>
        lines.filter((line) => line.includes(id)).join(""),
      );
      if (where === "compressed") writeFileSync(`${out}.1.gz`, gzipSync(quiet));
      else writeFileSync(out, quiet + busy.repeat(Math.ceil(2_200_000 / busy.length)));
      if (where === "compressed") writeFileSync(out, busy);
      const { stderr } = await start(words).outcome;
      expect(stderr.match(/cannot find where the rows of \S+/gu)).toEqual([
        `cannot find where the rows of ethereum:${pools[1]?.id}`,
      ]);
      expect(stderr).toContain(`note: continuing after the rows of ${out}, which end at`);
    });
  },
);

test("the list of pools is not taken for their rows, although its name fits the files", async () => {
  const { folder } = newList();
  const list = path.join(folder, "pools.ndjson");
  writeFileSync(list, pools.map(({ id }) => `${JSON.stringify({ id, chain: "ethereum" })}\n`).join(""));
  await withService({}, async ({ start }) => {
    const words = `txns @${list} --follow ${from} --for 70s --error-format text`;
    const { exit, stderr } = await start(`${words} --out ${path.join(folder, "{pool}.ndjson")}`).outcome;
    expect(exit).toBe(0);
    expect(stderr).not.toContain("cannot find");
  });
});

test.each([
  ["the credits", "--max-credits 3", "500@1000", 5, "error: --max-credits of 3 reached"],
  ["the key", "--retries 1", "401@3-", 4, "error: the service rejected the key"],
])("a failure that concerns all pools does not name one: %s", async (_, flag, faults, exit, message) => {
  const { list } = newList(3);
  await withService({ sandbox: { faults } }, async ({ start }) => {
    const words = `txns @${list} --follow ${from} --for 130s --error-format text ${flag}`;
    const outcome = await start(words).outcome;
    expect(outcome).toMatchObject({ exit, stderr: expect.stringContaining(message) });
    expect(outcome.stderr).not.toMatch(/error: .*ethereum:0x/u);
  });
});

test("exits 8 if the host is down at the end, although no read has given up yet", async () => {
  const { list } = newList(4);
  await withService({ sandbox: { faults: "503@9-" } }, async ({ start }) => {
    const words = `txns @${list} --follow ${from} --poll 30s --for 75s --retries 9 -o ndjson --error-format text`;
    const { exit, stderr } = await start(words).outcome;
    expect({ exit, stderr }).toMatchObject({ exit: 8, stderr: expect.stringContaining("reads are paused") });
    expect(stderr).toMatch(
      /^error: ethereum:\S+: all reads failed from \S+ to \S+; the last rows may be missing, also in 3 other pools$/mu,
    );
  });
});

test("two reloads at once start a new pool once, although the removed one takes a while to end", async () => {
  const { list } = newList(2);
  const lines = readFileSync(list, "utf8").split(/(?<=\n)/u);
  await withService({}, async ({ start, log }) => {
    writeFileSync(list, lines[0] ?? "");
    const { context, outcome } = start(`txns @${list} --follow ${from} --for 170s -o ndjson`);
    const release = context.stdout.stall();
    while (log.length < 2) await new Promise(setImmediate);
    await context.clock.sleep(10_000);
    writeFileSync(list, lines[1] ?? "");
    context.reload();
    context.reload();
    while (!context.stderrText().includes("list reloaded")) await new Promise(setImmediate);
    release();
    const { exit, stdout } = await outcome;
    const rows = writtenRows(stdout);
    expect([exit, rows.length > 100, rows.length - new Set(rows).size]).toEqual([0, true, 0]);
  });
});

test("a pool that is removed while the reader is slow, and comes back: no row is missing or repeated", async () => {
  const { folder, list } = newList(2);
  const both = readFileSync(list, "utf8");
  // At the end, the newest rows have 400 ms to reach the disk, which would be a single turn of the event loop.
  await withService({ speed: 20 }, async ({ start, log }) => {
    const words = `txns @${list} --follow ${from} --for 50s --poll 5s --out ${folder}/rows.ndjson --when log_index>=0`;
    const { context, outcome } = start(words);
    // Rows wait for the alerts on stdout.
    const release = context.stdout.stall();
    while (log.length < 2) await new Promise(setImmediate);
    await context.clock.sleep(10_000);
    writeFileSync(list, both.slice(both.indexOf("\n") + 1));
    context.reload();
    while (!context.stderrText().includes("1 removed")) await new Promise(setImmediate);
    await context.clock.sleep(5000);
    writeFileSync(list, both);
    context.reload();
    // The pool starts again when its last rows are written, so the reload cannot be waited for.
    await context.clock.sleep(5000);
    release();
    const { exit, stderr } = await outcome;
    const rows = rowsBelow(folder);
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: expect.stringContaining("2 pools, 1 new, 0 removed"),
    });
    expect.soft(stderr).not.toContain("may be missing");
    expect.soft(rows.length - new Set(rows).size).toBe(0);
    expect(marketRows(sandboxNow - hour, sandboxNow, 2).filter((row) => !rows.includes(row))).toEqual([]);
  });
});

test("a pool added to a list has each row once, even if the run is killed right after its first row", async () => {
  const { folder, list } = newList(1);
  const [killed, file] = [newList(2), "rows.ndjson"];
  const words = `--follow ${from} --out`;
  // The checkpoint is also saved every five seconds.
  await withService({ speed: 20 }, async ({ start }) => {
    await start(`txns @${list} ${words} ${folder}/${file} --for 5s`).outcome;
    const { context, outcome } = start(`txns @${killed.list} ${words} ${folder}/${file}`);
    while (!readFileSync(path.join(folder, file), "utf8").includes(pools[1]?.id ?? ""))
      await new Promise(setImmediate);
    for (const name of [file, `.${file}.follow`])
      cpSync(path.join(folder, name), path.join(killed.folder, name));
    context.interrupt({ cause: "SIGTERM" });
    await outcome;
    expect(
      (await start(`txns @${killed.list} ${words} ${killed.folder}/${file} --for 5s`).outcome).exit,
    ).toBe(0);
    const rows = rowsBelow(killed.folder);
    expect(rows).toEqual([...new Set(rows)]);
    expect(marketRows(sandboxNow - hour, sandboxNow, 2).filter((row) => !rows.includes(row))).toEqual([]);
  });
});

test("without a checkpoint, a pool that is removed and comes back continues after its last rows", async () => {
  const { list } = newList(2);
  const both = readFileSync(list, "utf8");
  await withService({}, async ({ start, log }) => {
    const { context, outcome } = start(`txns @${list} --follow ${from} --for 290s -o ndjson`);
    while (log.length < 4) await new Promise(setImmediate);
    await context.clock.sleep(70_000);
    for (const [text, said] of [
      [both.slice(both.indexOf("\n") + 1), "1 removed"],
      [both, "1 new, 0 removed"],
    ] as const) {
      writeFileSync(list, text);
      context.reload();
      while (!context.stderrText().includes(said)) await new Promise(setImmediate);
      await context.clock.sleep(70_000);
    }
    const { exit, stdout } = await outcome;
    const rows = writtenRows(stdout);
    expect([exit, rows.length - new Set(rows).size]).toEqual([0, 0]);
    expect(marketRows(sandboxNow - hour, sandboxNow, 2).filter((row) => !rows.includes(row))).toEqual([]);
  });
});

describe("what cannot be followed", () => {
  test("more pools than the rate allows: exit 6 with the interval that fits, before a request", async () => {
    const { list } = newList();
    await withService({}, async ({ start, log }) => {
      const words = `txns @${list} --follow --poll 5s --rpm 60 --error-format text`;
      const { exit, stderr } = await start(words).outcome;
      expect({ exit, stderr }).toEqual({
        exit: 6,
        stderr:
          "error: reading 8 pools every 5s needs 96 requests/min, but at most 90% of 60 requests/min (pro plan) are used\n" +
          "  hint: use --poll 9s, or follow fewer pools\n",
      });
      expect((await start(words.replace("5s", "9s").concat(" --for 30s")).outcome).exit).toBe(0);
      expect(log.length).toBeGreaterThan(0);
    });
  });

  test("without a rate limit, a run still sends no more than 2,700 requests a minute", async () => {
    const { list } = newList();
    const addresses = Array.from({ length: 300 }, (_, index) => String(index).padStart(40, "0"));
    writeFileSync(list, addresses.map((address) => `ethereum:0x${address}\n`).join(""));
    await withService({}, async ({ start, log }) => {
      const words = `txns @${list} --follow --poll 5s --rpm unlimited --error-format text`;
      const { exit, stderr } = await start(words).outcome;
      expect({ exit, stderr, sent: log.length }).toEqual({
        exit: 6,
        stderr:
          "error: reading 300 pools every 5s needs 3,600 requests/min, but at most 2,700 requests/min are sent\n" +
          "  hint: use --poll 7s, or follow fewer pools\n",
        sent: 0,
      });
    });
  });

  test("a run that ends before each pool was read once: exit 8, and --events has the gap of each of these", async () => {
    const { folder, list } = newList(3);
    const events = path.join(folder, "events");
    await withService({}, async ({ start, log }) => {
      const words = `txns @${list} --follow ${from} --rpm 4 --for 20s --events ${events}`;
      const { exit, stderr } = await start(`${words} --error-format text -o ndjson`).outcome;
      expect(log.length).toBeLessThan(3);
      expect({ exit, stderr }).toEqual({
        exit: 8,
        stderr: expect.stringMatching(
          /error: ethereum:0x\w{40}: no read was complete from \S+ to \S+; rows may be missing, also in \d other pools?\n {2}hint: use a longer --for/u,
        ),
      });
      const gaps = rowsOf(readFileSync(events, "utf8")).filter(({ event }) => event === "gap");
      expect(gaps.length).toBeGreaterThan(1);
      expect(stderr).toContain(`also in ${gaps.length - 1} other pool`);
    });
  });

  test.each([
    ["--poll 2s", "--poll 2s: several pools and searches are read every 5s to 1h"],
    ["--poll 2h", "--poll 2h: several pools and searches are read every 5s to 1h"],
    ["--streaming-url http://127.0.0.1:1", "--streaming-url cannot be used with several pools"],
  ])("%s is refused before a request", async (flags, problem) => {
    const { list } = newList();
    await withService({}, async ({ start, log }) => {
      const { exit, stderr } = await start(`txns @${list} --follow ${flags} --error-format text`).outcome;
      expect({ exit, stderr, requests: log.length }).toMatchObject({
        exit: 2,
        stderr: expect.stringContaining(`error: ${problem}`),
        requests: 0,
      });
    });
  });

  test("a list with one bad line: the line is named, and on SIGHUP, the old list stays", async () => {
    const { folder, list } = newList();
    const good = readFileSync(list, "utf8");
    const bad = `${good}ethereum:0x12\n`;
    await withService({}, async ({ start, log }) => {
      writeFileSync(list, bad);
      const events = path.join(folder, "events");
      const words = `txns @${list} --follow ${from} --out ${path.join(folder, "rows.ndjson")} --events ${events} --metrics ${folder}/swaps.prom --error-format text`;
      const refused = await start(words).outcome;
      expect(refused).toMatchObject({ exit: 2, stderr: expect.stringContaining(`${list} line 9: `) });
      expect(log.length).toBe(0);
      writeFileSync(list, good);
      // Ends between two rounds of reads, so that none is in flight.
      const { context, outcome } = start(`${words} --for 170s`);
      while (log.length < 8) await new Promise(setImmediate);
      writeFileSync(list, bad);
      expect(context.reload()).toBe(true);
      // Two pools fewer.
      while (!context.stderrText().includes("new list ignored")) await new Promise(setImmediate);
      writeFileSync(list, good.split("\n").slice(2).join("\n"));
      context.reload();
      const { exit, stderr } = await outcome;
      expect(exit).toBe(0);
      expect(stderr).toContain(`warning: new list ignored: ${list} line 9: `);
      expect(stderr).toContain("note: list reloaded: 6 pools, 0 new, 2 removed\n");
      const metrics = readFileSync(path.join(folder, "swaps.prom"), "utf8");
      expect(Number(/^dexdata_rows_total (\d+)$/mu.exec(metrics)?.[1])).toBeGreaterThan(20);
      expect(Number(/^dexdata_oldest_asset_age_seconds (\S+)$/mu.exec(metrics)?.[1])).toBeLessThan(61);
      const logged = rowsOf(readFileSync(events, "utf8"));
      expect(logged.map(({ event }) => event)).toEqual(expect.arrayContaining(["reload_refused", "reload"]));
      expect(logged.find(({ event }) => event === "close")?.["names"]).toHaveLength(6);
    });
  });

  test.each([
    ["fail", 3, "500@1000"],
    ["drop", 0, "500@1000"],
    // As the public service does. It is seen from the others that this is no error page of a balancer.
    ["fail", 3, `empty=404/${"9".repeat(40)}`],
    ["drop", 0, `empty=404/${"9".repeat(40)}`],
  ])("a pool that does not exist, with --on-invalid %s: exit %i (%s)", async (action, expected, faults) => {
    const { list } = newList();
    const unknown = `ethereum:0x${"9".repeat(40)}`;
    writeFileSync(list, `${readFileSync(list, "utf8")}${unknown}\n`);
    await withService({ sandbox: { faults } }, async ({ start }) => {
      const words = `txns @${list} --follow --for 2m --on-invalid ${action} --error-format text`;
      const { exit, stderr } = await start(words).outcome;
      expect(exit).toBe(expected);
      expect(stderr).toContain(`${action === "drop" ? "warning" : "error"}: ${unknown}: `);
      expect(stderr.includes("no longer followed")).toBe(action === "drop");
    });
  });

  test("a checkpoint of another service, and one that is not a checkpoint", async () => {
    const { folder, list } = newList();
    const out = path.join(folder, "rows.ndjson");
    const checkpoint = path.join(folder, ".rows.ndjson.follow");
    await withService({}, async ({ start, log }) => {
      const words = `txns @${list} --follow ${from} --for 100s --out ${out} --error-format text`;
      expect((await start(words).outcome).exit).toBe(0);
      const saved = readFileSync(checkpoint, "utf8");
      log.length = 0;
      for (const [text, problem] of [
        [
          saved.replace("a local server", "https://example.invalid"),
          "belongs to the rows of https://example.invalid",
        ],
        ["{", "is not a checkpoint of --follow"],
        // Without it, everything that the service keeps would be read again.
        [saved.replace('"from"', '"since"'), "is not a checkpoint of --follow"],
      ] as const) {
        writeFileSync(checkpoint, text);
        const { exit, stderr } = await start(words).outcome;
        expect({ exit, stderr }).toMatchObject({ exit: 2, stderr: expect.stringContaining(problem) });
      }
      expect(log.length).toBe(0);
    });
  });

  test.each(["{pool}.ndjson", "{network}/{pool}/{date}.ndjson"])(
    "a run of one pool and one of several on %s: the second is refused, also on SIGHUP",
    async (name) => {
      const { folder, list } = newList(2);
      const [one, other] = pools.map(({ id }) => id);
      const words = (asked: string): string =>
        `txns ${asked} --follow ${from} --for 100s --out ${folder}/${name} --error-format text`;
      const refusal = { exit: 7, stderr: expect.stringContaining("is in use by process") };
      await withService({}, async ({ start, log }) => {
        const many = start(words(`@${list}`));
        while (log.length < 2) await new Promise(setImmediate);
        expect(await start(words(`ethereum ${one}`)).outcome).toMatchObject(refusal);
        expect((await many.outcome).exit).toBe(0);
        const before = log.length;
        const single = start(`${words(`ethereum ${one}`).replace("100s", "1h")} --poll 10s`);
        while (log.length < before + 2) await new Promise(setImmediate);
        expect(await start(words(`@${list}`)).outcome).toMatchObject(refusal);
        writeFileSync(list, `ethereum:${other}\n`);
        const rest = start(words(`@${list}`));
        while (!rest.context.stderrText().includes("1 pool every")) await new Promise(setImmediate);
        writeFileSync(list, `ethereum:${other}\nethereum:${one}\n`);
        while (!rest.context.reload()) await new Promise(setImmediate);
        expect((await rest.outcome).stderr).toMatch(/warning: new list ignored: .* is in use by process/u);
        single.context.interrupt({ cause: "SIGTERM" });
        expect((await single.outcome).exit).toBe(143);
      });
      const rows = rowsBelow(folder);
      expect(new Set(rows).size).toBe(rows.length);
    },
  );

  test("two processes on one pattern: the second is refused", async () => {
    const { folder, list } = newList();
    await withService({}, async ({ start, log }) => {
      const words = `txns @${list} --follow ${from} --for 1m --out ${folder}/{pool}/{date}.ndjson --error-format text`;
      const first = start(words);
      while (log.length < 5) await new Promise(setImmediate);
      const second = await start(words).outcome;
      expect(second).toMatchObject({ exit: 7, stderr: expect.stringContaining("is in use by process") });
      expect((await first.outcome).exit).toBe(0);
    });
  });
});

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openAlertState } from "../../src/cli/run/alerts/alert-state.ts";
import { rowsOf } from "../harness/rows.ts";
import { sandboxNow } from "../harness/sandbox.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext } from "../harness/test-context.ts";
import { price, stream } from "../tail/keeping.ts";
import { listen, logged } from "../tail/stream-run.ts";

const folder = temporaryFolder();
const inFolder = (name: string): string => path.join(folder, name);
const asset = "ethereum:0x0000000000000000000000000000000000000abc";
/** Slow enough for commands, whose time limit would otherwise pass at once. */
const real = { speed: 3, flows: false, env: { PATH: process.env["PATH"] } };
const low = ["--when", "price < 3", "--cooldown", "0"];

/** Streams these prices, and ends when `until` is true. */
async function start(prices: readonly string[], words: readonly string[], now = sandboxNow) {
  const server = await serveInTest(() => stream(prices.map((each) => price(each))));
  return listen([asset, ...low, ...words], server, { ...real, now });
}

const alertsOf = async (prices: readonly string[], words: readonly string[], now?: number) => {
  const { exit, stdout } = await (await start(prices, [...words, "--for", "300ms"], now)).outcome;
  return [exit, rowsOf(stdout).map(({ value }) => value)];
};

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("--state", () => {
  test("keeps what is true, so that a restart reports only what has changed", async () => {
    const state = ["--state", inFolder("true.state")];
    // What a run left that was killed while it replaced the file.
    const staged = inFolder("true.state.0123456789abcdef.new");
    writeFileSync(staged, "");
    expect(await alertsOf(["2", "4", "2.2"], state)).toEqual([0, ["2", "2.2"]]);
    expect(await alertsOf(["1", "1.5"], state)).toEqual([8, []]);
    expect(await alertsOf(["4"], state)).toEqual([8, []]);
    expect(await alertsOf(["2.5"], state)).toEqual([0, ["2.5"]]);
    expect(await alertsOf(["2.5"], [])).toEqual([0, ["2.5"]]);
    expect(existsSync(staged)).toBe(false);
  });

  test("keeps the cooldown of a condition that has become false", async () => {
    const words = ["--when", "price < 3", "--for", "300ms", "--state", inFolder("cooling.state")];
    const values = async (prices: readonly string[], now: number) => {
      const server = await serveInTest(() => stream(prices.map((each) => price(each))));
      const { stdout } = await listen([asset, ...words], server, { ...real, now }).outcome;
      return rowsOf(stdout).map(({ value }) => value);
    };
    expect(await values(["2", "4"], sandboxNow)).toEqual(["2"]);
    expect(await values(["2.5", "4"], sandboxNow + 30_000)).toEqual([]);
    expect(await values(["2.6", "4"], sandboxNow + 90_000)).toEqual(["2.6"]);
  });

  test("keeps the cooldown of rows, and no longer than it lasts", async () => {
    const file = inFolder("rows.state");
    const context = createTestContext({ flows: true });
    const closers: (() => unknown)[] = [];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the state uses only these parts
    const run = { context, report: {}, onClose: closers.push.bind(closers) } as never;
    const open = async (passed: number) => {
      for (const close of closers.splice(0)) close();
      context.clock.advance(passed);
      return await openAlertState(run, file, { by: "row", cooldown: 3_600_000 });
    };
    const alert = { alert: "match", condition: "size_usd > 1", label: undefined, line: "{}\n" } as const;
    const { begin, end } = await open(0);
    begin({ ...alert, id: "one", asset });
    end("one");
    const later = await open(1_800_000);
    expect(later.firedFor("size_usd > 1", asset)).toBeGreaterThanOrEqual(1_800_000);
    expect(later.isTrue("size_usd > 1", asset)).toBe(false);
    const last = await open(1_800_000);
    expect(last.firedFor("size_usd > 1", asset)).toBeUndefined();
    expect(readFileSync(file, "utf8")).toBe('{"alerts":1}\n');
    for (const close of closers) close();
  });

  test("a clock that was ahead in the run before does not hold back an alert", async () => {
    const state = ["--state", inFolder("ahead.state")];
    expect(await alertsOf(["2"], state, sandboxNow + 172_800_000)).toEqual([0, ["2"]]);
    expect(await alertsOf(["4", "2.5"], state)).toEqual([0, ["2.5"]]);
  });

  test("a signal: exit 143 or 130; what has not ended runs once more, marked, and then no more", async () => {
    const [file, state, gate] = [inFolder("acted"), inFolder("signal.state"), inFolder("gate")];
    const script = `cat >> "$0"; while [ ! -e "$1" ]; do sleep 0.05; done`;
    const words = ["--state", state, "--", "sh", "-c", script, file, gate];
    const running = await start(["2", "4", "1"], words);
    await until(() => existsSync(file) && readFileSync(state, "utf8").split('"begin"').length === 3);
    running.context.interrupt({ cause: "SIGTERM" });
    // Running commands have 5s.
    expect((await running.outcome).exit).toBe(143);
    writeFileSync(gate, "");
    const again = await start([], words);
    await until(() => rowsOf(readFileSync(file, "utf8")).length === 3);
    expect((await again.interrupted()).exit).toBe(130);
    const acted = rowsOf(readFileSync(file, "utf8"));
    expect(acted.map(({ value, repeat }) => [value, repeat])).toEqual([
      ["2", undefined],
      ["2", true],
      ["1", true],
    ]);
    expect(acted[0]?.["id"]).toBe(acted[1]?.["id"]);
    expect(await alertsOf(["1"], ["--state", state])).toEqual([8, []]);
  }, 20_000);

  test("without it, a signal drops what waits: alert_dropped in --events", async () => {
    const [file, events] = [inFolder("started"), inFolder("events.ndjson")];
    const words = ["--events", events, "--", "sh", "-c", `cat >> "$0"; sleep 1`, file];
    const running = await start(["2", "4", "1", "5"], words);
    await until(() => existsSync(file) && running.lines().length === 4);
    const { exit, stderr } = await running.interrupted();
    expect(exit).toBe(130);
    const dropped = logged(events).filter(({ event }) => event === "alert_dropped");
    expect(dropped).toMatchObject([{ names: [asset], condition: "price < 3" }]);
    expect(stderr).toContain("1 alert dropped without running the command");
  });

  test("is locked, and another file is not overwritten", async () => {
    const [state, other] = [inFolder("locked.state"), inFolder("other")];
    const first = await start([], ["--state", state]);
    await until(() => existsSync(`${state}.lock`));
    const { exit, stderr } = await (await start([], ["--state", state])).outcome;
    expect([exit, stderr]).toEqual([7, expect.stringContaining("is in use by")]);
    await first.interrupted();
    writeFileSync(other, "precious\n");
    const refused = await (await start([], ["--state", other])).outcome;
    expect([refused.exit, readFileSync(other, "utf8")]).toEqual([2, "precious\n"]);
  });

  test.each([
    ["renamed", (file: string) => renameSync(file, `${file}.1`)],
    ["removed", (file: string) => rmSync(file)],
    ["emptied", (file: string) => writeFileSync(file, "")],
    [
      "replaced by another file of its size",
      (file: string) => {
        writeFileSync(`${file}.copy`, "\n".repeat(statSync(file).size));
        renameSync(`${file}.copy`, file);
      },
    ],
  ])(
    "that was %s during the run is written again as a whole, and only the user can read it",
    async (_, change) => {
      const file = inFolder("moved.state");
      const context = createTestContext({ flows: true });
      const closers: (() => unknown)[] = [];
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the state uses only these parts
      const run = { context, report: {}, onClose: closers.push.bind(closers) } as never;
      const { begin } = await openAlertState(run, file, { by: "crossing", cooldown: 0 });
      const alert = { alert: "match", condition: "price < 3", label: undefined, line: "{}\n" } as const;
      begin({ ...alert, id: "one", asset });
      change(file);
      begin({ ...alert, id: "two", asset: "ethereum:0x2" });
      for (const close of closers.splice(0)) close();
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const later = await openAlertState(run, file, { by: "crossing", cooldown: 0 });
      expect([asset, "ethereum:0x2"].map((each) => later.firedFor("price < 3", each))).toEqual([0, 0]);
      for (const close of closers) close();
    },
  );

  test("has every entry again as soon as the disk is no longer full", async () => {
    const file = inFolder("full.state");
    const context = createTestContext({ flows: true });
    const closers: (() => unknown)[] = [];
    const warnings: string[] = [];
    const report = { warn: (text: string) => void warnings.push(text), remark: () => undefined };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the state uses only these parts
    const run = { context, report, onClose: closers.push.bind(closers) } as never;
    const { becameFalse, begin, end } = await openAlertState(run, file, { by: "crossing", cooldown: 0 });
    const alert = { alert: "match", condition: "price < 3", asset, label: undefined, line: "{}\n" } as const;
    begin({ ...alert, id: "one" });
    end("one");
    const saved = readFileSync(file);
    rmSync(file);
    // A directory in its place cannot be appended to or replaced.
    mkdirSync(path.join(file, "full"), { recursive: true });
    becameFalse("price < 3", asset);
    begin({ ...alert, id: "two", asset: "ethereum:0x2" });
    rmSync(file, { recursive: true });
    writeFileSync(file, `${String(saved)}{"isFal`);
    end("two");
    for (const close of closers.splice(0)) close();
    const later = await openAlertState(run, file, { by: "crossing", cooldown: 0 });
    expect(later.firedFor("price < 3", asset)).toBeUndefined();
    expect(later.firedFor("price < 3", "ethereum:0x2")).toBe(0);
    expect([later.repeated, warnings.length]).toEqual([[], 1]);
    for (const close of closers) close();
  });

  test("that cannot be written at the start: exit 2 before a request is sent", async () => {
    // The names of the lock and of the file itself fit, but the name of its replacement does not.
    const server = await serveInTest(() => stream([price("2")]));
    const state = inFolder("s".repeat(240));
    const { exit, stderr } = await listen([asset, ...low, "--state", state], server, real).outcome;
    expect([exit, stderr]).toEqual([2, expect.stringContaining("cannot be written (file name too long)")]);
    expect([server.requests.length, existsSync(state)]).toEqual([0, false]);
  });

  test("that can no longer be replaced: one warning", async () => {
    const file = inFolder("kept.state");
    const made = createTestContext({ flows: true });
    let isBroken = false;
    const random = (): number => {
      if (isBroken) throw new Error("no name for the new file");
      return 0.5;
    };
    const closers: (() => unknown)[] = [];
    const warnings: string[] = [];
    const report = { warn: (text: string) => void warnings.push(text), remark: () => undefined };
    const context = { ...made, random };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the state uses only these parts
    const run = { context, report, onClose: closers.push.bind(closers) } as never;
    const { end } = await openAlertState(run, file, { by: "row", cooldown: 0 });
    isBroken = true;
    for (let count = 0; count < 12_000; count += 1) end(`id${count % 10}`);
    expect(warnings).toEqual([expect.stringMatching(/kept\.state": cannot be written/u)]);
    for (const close of closers) close();
  });

  test("skips damaged lines", async () => {
    const state = inFolder("damaged.state");
    const lines = [
      '{"alerts":1}\n{"alerts":1}\nnull\n5\n[]\n"text"\n{}\n{"begin":null,"at":1}\n{"begin":{"id":1},"at":"x"}',
      '{"begin":{"id":1},"at":1}\n{"end":1,"at":1}\n{"end":"x","begin":null,"at":1}\n{"isTrue":null,"at":1}',
      `{"isTrue":["price < 3"],"at":1}\n{"isFalse":[1,2]}\n{"isTrue":["price < 3","${asset}"],"at":${sandboxNow}}\n`,
    ];
    writeFileSync(state, lines.join("\n"));
    expect(await alertsOf(["2", "4", "2.5"], ["--state", state])).toEqual([0, ["2.5"]]);
    expect(readFileSync(state, "utf8").split("\n", 3)[1]).toMatch(/^\{"isTrue":/u);
  });

  test("a torn line and actions from more than 10m ago are left out; the file stays small", async () => {
    const file = inFolder("old.state");
    const context = createTestContext({ flows: true });
    const warnings: string[] = [];
    const closers: (() => unknown)[] = [];
    const report = { warn: (text: string) => void warnings.push(text), remark: () => undefined };
    const open = async () => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the state uses only these parts
      const run = { context, report, onClose: closers.push.bind(closers) } as never;
      return await openAlertState(run, file, { by: "row", cooldown: 0 });
    };
    const alert = (id: string) =>
      ({ id, alert: "match", condition: "", asset, label: undefined, line: `{"id":"${id}"}\n` }) as const;
    const close = (): void => {
      for (const each of closers.splice(0)) each();
    };
    const first = await open();
    for (let count = 0; count < 3000; count += 1) {
      if (count === 1000) context.clock.advance(600_001);
      first.begin(alert(`id${count}`));
      if (count < 2999) first.end(`id${count}`);
    }
    const { ino } = statSync(file);
    first.end("id2998");
    // The file was compacted once, and is appended to again.
    expect(statSync(file).ino).toBe(ino);
    close();
    // After 5000 lines, only those of the last 2500 alerts that are not old stayed.
    expect(readFileSync(file, "utf8").split("\n").length).toBeLessThan(1500 + 1000 + 5);
    // After a failure of the machine, a file can end with zeros.
    writeFileSync(file, `${readFileSync(file, "utf8")}{"begin":{"id":"to${"\0".repeat(5000)}`);
    const second = await open();
    expect(second.repeated.map(({ line }) => line)).toEqual(['{"id":"id2999","repeat":true}\n']);
    // Also of one that is repeated: its row may match again.
    for (const id of ["id2998", "id2999"]) expect(second.isDone(alert(id))).toBe(true);
    close();
    context.clock.advance(600_001);
    const third = await open();
    expect([third.repeated, warnings]).toEqual([[], ["1 alert from more than 10m ago not repeated"]]);
    expect(third.isDone(alert("id2998"))).toBe(false);
    close();
    expect(readFileSync(file, "utf8")).toBe('{"alerts":1}\n');
  });
});

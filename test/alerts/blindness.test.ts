import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { instant } from "../../src/base/text/words.ts";
import { createBlindness } from "../../src/cli/run/alerts/blindness.ts";
import { dexdata, run } from "../harness/dexdata.ts";
import { rowsOf } from "../harness/rows.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { sandboxNow } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext } from "../harness/test-context.ts";
import { pool, startFollowing } from "../tail/following.ts";
import { ping, price, stream } from "../tail/keeping.ts";
import { listen, logged } from "../tail/stream-run.ts";

const folder = temporaryFolder();
const inFolder = (name: string): string => path.join(folder, name);
const [one, two] = [
  "ethereum:0x0000000000000000000000000000000000000abc",
  "ethereum:0x0000000000000000000000000000000000000def",
];
const never = ["--when", "price > 1m"];

describe("stream --blind", () => {
  test("silence and failing connections are one interval, with the bounds of the gap", async () => {
    const events = inFolder("gap.ndjson");
    const server = await serveInTest((_, index) =>
      index === 0
        ? stream([price("1"), ping])
        : index < 4
          ? json({ message: "unavailable" }, { status: 503 })
          : stream([price("2"), ping, ping]),
    );
    const words = [one ?? "", two ?? "", ...never, "--blind", "30s", "--for", "5m", "--events", events];
    const { exit, stdout } = await listen(words, server, { speed: 200 }).outcome;
    const [gap] = logged(events).filter(({ event }) => event === "gap");
    const alerts = rowsOf(stdout);
    expect(exit).toBe(8);
    expect(alerts.slice(0, 2)).toMatchObject([
      { alert: "blind", from: gap?.["from"], names: [one, two], assets: 2 },
      { alert: "back", from: gap?.["from"], to: gap?.["to"], names: [one, two] },
    ]);
    expect(alerts[0]).not.toHaveProperty("to");
  });

  test("the time in which the machine was suspended is an interval", async () => {
    const server = await serveInTest(() => stream([price("1"), ping]));
    const words = [one ?? "", ...never, "--blind", "1m"];
    const running = listen(words, server, { speed: 200 });
    const { clock } = running.context;
    await running.until(() => clock.elapsed() > 10_000);
    clock.setNow(clock.now() + 3_600_000);
    await running.until(() => running.lines().length === 2);
    const { stdout } = await running.interrupted();
    const [blind, back] = rowsOf(stdout);
    expect([blind?.["alert"], back?.["alert"]]).toEqual(["blind", "back"]);
    expect(Date.parse(String(back?.["to"])) - Date.parse(String(blind?.["from"]))).toBeGreaterThan(3_500_000);
  });

  test("connections that open but bring neither data nor pings do not end an interval, nor hide it", async () => {
    const events = inFolder("silent.ndjson");
    const comment = ": open\n\n";
    const server = await serveInTest((_, index) =>
      index < 6 ? stream([comment], { stayOpen: index % 2 === 0 }) : stream([ping]),
    );
    const words = [one ?? "", ...never, "--blind", "1m", "--events", events];
    const running = listen(words, server, { speed: 200 });
    await running.until(() => running.lines().length === 2);
    const { stdout } = await running.interrupted();
    const [blind, back] = rowsOf(stdout);
    const gaps = logged(events).filter(({ event }) => event === "gap");
    expect([blind?.["alert"], back?.["alert"]]).toEqual(["blind", "back"]);
    expect(Date.parse(String(gaps[0]?.["from"])) - Date.parse(String(blind?.["from"]))).toBeLessThan(10_000);
    expect([back?.["from"], back?.["to"]]).toEqual([blind?.["from"], gaps.at(-1)?.["to"]]);
  });

  test("after a restart, an interval begins at the end of the run before, but a pause alone is none", async () => {
    const file = inFolder("restarted.ndjson");
    writeFileSync(file, '{"p":"1"}\n');
    const ended = (sandboxNow - 3_600_000) / 1000;
    const words = [one ?? "", ...never, "--blind", "30s", "--out", file];
    for (const isUp of [true, false]) {
      utimesSync(file, ended, ended);
      const server = await serveInTest(() =>
        isUp ? stream([ping]) : json({ message: "unavailable" }, { status: 503 }),
      );
      const { stdout } = await listen([...words, "--for", isUp ? "20s" : "40s"], server, { speed: 200 })
        .outcome;
      const [blind, ...others] = rowsOf(stdout);
      expect([blind?.["from"], others]).toEqual([isUp ? undefined : instant(ended * 1000), []]);
      const waited = Date.parse(String(blind?.["at"])) - sandboxNow;
      if (!isUp) expect(waited).toBeGreaterThanOrEqual(30_000);
    }
  });

  test("a reload during an outage does not end the interval, and is not its reason", async () => {
    const [events, list] = [inFolder("reload.ndjson"), inFolder("LIST")];
    let isUp = false;
    const server = await serveInTest((_, index) =>
      isUp || index === 0
        ? stream([price("1"), ping], { stayOpen: isUp })
        : json({ message: "unavailable" }, { status: 503 }),
    );
    writeFileSync(list, `${one}\n${two}\n`);
    const words = [`@${list}`, ...never, "--blind", "30s", "--events", events];
    const running = listen(words, server, { speed: 200 });
    await running.until(() => running.lines().length === 1);
    writeFileSync(list, `${one}\n`);
    running.context.reload();
    await running.until(() => running.context.stderrText().includes("reloaded: 1 asset"));
    // Long enough for an alert that is not wanted.
    const requests = server.requests.length;
    await running.until(() => server.requests.length > requests);
    isUp = true;
    await running.until(() => running.lines().length > 1);
    const { stdout } = await running.interrupted();
    const gaps = logged(events).filter(({ event }) => event === "gap");
    const reason = "the service ended the stream";
    expect(gaps).toMatchObject([
      { names: [two], reason, from: gaps[1]?.["from"] },
      { names: [one], reason },
    ]);
    const { from, to } = gaps[1] ?? {};
    expect(rowsOf(stdout)).toMatchObject([
      { alert: "blind", names: [one, two], from },
      { alert: "back", names: [one], from, to },
    ]);
  });
});

describe("txns --follow --blind", () => {
  test("failing reads: blind, and back with the time that the next read covers; --metrics counts both", async () => {
    const metrics = inFolder("follow.prom");
    const when = ["--when", "size_usd > 0", "--blind", "30s", "--metrics", metrics];
    const assets = ["ethereum", pool, "--poll", "10s", "--retries", "0", "--for", "4m", ...when];
    const options = { speed: 300, sandbox: { faults: "503x8" }, assets };
    const { exit, stdout } = await (await startFollowing("", options)).outcome;
    const alerts = rowsOf(stdout);
    const [blind, back, ...others] = alerts.filter(({ alert }) => alert !== "match");
    expect(exit).toBe(0);
    expect(others).toEqual([]);
    const from = new Date(sandboxNow).toISOString();
    expect(blind).toMatchObject({
      alert: "blind",
      names: [`ethereum:${pool}`],
      from: expect.stringMatching(from.slice(0, 17)),
    });
    expect(back).toMatchObject({ alert: "back", from: blind?.["from"] });
    const seconds = (Date.parse(String(back?.["to"])) - Date.parse(String(back?.["from"]))) / 1000;
    expect(seconds).toBeGreaterThan(30);
    const text = readFileSync(metrics, "utf8");
    expect(text).toContain(`dexdata_alerts_total ${alerts.length - 2}\n`);
    const counted = Number(/^dexdata_blind_seconds_total (\S+)$/mu.exec(text)?.[1]);
    // The last read took a while, and the counter does not decrease at its end.
    expect(counted).toBeGreaterThan(seconds - 1);
    expect(counted).toBeLessThan(seconds + 15);
  });

  test("responses from a cache that are too old: blind up to the time of their data", async () => {
    const when = ["--when", "size_usd > 1b", "--blind", "60s"];
    const assets = ["ethereum", pool, "--poll", "10s", "--for", "11m", ...when];
    const options = { speed: 300, sandbox: { faults: "edge-cache=5m:path" }, assets };
    const { exit, stdout } = await (await startFollowing("", options)).outcome;
    const alerts = rowsOf(stdout);
    expect(exit).toBe(8);
    expect(alerts.map(({ alert }) => alert).slice(0, 4)).toEqual(["blind", "back", "blind", "back"]);
    for (const [index, { alert, at, from, to }] of alerts.entries()) {
      const age = Date.parse(String(at)) - Date.parse(String(from));
      if (alert === "blind") expect(age).toBeGreaterThanOrEqual(60_000);
      else expect([from, Date.parse(String(to))]).toEqual([alerts[index - 1]?.["from"], expect.any(Number)]);
    }
  });

  test("the time in which the machine was suspended is blind", async () => {
    const page_info = { limit: 100, page: 1, total_items: 0, total_pages: 0 };
    const { url } = await serveInTest((_, index) => {
      if (index === 2) context.clock.setNow(context.clock.now() + 3_600_000);
      return index === 2 ? json({}, { status: 503 }) : json({ transactions: [], page_info });
    });
    const context = createTestContext({ flows: true, env: { DEXDATA_BASE_URL: url }, now: sandboxNow });
    const words = ["txns", "ethereum", pool, "--follow", "--from", "-1m", "--poll", "20s", "--for", "3m"];
    const { stdout } = await run([...words, "--when", "amount_0 > 1", "--blind", "2m"], context);
    const [blind, back, ...others] = rowsOf(stdout);
    expect([blind?.["alert"], back?.["alert"], others]).toEqual(["blind", "back", []]);
    expect(Date.parse(String(back?.["to"])) - Date.parse(String(blind?.["from"]))).toBeGreaterThan(3_600_000);
  });

  test("an older copy from a cache does not take back what an earlier response has shown", async () => {
    const page_info = { limit: 100, page: 1, total_items: 0, total_pages: 0 };
    const { url } = await serveInTest((_, index) =>
      json({ transactions: [], page_info }, { headers: { Age: index === 0 ? "0" : "90" } }),
    );
    const words = ["txns", "ethereum", pool, "--follow", "--from", "-1m", "--poll", "20s", "--for", "50s"];
    const { exit, stdout } = await dexdata([...words, "--when", "amount_0 > 1", "--blind", "60s"], {
      env: { DEXDATA_BASE_URL: url },
    });
    expect({ exit, stdout }).toEqual({ exit: 8, stdout: "" });
  });

  test("must be longer than the time between two reads", async () => {
    const assets = ["ethereum", pool, "--poll", "60s", "--blind", "30s", "--when", "type = swap"];
    const { exit, stderr } = await (await startFollowing("", { assets })).outcome;
    expect([exit, stderr]).toEqual([2, expect.stringContaining("--blind 30s: must be longer than the time")]);
  });
});

describe("createBlindness", () => {
  const subjects = [
    { network: "base", address: "0x1" },
    { network: "base", address: "0x2" },
  ];
  const at = (elapsed: number) => ({ elapsed, now: 1_795_251_240_000 + elapsed });

  test("pings keep it quiet; moving to another connection does not end an interval, nor begin a second", () => {
    const acted: Record<string, unknown>[] = [];
    let elapsed = 0;
    const clock = { elapsed: () => elapsed, now: () => at(elapsed).now };
    const blindness = createBlindness(clock, 30_000, ({ line }) => acted.push(JSON.parse(line)));
    const tick = (now: number, until: number, seen: number, opened?: number): void => {
      elapsed = now;
      const moments = {
        until: at(until),
        seen: at(seen),
        opened: opened === undefined ? undefined : at(opened),
      };
      blindness.tick(subjects.map((subject) => ({ subjects: [subject], ...moments })));
    };
    // Data came once, and pings since then.
    for (let now = 15_000; now < 300_000; now += 15_000) tick(now, 0, now, 0);
    expect(acted).toEqual([]);
    tick(330_000, 285_000, 285_000);
    const names = ["base:0x1", "base:0x2"];
    expect(acted).toMatchObject([{ alert: "blind", names, assets: 2 }]);
    tick(400_000, 390_000 - 60_000, 330_000);
    tick(500_000, 495_000, 499_000, 490_000);
    const [from, to] = [instant(at(285_000).now), instant(at(490_000).now)];
    expect(acted.slice(1)).toMatchObject([{ alert: "back", names, from, to }]);
    expect(blindness.seconds()).toBe(205);
  });

  test("data on a connection from before the machine was suspended ends the interval when it arrives", () => {
    const acted: Record<string, unknown>[] = [];
    const awake = (elapsed: number) => ({ elapsed, now: at(elapsed).now + 3_600_000 });
    const clock = { elapsed: () => 2000, now: () => awake(2000).now };
    const blindness = createBlindness(clock, 30_000, ({ line }) => acted.push(JSON.parse(line)));
    const [opened, seen] = [at(0), at(1000)];
    blindness.tick([{ subjects, until: seen, seen, opened }]);
    blindness.tick([{ subjects, until: seen, seen: awake(2000), opened }]);
    expect(acted).toMatchObject([
      { alert: "blind", from: instant(seen.now) },
      { alert: "back", to: instant(awake(2000).now) },
    ]);
  });

  test("assets that become blind or return together are one alert, and a common time counts once", () => {
    const acted: Record<string, unknown>[] = [];
    let elapsed = 0;
    const clock = { elapsed: () => elapsed, now: () => at(elapsed).now };
    const blindness = createBlindness(clock, 30_000, ({ line }) => acted.push(JSON.parse(line)));
    const all = ["0x1", "0x2", "0x3"].map((address) => ({ network: "base", address }));
    /** When each of them was last read. */
    const tick = (now: number, ...read: readonly number[]): void => {
      elapsed = now * 1000;
      const moments = read.map((each) => at(each * 1000));
      blindness.tick(
        moments.map((until, index) => ({
          subjects: all.slice(index, index + 1),
          until,
          seen: until,
          opened: undefined,
        })),
      );
    };
    tick(40, 8, 9, 20);
    tick(60, 8, 9, 20);
    expect(blindness.seconds()).toBe(52);
    tick(90, 80, 9, 81);
    tick(100, 80, 95, 96);
    tick(200, 110, 120, 199);
    tick(210, 202, 204, 209);
    const shown = acted.map(({ alert, names, from, to }) => [alert, names, from, to]);
    const time = (second: number): string => instant(at(second * 1000).now);
    expect(shown).toEqual([
      ["blind", ["base:0x1", "base:0x2"], time(8), undefined],
      ["blind", ["base:0x3"], time(20), undefined],
      ["back", ["base:0x1"], time(8), time(80)],
      ["back", ["base:0x3"], time(20), time(81)],
      ["back", ["base:0x2"], time(8), time(95)],
      ["blind", ["base:0x1", "base:0x2"], time(110), undefined],
      ["back", ["base:0x1", "base:0x2"], time(110), time(204)],
    ]);
    expect(blindness.seconds()).toBe(95 - 8 + (204 - 110));
    // Its last data came before the end of the interval before.
    tick(300, 203, 299, 299);
    tick(310, 310, 310, 310);
    expect(blindness.seconds()).toBe(95 - 8 + (310 - 110));
  });

  test("the counted seconds never decrease, and end with an asset that is no longer listed", () => {
    let elapsed = 0;
    const clock = { elapsed: () => elapsed, now: () => at(elapsed).now };
    const blindness = createBlindness(clock, 30_000, () => undefined);
    const tick = (now: number, seen: number, listed = subjects): number => {
      elapsed = now;
      blindness.tick([{ subjects: listed, until: at(seen), seen: at(seen), opened: undefined }]);
      return blindness.seconds();
    };
    expect(tick(100_000, 0)).toBe(100);
    // A read that began 20 s ago.
    expect([tick(110_000, 90_000), tick(150_000, 90_000), tick(170_000, 160_000)]).toEqual([100, 150, 160]);
    expect([tick(300_000, 200_000), tick(400_000, 400_000, subjects.slice(1))]).toEqual([260, 360]);
    expect(tick(1_000_000, 900_000, subjects.slice(1))).toBe(460);
    const others = subjects.slice(0, 1);
    expect([tick(1_100_000, 1_100_000, others), tick(2_000_000, 2_000_000, others)]).toEqual([560, 560]);
  });
});

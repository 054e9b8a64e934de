import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type Alert, createAlerts } from "../../src/cli/run/alerts/alerts.ts";
import { createCommands } from "../../src/cli/run/alerts/commands.ts";
import { parseCondition } from "../../src/cli/run/alerts/condition.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext } from "../harness/test-context.ts";

const folder = temporaryFolder();
const inFolder = (name: string): string => path.join(folder, name);

const alertOf = (asset: string, number = 0): Alert => ({
  id: String(number),
  alert: "match",
  condition: "price < 3",
  asset,
  label: undefined,
  line: `{"row":{"p":"1","n":${number}}}\n`,
});

/** The clock moves only when the test advances it. */
function open(command: readonly string[], state?: { readonly end: (id: string) => void }) {
  const context = createTestContext({ speed: 0.001, env: { PATH: process.env["PATH"] } });
  const [warnings, dropped]: [string[], Alert[]] = [[], []];
  const report = { warn: (text: string) => void warnings.push(text) };
  const commands = createCommands(context, command, report, (alert) => void dropped.push(alert), state);
  return { context, commands, warnings, dropped };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const linesOf = (file: string): readonly string[] =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];

function isRunning(pid: string | undefined): boolean {
  try {
    // A process that has ended and was not reaped yet is a zombie.
    return !/^\d+ \(.*\) Z/u.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

describe("hostile commands", () => {
  test("one that ignores TERM, and what it has forked, end after 60s and 5s more", async () => {
    const file = inFolder("pids");
    const script = `trap '' TERM; sleep 1000 & echo "$!" >> "$0"; echo "$$" >> "$0"; while :; do sleep 1000; done`;
    const { context, commands, warnings } = open(["sh", "-c", script, file]);
    commands.add(alertOf("a"));
    await until(() => linesOf(file).length === 2);
    context.clock.advance(59_000);
    expect(warnings).toEqual([]);
    context.clock.advance(1000);
    expect(warnings).toEqual(['alert command "sh" was ended after 60s']);
    expect(linesOf(file).some(isRunning)).toBe(true);
    context.clock.advance(5000);
    await commands.close();
    await until(() => !linesOf(file).some(isRunning));
    expect(warnings).toHaveLength(1);
  });

  test("one that leaves a process behind, floods stdout or closes stdin does no harm", async () => {
    const file = inFolder("left");
    const leaving = open(["sh", "-c", `sleep 1000 & echo "$!" > "$0"`, file]);
    leaving.commands.add(alertOf("a"));
    await leaving.commands.close();
    await until(() => !linesOf(file).some(isRunning));
    const flooding = open(["sh", "-c", "exec <&-; yes | head -c 20000000"]);
    flooding.commands.add({ ...alertOf("a"), line: "1".repeat(1_000_000) });
    await flooding.commands.close();
    expect([leaving.warnings, flooding.warnings]).toEqual([[], []]);
  });

  test("one that is running, and what it has forked, end if dexdata exits without waiting for it", async () => {
    const file = inFolder("unawaited");
    const others = process.listeners("exit");
    const { commands } = open(["sh", "-c", `sleep 1000 & echo "$!" >> "$0"; echo "$$" >> "$0"; wait`, file]);
    commands.add(alertOf("a"));
    await until(() => linesOf(file).length === 2);
    for (const listener of process.listeners("exit"))
      if (!others.includes(listener)) listener.call(process, 130);
    await until(() => !linesOf(file).some(isRunning));
    await commands.close();
    expect(process.listeners("exit")).toEqual(others);
  });

  test("a command line that the system rejects is one warning", async () => {
    const { commands, warnings } = open(["true", "x".repeat(10_000_000)]);
    commands.add(alertOf("a"));
    commands.add(alertOf("a"));
    await commands.close();
    expect(warnings).toEqual([expect.stringContaining('alert command "true" cannot be started')]);
  });
});

describe("at most", () => {
  test("four commands run at once, one of each asset, and 1,000 wait", async () => {
    const [file, gate] = [inFolder("started"), inFolder("gate")];
    const script = `echo x >> "$0"; while [ ! -e "$1" ]; do sleep 0.05; done`;
    const { context, commands, warnings, dropped } = open(["sh", "-c", script, file, gate]);
    commands.add(alertOf("a"));
    commands.add(alertOf("a"));
    await until(() => linesOf(file).length === 1);
    for (const asset of ["b", "c", "d", "e"]) commands.add(alertOf(asset));
    await until(() => linesOf(file).length === 4);
    for (let count = 0; count < 1000; count += 1) commands.add(alertOf("f", count));
    expect(dropped.map(({ id }) => id)).toEqual(["998", "999"]);
    expect(linesOf(file)).toHaveLength(4);
    const closed = commands.close();
    // A signal during the wait gives commands 5s, and what waits is dropped.
    context.interrupt({ cause: "SIGTERM" });
    expect(dropped).toHaveLength(1002);
    context.clock.advance(4900);
    expect(linesOf(file)).toHaveLength(4);
    context.clock.advance(100);
    await closed;
    expect(warnings.at(-1)).toBe("1,002 alerts dropped without running the command");
  });

  test("one that fails or finds no room is over, and after a signal, those that wait are left to the next run", async () => {
    const ended: string[] = [];
    const { context, commands, dropped } = open(["false"], { end: (id) => void ended.push(id) });
    commands.add(alertOf("a", 1));
    await commands.close();
    for (let count = 2; count < 1004; count += 1) commands.add(alertOf("a", count));
    expect([ended, dropped.map(({ id }) => id)]).toEqual([["1", "1003"], ["1003"]]);
    context.interrupt({ cause: "SIGTERM" });
    await commands.close();
    expect([ended, dropped.length]).toEqual([["1", "1003"], 1]);
  });

  test("a reader that closes the pipe is not a signal: all commands run", async () => {
    const file = inFolder("unread");
    const { context, commands, dropped } = open(["sh", "-c", `echo x >> "$0"`, file]);
    for (const number of [1, 2, 3]) commands.add(alertOf("a", number));
    context.interrupt({ cause: "closed-pipe" });
    await commands.close();
    expect([linesOf(file).length, dropped]).toEqual([3, []]);
  });

  test("one warning a minute is about failures", async () => {
    const { context, commands, warnings } = open(["false"]);
    for (let count = 0; count < 10; count += 1) commands.add(alertOf(String(count)));
    await commands.close();
    expect(warnings).toEqual(['alert command "false" exited with code 1']);
    context.clock.advance(60_000);
    commands.add(alertOf("a"));
    await commands.close();
    expect(warnings.at(-1)).toBe('alert command "false" exited with code 1 (11 commands have failed)');
  });
});

describe("crossings", () => {
  const conditions = [
    parseCondition("price < 3", { fields: new Map([["price", "numbers"]]), hasSeries: true }),
  ];
  const candidate = (price: string, asset = "a") => ({
    asset,
    label: undefined,
    key: undefined,
    texts: [price],
    row: () => `{"price":"${price}"}`,
    at: 0,
  });
  const create = (cooldown: number, limit = Number.POSITIVE_INFINITY, tested = conditions) => {
    const fired: Alert[] = [];
    const fire = (alert: Alert): void => void fired.push(alert);
    return {
      fired,
      alerts: createAlerts({ conditions: tested, by: "crossing", cooldown, limit, fire, memory: undefined }),
    };
  };

  test("run the command 20 times, in order, with the row on stdin", async () => {
    const file = inFolder("acted");
    const { commands, warnings, dropped } = open(["sh", "-c", `cat >> "$0"`, file]);
    const { fired, alerts } = create(0);
    for (let count = 0; count < 40; count += 1)
      alerts.see(candidate(count % 2 === 0 ? `2.${count}` : "3"), 0);
    expect(fired).toHaveLength(20);
    for (const alert of fired) commands.add(alert);
    await commands.close();
    expect([warnings, dropped]).toEqual([[], []]);
    expect(readFileSync(file, "utf8")).toBe(fired.map(({ line }) => line).join(""));
  });

  test("rows are judged alone, so nothing is kept of a pool after its cooldown", () => {
    let looked = 0;
    const memory = { isTrue: () => false, becameFalse: () => undefined, isDone: () => false };
    const firedFor = (): undefined => void (looked += 1);
    const options = { conditions, cooldown: 1000, limit: 9, fire: () => undefined };
    const alerts = createAlerts({ ...options, by: "row", memory: { ...memory, firedFor } });
    for (const now of [0, 500, 999]) {
      alerts.see(candidate("2"), now);
      alerts.tick(now);
    }
    expect(looked).toBe(1);
    alerts.tick(1000);
    alerts.see(candidate("2"), 1000);
    expect(looked).toBe(2);
  });

  test("within a cooldown, only what is still true at its end fires", () => {
    const { fired, alerts } = create(1000);
    const see = (price: string, now: number): void => alerts.see(candidate(price), now);
    see("1", 0);
    see("3", 10);
    see("2", 20);
    // Its own cooldown; other assets have theirs.
    alerts.see(candidate("2.5", "b"), 30);
    alerts.tick(999);
    expect(fired.map(({ line }) => JSON.parse(line).value)).toEqual(["1", "2.5"]);
    // The cooldown has ended at 1000, when the condition was still true.
    see("3", 1010);
    expect(fired.map(({ line }) => JSON.parse(line).value)).toEqual(["1", "2.5", "2"]);
    see("1.5", 1020);
    see("3", 1030);
    alerts.tick(1999);
    expect(fired).toHaveLength(3);
    // The second cooldown began when the first one ended, not when that was noticed.
    see("1", 2000);
    expect(fired).toHaveLength(4);
  });

  test("what is true when an asset leaves the list does not fire again when it returns", () => {
    const { fired, alerts } = create(1000);
    alerts.see(candidate("1"), 0);
    alerts.keepOnly(new Set(), 5000);
    alerts.keepOnly(new Set(["a"]), 6000);
    alerts.see(candidate("2"), 6000);
    alerts.see(candidate("3"), 6001);
    expect(fired).toHaveLength(1);
    alerts.see(candidate("2"), 6002);
    expect(fired).toHaveLength(2);
  });

  test("the series of an asset that was not watched for a while starts over", () => {
    const fields = new Map([["price", "numbers"]] as const);
    const moves = [parseCondition("price moves 5% in 1m", { fields, hasSeries: true })];
    const { fired, alerts } = create(1000, 9, moves);
    const see = (price: string, now: number): void => alerts.see({ ...candidate(price), at: now }, now);
    for (const [price, now] of [
      ["1", 0],
      ["1", 60_000],
      ["2", 60_100],
      ["2", 121_900],
      ["3", 122_000],
    ] as const)
      see(price, now);
    expect(fired).toHaveLength(2);
    alerts.keepOnly(new Set(), 122_100);
    alerts.keepOnly(new Set(["a"]), 999_000);
    see("3", 999_000);
    see("9", 1_000_000);
    see("9", 1_061_000);
    expect(fired).toHaveLength(2);
  });

  test("--limit is exact, even with several conditions", () => {
    const { fired, alerts } = create(0, 3);
    for (const asset of ["a", "b", "c", "d"]) alerts.see(candidate("1", asset), 0);
    expect([fired.length, alerts.count(), alerts.isOver()]).toEqual([3, 3, true]);
  });
});

describe("stderr of a command", () => {
  /** Runs a command that writes two lines to stderr while a screen is drawn, or not. */
  async function run(script: string, isTerminal: boolean) {
    const context = createTestContext({ isTerminal, env: { PATH: process.env["PATH"] }, speed: 1 });
    const report = { warn: () => undefined };
    const commands = createCommands(context, ["sh", "-c", script], report, () => undefined, undefined);
    commands.add(alertOf("a"));
    await commands.close();
    return context.stderrText();
  }

  test("is passed on if both outputs are terminals, because a screen may be drawn, and inherited otherwise", async () => {
    expect(await run("echo one >&2; echo two >&2", true)).toBe("one\ntwo\n");
    expect(await run(":", false)).toBe("");
  });

  test("a program that has left the group and keeps stderr open is not awaited", async () => {
    const pids = inFolder("left");
    const started = performance.now();
    expect(await run(`setsid sleep 60 & echo $! > ${pids}; echo gone >&2`, true)).toBe("gone\n");
    expect(performance.now() - started).toBeLessThan(30_000);
    process.kill(Number(readFileSync(pids, "utf8")));
  });
});

import { describe, expect, test } from "vitest";
import { createTestContext } from "./test-context.ts";

describe("the clock", () => {
  test("moves only with sleeps and advances", async () => {
    const { clock } = createTestContext({ now: "2026-01-02T03:04:05Z" });
    const start = Date.parse("2026-01-02T03:04:05Z");
    expect([clock.now(), clock.elapsed()]).toEqual([start, 0]);
    await clock.sleep(60_000);
    expect([clock.now(), clock.elapsed()]).toEqual([start, 60_000]);
    clock.advance(5);
    expect([clock.now(), clock.elapsed()]).toEqual([start + 5, 60_005]);
    clock.setNow(0);
    expect([clock.now(), clock.elapsed()]).toEqual([0, 60_005]);
  });

  test("wakes sleepers in the order of their times, independent of which slept first", async () => {
    const { clock } = createTestContext();
    const woken: number[] = [];
    const sleep = async (milliseconds: number): Promise<void> => {
      await clock.sleep(milliseconds);
      woken.push(milliseconds);
    };
    const chain = async (): Promise<void> => {
      for (let round = 0; round < 3; round += 1) await sleep(100);
    };
    await Promise.all([sleep(2000), sleep(350), sleep(0), chain()]);
    expect(woken).toEqual([0, 100, 100, 100, 350, 2000]);
    expect(clock.elapsed()).toBe(2000);
  });

  test("takes a thousandth of the requested time, or another fraction if set", async () => {
    const start = performance.now();
    await createTestContext().clock.sleep(100_000);
    expect(performance.now() - start).toBeGreaterThan(90);
    const again = performance.now();
    await createTestContext({ speed: 1_000_000 }).clock.sleep(1_000_000);
    expect(performance.now() - again).toBeLessThan(1000);
  });

  test("ends the sleep when the signal aborts, without counting the remaining time", async () => {
    const { clock, signal, interrupt } = createTestContext();
    const sleeping = clock.sleep(3_600_000, signal);
    expect(clock.pending()).toBe(1);
    interrupt({ cause: "SIGINT" });
    await expect(sleeping).rejects.toEqual({ cause: "SIGINT" });
    await expect(clock.sleep(1, signal)).rejects.toEqual({ cause: "SIGINT" });
    expect([clock.elapsed(), clock.pending(), clock.asked]).toEqual([0, 0, [3_600_000, 1]]);
  });

  test("wakes sleepers at once if an advance completes their time", async () => {
    const { clock } = createTestContext({ speed: 0.001 });
    const sleeping = clock.sleep(30_000);
    clock.advance(29_999);
    expect(clock.pending()).toBe(1);
    clock.advance(1);
    await sleeping;
    expect(clock.elapsed()).toBe(30_000);
  });

  test("does not let a busy machine use up a timeout", async () => {
    const { clock } = createTestContext();
    let isOver = false;
    const timeout = clock.sleep(30_000).then(() => {
      isOver = true;
    });
    const busyUntil = performance.now() + 100;
    while (performance.now() < busyUntil);
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
    expect(isOver).toBe(false);
    await timeout;
  });
});

describe("the outputs", () => {
  test("keep texts and bytes, and are pipes by default", async () => {
    const context = createTestContext({ isTerminal: { stderr: true }, columns: 120 });
    await context.stdout.write("é");
    await context.stdout.write(new Uint8Array([10, 65]));
    await context.stderr.write("note\n");
    expect([context.stdoutText(), context.stderrText()]).toEqual(["é\nA", "note\n"]);
    expect(context.stdout.chunks.map((chunk) => chunk.length)).toEqual([2, 2]);
    expect([context.stdout.isTerminal, context.stdout.columns]).toEqual([false, undefined]);
    expect([context.stderr.isTerminal, context.stderr.columns]).toEqual([true, 120]);
  });

  test("a closed stdout fails writes, including the pending one, and ends the run", async () => {
    const context = createTestContext();
    context.stdout.stall();
    const waiting = context.stdout.write("first");
    context.stdout.close();
    await expect(waiting).rejects.toMatchObject({ code: "EPIPE" });
    await expect(context.stdout.write("second")).rejects.toMatchObject({ code: "EPIPE" });
    expect(context.stdoutText()).toBe("first");
    expect(context.interruption()).toEqual({ cause: "closed-pipe" });
    expect(context.signal.reason).toEqual({ cause: "closed-pipe" });
  });

  test("a reader that accepts three bytes gets three bytes", async () => {
    const context = createTestContext();
    context.stdout.closeAfter(3);
    await context.stdout.write("ab");
    await expect(context.stdout.write("cd")).rejects.toMatchObject({ code: "EPIPE" });
    expect(context.stdoutText()).toBe("abc");
  });

  test("a closed stderr ends nothing", async () => {
    const context = createTestContext();
    context.stderr.close();
    await expect(context.stderr.write("lost")).rejects.toMatchObject({ code: "EPIPE" });
    expect(context.interruption()).toBeUndefined();
  });

  test("a stalled reader makes writes wait until it resumes", async () => {
    const { stdout } = createTestContext();
    const resume = stdout.stall();
    let isTaken = false;
    const writing = stdout.write("line\n").then(() => {
      isTaken = true;
    });
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
    expect(isTaken).toBe(false);
    resume();
    await writing;
    await stdout.write("more\n");
    expect(stdout.text()).toBe("line\nmore\n");
  });

  test("a slowed reader uses the time of the test's clock", async () => {
    const { stdout, clock } = createTestContext();
    stdout.slowDown(() => clock.sleep(10_000));
    await stdout.write("line\n");
    expect(clock.elapsed()).toBe(10_000);
  });
});

test("stdin returns its text, and a secret only on a terminal", async () => {
  const piped = createTestContext({ stdin: "0xabc\n", secret: "never" });
  expect(await piped.stdin.read(piped.signal)).toBe("0xabc\n");
  await expect(piped.stdin.readSecret(piped.signal)).rejects.toThrow("no terminal");
  const typed = createTestContext({ isTerminal: true, secret: "hidden" });
  expect(await typed.stdin.readSecret(typed.signal)).toBe("hidden");
});

test("the machine's environment is not visible, and each context has its own home", () => {
  const [one, other] = [createTestContext({ env: { TERM: "dumb" } }), createTestContext()];
  expect(one.env).toEqual({ HOME: one.home, USERPROFILE: one.home, TERM: "dumb" });
  expect(one.home).not.toBe(other.home);
});

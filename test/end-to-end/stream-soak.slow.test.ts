import { afterEach, expect, test } from "vitest";
import { isLong } from "../harness/long.ts";
import { type BenchServer, startStream, startStreamServer, watch, type Watched } from "../harness/soak.ts";

/** Half a minute, or ten minutes in the long form. */
const seconds = isLong ? 600 : 24;
const isLinux = process.platform === "linux";

const running: { kill: () => void }[] = [];
afterEach(() => running.splice(0).forEach(({ kill }) => kill()));

async function open(
  flags: readonly string[],
): Promise<{ server: BenchServer; child: ReturnType<typeof startStream> }> {
  const server = await startStreamServer(flags);
  const child = startStream(server.url);
  running.push({ kill: () => child.kill("SIGKILL") }, { kill: server.close });
  return { server, child };
}

const sleep = async (milliseconds: number): Promise<void> =>
  await new Promise((resolve) => setTimeout(resolve, milliseconds));

test.runIf(isLinux)(
  "a long stream uses no more memory and no more descriptors over time, and neither loses nor repeats events",
  async () => {
    const { child } = await open(["--rate", "1000"]);
    let [next, disorder, rest] = [0, 0, ""];
    child.stdout.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString("latin1")).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (Number(/"n":(\d+)/u.exec(line)?.[1]) !== next) disorder += 1;
        next += 1;
      }
    });
    // Code loaded and compiled at the start is not growth.
    await sleep(seconds * 250);
    const looks: Watched[] = [];
    for (let second = 0; second < seconds * 0.75; second++) {
      looks.push(watch(child.pid ?? 0));
      await sleep(1000);
    }
    // Memory varies with garbage collection: the lowest value of each half is the retained part.
    const half = looks.length >> 1;
    const least = (part: readonly Watched[]): number => Math.min(...part.map(({ megabytes }) => megabytes));
    const growth = least(looks.slice(half)) - least(looks.slice(0, half));
    const [first, last] = [looks[0], looks.at(-1)];
    console.log(
      `soak: ${next} events, ${growth.toFixed(1)} MB more, at most ${Math.max(...looks.map(({ megabytes }) => megabytes)).toFixed(0)} MB`,
    );
    expect(growth).toBeLessThan(5);
    expect(last?.descriptors).toBe(first?.descriptors);
    expect(disorder).toBe(0);
    expect(next).toBeGreaterThan(seconds * 800);
  },
  (seconds + 60) * 1000,
);

test.runIf(isLinux)("a quiet stream uses less than a hundredth of the processor", async () => {
  const { child } = await open(["--rate", "0.0001"]);
  child.stdout.resume();
  await sleep(4000);
  // The quietest of several periods, because starting and the cleanup after it take longer on a busy machine.
  let lowest = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 4 && lowest >= 0.01; turn++) {
    const before = watch(child.pid ?? 0);
    await sleep(5000);
    const after = watch(child.pid ?? 0);
    lowest = Math.min(lowest, (after.processor - before.processor) / 5);
    expect(after.descriptors).toBe(before.descriptors);
  }
  expect(lowest).toBeLessThan(0.01);
});

test.runIf(isLinux)(
  "a reader blocked for ten seconds under a flood: under 400 MB, then every event",
  async () => {
    const { child } = await open([]);
    let most = 0;
    for (let second = 0; second < 10; second++) {
      await sleep(1000);
      most = Math.max(most, watch(child.pid ?? 0).megabytes);
    }
    console.log(`blocked reader: at most ${most.toFixed(0)} MB`);
    expect(most).toBeLessThan(400);
    // Then it reads again: no events were dropped in between.
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
    while (text.length < 4_000_000) await sleep(20);
    const numbers = text
      .slice(0, text.lastIndexOf("\n"))
      .split("\n")
      .map((line) => Number(/"n":(\d+)/u.exec(line)?.[1]));
    expect(numbers.every((number, index) => number === index)).toBe(true);
  },
);

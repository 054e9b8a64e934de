import { expect } from "vitest";
import { endlessList } from "./endless-list.ts";
import { isLong } from "./long.ts";
import { type LongPull, longPull } from "./long-pull.ts";
import type { SandboxInTest } from "./sandbox.ts";
import { startScriptedServer } from "./scripted-server.ts";

/** Limits for long pulls of any size: the usual tests use a small size, `npm run test:long` the full one. */
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

/** Compares the resident memory of a large pull and a small one. */
export async function expectFlatMemory(
  command: readonly string[],
  small: number,
  large: number,
): Promise<void> {
  const server = await startScriptedServer(endlessList);
  const env = {
    DEXDATA_PRO_BASE_URL: server.url,
    DEXDATA_API_KEY: "api_pro_0123456789",
    DEXDATA_TIER: "pro",
  };
  const pull = async (limit: number): Promise<LongPull> => {
    const taken = await longPull([...command, "--limit", String(limit), "--rpm", "unlimited"], env);
    expect({ exit: taken.exit, stderr: taken.stderr, rows: taken.rows }).toEqual({
      exit: 0,
      stderr: "",
      rows: limit,
    });
    return taken;
  };
  try {
    const [before, after] = [await pull(small), await pull(large)];
    printFigures(
      `${command.join(" ")}: ${small} rows ${before.peakMegabytes.toFixed(1)} MB, ${large} rows ` +
        `${after.peakMegabytes.toFixed(1)} MB in ${(after.milliseconds / 1000).toFixed(1)} s`,
    );
    expect(after.peakMegabytes - before.peakMegabytes).toBeLessThanOrEqual(20);
  } finally {
    await server.close();
  }
}

/** Prints the numbers, which are of interest only in the long form. */
function printFigures(figures: string): void {
  if (isLong) console.log(figures);
}

async function pullPages(sandbox: SandboxInTest, pages: number, flags: readonly string[]): Promise<LongPull> {
  const pageSize = 10;
  const rows = pages * pageSize;
  const sizes = ["--limit", String(rows), "--page-size", String(pageSize)];
  const words = ["txns", "ethereum", pool, ...sizes, ...flags, "-o", "ndjson"];
  const taken = await longPull(words, sandbox.env());
  expect({ exit: taken.exit, rows: taken.rows }).toEqual({ exit: 0, rows });
  return taken;
}

/** The default number of concurrent requests of `--parallel`. */
const width = 8;

/**
 * Counts rounds of latency, independent of other work on the machine: the service holds requests until the maximum
 * number is open, or none has arrived for a while.
 */
export async function expectFewRounds(pages: number): Promise<void> {
  let rounds = 0;
  let held: (() => void)[] = [];
  let pause: NodeJS.Timeout | undefined;
  const release = (): void => {
    rounds += 1;
    for (const answer of held.splice(0)) answer();
  };
  const server = await startScriptedServer(async (request) => {
    const answered = new Promise<void>((resolve) => held.push(resolve));
    clearTimeout(pause);
    // The first page is requested alone.
    if (held.length === width || rounds === 0) release();
    else pause = setTimeout(release, 2000);
    await answered;
    return endlessList(request);
  });
  try {
    const words = [
      "txns",
      "ethereum",
      pool,
      "--limit",
      String(pages * 100),
      "--rpm",
      "unlimited",
      "-o",
      "ndjson",
    ];
    const { exit, rows } = await longPull(words, {
      DEXDATA_PRO_BASE_URL: server.url,
      DEXDATA_API_KEY: "api_pro_0123456789",
      DEXDATA_TIER: "pro",
    });
    printFigures(`${pages} pages: ${rounds} rounds`);
    expect({ exit, rows }).toEqual({ exit: 0, rows: pages * 100 });
    expect(rounds).toBeLessThanOrEqual(pages / 4);
  } finally {
    clearTimeout(pause);
    held = [];
    await server.close();
  }
}

/**
 * The sandbox's minute is a tenth of a minute, so 500 per minute are 50 in six seconds. The start of the program does
 * not count.
 */
export async function expectAsFastAsTheRate(sandbox: SandboxInTest, pages: number): Promise<void> {
  sandbox.takeLog();
  await pullPages(sandbox, pages, ["--rpm", "500"]);
  const log = sandbox.takeLog();
  const milliseconds = (log.at(-1)?.at ?? 0) - (log[0]?.at ?? 0);
  const necessary = (pages / 500) * 60_000;
  printFigures(`${pages} pages: ${Math.round(milliseconds)} ms, necessary are ${necessary} ms`);
  expect(milliseconds).toBeLessThanOrEqual(necessary * 1.1);
  expect(log.filter(({ status }) => status !== 200)).toEqual([]);
}

import { copyFileSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { startSandbox } from "../harness/bundled-sandbox.ts";
import { run } from "../harness/dexdata.ts";
import { startDisturbingProxy } from "../harness/disturbing-proxy.ts";
import type { DisturbanceKind } from "../harness/disturbing/disturbances.ts";
import { planForFollow } from "../harness/disturbing/plan-for-follow.ts";
import { createRandom } from "../harness/random.ts";
import { sandboxNow } from "../harness/sandbox.ts";
import { createTestContext } from "../harness/test-context.ts";
import { marketRows, pool, writtenRows } from "./following.ts";

/** The simulated clock is this many times as fast as the clock of the runs. */
export const pace = 30;
/** Milliseconds on the clock of the runs: the disturbed time, and the time after it. */
export const disturbedTime = 40_000;
export const soundTime = 20_000;

export interface Disturbed {
  readonly repeated: readonly string[];
  readonly missing: readonly string[];
  /** Rows that the pool does not have. */
  readonly foreign: readonly string[];
  readonly exits: readonly number[];
  /** The kinds of the responses that were really different. */
  readonly struck: readonly DisturbanceKind[];
  readonly stderr: string;
}

export interface DisturbedOptions {
  readonly seed: number;
  /** The share of disturbed responses. */
  readonly share: number;
  readonly kinds?: readonly DisturbanceKind[];
  /** How often the run is killed and started again. */
  readonly kills: number;
  /** The speed of the clock of the runs relative to real time. */
  readonly speed: number;
}

/**
 * Follows a pool through a proxy that disturbs responses for 40 s, and 20 s longer, on the test clock. A run that is
 * killed leaves its file as it was at that moment, and the next run continues it.
 */
export async function followDisturbed(options: DisturbedOptions): Promise<Disturbed> {
  const { seed, share, kinds, kills, speed } = options;
  const random = createRandom(seed * 7919);
  const { clock: base, home } = createTestContext({ speed, now: sandboxNow });
  const clock = { ...base, now: () => sandboxNow + base.elapsed() };
  const simulated = (): number => sandboxNow + clock.elapsed() * pace;
  const ended = new AbortController();
  const ticking = keepTicking();
  const dialect = seed % 2 === 0 ? "spec" : "public";
  const sandbox = await startSandbox({
    now: simulated,
    elapsed: clock.elapsed,
    log: () => {},
    seed,
    dialect,
  });
  const proxy = await startDisturbingProxy(sandbox.restPaid);
  const env = {
    DEXDATA_TIMEOUT: "24h",
    DEXDATA_PRO_BASE_URL: proxy.url,
    DEXDATA_STREAMING_PRO_URL: sandbox.streamPaid,
    DEXDATA_API_KEY: sandbox.keys.pro,
    DEXDATA_TIER: "pro",
  };
  const own = `/networks/ethereum/pools/${pool}/transactions`;
  const other = own.replace(pool, await otherPool(sandbox.restPaid, sandbox.keys.pro));
  const isSound = (): boolean => clock.elapsed() >= disturbedTime;
  proxy.begin(
    planForFollow({ seed, share, ...(kinds !== undefined && { kinds }), paths: [own, other], isSound }),
  );
  const out = path.join(home, "rows.ndjson");
  const begin = sandboxNow - 3_600_000;
  const pageSize = [5, 20, 100][seed % 3] ?? 100;
  const poll = seed % 4 === 3 ? ["--poll", "2s"] : [];

  /** Returns the exit code, or undefined for a killed run. */
  const follow = async (until: number, isKilled: boolean): Promise<number | undefined> => {
    const context = { ...createTestContext({ random, env }), clock };
    const hasRows = existsSync(out) && writtenRows(wholeLines(out)).length > 0;
    const start = hasRows ? [] : ["--from", String(begin / 1000)];
    const left = Math.max(1, Math.round((until - clock.elapsed()) / 1000));
    const length = isKilled ? [] : ["--for", `${left}s`];
    const words = ["--page-size", String(pageSize), "--out", out, ...poll, ...start, ...length];
    const outcome = run(["txns", "ethereum", pool, "--follow", ...words], context);
    if (isKilled) {
      await Promise.race([outcome, clock.sleep(until - clock.elapsed())]);
      if (existsSync(out)) copyFileSync(out, `${out}.killed`);
      context.interrupt({ cause: "SIGTERM" });
    }
    const { exit, stderr } = await outcome;
    told.push(stderr);
    if (isKilled && existsSync(`${out}.killed`)) copyFileSync(`${out}.killed`, out);
    return isKilled && exit === 143 ? undefined : exit;
  };

  const told: string[] = [];
  const exits: number[] = [];
  try {
    const times = Array.from({ length: kills }, () => 1000 + random() * (disturbedTime - 1000));
    for (const time of times.toSorted((a, b) => a - b)) exits.push(...given(await follow(time, true)));
    exits.push(...given(await follow(disturbedTime + soundTime, false)));
    const written = existsSync(out) ? writtenRows(readFileSync(out, "utf8")) : [];
    const market = new Set(marketRows(seed, begin, simulated()));
    return {
      repeated: written.filter((row, index) => written.indexOf(row) !== index),
      missing: marketRows(seed, begin, sandboxNow + disturbedTime * pace).filter(
        (row) => !written.includes(row),
      ),
      foreign: written.filter((row) => !market.has(row)),
      exits,
      struck: proxy.struck.map(({ kind }) => kind),
      stderr: told.join("--\n"),
    };
  } finally {
    await proxy.close();
    await sandbox.close();
    ended.abort();
    await ticking.catch(() => undefined);
  }

  async function keepTicking(): Promise<void> {
    for (;;) await base.sleep(250, ended.signal);
  }
}

function given(exit: number | undefined): readonly number[] {
  return exit === undefined ? [] : [exit];
}

/** Without a last line that the kill has cut. */
function wholeLines(file: string): string {
  const text = readFileSync(file, "utf8");
  return text.slice(0, text.lastIndexOf("\n") + 1);
}

async function otherPool(host: string, key: string): Promise<string> {
  const response = await fetch(`${host}/networks/ethereum/pools/search?limit=5`, {
    headers: { authorization: key },
  });
  const { results }: { readonly results: readonly { readonly id: string }[] } = JSON.parse(
    await response.text(),
  );
  const found = results.find(({ id }) => id !== pool);
  if (found === undefined) throw new Error("the market has more than one pool");
  return found.id;
}

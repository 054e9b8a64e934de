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
const pace = 30;
/** Milliseconds on the clock of the runs: the disturbed time, and the time after it. */
const [disturbedTime, soundTime] = [40_000, 20_000];

export interface Disturbed {
  readonly repeated: readonly string[];
  readonly missing: readonly string[];
  /** Rows that the pool does not have. */
  readonly foreign: readonly string[];
  /** The exit codes of the runs that were not killed. */
  readonly exits: readonly number[];
  /** The kinds of the responses that were really different. */
  readonly struck: readonly DisturbanceKind[];
  readonly stderr: string;
}

interface DisturbedOptions {
  readonly seed: number;
  /** The share of disturbed responses. */
  readonly share: number;
  /** How often the run is killed and started again. */
  readonly kills: number;
}

/** Where the runs take place. */
export interface Stage {
  /** Milliseconds. */
  readonly elapsed: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly follow: (words: readonly string[], env: Readonly<Record<string, string>>, out: string) => Started;
  readonly close: () => Promise<void>;
}

interface Started {
  /** Undefined if the run was killed. */
  readonly end: Promise<{ readonly exit: number | undefined; readonly stderr: string }>;
  readonly kill: () => void;
}

/** In this process, on a test clock. A run that is killed leaves its file as it was at that moment. */
export function inProcess(seed: number, speed: number): Stage {
  const random = createRandom(seed * 7919);
  const { clock: base } = createTestContext({ speed, now: sandboxNow });
  const clock = { ...base, now: () => sandboxNow + base.elapsed() };
  const isOver = new AbortController();
  const ticking = keepTicking();
  async function keepTicking(): Promise<void> {
    for (;;) await base.sleep(250, isOver.signal);
  }
  return {
    elapsed: clock.elapsed,
    sleep: async (milliseconds) => await clock.sleep(milliseconds),
    follow: (words, env, out) => {
      const context = { ...createTestContext({ random, env }), clock };
      const killed = `${out}.killed`;
      let isKilled = false;
      const end = run(words, context).then(({ exit, stderr }) => {
        if (isKilled && existsSync(killed)) copyFileSync(killed, out);
        return { exit: isKilled ? undefined : exit, stderr };
      });
      const kill = (): void => {
        isKilled = true;
        if (existsSync(out)) copyFileSync(out, killed);
        context.interrupt({ cause: "SIGTERM" });
      };
      return { end, kill };
    },
    close: async () => {
      isOver.abort();
      await ticking.catch(() => undefined);
    },
  };
}

/**
 * Follows a pool for a minute, through a proxy that disturbs responses for the first 40 s. A run that is killed is
 * continued by the next one.
 */
export async function followDisturbed(options: DisturbedOptions, stage: Stage): Promise<Disturbed> {
  const { seed, share, kills } = options;
  const { elapsed } = stage;
  const random = createRandom(seed * 104_729);
  const simulated = (): number => sandboxNow + elapsed() * pace;
  const dialect = seed % 2 === 0 ? "spec" : "public";
  const sandbox = await startSandbox({ now: simulated, elapsed, log: () => {}, seed, dialect });
  const proxy = await startDisturbingProxy(sandbox.restPaid);
  const own = `/networks/ethereum/pools/${pool}/transactions`;
  const other = own.replace(pool, await otherPool(sandbox.restPaid, sandbox.keys.pro));
  const isSound = (): boolean => elapsed() >= disturbedTime;
  proxy.begin(planForFollow({ seed, share, paths: [own, other], isSound }));
  const env = {
    DEXDATA_PRO_BASE_URL: proxy.url,
    DEXDATA_STREAMING_PRO_URL: sandbox.streamPaid,
    DEXDATA_API_KEY: sandbox.keys.pro,
    DEXDATA_TIER: "pro",
  };
  const out = path.join(createTestContext().home, "rows.ndjson");
  const begin = sandboxNow - 3_600_000;
  const usual = ["--page-size", String([10, 30, 100][seed % 3] ?? 100), "--out", out];
  // Half of the runs poll, so that more requests are disturbed.
  if (seed % 4 > 1) usual.push("--poll", "2s");

  const follow = (...words: readonly string[]): Started => {
    const from = writtenRows(wholeLines(out)).length > 0 ? [] : ["--from", String(begin / 1000)];
    return stage.follow(["txns", "ethereum", pool, "--follow", ...usual, ...from, ...words], env, out);
  };

  const ends: Awaited<Started["end"]>[] = [];
  try {
    const times = Array.from({ length: kills }, () => 1000 + random() * (disturbedTime - 1000));
    for (const time of times.toSorted((a, b) => a - b)) {
      const started = follow();
      await Promise.race([started.end, stage.sleep(time - elapsed())]);
      started.kill();
      ends.push(await started.end);
    }
    const left = Math.ceil((disturbedTime + soundTime - elapsed()) / 1000);
    ends.push(await follow("--for", `${left}s`).end);
    const written = writtenRows(readFileSync(out, "utf8"));
    const [unique, market] = [new Set(written), new Set(marketRows(seed, begin, simulated()))];
    return {
      repeated: written.filter((row, index) => written.indexOf(row) !== index),
      missing: marketRows(seed, begin, sandboxNow + disturbedTime * pace).filter((row) => !unique.has(row)),
      foreign: written.filter((row) => !market.has(row)),
      exits: ends.flatMap(({ exit }) => exit ?? []),
      struck: proxy.struck.map(({ kind }) => kind),
      stderr: ends.map(({ stderr }) => stderr).join("--\n"),
    };
  } finally {
    await proxy.close();
    await sandbox.close();
    await stage.close();
  }
}

/** Without a last line that a kill has cut; empty if there is no file. */
function wholeLines(file: string): string {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
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

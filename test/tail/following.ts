import type { SandboxOptions } from "../../src/sandbox/sandbox-exchange.ts";
import { createMarket, parseFaults, startSandbox } from "../harness/bundled-sandbox.ts";
import { type Outcome, run } from "../harness/dexdata.ts";
import { rowsOf } from "../harness/rows.ts";
import { sandboxNow } from "../harness/sandbox.ts";
import { createTestContext, type TestContext } from "../harness/test-context.ts";

export const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

/** The settings of a run against a scripted server. */
export function envOf(url: string): Readonly<Record<string, string>> {
  return {
    DEXDATA_PRO_BASE_URL: url,
    DEXDATA_API_KEY: "api_pro_0123456789",
    DEXDATA_TIER: "pro",
  };
}

/** A follow whose sandbox uses the same clock, at any speed of the clock and of the machine. */
export interface Following {
  readonly context: TestContext;
  /** The outcome of the run. */
  readonly outcome: Promise<Outcome>;
  /** Milliseconds of the simulated clock. */
  readonly simulated: () => number;
  /** One entry per request at the sandbox. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
}

export interface FollowingOptions {
  readonly sandbox?: Partial<Omit<SandboxOptions, "faults">> & { readonly faults?: string };
  /** The speed of the simulated clock relative to the clock of the run. */
  readonly pace?: number;
  /** The speed of the clock of the run relative to real time. */
  readonly speed?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Instead of the network and the pool. */
  readonly assets?: readonly string[];
  readonly random?: () => number;
}

/** Several runs, one after another, against one sandbox, whose market goes on in between. */
export async function startService(options: Pick<FollowingOptions, "sandbox" | "speed"> = {}) {
  const made = createTestContext({ speed: options.speed ?? 400, random: () => 0.5, now: sandboxNow });
  const { elapsed } = made.clock;
  const now = (): number => sandboxNow + elapsed();
  const log: Readonly<Record<string, unknown>>[] = [];
  const { faults: text, ...rest } = options.sandbox ?? {};
  const faults = text === undefined ? [] : parseFaults(text);
  const sandbox = await startSandbox({
    now,
    elapsed,
    log: (request) => log.push({ ...request }),
    ...rest,
    faults,
  });
  const ended = new AbortController();
  keepTicking(made, ended.signal).catch(() => undefined);
  const env = {
    PATH: process.env["PATH"],
    DEXDATA_API_KEY: sandbox.keys.pro,
    DEXDATA_TIER: "pro",
  };
  return {
    now,
    log,
    /** A run, and a way to interrupt it or to send SIGHUP. */
    url: sandbox.restPaid,
    key: sandbox.keys.pro,
    start: (words: string | readonly string[], through = sandbox.restPaid) => {
      const context = createTestContext({ speed: options.speed ?? 400, now: now() });
      const running = {
        ...context,
        clock: { ...made.clock, now },
        env: { ...context.env, ...env, DEXDATA_PRO_BASE_URL: through },
      };
      const argv = typeof words === "string" ? words.split(" ") : words;
      return { context: running, outcome: run(argv, running) };
    },
    close: async (): Promise<void> => {
      ended.abort();
      await sandbox.close();
    },
  };
}

/** Runs `dexdata txns ethereum <pool> --follow <words>`. */
export async function startFollowing(words: string, options: FollowingOptions = {}): Promise<Following> {
  const { pace = 1, speed = 100, random = () => 0, assets = ["ethereum", pool] } = options;
  const made = createTestContext({ speed, random, now: sandboxNow });
  const { elapsed } = made.clock;
  // Both clocks advance, as they really do: a stopped clock would look as if it had been set back.
  const clock = { ...made.clock, now: () => sandboxNow + elapsed() };
  const simulated = (): number => sandboxNow + elapsed() * pace;
  const log: Readonly<Record<string, unknown>>[] = [];
  const { faults, ...rest } = options.sandbox ?? {};
  const wrong = faults === undefined ? [] : parseFaults(faults);
  const sandbox = await startSandbox({
    now: simulated,
    elapsed,
    log: (request) => log.push({ ...request }),
    ...rest,
    faults: wrong,
  });
  const context = {
    ...made,
    clock,
    env: {
      ...made.env,
      DEXDATA_PRO_BASE_URL: sandbox.restPaid,
      DEXDATA_STREAMING_PRO_URL: sandbox.streamPaid,
      DEXDATA_API_KEY: sandbox.keys.pro,
      DEXDATA_TIER: "pro",
      ...options.env,
    },
  };
  const ended = new AbortController();
  keepTicking(context, ended.signal).catch(() => undefined);
  const argv = ["txns", "--follow", ...words.split(" ").filter((word) => word !== ""), ...assets];
  const outcome = run(argv, context).finally(async () => {
    ended.abort();
    await sandbox.close();
  });
  return { context, outcome, simulated, log };
}

/** Keeps the test clock moving: it advances only with sleeps, otherwise only when a wait of the run ends. */
async function keepTicking({ clock }: TestContext, signal: AbortSignal): Promise<void> {
  for (;;) await clock.sleep(250, signal);
}

/** Returns the market's own list, oldest first, as `id log_index`; both times are in milliseconds and inclusive. */
export function marketRows(seed: number, from: number, to: number): readonly string[] {
  const { market, facts } = poolIn(seed, to);
  return market
    .transactions(facts, {
      from: Math.ceil(from / 1000),
      to: Math.floor(to / 1000),
      limit: Number.POSITIVE_INFINITY,
    })
    .map(({ id, logIndex }) => `${id} ${logIndex}`)
    .toReversed();
}

/** The number of these rows, without making them. */
export function countMarketRows(seed: number, from: number, to: number): number {
  const { market, facts } = poolIn(seed, to);
  return market.transactionCount(facts, Math.ceil(from / 1000), Math.floor(to / 1000));
}

function poolIn(seed: number, to: number) {
  const market = createMarket({ seed });
  const ethereum = market.network("ethereum");
  const facts = ethereum === undefined ? undefined : market.pool(ethereum, pool, to / 1000);
  if (facts === undefined) throw new Error("the market has this pool");
  return { market, facts };
}

/** Returns the rows that a run wrote, in the same form. */
export function writtenRows(stdout: string): readonly string[] {
  return rowsOf(stdout).map(({ id, log_index }) => `${String(id)} ${String(log_index)}`);
}

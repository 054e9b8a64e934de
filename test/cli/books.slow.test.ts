import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type Cost, costIn, type PaidCommand, paidCommands, spentIn } from "../harness/books.ts";
import { type CountingProxy, startCountingProxy } from "../harness/counting-proxy.ts";
import { run } from "../harness/dexdata.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { createTestContext, type TestContext } from "../harness/test-context.ts";

const sandbox = useSandbox();

/** Keeps the test clock moving, e.g. while a stream waits for events. */
async function keepTicking({ clock }: TestContext, signal: AbortSignal): Promise<void> {
  for (;;) await clock.sleep(250, signal);
}

async function runOne(
  { words, stdin = "", hasReceipt = false, hasEvents = false }: PaidCommand,
  proxy: CountingProxy,
  state: string,
  random: () => number,
  budget: number | undefined,
): Promise<Cost & { readonly words: string }> {
  const context = createTestContext({
    flows: true,
    random,
    stdin,
    env: {
      LANG: "C.UTF-8",
      DEXDATA_API_KEY: sandbox.running().keys.pro,
      DEXDATA_TIER: "pro",
      DEXDATA_PRO_BASE_URL: proxy.url,
      DEXDATA_STREAMING_PRO_URL: proxy.url,
      DEXDATA_STATE_DIR: state,
      ...(budget !== undefined && { DEXDATA_BUDGET_DAILY: String(budget) }),
    },
  });
  const receipt = path.join(context.home, "receipt.json");
  const log = path.join(context.home, "log.ndjson");
  const argv = [...words.replaceAll("DIR", context.home).split(" "), "--stats", "--error-format", "text"];
  if (random() < 0.3) argv.push("--max-credits", String(Math.floor(random() * 20)));
  if (hasReceipt && random() < 0.5)
    argv.push("--receipt", receipt, "--out", path.join(context.home, "rows.ndjson"), "--resume");
  if (hasEvents) argv.push("--events", log);
  const isOver = new AbortController();
  keepTicking(context, isOver.signal).catch(() => undefined);
  if (random() < 0.1)
    void context.clock.sleep(random() * 30_000).then(() => context.interrupt({ cause: "SIGINT" }));
  const { stderr } = await run(argv, context);
  isOver.abort();
  const cost = costIn(stderr);
  if (existsSync(receipt)) {
    const { spent, in_doubt } = JSON.parse(readFileSync(receipt, "utf8")).credits;
    // A receipt is written before requests that are no longer needed are canceled, and those may be charged.
    expect({ argv, spent }).toEqual({ argv, spent: cost.credits });
    expect(in_doubt).toBeLessThanOrEqual(cost.inDoubt);
  }
  if (existsSync(log)) {
    const { credits } = JSON.parse(readFileSync(log, "utf8").trimEnd().split("\n").at(-1) ?? "{}");
    expect({ argv, credits }).toEqual({ argv, credits: cost.credits });
  }
  return { ...cost, words };
}

const largestBurst = 25;
const runs = isLong ? 200 : 20;
const mostProcesses = isLong ? 10 : 3;

test.each(Array.from({ length: runs }, (_, seed) => [seed] as const))(
  "seed %i: the summaries, receipts, logs and the budget file equal the books of the service",
  async (seed) => {
    const random = createRandom((seed + 1) * 7919);
    const processes = 1 + Math.floor(random() * mostProcesses);
    const restarts = 1 + Math.floor(random() * 3);
    const budget = random() < 0.7 ? Math.floor(random() * 60) : 100_000;
    const proxy = await startCountingProxy({
      rest: sandbox.running().restPaid,
      random,
      faults: random() < 0.5 ? 0 : random() * 0.3,
      burst: () => 1 + Math.floor(random() * largestBurst),
    });
    const state = path.join(createTestContext().home, "state");
    // Each command has its turn, whatever the seed.
    const commands = Array.from(
      { length: processes },
      (_, index) => paidCommands[(3 * seed + index) % paidCommands.length],
    ).filter((each) => each !== undefined);
    const costs: Cost[] = [];
    for (let restart = 0; restart < restarts; restart += 1) {
      const spentBefore = proxy.charged() >= budget ? proxy.charged() : undefined;
      const openingsBefore = proxy.openingsAfter(budget);
      costs.push(...(await Promise.all(commands.map((each) => runOne(each, proxy, state, random, budget)))));
      // Once it is spent, nothing more is opened, whatever is restarted.
      if (spentBefore !== undefined)
        expect([proxy.charged(), proxy.openingsAfter(budget)]).toEqual([spentBefore, openingsBefore]);
    }
    const credits = costs.reduce((sum, each) => sum + each.credits, 0);
    const atMost = costs.reduce((sum, each) => sum + each.credits + each.inDoubt, 0);
    // A run that ends itself while a stream opens does not see the events that are on their way.
    const tails = commands.filter(({ isEndless = false }) => isEndless).length * restarts;
    expect(proxy.charged()).toBeGreaterThanOrEqual(credits);
    expect(proxy.charged()).toBeLessThanOrEqual(atMost + tails * largestBurst);
    expect(spentIn(state)).toBe(atMost);
    expect(proxy.charged()).toBeLessThanOrEqual(budget + processes * largestBurst);
  },
  120_000,
);

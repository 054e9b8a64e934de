import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type CountingProxy, startCountingProxy } from "../harness/counting-proxy.ts";
import { type Outcome, run } from "../harness/dexdata.ts";
import { unknownAddresses } from "../harness/ledger.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { createTestContext } from "../harness/test-context.ts";

const sandbox = useSandbox();
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

/** Commands that request lists, single records, batches, errors and streams. */
const commands: readonly {
  readonly words: string;
  readonly stdin?: string;
  readonly hasReceipt?: boolean;
}[] = [
  { words: "pools search ethereum --limit 700", hasReceipt: true },
  { words: `txns ethereum ${pool} --from -2h --all`, hasReceipt: true },
  { words: "api /networks/ethereum/tokens/search --paginate --limit 400" },
  { words: "prices ethereum -", stdin: unknownAddresses(64), hasReceipt: true },
  { words: "pool -", stdin: [pool, `0x${"0".repeat(40)}`].map((each) => `ethereum:${each}\n`).join("") },
  { words: "pool eth 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640" },
  { words: "networks" },
  { words: `stream ethereum:${pool} --limit 12 --max-reconnects 3` },
  { words: `stream ethereum:${pool} --limit 40` },
];

interface Cost {
  readonly credits: number;
  readonly inDoubt: number;
}

/** Reads the closing line of `--stats`. A run that ended before it sent anything has none. */
function costIn({ stderr }: Outcome): Cost {
  const [line] = stderr
    .split("\n")
    .filter((each) => /^\d[\d,]* (?:requests?|events?), .*credit/u.test(each))
    .slice(-1);
  const found = /(?<credits>[\d,]+) credits?(?:, plus up to (?<doubt>[\d,]+) for)?/u.exec(line ?? "")?.groups;
  const numberOf = (text: string | undefined): number => Number((text ?? "0").replaceAll(",", ""));
  return { credits: numberOf(found?.["credits"]), inDoubt: numberOf(found?.["doubt"]) };
}

function spentIn(state: string): number {
  const name = readdirSync(state).find((each) => each.startsWith("budget-") && each.endsWith(".json"));
  return name === undefined ? 0 : JSON.parse(readFileSync(path.join(state, name), "utf8")).credits;
}

async function runOne(proxy: CountingProxy, state: string, random: () => number, budget: number | undefined) {
  const command = commands[Math.floor(random() * commands.length)] ?? { words: "networks" };
  const { words, stdin = "", hasReceipt = false } = command;
  const context = createTestContext({
    flows: true,
    random,
    stdin,
    env: {
      LANG: "C.UTF-8",
      DEXDATA_TIMEOUT: "24h",
      DEXDATA_API_KEY: sandbox.running().keys.pro,
      DEXDATA_TIER: "pro",
      DEXDATA_PRO_BASE_URL: proxy.url,
      DEXDATA_STREAMING_PRO_URL: proxy.url,
      DEXDATA_STATE_DIR: state,
      ...(budget !== undefined && { DEXDATA_BUDGET_DAILY: String(budget) }),
    },
  });
  const receipt = path.join(context.home, "receipt.json");
  const argv = [...words.split(" "), "--stats", "--error-format", "text"];
  if (random() < 0.3) argv.push("--max-credits", String(Math.floor(random() * 20)));
  if (hasReceipt && random() < 0.5)
    argv.push("--receipt", receipt, "--out", path.join(context.home, "rows.ndjson"), "--resume");
  const cost = costIn(await run(argv, context));
  if (existsSync(receipt)) {
    const { spent, in_doubt } = JSON.parse(readFileSync(receipt, "utf8")).credits;
    // A receipt is written before requests that are no longer needed are canceled, and those may be charged.
    expect({ argv, spent }).toEqual({ argv, spent: cost.credits });
    expect(in_doubt).toBeLessThanOrEqual(cost.inDoubt);
  }
  return cost;
}

const largestBurst = 25;
const runs = isLong ? 200 : 16;

test.each(Array.from({ length: runs }, (_, seed) => [seed] as const))(
  "seed %i: the summaries, receipts and the budget file equal the books of the service",
  async (seed) => {
    const random = createRandom((seed + 1) * 7919);
    const processes = 1 + Math.floor(random() * (isLong ? 10 : 4));
    const restarts = 1 + Math.floor(random() * 3);
    const budget = random() < 0.7 ? Math.floor(random() * 60) : 100_000;
    const proxy = await startCountingProxy({
      rest: sandbox.running().restPaid,
      random,
      faults: random() < 0.5 ? 0 : random() * 0.3,
      burst: () => 1 + Math.floor(random() * largestBurst),
    });
    const state = path.join(createTestContext().home, "state");
    const costs: Cost[] = [];
    for (let restart = 0; restart < restarts; restart += 1) {
      const spentBefore = proxy.charged() >= budget ? proxy.charged() : undefined;
      const openingsBefore = proxy.openingsAfter(budget);
      costs.push(
        ...(await Promise.all(Array.from({ length: processes }, () => runOne(proxy, state, random, budget)))),
      );
      // Once it is spent, nothing more is opened, whatever is restarted.
      if (spentBefore !== undefined)
        expect([proxy.charged(), proxy.openingsAfter(budget)]).toEqual([spentBefore, openingsBefore]);
    }
    const credits = costs.reduce((sum, each) => sum + each.credits, 0);
    const atMost = costs.reduce((sum, each) => sum + each.credits + each.inDoubt, 0);
    expect(proxy.charged()).toBeGreaterThanOrEqual(credits);
    expect(proxy.charged()).toBeLessThanOrEqual(atMost);
    expect(spentIn(state)).toBe(atMost);
    expect(proxy.charged()).toBeLessThanOrEqual(budget + processes * largestBurst);
  },
  120_000,
);

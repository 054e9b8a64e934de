import { expect, test } from "vitest";
import { createEventAlerts } from "../../src/cli/commands/stream/stream-alerts.ts";
import { createAlerts } from "../../src/cli/run/alerts/alerts.ts";
import { parseCondition, type Testable } from "../../src/cli/run/alerts/condition.ts";
import { createRandom } from "../harness/random.ts";

const testable: Testable = { fields: new Map([["price", "numbers"]]), hasSeries: true };
const owner = { network: "ethereum", address: "0x1" };
const shard = { number: 1, subjects: [owner] };
const odd = ["", "1e2", "-100", "0x64", "100.", "1e-400", "100.0", `100.${"0".repeat(1000)}1`];

/** Returns the alerts of the prices. If their texts are not located, each event is parsed. */
async function alertsOf(
  conditions: readonly string[],
  prices: readonly string[],
  isLocated: boolean,
  /** Milliseconds by which the clock is set before a price. */
  jumps: ReadonlyMap<number, number> = new Map(),
) {
  const fired: string[] = [];
  const alerts = createAlerts({
    conditions: conditions.map((text) => parseCondition(text, testable)),
    by: "crossing",
    cooldown: 0,
    limit: Number.POSITIVE_INFINITY,
    memory: undefined,
    fire: ({ line }) => void fired.push(line),
  });
  let [now, elapsed] = [0, 0];
  const all = { ...alerts, flush: async () => await Promise.resolve() };
  const reading = { others: 1, now: () => now, broken: () => undefined, complete: undefined };
  const show = createEventAlerts(all, reading);
  for (const [index, price] of prices.entries()) {
    now += jumps.get(index) ?? 0;
    const bytes = Buffer.from(`{"price":"${price}"}`);
    // The texts of another event and of another field come first.
    const found = [0, 5, 5, 9, 0, 0, 10, 10 + price.length, 0, 0];
    const texts = isLocated ? found : undefined;
    const data = { bytes, start: 0, end: bytes.length, isPlainJson: true, texts, firstText: 4 };
    const event = { name: "token_price", id: "", requestId: 0, owner, ...data };
    await show([event], shard, { now, elapsed });
    const passed = 100 * (1 + (price.length % 7));
    [now, elapsed] = [now + passed, elapsed + passed];
  }
  return fired;
}

test("prices whose texts the parser has found fire like those of parsed events", async () => {
  const random = createRandom(5);
  let count = 0;
  for (let round = 0; round < 20; round += 1) {
    let price = 100;
    const prices = Array.from({ length: 300 }, () => {
      if (random() < 0.03) return odd[Math.floor(random() * odd.length)] ?? "";
      if (random() < 0.6) price *= 1 + (random() - 0.5) / 20;
      return random() < 0.2 ? price.toFixed(0) : `${price}${Math.floor(random() * 1e9)}`;
    });
    const tests = [
      `price < ${price.toFixed(round % 5)}`,
      "price = 100",
      "price >= 100 and price < 104",
      "price moves 4% in 20s",
      "price rises 3% in 8s",
      "price falls 2% in 5s and price > 90",
    ];
    const conditions = tests.filter(() => random() < 0.4);
    const jumps = new Map(
      round % 2 === 0 ? [] : [0, 1, 2].map(() => [Math.floor(random() * 300), (random() - 0.7) * 60_000]),
    );
    const fired = await alertsOf(conditions, prices, true, jumps);
    expect(fired).toEqual(await alertsOf(conditions, prices, false, jumps));
    count += fired.length;
  }
  expect(count).toBeGreaterThan(40);
});

/** Prices next to the bound that differ in a digit which a double does not have, in all forms of numbers. */
const besides = {
  "100": [
    "99.99999999999999999",
    "100.00000000000000001",
    "99.9999999999999",
    "100.0000000000001",
    "99",
    "101",
  ],
  "0.000000000000000000001234": [
    "0.0000000000000000000012339999999999999999",
    "0.0000000000000000000012340000000000000001",
    "0.000000000000000000001234",
    `0.${"0".repeat(60)}1`,
    "0.1.2",
    "1",
  ],
  "1234.567890123456789": [
    "1234.567890123456788",
    "1234.56789012345679",
    "1234.567890123456789",
    "1234",
    "1235",
  ],
  "123456789012345678901234567890": [
    "123456789012345678901234567889",
    "123456789012345678901234567891.5",
    "123456789012345678901234567890",
    `1${"0".repeat(400)}`,
    "000123456789012345678901234567891",
    "5",
  ],
};

test.each(Object.entries(besides))(
  "prices next to %s are compared with all of their digits",
  async (bound, prices) => {
    const random = createRandom(7);
    const series = Array.from({ length: 400 }, () => prices[Math.floor(random() * prices.length)] ?? "");
    const conditions = [`price < ${bound}`, `price > ${bound}`, `price = ${bound}`];
    const fired = await alertsOf(conditions, series, true);
    expect(fired).toEqual(await alertsOf(conditions, series, false));
    expect(fired.length).toBeGreaterThan(50);
  },
);

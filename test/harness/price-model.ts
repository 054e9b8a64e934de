import { createMarket } from "./bundled-sandbox.ts";
import { randomOf } from "./disturbing/disturbances.ts";
import { sandboxNow } from "./sandbox.ts";

/** A price that is asked for, and what the market says about it. */
export interface ModelPrice {
  readonly line: string;
  readonly key: string;
  readonly at: number;
  readonly price: number | null;
  readonly candle: string | null;
  readonly reason: string | null;
}

export interface ModelWish {
  readonly kind: "token" | "pool";
  readonly assets: number;
  readonly times: number;
  /** In seconds. */
  readonly interval: number;
  readonly maxAge: number;
  /** How far back the plan's candles reach. Times are drawn from a little longer. */
  readonly reach: number;
  /** The age of responses. */
  readonly age: number;
  readonly seed: number;
}

interface ModelCandle {
  readonly timeOpen: number;
  readonly close: number;
}

const now = sandboxNow / 1000;
const networks = ["ethereum", "base", "solana"];
/** Candles of a month of the busiest ones take the sandbox seconds. */
const busiest = 40;

/** Prices by the definition: the newest candle of the market that had closed, one time after the other. */
export function modelPrices(wish: ModelWish): readonly ModelPrice[] {
  const { kind, assets, times, interval, maxAge, reach, age, seed } = wish;
  const market = createMarket({ seed: 1 });
  const random = randomOf(seed);
  const each = Math.ceil(assets / networks.length);
  const known = networks.flatMap((slug) => {
    const network = market.network(slug);
    if (network === undefined) throw new Error(`the market has ${slug}`);
    const window = { intervalSeconds: interval, from: now - reach - maxAge, to: now + 1, asOf: now };
    if (kind === "pool")
      return market
        .pools(network, now)
        .slice(busiest, busiest + each)
        .map((pool) => ({
          name: `${slug}:${pool.id}`,
          candles: () => market.poolCandles(pool, window),
        }));
    return market
      .tokens(network, now)
      .slice(busiest, busiest + each)
      .map((token) => ({
        name: `${slug}:${token.address}`,
        candles: () => resultOf(market.tokenCandles(token, window)),
      }));
  });
  const candlesOf = new Map<string, readonly ModelCandle[]>();
  return Array.from({ length: times }, (): ModelPrice => {
    const { name, candles } = known[Math.floor(random() * known.length)] ?? { name: "", candles: () => [] };
    const own = candlesOf.get(name) ?? candles();
    candlesOf.set(name, own);
    const at = now + 120 - Math.floor(random() * (reach + 7200));
    const base = { line: `${name} ${utc(at)}`, key: name, at };
    const none = (reason: string): ModelPrice => ({ ...base, price: null, candle: null, reason });
    if (at > now) return none("in_future");
    if (at > now - age) return none("too_recent");
    const first = now - reach;
    const best = Math.floor(at / interval) * interval - interval;
    if (best < first) return none("outside_plan");
    const found = own.findLast(
      ({ timeOpen }) => timeOpen <= best && timeOpen + interval >= at - maxAge && timeOpen >= first,
    );
    if (found !== undefined)
      return { ...base, price: found.close, candle: utc(found.timeOpen), reason: null };
    return none((Math.ceil((at - maxAge) / interval) - 1) * interval < first ? "outside_plan" : "no_trade");
  });
}

/** The fewest requests of up to 1000 candles each that contain the newest candle for each time. */
export function fewestRequests(prices: readonly ModelPrice[], { interval, reach, age }: ModelWish): number {
  const wanted = new Map<string, number[]>();
  for (const { key, at } of prices) {
    const best = Math.floor(at / interval) * interval - interval;
    if (at <= now - age && best >= now - reach) wanted.set(key, [...(wanted.get(key) ?? []), best]);
  }
  let requests = 0;
  for (const own of wanted.values()) {
    let end = Number.NEGATIVE_INFINITY;
    for (const best of own.toSorted((one, other) => one - other)) {
      if (best <= end) continue;
      requests += 1;
      end = best + 999 * interval;
    }
  }
  return requests;
}

function resultOf<T>(work: Iterator<unknown, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

const utc = (seconds: number): string => new Date(seconds * 1000).toISOString().replace(".000Z", "Z");

import { provable, type Verdict } from "../disturbed-lists.ts";
import type { Change, DisturbingProxy, Plan, Strike } from "../disturbing-proxy.ts";
import { disturbanceKinds, randomOf } from "../disturbing/disturbances.ts";
import { readBody } from "../disturbing/response-body.ts";
import { createRandom } from "../random.ts";

/** The ID of a transaction is a cursor of its own pool only. */
const withoutCursor = (url: string): string => url.replace(/(?<=[?&])cursor=[^&]*&?/u, "");

const datasetOf = (url: string): string =>
  /pools\/(0x[\da-f]+)\/(transactions|ohlcv)\?/u.exec(url)?.slice(1).toReversed().join(" ") ?? "";

/** Disturbs this share of the responses of a run, once or each time that the URL is requested. */
export function planForLake(seed: number, share: number, pools: readonly string[]): Plan {
  const random = createRandom(Math.imul(seed + 1, 0x9e37_79b1));
  const strikes = new Map<string, Strike>();
  let number = 0;
  return ({ url }, history) => {
    const dataset = datasetOf(url);
    if (dataset === "") return undefined;
    const known = strikes.get(url);
    if (known !== undefined) return known.times > 1 ? known : undefined;
    if (random() >= share) return undefined;
    number += 1;
    const kind = disturbanceKinds[Math.floor(random() * disturbanceKinds.length)] ?? "stale";
    const earlier = history.filter((exchange) => datasetOf(exchange.url) === dataset);
    const [before, stale] = [earlier.at(-1), earlier[Math.floor(random() * earlier.length)]];
    const own = pools.findIndex((pool) => url.includes(pool));
    const [from = "", to = ""] = [pools[own], pools[(own + 1) % pools.length]];
    const strike: Strike = {
      url,
      kind,
      times: random() < 0.6 ? 1 : Number.POSITIVE_INFINITY,
      seed: seed * 1000 + number,
      overlap: 1 + Math.floor(randomOf(seed * 1000 + number)() * 3),
      ...(before !== undefined && { before: { body: before.body } }),
      ...(stale !== undefined && { stale: { body: stale.body } }),
      foreign: { url: withoutCursor(url.replace(from, to)) },
    };
    strikes.set(url, strike);
    return strike;
  };
}

/** What the harness's table says about a strike. */
export function verdictOfStrike({ url, kind, times }: Strike): Verdict {
  const { verdict } = provable[url.includes("/ohlcv?") ? "candles" : "counted"][kind];
  return verdict === "once" && times > 1 ? "never" : verdict;
}

/** The days with rows that nobody could know to be wrong, as `transactions 0x… 2026-11-12`. */
export function unprovableDays({ struck, changes }: DisturbingProxy): readonly string[] {
  return struck.flatMap((strike, index) => {
    const change = changes[index];
    return change === undefined || verdictOfStrike(strike) !== "never" ? [] : daysOf(change);
  });
}

function daysOf({ url, body, changed }: Change): readonly string[] {
  const [right, wrong] = [body, changed].map((text) => readBody(text)?.rows ?? []);
  const differing = [
    ...(right ?? []).filter((row) => wrong?.includes(row) !== true),
    ...(wrong ?? []).filter((row) => right?.includes(row) !== true),
  ];
  const days = differing.map((row) => /"(?:created_at|time_open)":"([\d-]{10})/u.exec(row)?.[1] ?? "");
  return [...new Set(days)].map((day) => `${datasetOf(url)} ${day}`);
}

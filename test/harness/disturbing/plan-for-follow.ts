import type { Exchange, Plan, Strike } from "../disturbing-proxy.ts";
import { type DisturbanceKind, randomOf } from "./disturbances.ts";
import { readBody } from "./response-body.ts";

export interface FollowPlanOptions {
  readonly seed: number;
  /** The share of disturbed responses. */
  readonly share: number;
  readonly kinds?: readonly DisturbanceKind[];
  /** The path of the followed list, and that of another pool. */
  readonly paths: readonly [own: string, other: string];
  /** Once it returns true, all responses are left as they are. */
  readonly isSound: () => boolean;
}

/** Stale, half repeated, foreign, empty, short, and no JSON. */
const usualKinds = ["stale", "overlap", "foreign", "empty", "truncated", "page", "cut"] as const;

/** `stale-if-error` allows a cache to return responses of eleven minutes: at least the last fifty. */
const ageOfCache = 50;

/**
 * Disturbs a list that moves, in which no two requests are equal. Stale responses and repeated rows come from what the
 * service itself has sent before.
 */
export function planForFollow(options: FollowPlanOptions): Plan {
  const { seed, share, kinds = usualKinds, paths, isSound } = options;
  const random = randomOf(seed);
  let number = 0;
  return ({ url, body }, history) => {
    number += 1;
    if (isSound() || !url.includes(paths[0]) || random() >= share) return undefined;
    const kind = kinds[Math.floor(random() * kinds.length)];
    const earlier = history.filter((exchange) => exchange.url.includes(paths[0])).slice(-ageOfCache);
    const stale = earlier[Math.floor(random() * earlier.length)];
    if (kind === undefined || stale === undefined) return undefined;
    return {
      url,
      kind,
      times: 1,
      seed: seed * 10_000 + number,
      overlap: Math.ceil((readBody(body)?.rows.length ?? 2) / 2),
      before: bodyOf(earlier.at(-1)),
      stale: bodyOf(stale),
      foreign: { url: url.replace(paths[0], paths[1]).replace(/(?<=[?&])cursor=[^&]*&?/u, "") },
    } satisfies Strike;
  };
}

function bodyOf(exchange: Exchange | undefined): { readonly body: string } | undefined {
  return exchange === undefined ? undefined : { body: exchange.body };
}

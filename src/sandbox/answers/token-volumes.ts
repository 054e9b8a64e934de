import type { Market, TokenFacts } from "../market/types.ts";

const DAY = 86_400;

/**
 * Rolling volumes of tokens. Some tokens stand in thousands of pools, and a month of each is summed for every row of
 * a search; of whole days in the past the sum is kept, because no later trade changes it.
 */
export interface TokenVolumes {
  /** USD over `at - seconds < time <= at`. */
  readonly of: (market: Market, token: TokenFacts, at: number, seconds: number) => number;
}

export function createTokenVolumes(): TokenVolumes {
  const days = new WeakMap<TokenFacts, Map<number, number>>();

  function wholeDay(market: Market, token: TokenFacts, day: number): number {
    const known = days.get(token) ?? new Map<number, number>();
    days.set(token, known);
    const kept = known.get(day);
    if (kept !== undefined) return kept;
    const volume = between(market, token, day * DAY, (day + 1) * DAY);
    known.set(day, volume);
    return volume;
  }

  return {
    of: (market, token, at, seconds) => {
      // From here on: begin <= time < end.
      const [begin, end] = [at - seconds + 1, at + 1];
      const [firstDay, endDay] = [Math.ceil(begin / DAY), Math.floor(end / DAY)];
      if (firstDay >= endDay) return between(market, token, begin, end);
      let volume = between(market, token, begin, firstDay * DAY) + between(market, token, endDay * DAY, end);
      for (let day = firstDay; day < endDay; day += 1) volume += wholeDay(market, token, day);
      return volume;
    },
  };
}

function between(market: Market, token: TokenFacts, begin: number, end: number): number {
  return begin >= end ? 0 : market.tokenActivity(token, end - 1, end - begin).volumeUsd;
}

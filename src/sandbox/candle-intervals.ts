/** Specification, "OHLCV interval values". */
export const candleIntervals = ["1m", "5m", "10m", "15m", "30m", "1h", "6h", "12h", "24h"] as const;

export type CandleInterval = (typeof candleIntervals)[number];

/** Wire-facts 4.4: without `interval`, days. */
export const defaultInterval: CandleInterval = "24h";

const SECONDS: Readonly<Record<CandleInterval, number>> = {
  "1m": 60,
  "5m": 300,
  "10m": 600,
  "15m": 900,
  "30m": 1800,
  "1h": 3600,
  "6h": 21_600,
  "12h": 43_200,
  "24h": 86_400,
};

/** Length of the interval; undefined for a word that is none. */
export function candleSeconds(word: string = defaultInterval): number | undefined {
  const interval = candleIntervals.find((each) => each === word);
  return interval === undefined ? undefined : SECONDS[interval];
}

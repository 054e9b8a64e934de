/** The windows of activity of the specification, with their seconds; `1m` stands in search rows only. */
export const windowSeconds = {
  "24h": 86_400,
  "6h": 21_600,
  "1h": 3600,
  "30m": 1800,
  "15m": 900,
  "5m": 300,
} as const;

export const searchWindowSeconds = { ...windowSeconds, "1m": 60 } as const;

export function eachWindow<T>(
  windows: Readonly<Record<string, number>>,
  make: (seconds: number) => T,
): Record<string, T> {
  return Object.fromEntries(Object.entries(windows).map(([name, seconds]) => [name, make(seconds)]));
}

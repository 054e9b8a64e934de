const unitSeconds: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400, w: 604_800 };

/** For example, of `1h` or `1w`; NaN for other text. */
export function intervalSeconds(interval: string): number {
  const match = /^(\d+)([mhdw])$/u.exec(interval);
  return Number(match?.[1]) * (unitSeconds[match?.[2] ?? ""] ?? Number.NaN);
}

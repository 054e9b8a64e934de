import { writeUtc } from "../../base/time/calendar.ts";

/** In JSON: Unix seconds if the service uses them; otherwise, RFC 3339 with its fraction and UTC suffix. */
export function timeLike(time: unknown, seconds: number): string {
  if (typeof time === "number") return String(seconds);
  const ending = typeof time === "string" ? /(?:\.\d+)?(?:[Zz]|[+-]00:00)$/u.exec(time)?.[0] : undefined;
  return `"${writeUtc(seconds)}${ending ?? "Z"}"`;
}

const unitSeconds: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400, w: 604_800 };

/** For example, of `1h` or `1w`; NaN for other text. */
export function intervalSeconds(interval: string): number {
  const match = /^(\d+)([mhdw])$/u.exec(interval);
  return Number(match?.[1]) * (unitSeconds[match?.[2] ?? ""] ?? Number.NaN);
}

import { writeUtc } from "../../base/time/calendar.ts";

/** In JSON: Unix seconds if the service uses them; otherwise, RFC 3339 with its fraction and UTC suffix. */
export function timeLike(time: unknown, seconds: number): string {
  if (typeof time === "number") return String(seconds);
  const ending = typeof time === "string" ? /(?:\.\d+)?(?:[Zz]|[+-]00:00)$/u.exec(time)?.[0] : undefined;
  return `"${writeUtc(seconds)}${ending ?? "Z"}"`;
}

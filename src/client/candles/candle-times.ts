import { untrustedAnswer } from "../../contract/failure.ts";
import { member } from "../../json/own-member.ts";
import { formatInstant, parseRfc3339 } from "../../time/time.ts";

/**
 * When a candle opens, in unix seconds. The specification does not lay the record down: the public service writes
 * RFC 3339, its streams unix seconds. A candle without a time cannot be told from another, nor put in its place.
 */
export function openingOf(candle: object): number {
  const opening = secondsOf(member(candle, "time_open"));
  if (opening === undefined)
    throw untrustedAnswer("a candle of the answer has no time_open that can be read");
  return opening;
}

/** Undefined for what is no time. */
export function secondsOf(time: unknown): number | undefined {
  if (typeof time === "string") return parseRfc3339(time)?.seconds;
  return typeof time === "number" && Number.isSafeInteger(time) ? time : undefined;
}

/** For messages: `2026-11-21T08:00:00Z`. */
export function showSeconds(seconds: number): string {
  return formatInstant({ seconds, fraction: "" });
}

import { type Finding, fail, ok, took, warn } from "./finding.ts";

/** Milliseconds: bounds such as `--from -15m` would miss what they mean. */
const [doubtful, wrong] = [2000, 5 * 60_000];

export interface ClockReading {
  /** Of the Date header. */
  readonly date: string | undefined;
  /** Milliseconds of this machine's clock, and of the round trip, when the answer had come. */
  readonly now: number;
  readonly milliseconds: number;
}

/** The header has whole seconds, and was written somewhere within the round trip: that much stays in doubt. */
export function checkClock({ date, now, milliseconds }: ClockReading): Finding {
  const theirs = Date.parse(date ?? "");
  if (Number.isNaN(theirs))
    return warn(
      "clock",
      "the service did not say its time",
      "compare this machine's clock with another: date -u",
    );
  const doubt = 500 + milliseconds / 2;
  const ahead = now - milliseconds / 2 - (theirs + 500);
  const off = Math.max(0, Math.abs(ahead) - doubt);
  if (off <= doubtful) return ok("clock", `agrees with the service's, give or take ${took(doubt)}`);
  const found = `${took(off)} or more ${ahead > 0 ? "ahead of" : "behind"} the service's (${new Date(theirs).toISOString().replace(".000Z", "Z")})`;
  const next = "set this machine's clock, such as: timedatectl set-ntp true";
  return off > wrong ? fail("clock", found, next, 2) : warn("clock", found, next);
}

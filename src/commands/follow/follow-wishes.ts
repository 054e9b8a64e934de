import { usageFailure } from "../../contract/failure.ts";
import { formatByName } from "../../render/formats/formats.ts";
import type { Values } from "../../run/flags/flag.ts";
import type { sharedFlags } from "../../run/flags/shared-flags.ts";
import { checkEventsFile } from "../../run/output/event-log.ts";
import type { followFlags } from "./follow-flags.ts";

/** How to follow, as typed. */
export interface FollowWishes {
  /** Milliseconds after which it stops. */
  readonly duration: number | undefined;
  /** Milliseconds without a row after which it stops. */
  readonly idle: number | undefined;
  readonly limit: number | undefined;
  /** Milliseconds between reads; undefined where a stream says when. */
  readonly poll: number | undefined;
  readonly events: string | undefined;
  /** The pattern of the files that lines are added to; undefined for stdout. */
  readonly out: string | undefined;
}

type FollowValues = Values<typeof followFlags & Pick<typeof sharedFlags, "out" | "output">> & {
  readonly limit: number | undefined;
};

export function readFollowWishes(flags: FollowValues): FollowWishes {
  const { out, output, events, poll, limit } = flags;
  if (out !== undefined && output !== undefined && output !== "ndjson")
    throw usageFailure(`--output ${output}: lines are added to the file of --out`, "use ndjson");
  if (formatByName(out) !== undefined)
    throw usageFailure(`--out "${out}": --follow adds lines of ndjson`, "call it .ndjson");
  checkEventsFile(events, out);
  return { duration: flags.for, idle: flags["idle-exit"], poll, events, out, limit };
}

import { type Flag, flag, type Flags } from "../../run/flags/flag.ts";
import { duration, durationFrom, durationOrZero, outputFile, text } from "../../run/flags/flag-types.ts";

/** In milliseconds. */
const shortestBlind = 20_000;

interface AlertTexts {
  readonly summary: string;
  readonly usualCooldown: string;
  /** What `--limit` counts. It starts with the punctuation that joins it, or is empty. */
  readonly limits: string;
  /** The flags that set the time between two reads; none for a stream. */
  readonly reads: string | undefined;
}

/** The flags of alerts on events and rows. */
export const alertFlags = ({ summary, usualCooldown, limits, reads }: AlertTexts) => ({
  when: flag({ ...text("test"), isRepeatable: true }, "Rows", {
    summary,
    details: `; prints a line, or passes it to the command after --${limits}`,
  }),
  cooldown: flag(durationOrZero, "Rows", {
    with: "when",
    needs: { flag: "when", next: "add --when" },
    summary: "Minimum time between two alerts of the same condition and asset",
    defaultSaid: `default ${usualCooldown}`,
  }),
  blind: flag(durationFrom(shortestBlind, "the service sends a ping every 15s"), "Rows", {
    with: "when",
    needs: { flag: "when", next: "add --when" },
    summary: "Also alert after this long without reliable data",
    details: `, and again when data is back; the command gets DEXDATA_ALERT=blind or DEXDATA_ALERT=back; at least 20s${
      reads === undefined ? "" : `, and longer than the time between two reads (${reads})`
    }`,
  }),
  state: flag(outputFile, "Rows", {
    summary: "Keep the state of alerts in this file across restarts",
    details:
      '; after a kill, the next run repeats unfinished alert commands of the last 10m, with "repeat":true in the JSON that they get',
  }),
});

/** For rows. */
export function rowAlertFlags(texts: AlertTexts, needs: Flag["needs"] & object) {
  const { when, state, ...others } = alertFlags(texts);
  const owners = { with: [needs.flag, needs.or ?? []].flat(), needs };
  return { ...others, when: { ...when, ...owners }, state: { ...state, ...owners } };
}

/** For `--watch`, except where rows can be followed. */
export const watchAlertFlags: Flags = Object.fromEntries(
  Object.entries({
    ...alertFlags({
      summary: "Alert when this becomes true for a row, e.g. 'price_usd < 3000'",
      usualCooldown: "1m",
      limits: "",
      reads: "--watch",
    }),
    for: flag(duration, "Rows", { summary: "Stop after this long" }),
  }).map(([name, each]) => {
    const belongs = { with: "watch", needs: { flag: "watch", next: "add --watch" } };
    return [name, { ...each, ...(each.needs === undefined && belongs), topic: "alerts" }];
  }),
);

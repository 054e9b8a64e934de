import { flag } from "../../run/flags/flag.ts";
import { durationOrZero, text } from "../../run/flags/flag-types.ts";

/** The flags of alerts on events and rows. */
export const alertFlags = (summary: string, usualCooldown: string) => ({
  when: flag({ ...text("test"), isRepeatable: true }, "Rows", {
    summary,
    details: "; a line on stdout, or -- and a command that gets it on stdin; --limit counts alerts",
  }),
  cooldown: flag(durationOrZero, "Rows", {
    with: "when",
    needs: { flag: "when", next: "add --when" },
    summary: "Time between two alerts of one asset",
    defaultSaid: `default ${usualCooldown}`,
  }),
});

/** For rows. */
export function rowAlertFlags(summary: string) {
  const { when, cooldown } = alertFlags(summary, "0");
  return { when: { ...when, with: "follow", needs: { flag: "follow", next: "add --follow" } }, cooldown };
}

import { type FlagGroup, flag } from "../../run/flags/flag.ts";
import { durationOrZero, text } from "../../run/flags/flag-types.ts";

export const alertFlags = (group: FlagGroup) => ({
  when: flag({ ...text("test"), isRepeatable: true }, group, {
    summary: "Alert when this is true, e.g. 'price < 3000'",
    details:
      " or 'price moves 5% in 1h'; a line on stdout, or -- and a command that gets it on stdin; --limit counts alerts",
  }),
  cooldown: flag(durationOrZero, group, {
    with: "when",
    needs: { flag: "when", next: "add --when" },
    summary: "Time between two alerts of one asset",
    defaultSaid: "default 1m; 0 for feeds other than prices",
  }),
});

import { formatInstant, parseTimeBound } from "../../../time/time.ts";
import type { Command } from "../../../commands/command.ts";
import type { Block } from "../../../render/page/help-page.ts";
import type { Surroundings } from "../topic-names.ts";

export function timeTopic(entries: readonly Command[], { clock }: Surroundings): readonly Block[] {
  const now = clock.now();
  const read = (example: string): string => {
    const instant = parseTimeBound(example, now);
    return "problem" in instant ? instant.problem : formatInstant(instant);
  };
  return [
    { prose: "What --from, --to, --created-after, --created-before and --now take." },
    {
      heading: `Forms, and what each is at ${read("now")}`,
      rows: timeForms.map(([example, meaning]) => [example, `${read(example)}  ${meaning}`]),
    },
    {
      prose:
        "One clock reading resolves all bounds of a run, so that a window does not move between pages and retries. An " +
        "empty window, one that ends before it begins, an impossible date and an unknown unit are refused before " +
        "anything is sent. Bounds are inclusive, but for the end of candles: the last opens before it.",
    },
    {
      prose: `Durations (--timeout, --for, --poll …) are written 500ms, 30s, 2m or 1h, always with a unit. Commands with time bounds: ${bounded(entries)}.`,
    },
    {
      heading: "Examples",
      commands: ["dexdata pools search base --created-after -24h --sandbox"],
    },
  ];
}

function bounded(entries: readonly Command[]): string {
  const names = ["from", "created-after"];
  return entries
    .filter(({ flags }) => names.some((name) => name in flags))
    .map(({ words }) => words)
    .join(", ");
}

/** What a time bound may look like, an example of each form, as `parseTimeBound` reads it. */
export const timeForms: readonly (readonly [example: string, meaning: string])[] = [
  ["now", "the instant the run began"],
  ["-90s", "seconds before now; the minus may be left out"],
  ["-15m", "minutes"],
  ["-24h", "hours"],
  ["-7d", "days of 24 hours"],
  ["2026-11-21", "a date: 00:00 UTC, in every time zone"],
  ["2026-11-21T08:54:00Z", "RFC 3339, with any fraction of a second"],
  ["2026-11-21T10:54:00+02:00", "and with any offset"],
  ["1795251240", "unix seconds, up to 11 digits; milliseconds are refused"],
];

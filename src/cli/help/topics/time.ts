import { timeForms } from "../../../time/time-forms.ts";
import { formatInstant, parseTimeBound } from "../../../time/time.ts";
import type { CatalogueEntry } from "../../catalogue.ts";
import type { Block } from "../page.ts";
import type { Surroundings } from "./topics.ts";

export function timeTopic(entries: readonly CatalogueEntry[], { clock }: Surroundings): readonly Block[] {
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

function bounded(entries: readonly CatalogueEntry[]): string {
  const names = ["from", "created-after"];
  return entries
    .filter(({ flags }) => flags.some(({ name }) => names.includes(name)))
    .map(({ words }) => words)
    .join(", ");
}

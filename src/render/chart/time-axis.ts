import { dayNumber, SECONDS_PER_DAY, writeUtc } from "../../time/calendar.ts";

/** What stands below the columns: at which of them a label is, and the line of labels, never overlapping. */
export interface TimeAxis {
  readonly marked: ReadonlySet<number>;
  readonly labels: string;
}

/** A round length of time; months are of unequal length. */
type Step = { readonly seconds: number } | { readonly months: number };

const steps: readonly Step[] = [
  ...[1, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => ({ seconds: minutes * 60 })),
  ...[1, 2, 7, 14].map((days) => ({ seconds: days * SECONDS_PER_DAY })),
  ...[1, 2, 3, 6, 12, 24, 60, 120, 600].map((months) => ({ months })),
];

const gap = 3;
const shortestMonth = 28 * SECONDS_PER_DAY;

export interface TimedColumns {
  /** Unix seconds at which the first one begins, and how many each is long. */
  readonly start: number;
  readonly span: number;
  readonly count: number;
  /** Columns of the terminal for each. */
  readonly pitch: number;
}

/** The shortest round step of which all labels fit into `width`. */
export function timeAxis({ start, span, count, pitch }: TimedColumns, width: number): TimeAxis {
  for (const step of steps) {
    // Several in a column could not be told apart.
    if (("seconds" in step ? step.seconds : step.months * shortestMonth) < span) continue;
    const marked = new Set<number>();
    let labels = "";
    let fits = true;
    for (let index = 0; index < count && fits; index++) {
      const begins = start + index * span;
      const round = periodStart(begins + span - 1, step);
      if (round < begins) continue;
      const text = labelOf(round, step);
      const at = Math.max(0, Math.min(width - text.length, index * pitch - Math.floor(text.length / 2)));
      fits = text.length <= width && (labels === "" || at >= labels.length + gap);
      labels = labels.padEnd(at) + text;
      marked.add(index);
    }
    if (fits && marked.size > 0) return { marked, labels };
  }
  // So short a chart that no round time lies in it.
  return { marked: new Set([0]), labels: labelOf(start, { seconds: 1 }) };
}

/** When the period began that this second lies in; weeks begin on Mondays. */
function periodStart(at: number, step: Step): number {
  if ("seconds" in step) {
    const offset = step.seconds % (7 * SECONDS_PER_DAY) === 0 ? 4 * SECONDS_PER_DAY : 0;
    return Math.floor((at - offset) / step.seconds) * step.seconds + offset;
  }
  const [year = 0, month = 1] = writeUtc(at).split("-").map(Number);
  const months = Math.floor((year * 12 + month - 1) / step.months) * step.months;
  return dayNumber(Math.floor(months / 12), (months % 12) + 1, 1) * SECONDS_PER_DAY;
}

const monthNames = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `08:00`, at midnight `Nov 21`; of months `Nov`, in January the year. */
function labelOf(at: number, step: Step): string {
  const [date = "", time = ""] = writeUtc(at).split("T");
  const [year = "", month = "", day = ""] = date.split("-");
  const name = monthNames[Number(month) - 1] ?? "";
  if ("months" in step) return month === "01" ? year : name;
  return time === "00:00:00" ? `${name} ${day}` : time.slice(0, 5);
}

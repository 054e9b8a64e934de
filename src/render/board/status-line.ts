import type { Cell } from "../cell.ts";

/** How the tail is doing, at one moment. */
export interface TailState {
  /** Connections: all that are wanted, and those that are open. */
  readonly wanted: number;
  readonly open: number;
  readonly events: number;
  readonly credits: number;
  readonly gaps: number;
}

/** One line, the most telling first, since a narrow window cuts its end. */
export function statusLine({ wanted, open, events, credits, gaps }: TailState, isUnicode: boolean): Cell {
  const isWhole = open >= wanted;
  const mark = isUnicode ? (isWhole ? "●" : "○") : isWhole ? "*" : "!";
  const connections = isWhole
    ? `${counted(open, "connection")} open`
    : `${open} of ${counted(wanted, "connection")} open, ${wanted - open} retrying`;
  const parts = [
    connections,
    counted(events, "event"),
    counted(credits, "credit"),
    gaps === 0 ? "no gaps" : counted(gaps, "gap"),
  ];
  return { text: `${mark} ${parts.join(isUnicode ? " · " : ", ")}`, tone: isWhole ? "up" : "down" };
}

/** `1,234 events`, `1 event`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

import { counted } from "../../text/counted.ts";
import type { Cell } from "../values/cell.ts";
import { joinFitting } from "../table/join-fitting.ts";

/** How the tail is doing, at one moment. */
export interface TailState {
  /** Connections: all that are wanted, those that are open, and those that wait to be tried again. */
  readonly wanted: number;
  readonly open: number;
  readonly retrying: number;
  readonly events: number;
  readonly credits: number;
  readonly gaps: number;
}

/** One line, the most telling first: a narrow window has no room for the rest. */
export function statusLine(state: TailState, isUnicode: boolean, width: number): Cell {
  const { wanted, open, retrying, events, credits, gaps } = state;
  const isWhole = open >= wanted;
  const mark = isUnicode ? (isWhole ? "●" : "○") : isWhole ? "*" : "!";
  const connections = isWhole
    ? `${counted(open, "connection")} open`
    : `${open} of ${counted(wanted, "connection")} open, ${retrying > 0 ? `${retrying} retrying` : "connecting"}`;
  const parts = [
    `${mark} ${connections}`,
    counted(events, "event"),
    gaps === 0 ? "no gaps" : counted(gaps, "gap"),
    counted(credits, "credit"),
  ];
  return {
    text: joinFitting(parts, isUnicode, width),
    tone: isWhole ? "up" : retrying > 0 ? "down" : "faint",
  };
}

import type { Clock, Context } from "../../context/context.ts";

/** The topics of `dexdata help`; completion reads them without loading their texts. */
export const topicNames = [
  "exit-codes",
  "time",
  "output",
  "terminal",
  "pulls",
  "credits",
  "keys",
  "environment",
  "proxies",
  "follow",
  "streams",
  "limits",
] as const;

export type TopicName = (typeof topicNames)[number];

/** The parts of the machine that topics show: its directories and its time. */
export interface TopicContext extends Pick<Context, "env" | "platform"> {
  readonly clock: Pick<Clock, "now">;
}

import type { Clock, Context } from "../../context/context.ts";

/** The topics of `dexdata help`. They are separate from the texts, so that completion does not load the texts. */
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

/** The properties of the machine that topics show, which are its directories and its time. */
export interface TopicContext extends Pick<Context, "env" | "platform"> {
  readonly clock: Pick<Clock, "now">;
}

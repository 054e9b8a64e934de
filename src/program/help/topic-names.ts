import type { Clock, Context } from "../../context/context.ts";

/**
 * The topics of `dexdata help`. They are in a separate file, so that completion does not have to load the topics
 * themselves.
 */
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

/** The part of the context that topics need, which is the directories and the time of the machine. */
export interface TopicContext extends Pick<Context, "env" | "platform"> {
  readonly clock: Pick<Clock, "now">;
}

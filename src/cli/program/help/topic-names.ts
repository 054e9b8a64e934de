import type { Clock, Context } from "../../../base/context/context.ts";

/** In a separate file, so that completion does not have to load the topics themselves. */
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
  "alerts",
  "limits",
  "agents",
] as const;

export type TopicName = (typeof topicNames)[number];

/** The machine's directories and clock. */
export interface TopicContext extends Pick<Context, "env" | "platform"> {
  readonly clock: Pick<Clock, "now">;
}

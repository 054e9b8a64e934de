import type { Clock, Context } from "../../context/context.ts";

/** What `dexdata help` explains besides the commands. */
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

/** What a topic tells of the machine it is read on. */
export interface Surroundings extends Pick<Context, "env" | "platform"> {
  readonly clock: Pick<Clock, "now">;
}

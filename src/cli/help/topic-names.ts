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

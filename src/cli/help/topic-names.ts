/** What `dexdata help` explains besides the commands. */
export const topicNames = ["exit-codes", "time", "output", "credits", "environment", "streams"] as const;

export type TopicName = (typeof topicNames)[number];

import type { Command } from "../../../commands/command.ts";
import type { Block } from "../../../render/page/help-page.ts";
import type { Surroundings, TopicName } from "../topic-names.ts";
import { creditsTopic } from "./credits-topic.ts";
import { environmentTopic } from "./environment-topic.ts";
import { exitCodesTopic } from "./exit-codes-topic.ts";
import { followTopic } from "./follow-topic.ts";
import { keysTopic } from "./keys-topic.ts";
import { limitsTopic } from "./limits-topic.ts";
import { outputTopic } from "./output-topic.ts";
import { proxiesTopic } from "./proxies-topic.ts";
import { pullsTopic } from "./pulls-topic.ts";
import { streamsTopic } from "./streams-topic.ts";
import { terminalTopic } from "./terminal-topic.ts";
import { timeTopic } from "./time-topic.ts";

type Topic = (entries: readonly Command[], surroundings: Surroundings) => readonly Block[];

/** Written from the tables that the program itself reads, so that they say what it does. */
export const topics: Readonly<Record<TopicName, Topic>> = {
  "exit-codes": () => exitCodesTopic(),
  time: timeTopic,
  output: () => outputTopic(),
  terminal: () => terminalTopic(),
  pulls: () => pullsTopic,
  credits: (entries) => creditsTopic(entries),
  keys: () => keysTopic(),
  environment: (_, surroundings) => environmentTopic(surroundings),
  proxies: () => proxiesTopic(),
  follow: () => followTopic(),
  streams: () => streamsTopic(),
  limits: () => limitsTopic(),
};

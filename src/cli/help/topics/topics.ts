import type { Clock, Context } from "../../../context/context.ts";
import type { CatalogueEntry } from "../../catalogue.ts";
import type { Block } from "../page.ts";
import type { TopicName } from "../topic-names.ts";
import { creditsTopic } from "./credits.ts";
import { environmentTopic } from "./environment.ts";
import { exitCodesTopic } from "./exit-codes.ts";
import { followTopic } from "./follow.ts";
import { keysTopic } from "./keys.ts";
import { limitsTopic } from "./limits.ts";
import { outputTopic } from "./output.ts";
import { proxiesTopic } from "./proxies.ts";
import { pullsTopic } from "./pulls.ts";
import { streamsTopic } from "./streams.ts";
import { terminalTopic } from "./terminal.ts";
import { timeTopic } from "./time.ts";

/** What a topic tells of the machine it is read on. */
export interface Surroundings extends Pick<Context, "env" | "platform"> {
  readonly clock: Pick<Clock, "now">;
}

type Topic = (entries: readonly CatalogueEntry[], surroundings: Surroundings) => readonly Block[];

/** Written from the tables that the program itself reads, so that they say what it does. */
export const topics: Readonly<Record<TopicName, Topic>> = {
  "exit-codes": () => exitCodesTopic(),
  time: timeTopic,
  output: () => outputTopic(),
  terminal: () => terminalTopic(),
  pulls: () => pullsTopic(),
  credits: (entries) => creditsTopic(entries),
  keys: () => keysTopic(),
  environment: (_, surroundings) => environmentTopic(surroundings),
  proxies: () => proxiesTopic(),
  follow: () => followTopic(),
  streams: () => streamsTopic(),
  limits: () => limitsTopic(),
};

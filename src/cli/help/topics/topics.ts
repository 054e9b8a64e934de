import type { Context } from "../../../model/context.ts";
import type { CatalogueEntry } from "../../catalogue.ts";
import type { Block } from "../page.ts";
import type { TopicName } from "../topic-names.ts";
import { creditsTopic } from "./credits.ts";
import { environmentTopic } from "./environment.ts";
import { exitCodesTopic } from "./exit-codes.ts";
import { outputTopic } from "./output.ts";
import { streamsTopic } from "./streams.ts";
import { timeTopic } from "./time.ts";

type Topic = (entries: readonly CatalogueEntry[], context: Context) => readonly Block[];

/** Written from the tables that the program itself reads, so that they say what it does. */
export const topics: Readonly<Record<TopicName, Topic>> = {
  "exit-codes": () => exitCodesTopic(),
  time: timeTopic,
  output: () => outputTopic(),
  credits: (entries) => creditsTopic(entries),
  environment: (_, context) => environmentTopic(context),
  streams: () => streamsTopic(),
};

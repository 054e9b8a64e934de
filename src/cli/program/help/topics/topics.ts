import type { Command } from "../../../commands/command.ts";
import type { TopicContext, TopicName } from "../overview.ts";
import { agentsTopic } from "./agents-topic.ts";
import * as fixed from "./static-topics.ts";
import * as table from "./table-topics.ts";
import type { Block } from "../../../help-page.ts";

type Topic = string | ((commands: readonly Command[], context: TopicContext) => string);

/** Each topic's text and the document with more details. */
const topics: Readonly<Record<TopicName, readonly [document: string, topic: Topic]>> = {
  "exit-codes": ["reference.md", table.exitCodesTopic],
  time: ["guide.md", table.timeTopic],
  output: ["guide.md", table.outputTopic],
  terminal: ["guide.md", fixed.terminalTopic],
  pulls: ["guide.md", fixed.pullsTopic],
  credits: ["guide.md", table.creditsTopic],
  keys: ["guide.md", fixed.keysTopic],
  environment: ["reference.md", table.environmentTopic],
  proxies: ["guide.md", fixed.proxiesTopic],
  follow: ["streams.md", fixed.followTopic],
  streams: ["streams.md", table.streamsTopic],
  alerts: ["alerts.md", fixed.alertsTopic],
  limits: ["reference.md", fixed.limitsTopic],
  agents: ["agents.md", agentsTopic],
};

export function topicPage(
  name: TopicName,
  commands: readonly Command[],
  context: TopicContext,
): readonly Block[] {
  const [document, topic] = topics[name];
  const text = typeof topic === "string" ? topic : topic(commands, context);
  return textPage(`${text}\n\nMore: docs/${document} in the dexdata package.`);
}

/**
 * Blank lines separate blocks. The lines below a `Heading:` are either rows (`  term  text`, continued on lines with a
 * deeper indent) or commands to paste (`  dexdata …`).
 */
function textPage(source: string): readonly Block[] {
  return source
    .trim()
    .split("\n\n")
    .map((part) => {
      const [first = "", ...lines] = part.split("\n");
      if (!first.endsWith(":") || lines.length === 0) return { prose: [first, ...lines].join(" ") };
      const heading = first.slice(0, -1);
      const found = lines
        .join("\n")
        .replaceAll(/\n {3,}/gu, " ")
        .matchAll(/^ {2}(.*?)(?: {2,}(.*))?$/gmu);
      const rows = [...found].map(([, term = "", text = ""]) => [term, text] as const);
      const isCommands = rows.every(([, text]) => text === "");
      return isCommands ? { heading, commands: rows.map(([term]) => term) } : { heading, rows };
    });
}

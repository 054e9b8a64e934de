import { type Command, usagesOf, hiddenWords } from "../../src/cli/commands/command.ts";
import { followEvents } from "../../src/cli/commands/flags/lasting-flags.ts";
import { streamEvents } from "../../src/cli/commands/stream/stream-flags.ts";
import { errorCodes, exitsOf, factsOf } from "../../src/api/service-errors.ts";
import { exitCodes } from "../../src/base/exit-codes.ts";
import { connectionsOfPlan } from "../../src/api/feed.ts";
import { feeds } from "../../src/api/feeds.ts";
import { plans, type Tier } from "../../src/api/tier.ts";
import { rollingTiers } from "../../src/sandbox/service/meters.ts";
import { allCommands } from "../../src/cli/all-commands.ts";
import { costSentence, exitSentence } from "../../src/cli/program/help/command-help.ts";
import { flagsOnPage, fullRows } from "../../src/cli/program/help/flag-rows.ts";
import { describeFeed } from "../../src/cli/program/help/table-topics.ts";
import { topicPage } from "../../src/cli/program/help/topics.ts";
import { topicNames } from "../../src/cli/program/help/overview.ts";
import type { Flags } from "../../src/cli/run/flags/flag.ts";
import { sharedFlags } from "../../src/cli/run/flags/shared-flags.ts";
import { settings } from "../../src/client/settings.ts";
import { rules } from "../../src/rows/verify-rules.ts";
import { createTestContext } from "../harness/test-context.ts";

type Row = readonly string[];

const code = (text: string): string => `\`${text}\``;

/** Text in a table: a `<` would begin HTML, and a `|` the next cell. */
const cell = (text: string): string =>
  text
    .replaceAll("|", "\\|")
    .replaceAll(/(?<!`[^`]*)<(?![^`]*`)/gu, "\\<")
    .replaceAll("\n", " ");

function table(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row): string => `| ${cells.map(cell).join(" | ")} |\n`;
  return `${line(head)}|${"---|".repeat(head.length)}\n${rows.map(line).join("")}`;
}

function creditsOf(tier: Tier): string {
  const credits = plans[tier].creditsPerMonth;
  if (credits === undefined) return "set by contract";
  return `${credits.toLocaleString("en-US")} ${rollingTiers.has(tier) ? "in 30 days" : "per billing period"}`;
}

/** The published prices of 2026 (wire-facts 2.2). The program does not need them. */
const monthlyPrices: Readonly<Record<Tier, string>> = {
  keyless: "free",
  free: "free",
  dev: "30 USD",
  pro: "99 USD",
  enterprise: "set by contract",
};

export const plansTable = (): string =>
  table(
    ["plan", "price per month", "credits", "requests/min", "stream connections", "API hosts"],
    Object.values(plans).map(({ tier, hosts, requestsPerMinute }) => [
      tier,
      monthlyPrices[tier],
      creditsOf(tier),
      requestsPerMinute === undefined ? "set by contract" : String(requestsPerMinute),
      String(connectionsOfPlan[tier]),
      hosts,
    ]),
  );

export const verifyTable = (): string =>
  table(
    ["rule", "level", "what it checks", "where"],
    Object.entries(rules).map(([id, { level, statement, appliesTo }]) => [id, level, statement, appliesTo]),
  );

const flagTable = (flags: Flags): string =>
  table(
    ["flag", "meaning"],
    fullRows(flagsOnPage(flags)).map(([flag, text]) => [code(flag), text]),
  );

/** The variables of the environment topic that no other table contains. */
const sharedVariables: readonly Row[] = [
  ["`PAGER`", "see `DEXDATA_PAGER`"],
  ["`CI`", "do not prompt, unless it is `0` or `false`"],
  ["`NO_COLOR`", "color never"],
  ["`FORCE_COLOR`", "`0` and `false`: color never; other values: color always"],
  ["`TERM`", "`dumb`: no color, no live board and no pager"],
  ["`LC_ALL`, `LC_CTYPE`, `LANG`", "UTF-8 or ASCII output"],
  ["`WT_SESSION`", "UTF-8 output in Windows Terminal, if none of `LC_ALL`, `LC_CTYPE` and `LANG` is set"],
  ["`XDG_CONFIG_HOME`, `XDG_STATE_HOME`, `XDG_CACHE_HOME`", "parents of the directories above"],
  ["`HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`", "[proxies](guide.md#proxies)"],
  ["`NODE_EXTRA_CA_CERTS`", "a file with more certificate authorities"],
  [
    "`NODE_TLS_REJECT_UNAUTHORIZED`",
    "`0`: certificates are not verified, so a server that poses as the service could receive your key",
  ],
  ["`NODE_DISABLE_COMPILE_CACHE`", "`1`: compiled code is not cached"],
];

const rowsOfTopic = (name: "environment" | "limits", heading: string): readonly Row[] =>
  topicPage(name, allCommands, createTestContext({ env: { HOME: "/home/me" } })).find(
    (block) => block.heading === heading,
  )?.rows ?? [];

function commandSection(command: Command): string {
  const { words, summary, flags, shared } = command;
  const names = Object.keys(shared).map((name) => code(`--${name}`));
  return [
    `### dexdata ${words}\n`,
    `${usagesOf(command).map(code).join(" or ")}\n`,
    `${summary.replace(/[^.]$/u, "$&.")} ${costSentence(command)} ${exitSentence(command)}\n`,
    ...(Object.keys(flags).length === 0 ? [] : [flagTable(flags)]),
    ...(names.length === 0
      ? []
      : [`Shared flags: ${names.length > 20 ? "[all](#shared-flags)" : names.join(", ")}.\n`]),
  ].join("\n");
}

/** Everything between the markers of docs/reference.md. */
export const referenceParts: Readonly<Record<string, () => string>> = {
  commands: () =>
    [
      table(
        ["command", "purpose", "plan", "cost"],
        allCommands.map(({ words, summary, credits, plan }) => [
          `[${words}](#dexdata-${words.replaceAll(" ", "-")})`,
          summary,
          credits === undefined ? "" : plan.brief,
          credits?.brief ?? "none",
        ]),
      ),
      `These words work as well: ${hiddenWords.map(({ word, command, flag }) => `${code(word)} (${code(flag === undefined ? command : `${command} --${flag}`)})`).join(", ")}.\n`,
      ...allCommands.map(commandSection),
    ].join("\n"),
  "shared flags": () => flagTable(sharedFlags),
  plans: plansTable,
  feeds: () =>
    table(
      ["`--feed`", "assets", "assets per connection", "plan"],
      Object.values(feeds).map((feed) => {
        const [assets, perConnection, plan] = describeFeed(feed);
        return [
          code(feed.name),
          assets.replace(/--by \w+/u, "`$&`"),
          perConnection.replace(" per connection", ""),
          plan,
        ];
      }),
    ),
  events: () =>
    table(
      ["command", "values of `event`"],
      [
        ["`stream`", streamEvents.map(code).join(", ")],
        ["`txns --follow`", followEvents.map(code).join(", ")],
      ],
    ),
  "exit codes": () =>
    table(
      ["code", "meaning", "what a script should do"],
      Object.entries(exitCodes).map(([exit, { when, next }]) => [exit, when, next]),
    ),
  "error codes": () =>
    table(
      ["code", "exit", "retryable", "meaning", "next"],
      errorCodes.map((name) => {
        const { retryable, meaning, next } = factsOf(name);
        return [code(name), exitsOf(name).join(", "), retryable ? "yes" : "no", meaning, next];
      }),
    ),
  settings: () =>
    table(
      ["setting", "variable", "meaning", "default"],
      Object.values(settings).map((setting) => [
        setting.only === "environment" ? "" : code(setting.name),
        setting.only === "file" ? "" : code(setting.variable),
        setting.help,
        setting.fallbackText,
      ]),
    ),
  variables: () =>
    table(
      ["variable", "meaning"],
      [
        ...rowsOfTopic("environment", "Keys, time and directories (absolute paths)").map(
          ([name = "", text = ""]) => [code(name), text.replace("/home/me", "~")],
        ),
        ...sharedVariables,
      ],
    ),
  limits: () => table(["what", "limit"], rowsOfTopic("limits", "Limits")),
  topics: () => `${topicNames.map((name) => code(name)).join(", ")}\n`,
};

/** docs/agents.md: the topic `agents`. */
export function agentsPage(): string {
  const blocks = topicPage("agents", allCommands, createTestContext({})).slice(0, -1);
  const parts = blocks.map(({ heading, prose, rows = [] }) =>
    heading === undefined
      ? `${prose ?? ""}\n`
      : `## ${heading}\n\n${rows.map(([term, text]) => `- **${term}**: ${heading === "Tasks" ? text.replace(/^dexdata [^(]*(?<! )/u, "`$&`") : text}\n`).join("")}`,
  );
  return `# Agents\n\nThis page lists what a program or an agent needs; \`dexdata help agents\` prints it as well.\n\n${parts.join("\n")}`;
}

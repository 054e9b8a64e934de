import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { catalogue } from "../../src/cli/catalogue.ts";
import { creditsTopic } from "../../src/cli/help/topics/credits.ts";
import { topicNames } from "../../src/cli/help/topic-names.ts";
import { environmentTopic } from "../../src/cli/help/topics/environment.ts";
import { streamsTopic } from "../../src/cli/help/topics/streams.ts";
import type { Block } from "../../src/cli/help/page.ts";
import { exitCodes } from "../../src/contract/exit-codes.ts";
import { readme } from "../harness/readme.ts";
import { createTestContext } from "../harness/test-context.ts";

type Row = readonly string[];

const entries = catalogue();

/** What stands in the README between `<!-- <name>: …` and `<!-- /<name> -->`: a heading and its rows. */
const parts: Readonly<Record<string, () => readonly Row[]>> = {
  commands: () => [
    ["command", "what it gives", "plan", "credits"],
    ...entries.map(({ words, positionals, summary, plan, credits = "none" }): Row => [
      code(`${words} ${positionals}`.trim()),
      summary.replaceAll(/--[a-z]+/gu, "`$&`"),
      credits === "none"
        ? ""
        : plan
            .replace(", also without a key", "")
            .replaceAll(" or higher", "")
            .replaceAll(/--[a-z]+/gu, "`$&`"),
      credits,
    ]),
  ],
  feeds: () => [
    ["`--feed`", "an asset is", "assets a connection", "plan"],
    ...rowsOf(streamsTopic(), "Feeds").map(([feed, text]): Row => {
      const [asset = "", room = "", plan = ""] = text.split("; ");
      return [code(feed), asset.replaceAll(/--\w+ \w+/gu, "`$&`"), room.replace(" a connection", ""), plan];
    }),
  ],
  "exit-codes": () => [
    ["code", "when", "what a script does next"],
    ...Object.entries(exitCodes).map(([number, { when, next }]): Row => [
      number,
      when.replaceAll(/--max-credits|budget\.daily/gu, "`$&`"),
      next,
    ]),
  ],
  plans: () => [["plan", "what it has"], ...rowsOf(creditsTopic(entries), "Plans")],
  environment: () => [
    ["variable", "what it says"],
    // The others are named in a sentence: folders, and what other programs obey as well.
    ...["Settings", "Key and sandbox"]
      .flatMap((heading) => rowsOf(environmentTopic(createTestContext({})), heading))
      .map(([names, text]): Row => [code(names), text]),
  ],
};

function rowsOf(blocks: readonly Block[], heading: string): readonly (readonly [string, string])[] {
  return blocks.find((block) => block.heading === heading)?.rows ?? [];
}

const code = (text: string): string => `\`${text.replaceAll("|", "\\|")}\``;

function tableOf([head = [], ...rows]: readonly Row[]): string {
  const line = (cells: Row): string => `| ${cells.join(" | ")} |\n`;
  return `${line(head)}|${"---|".repeat(head.length)}\n${rows.map(line).join("")}`;
}

test.each(Object.keys(parts))("the README has a place for the table of %s", (name) => {
  expect(readme.split(`<!-- ${name}: written by npm run generate -->\n`)).toHaveLength(2);
  expect(readme.split(`<!-- /${name} -->\n`)).toHaveLength(2);
});

test("its tables are those that the program itself reads", async () => {
  let text = readme;
  for (const [name, rows] of Object.entries(parts)) {
    const between = new RegExp(`(<!-- ${name}: [^\\n]*\\n)[^]*?(?=<!-- /${name} -->)`, "u");
    text = text.replace(between, (_, begin: string) => `${begin}\n${tableOf(rows())}\n`);
  }
  await expect(text).toMatchFileSnapshot("../../README.md");
});

test("its walk from argv to stdout names files that there are, and functions that they export", () => {
  const walk = readme.split("passes through:\n\n```\n")[1]?.split("```")[0] ?? "";
  const places = [...walk.matchAll(/^([\w/-]+\.ts) +(.*)$/gmu)];
  expect(places.length).toBeGreaterThan(10);
  for (const [, file = "", said = ""] of places) {
    const source = readFileSync(file.startsWith("bin/") ? file : `src/${file}`, "utf8");
    const functions = [...said.matchAll(/(\w+)\(\)/gu)].map(([, name]) => name);
    const exported = [...source.matchAll(/^export (?:async )?function\*? (\w+)/gmu)].map(([, name]) => name);
    expect(exported, file).toEqual(expect.arrayContaining(functions));
  }
});

test("its links lead to headings and files that there are", () => {
  const headings = [...readme.matchAll(/^#+ (.*)$/gmu)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/gu, "")
      .replaceAll(" ", "-"),
  );
  expect(new Set(headings).size).toBe(headings.length);
  const links = [...readme.matchAll(/\]\(([^)]+)\)/gu)].map(([, link = ""]) => link);
  expect(links.length).toBeGreaterThan(10);
  const broken = links.filter((link) =>
    link.startsWith("#") ? !headings.includes(link.slice(1)) : !existsSync(link),
  );
  expect(broken).toEqual([]);
});

test("it names every topic", () => {
  for (const name of topicNames) expect(readme).toContain(`\`${name}\``);
});

test("it names every variable", () => {
  const names = environmentTopic(createTestContext({})).flatMap(({ rows = [] }) =>
    rows.map(([term]) => term),
  );
  for (const name of names.join(" ").match(/[A-Z_]{2,}/gu) ?? []) expect(readme).toContain(`\`${name}\``);
});

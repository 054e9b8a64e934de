import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { exitCodes } from "../../src/base/exit-codes.ts";
import { connectionsOfPlan } from "../../src/api/feed.ts";
import { topicNames } from "../../src/cli/program/help/overview.ts";
import { topicPage } from "../../src/cli/program/help/topics.ts";
import { allCommands } from "../../src/cli/all-commands.ts";
import { pages } from "../harness/readme.ts";
import { createTestContext } from "../harness/test-context.ts";
import { agentsPage, plansTable, referenceParts, verifyTable } from "./reference.ts";

const pageOf = (name: string): string => pages.get(name) ?? "";
const [readme, reference] = [pageOf("README.md"), pageOf("docs/reference.md")];

/** Replaces the text between `<!-- <name>: …` and `<!-- /<name> -->`. */
function withParts(text: string, parts: Readonly<Record<string, () => string>>): string {
  return Object.entries(parts).reduce((all, [name, write]) => {
    const between = new RegExp(`(<!-- ${name}: [^\\n]*\\n)[^]*?(?=<!-- /${name} -->)`, "u");
    return all.replace(between, (_, begin: string) => `${begin}\n${write()}\n`);
  }, text);
}

describe("generated tables", () => {
  test.each(Object.keys(referenceParts))("docs/reference.md has one place for the %s", (name) => {
    expect(reference.split(`<!-- ${name}: written by npm run generate -->\n`)).toHaveLength(2);
    expect(reference.split(`<!-- /${name} -->\n`)).toHaveLength(2);
  });

  test("docs/reference.md has the tables that the program uses", async () => {
    await expect(withParts(reference, referenceParts)).toMatchFileSnapshot("../../docs/reference.md");
  });

  test("the README has the plans that the program uses", async () => {
    const text = withParts(readme, { plans: plansTable });
    expect(text).toContain(
      `| dev | 30 USD | 500,000 per billing period | 120 | ${connectionsOfPlan.dev} | paid |`,
    );
    await expect(text).toMatchFileSnapshot("../../README.md");
  });

  test("docs/agents.md is the topic, and has at most 4 kB", async () => {
    const text = agentsPage();
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4000);
    await expect(text).toMatchFileSnapshot("../../docs/agents.md");
  });

  test("docs/archive.md has the rules of verify", async () => {
    const text = withParts(pageOf("docs/archive.md"), { rules: verifyTable });
    expect(text).toContain("| F1 | finding |");
    await expect(text).toMatchFileSnapshot("../../docs/archive.md");
  });

  test("the reference has every exit code, topic and variable", () => {
    for (const [code, { when }] of Object.entries(exitCodes)) {
      expect(reference).toContain(`| ${code} | ${when.replaceAll("|", "\\|")} |`);
    }
    for (const name of topicNames) expect(reference).toContain(`\`${name}\``);
    const topic = JSON.stringify(topicPage("environment", allCommands, createTestContext({})));
    const variables = topic.match(/\b(?:[A-Z]+_[A-Z_]+|TERM|LANG)\b/gu) ?? [];
    expect(variables.length).toBeGreaterThan(25);
    for (const name of variables) expect(reference).toContain(`\`${name}\``);
  });
});

test("the README has at most 150 lines, and the first 60 lead to everything else", () => {
  const lines = readme.trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(150);
  const start = lines.slice(0, 60).join("\n");
  for (const text of ["npm ci && npm run demo", "npm ci && npm test", "dexdata auth login", "docs/guide.md"])
    expect(start).toContain(text);
});

describe("links", () => {
  const others = ["CONTRIBUTING.md", "CHANGELOG.md", "test/README.md"];
  const texts = new Map([...pages, ...others.map((name) => [name, readFileSync(name, "utf8")] as const)]);
  const headings = (text: string): readonly string[] =>
    [...text.replaceAll(/^```[^]*?^```/gmu, "").matchAll(/^#+ (.*)$/gmu)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w -]/gu, "")
        .replaceAll(" ", "-"),
    );

  test.each([...texts])("of %s lead to headings and files that exist", (name, text) => {
    expect(new Set(headings(text)).size).toBe(headings(text).length);
    const links = [...text.matchAll(/\]\(([^)]+)\)/gu)].map(([, link = ""]) => link);
    const broken = links.filter((link) => {
      if (link.startsWith("https://")) return false;
      const [file = "", heading] = link.split("#");
      const target = file === "" ? name : path.join(path.dirname(name), file);
      if (!existsSync(target)) return true;
      return heading !== undefined && !headings(readFileSync(target, "utf8")).includes(heading);
    });
    expect(broken).toEqual([]);
  });

  test("from the README reach every page of docs/", () => {
    for (const page of pages.keys()) if (page !== "README.md") expect(readme).toContain(`](${page})`);
  });
});

test("docs/architecture.md names directories that exist, and all of them", () => {
  const text = pageOf("docs/architecture.md");
  const tree = /^src\/\n([^]*?)^test\//mu.exec(text)?.[1] ?? "";
  const named = new Map<string, string[]>();
  for (const [, indent = "", name = ""] of tree.matchAll(/^( +)([\w-]+)\//gmu))
    if (indent.length === 2) named.set(name, []);
    else [...named.values()].at(-1)?.push(name);
  const directoriesIn = (place: string): readonly string[] =>
    readdirSync(place, { withFileTypes: true }).flatMap((each) => (each.isDirectory() ? [each.name] : []));
  expect([...named.keys()].toSorted()).toEqual(directoriesIn("src").toSorted());
  for (const [room, parts] of named)
    if (parts.length > 0)
      expect([room, ...parts.toSorted()]).toEqual([room, ...directoriesIn(`src/${room}`).toSorted()]);
  const steps = /passes through[^]*?```\n([^]*?)```/u.exec(text)?.[1] ?? "";
  const places = [...steps.matchAll(/^([\w/]+\/) /gmu)].map(([, place = ""]) => place);
  expect(places.length).toBeGreaterThan(5);
  expect(places.filter((place) => !existsSync(place))).toEqual([]);
});

test("each page starts with a title and one sentence that names its subject", () => {
  for (const [name, text] of pages) {
    if (name === "README.md") continue;
    expect([name, text]).toEqual([
      name,
      expect.stringMatching(/^# \w+\n\nThis page (?:explains|lists|has) /u),
    ]);
  }
});

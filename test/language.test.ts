import { readdirSync, readFileSync } from "node:fs";
import { parseAst } from "rolldown/parseAst";
import { describe, expect, test } from "vitest";

/** Wording that user-facing text does not contain. Rephrase a sentence that matches instead of adding an exception. */
export const oddPhrases: readonly RegExp[] = [
  /\b(?:go|goes|going|gone|went) (?:on|with)\b/giu,
  /\banew\b|\bonce more\b|\bfurther\b(?! reading| information| details)/giu,
  /\b(?:whoever|whomever|nobody|somebody|anybody|strangers?)\b/giu,
  /\bso (?:long|many|much)\b/giu,
  /(?<!\bthere |\bhere )\b(?:is|are|was|were) (?:no|none)\b(?! longer\b)/giu,
  /\b(?:says?|said|tells?|told|heard)\b/giu,
  /\b(?:then |with |and )?what (?:came|comes|stands|stood|belongs|remains|ends|begins|moves|goes)\b/giu,
  /\b(?:nothing|events?|rows?|they|it|none) came\b|\bcame (?:before|late|meanwhile|there)\b/giu,
  /\bwhole\b(?! numbers?\b)/giu,
  /\banswer(?:s|ed|ing)?\b/giu,
  /\bask(?:s|ed|ing)?\b/giu,
  /\b(?:beside|but for|likewise|seldom|hence|thereof|therein|whereof|wherein|whereby|hitherto|amongst|whilst)\b/giu,
  /\bunder way\b|\bbr(?:eaks?|oke|oken|eaking) off\b|\bby (?:itself|themselves)\b/giu,
  /\bof (?:its|their|your|our|one's) own\b(?=[^\p{L}]*$|[,.;:)]| (?:and|or|is|are|to)\b)|\bof ours\b|\bthose of\b|\b(?:is|are|not|as) that of\b/giu,
  /\ban? [\p{L} ,]{2,60} (?:is|are) needed\b|\bnot known\b/giu,
  /\bno such (?:command|flag|column|parameter|path|record|profile|setting|folder)\b/giu,
  /\b(?:lies?|lay|stands?|stood) (?:in|ahead|outside|below|above|between|before|behind|there|here|apart|alone)\b/giu,
  /\btak(?:e|es|en|ing) (?:back|away)\b|\bput back\b|\bhand(?:s|ed|ing)? over\b|\b(?:is|are|was|were) (?:gone|over|begun)\b/giu,
  /\b(?:is|are|was|were) (?:neither )?kept\b|\bkept (?:aside|back|setting)\b|\bkeep a setting\b/giu,
  /\b(?:one|a credit|credits?|rows?|lines?|pages?|\d+) an? (?:request|address|event|row|page|read|token|connection|name|word|line)\b/giu,
  /\bcounted (?:under|this)\b|\bcounts (?:this|a request|the key)\b|\bwithout an? (?:hole|repeat|loss|word)\b|\bno (?:hole|repeat)\b/giu,
  /\bbound (?:it|a|them|the)\b|\bbounds (?:a|it|the)\b|\b(?:no|two|the|budget) bounds?\b/giu,
  /\binstants?\b|\bblanks?\b(?! lines?\b)|\bfolders?\b|\btails?\b(?! -)/giu,
  /\b(?:connection|network|disk|certificate) faults?\b|\bhas a fault\b|\b(?:the|whole|this|of) interface\b|\(interface /giu,
  /\bcolour(?:s|ed|ing)?\b|\btime-outs?\b|\blook whether\b|\bmend(?:s|ed)?\b|\bwrit(?:e|es|ten) down\b|\bmore exist\b|\bmade-up\b|\brights of\b/giu,
  /(?:^|[.!?;:] )(?:Retried|Obeyed|Counted|Refused|Written|Sent|Charged|Shown|Checked|Meant) (?:are|is|as)\b/gu,
  /\bfor good\b|\bfrom now on\b|\blooked for\b|\bcame twice\b/giu,
  /["›\w]: (?:is|are|was|were|has|have|goes|does|names|holds|belongs|lies|chooses|takes|begins|both) (?=\p{L})/gu,
];

const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "test/README.md",
  ...readdirSync("docs").flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : [])),
];

const filesBelow = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${directory}/${name.replaceAll("\\", "/")}`);

/** Returns the prose of a page: without code blocks, paths, and tables that are generated from the literals of `src/`. */
function proseOf(markdown: string): string {
  return markdown
    .replaceAll(/^```[^]*?^```$/gmu, "")
    .replaceAll(/^<!-- [^\n]*: written by npm run generate -->$[^]*?^<!-- \/[^\n]* -->$/gmu, "")
    .replaceAll(/\]\([^)]*\)/gu, "]")
    .replaceAll(/`[^`\s]*`/gu, "`x`")
    .replaceAll(/(?<=\S)\n(?=[^\n#|>-])/gu, " ");
}

/** Returns the string literals of a source that contain a space; an interpolated value reads `‹›`. */
function literalsOf(file: string): readonly string[] {
  const literals: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const each of node) visit(each);
    else if (node !== null && typeof node === "object") {
      const text = literalText(node);
      if (text !== undefined) literals.push(text);
      const isConcatenation = text !== undefined && "operator" in node;
      if (!isConcatenation) for (const each of Object.values(node)) visit(each);
    }
  };
  visit(parseAst(readFileSync(file, "utf8"), { lang: "ts" }));
  return literals.filter((text) => text.includes(" "));
}

/** Returns the text of a literal, a template, or a sum of them; undefined for any other node. */
function literalText(node: object): string | undefined {
  const { type, value, quasis, operator, left, right }: Readonly<Record<string, unknown>> = Object(node);
  if (type === "Literal" && typeof value === "string") return value;
  if (type === "TemplateLiteral" && Array.isArray(quasis))
    return quasis.map((quasi: unknown) => String(Object(Object(quasi).value).cooked)).join("‹›");
  if (type !== "BinaryExpression" || operator !== "+") return undefined;
  const [first, second] = [literalText(Object(left)), literalText(Object(right))];
  return first === undefined && second === undefined ? undefined : `${first ?? "‹›"}${second ?? "‹›"}`;
}

/** One search that finds at least as much as all of them: most texts have none, and there are thousands. */
const anyOdd = new RegExp(oddPhrases.map(({ source }) => source).join("|"), "iu");

function findOddPhrases(text: string): readonly string[] {
  const line = text.replaceAll(/[^\S\n]+/gu, " ");
  if (!anyOdd.test(line)) return [];
  return oddPhrases.flatMap((phrase) =>
    [...line.matchAll(phrase)].map(
      ({ index, 0: found }) => `${found}: …${line.slice(Math.max(0, index - 40), index + 40)}…`,
    ),
  );
}

describe("no odd phrases", () => {
  test.each(documents)("in %s", (name) => {
    expect(findOddPhrases(proseOf(readFileSync(name, "utf8")))).toEqual([]);
  });

  test.each(["bin", "src"])("in the literals of %s", (directory) => {
    const found = filesBelow(directory).flatMap((name) =>
      literalsOf(name)
        .flatMap((text) => findOddPhrases(text.replaceAll("\n", " ")))
        .map((phrase) => `${name}: ${phrase}`),
    );
    expect(found).toEqual([]);
  });
});

test("the phrases are found in prose, in literals and in sums of literals", () => {
  expect(findOddPhrases(proseOf("# A page\n\nWhere nobody\nasks. Retried\nare 429.\n"))).toHaveLength(3);
  expect(findOddPhrases(proseOf("```\nnobody asks\n```\n"))).toEqual([]);
  const literals = literalsOf("src/cli/program/help/overview.ts");
  expect(literals).toContain("dexdata <command> [flags]; short help: <command> -h; all flags: --help");
  expect(literals.some((text) => text.includes("‹›"))).toBe(true);
});

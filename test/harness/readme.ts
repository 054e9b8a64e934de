import { readdirSync, readFileSync } from "node:fs";

/** A command at a prompt, and the output below it. */
export interface Step {
  readonly command: string;
  readonly shown: readonly string[];
}

/** The console blocks below one heading of a page. */
export interface Section {
  readonly page: string;
  readonly heading: string;
  readonly steps: readonly Step[];
}

interface Block {
  readonly page: string;
  readonly heading: string;
  readonly language: string;
  readonly lines: readonly string[];
}

/** The pages for users: the README, then docs/, each with its text. */
export const pages: ReadonlyMap<string, string> = new Map(
  [
    "README.md",
    ...readdirSync("docs")
      .filter((name) => name.endsWith(".md"))
      .map((name) => `docs/${name}`)
      .toSorted(),
  ].map((page) => [page, readFileSync(page, "utf8")]),
);

const blocks: readonly Block[] = [...pages].flatMap(([page, text]) => [...readBlocks(page, text)]);

function* readBlocks(page: string, text: string): Generator<Block> {
  let heading = "";
  let open: { language: string; lines: string[] } | undefined;
  for (const line of text.split("\n")) {
    if (open !== undefined && line === "```") {
      yield { page, heading, ...open };
      open = undefined;
    } else if (open !== undefined) open.lines.push(line);
    else if (line.startsWith("```")) open = { language: line.slice(3), lines: [] };
    else heading = /^#+ (.*)$/u.exec(line)?.[1] ?? heading;
  }
}

/** Returns the blocks of a language as texts, in order. */
export function blocksOf(language: string): readonly string[] {
  return blocks.filter((block) => block.language === language).map(({ lines }) => `${lines.join("\n")}\n`);
}

/** Returns the block that begins with `# /etc/…/<name>`, as a comment of its language. */
export function fileOfPages(name: string): string {
  const found = blocks.find(
    ({ lines }) => /^(?:#|\/\/|--) /u.test(lines[0] ?? "") && lines[0]?.endsWith(name),
  );
  if (found === undefined) throw new Error(`no page has a block for the file ${name}`);
  return `${found.lines.join("\n")}\n`;
}

export function consoleSections(): readonly Section[] {
  const sections = new Map<string, Step[]>();
  for (const { page, heading, language, lines } of blocks) {
    if (language !== "console") continue;
    const name = `${page}#${heading}`;
    sections.set(name, [...(sections.get(name) ?? []), ...readSteps(lines)]);
  }
  return [...sections].map(([name, steps]) => {
    const [page = "", heading = ""] = name.split("#");
    return { page, heading, steps };
  });
}

/** `$ ` begins a command, and `> ` continues it, as in a shell. */
function readSteps(lines: readonly string[]): readonly Step[] {
  const steps: { command: string; shown: string[] }[] = [];
  for (const line of lines) {
    const last = steps.at(-1);
    if (line.startsWith("$ ")) steps.push({ command: line.slice(2), shown: [] });
    else if (last === undefined) throw new Error(`a console block begins without a command: ${line}`);
    else if (line.startsWith("> ") && last.shown.length === 0) last.command += `\n${line.slice(2)}`;
    else last.shown.push(line);
  }
  return steps;
}

/** Returns the pattern of the output below a command: a line `…` is any number of lines, and `…` in a line any text. */
export function patternOf(shown: readonly string[]): RegExp {
  const lines = shown.map((line) =>
    line === "…"
      ? "(?:[^\\n]*\\n)*"
      : `${line
          .split("…")
          .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, "\\$&"))
          .join("[^\\n]*")}\\n`,
  );
  return new RegExp(`^${lines.join("")}$`, "u");
}

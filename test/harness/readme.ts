import { readFileSync } from "node:fs";

/** What is typed at a prompt, and what then stands below it; nothing means that it is not compared. */
export interface Step {
  readonly command: string;
  readonly shown: readonly string[];
}

/** The console blocks below one heading. */
export interface Section {
  readonly heading: string;
  readonly steps: readonly Step[];
}

interface Block {
  readonly heading: string;
  readonly language: string;
  readonly lines: readonly string[];
}

export const readme = readFileSync("README.md", "utf8");

const blocks: readonly Block[] = [...readBlocks(readme)];

function* readBlocks(text: string): Generator<Block> {
  let heading = "";
  let open: { language: string; lines: string[] } | undefined;
  for (const line of text.split("\n")) {
    if (open !== undefined && line === "```") {
      yield { heading, ...open };
      open = undefined;
    } else if (open !== undefined) open.lines.push(line);
    else if (line.startsWith("```")) open = { language: line.slice(3), lines: [] };
    else heading = /^#+ (.*)$/u.exec(line)?.[1] ?? heading;
  }
}

/** The blocks of a language as texts, in order. */
export function blocksOf(language: string): readonly string[] {
  return blocks.filter((block) => block.language === language).map(({ lines }) => `${lines.join("\n")}\n`);
}

/** A block that begins with `# /etc/…/<name>`. */
export function fileOfReadme(name: string): string {
  const found = blocks.find(({ lines }) => lines[0]?.startsWith("# ") && lines[0].endsWith(name));
  if (found === undefined) throw new Error(`no block of the README is the file ${name}`);
  return `${found.lines.join("\n")}\n`;
}

export function consoleSections(): readonly Section[] {
  const sections = new Map<string, Step[]>();
  for (const { heading, language, lines } of blocks) {
    if (language !== "console") continue;
    const steps = sections.get(heading) ?? [];
    sections.set(heading, [...steps, ...readSteps(lines)]);
  }
  return [...sections].map(([heading, steps]) => ({ heading, steps }));
}

/** `$ ` begins a command, and `> ` goes on with it, as in the shell itself. */
function readSteps(lines: readonly string[]): readonly Step[] {
  const steps: { command: string; shown: string[] }[] = [];
  for (const line of lines) {
    const last = steps.at(-1);
    if (line.startsWith("$ ")) steps.push({ command: line.slice(2), shown: [] });
    else if (last === undefined) throw new Error(`a console block begins with what nobody typed: ${line}`);
    else if (line.startsWith("> ") && last.shown.length === 0) last.command += `\n${line.slice(2)}`;
    else last.shown.push(line);
  }
  return steps;
}

/** What may stand below a command: `…` alone is any number of lines, and within a line anything. */
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

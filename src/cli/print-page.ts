import type { Context } from "../base/context/context.ts";
import type { Block } from "./help-page.ts";
import { writePaged } from "./render/held-output.ts";
import { createPaint, type Paint, isUsuallyColored, readsUnicode } from "./render/terminal.ts";
import { asciiText } from "../base/text/unsafe-text.ts";
import { wrapWords } from "../base/text/words.ts";

/** Long lines are hard to read on a wide terminal. */
const widest = 100;
const usual = 80;

/** Headings are bold if color is enabled. */
export async function printPage(blocks: readonly Block[], context: Context): Promise<void> {
  const { isTerminal, columns } = context.stdout;
  const width = Math.min(columns ?? usual, widest);
  const paint = await createPaint(isUsuallyColored(context));
  const page = readsUnicode(context.env) ? blocks : blocks.map(inAscii);
  await writePaged(context.stdout, drawPage(page, { width, breaksCommands: isTerminal, paint }));
}

/** A terminal without UTF-8 would garble other characters. Commands are ASCII anyway. */
function inAscii({ prose, rows, ...block }: Block): Block {
  return {
    ...block,
    ...(prose !== undefined && { prose: plainText(prose) }),
    ...(rows !== undefined && { rows: rows.map(([term, text]) => [plainText(term), plainText(text)]) }),
  };
}

const plainText = (text: string): string =>
  asciiText(text.replaceAll("…", "...").replaceAll("→", "->").replaceAll(/[–—]/gu, "-"));

interface Paper {
  readonly width: number;
  /** False for a pipe, which has no width. */
  readonly breaksCommands: boolean;
  readonly paint: Paint;
}

const indent = "  ";

/** The text of every row starts in the same column, except after a term that is too wide. */
export function drawPage(blocks: readonly Block[], paper: Paper): string {
  const column = columnOf(blocks, paper.width);
  return blocks
    .map((block, index) => {
      const before = index === 0 || block.isClose === true ? "" : "\n";
      return `${before}${drawBlock(block, paper, column).join("\n")}\n`;
    })
    .join("");
}

export function columnOf(blocks: readonly Block[], width: number): number {
  const widestTerm = Math.floor(width * 0.44);
  const terms = blocks.flatMap(({ rows = [] }) => rows.map(([term]) => term.length));
  return Math.max(0, ...terms.filter((length) => length <= widestTerm));
}

function drawBlock(block: Block, paper: Paper, column: number): readonly string[] {
  const { width, paint } = paper;
  const { heading, label, prose, rows = [], commands = [] } = block;
  const lines: string[] = [];
  if (heading !== undefined) lines.push(paint(`${heading}:`, "heading"));
  if (prose !== undefined && label !== undefined) {
    const [first = "", ...rest] = wrapWords(`${label}: ${prose}`, width);
    lines.push(`${paint(`${label}:`, "heading")}${first.slice(label.length + 1)}`, ...rest);
  } else if (prose !== undefined) lines.push(...wrapWords(prose, width));
  for (const [term, text] of rows) lines.push(...drawRow(term, text, width, column));
  for (const command of commands) lines.push(...drawCommand(command, paper));
  return lines;
}

function drawRow(term: string, text: string, width: number, column: number): readonly string[] {
  const hanging = " ".repeat(indent.length + column + 2);
  const [first = "", ...rest] = wrapWords(text, width - hanging.length);
  const more = rest.map((line) => `${hanging}${line}`);
  const line = `${indent}${term}  ${text}`;
  if (term.length > column && line.length <= width) return [line];
  if (term.length > column) return [`${indent}${term}`, `${hanging}${first}`, ...more];
  return [`${indent}${term.padEnd(column)}  ${first}`.trimEnd(), ...more];
}

/** Ends each line with a backslash, so that a shell joins the lines. */
function drawCommand(command: string, { width, breaksCommands }: Paper): readonly string[] {
  if (!breaksCommands || indent.length + command.length <= width) return [`${indent}${command}`];
  const words = command.match(/(?:'[^']*'|[^\s'])+/gu) ?? [];
  const lines: string[] = [];
  let line = indent;
  for (const [index, word] of words.entries()) {
    // Keep a flag and its value on the same line if both fit.
    const together = word.startsWith("-") ? `${word} ${words[index + 1] ?? ""}` : word;
    const isFull = line.trim() !== "" && line.length + 1 + together.length + 2 > width;
    if (isFull) {
      lines.push(`${line} \\`);
      line = `${indent}${indent}${indent}${word}`;
    } else line += line.trim() === "" ? word : ` ${word}`;
  }
  return [...lines, line];
}

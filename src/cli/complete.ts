import type { Context } from "../base/context/context.ts";
import { attempt, Failure } from "../base/failure.ts";
import type { Command } from "./commands/command.ts";
import {
  type Asked,
  commandWords,
  type Completion,
  files,
  flagsOf,
  flagWords,
  nothing,
  only,
  positionalWords,
  readFlag,
  readTypedLine,
  valueWords,
} from "./program/completion.ts";
import { visibleText } from "../base/text/unsafe-text.ts";

/** Completes the last word, which can be empty. `words` does not include the program name. */
export function complete(
  context: Pick<Context, "env" | "platform">,
  entries: readonly Command[],
  words: readonly string[],
): Completion {
  const current = words.at(-1) ?? "";
  const redirection = /^\d*&?[<>]+[|&]?/u.exec(current)?.[0];
  const before = words.slice(0, -1);
  if (redirection !== undefined) return files(redirection);
  if (/^\d*&?[<>]+\|?$/u.test(before.at(-1) ?? "")) return files("");
  const line = readTypedLine(entries, before);
  if (line === undefined) return nothing;
  const asked = { context, entries, line };
  if (line.pending !== undefined) return valueWords(asked, line.pending, "", current);
  if (!line.isAfterDashes && current.startsWith("-")) return atFlag(asked, current);
  if (line.entry === undefined) return only(commandWords(entries, line.path));
  return positionalWords(asked, line.entry, current);
}

function atFlag(asked: Asked, current: string): Completion {
  const { flag } = readFlag(flagsOf(asked.line.entry), current);
  const attached = /^--[^=]+=/u.exec(current)?.[0] ?? /^-[^-]=?/u.exec(current)?.[0];
  const isValue =
    flag?.type.placeholder !== undefined && attached !== undefined && current !== `-${flag.short ?? ""}`;
  if (isValue) return valueWords(asked, flag, attached, current);
  return only(flagWords(asked.line));
}

/**
 * The output of `dexdata __complete <shell> <word>…`: the kind and the prefix, then one candidate per line, with tabs
 * between the columns. Bash shows every line. zsh and fish match the candidates themselves.
 */
export function answerShell(
  context: Pick<Context, "env" | "platform">,
  commands: readonly Command[],
  argv: readonly string[],
): string {
  const [shell, ...raw] = argv;
  // Bash passes words with their quotes and backslashes.
  const words =
    shell === "bash" ? raw.map((word) => word.replaceAll(/\\(.)/gu, "$1").replaceAll(/["']/gu, "")) : raw;
  const completion = attempt(() => complete(context, commands, words));
  // A prompt has no place for a message. The command itself reports an invalid variable.
  const { kind, prefix, candidates } = completion instanceof Failure ? nothing : completion;
  const partial = (words.at(-1) ?? "").slice(prefix.length);
  const shown = shell === "bash" ? candidates.filter(({ word }) => word.startsWith(partial)) : candidates;
  const lines = shown.map(({ word, description = "" }) => `${word}\t${visibleText(description)}`);
  return [`${kind}\t${prefix}`, ...lines].map((line) => `${line}\n`).join("");
}

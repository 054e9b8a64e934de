import type { Context } from "../../context/context.ts";
import type { CatalogueEntry } from "../catalogue.ts";
import { type Asked, type Completion, files, nothing, only } from "./completion.ts";
import { commandWords } from "./command-words.ts";
import { flagWords, valueWords } from "./flag-words.ts";
import { positionalWords } from "./positional-words.ts";
import { flagsOf, readFlag, readTypedLine } from "./typed-line.ts";

/** Words of the command line after the program's name, the last one as far as the cursor; it may be empty. */
export function complete(
  context: Pick<Context, "env" | "platform">,
  entries: readonly CatalogueEntry[],
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
  const attached = /^--[^=]+=/u.exec(current)?.[0] ?? /^-[^-]/u.exec(current)?.[0];
  const isValue = flag?.value !== undefined && attached !== undefined && current !== `-${flag.short ?? ""}`;
  if (isValue) return valueWords(asked, flag, attached, current);
  return only(flagWords(asked.line));
}

import type { Context } from "../../context/context.ts";
import { visibleText } from "../../render/sanitise.ts";
import { catalogue } from "../catalogue.ts";
import { complete } from "./complete.ts";
import type { Candidate } from "./completion.ts";

/**
 * What `dexdata __complete <shell> <word>…` prints for the completion scripts: kind and prefix, then a candidate a
 * line, with tabs between. Bash shows what it is given; zsh and fish match for themselves, as their users set them up.
 */
export function answerShell(context: Pick<Context, "env" | "platform">, argv: readonly string[]): string {
  const [shell, ...raw] = argv;
  const words = shell === "bash" ? raw.map(unquoted) : raw;
  const { kind, prefix, candidates } = complete(context, catalogue(), words);
  const partial = (words.at(-1) ?? "").slice(prefix.length);
  const shown = shell === "bash" ? candidates.filter(({ word }) => word.startsWith(partial)) : candidates;
  return [`${kind}\t${prefix}`, ...shown.map(lineOf)].map((line) => `${line}\n`).join("");
}

function lineOf({ word, description = "" }: Candidate): string {
  return `${word}\t${visibleText(description)}`;
}

/** Bash hands words over as they were typed. */
function unquoted(word: string): string {
  return word.replaceAll(/\\(.)/gu, "$1").replaceAll(/["']/gu, "");
}

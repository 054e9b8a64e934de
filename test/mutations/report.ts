import { readFileSync, writeFileSync } from "node:fs";
import { subjects } from "./subjects.ts";
import type { Mutant } from "./sample.ts";
import { words } from "./words.ts";

const list = "test/mutations/SURVIVORS.md";

/** Only the mutants in the current list. */
export function listedIn(mutants: readonly Mutant[]): readonly Mutant[] {
  const listed = readFileSync(list, "utf8");
  return mutants.filter(({ file, name }) => listed.includes(code(name.slice(file.length + 2))));
}

/** The committed list of mutants that the tests did not notice. */
export function writeSurvivors(seed: number, mutants: readonly Mutant[], survivors: readonly Mutant[]): void {
  const count = (all: readonly Mutant[], files: object): number =>
    all.filter(({ file }) => Object.hasOwn(files, file)).length;
  const noticed = mutants.length - survivors.length;
  const share = ((100 * noticed) / mutants.length).toFixed(1);
  const sorted = survivors.toSorted((one, other) =>
    one.file < other.file ? -1 : one.file > other.file ? 1 : one.line - other.line,
  );
  const lines = [
    "# What the tests do not notice",
    "",
    "Written by `npm run test:mutations`; the words are those of `words.ts`.",
    "",
    `Of ${mutants.length} changes that seed ${seed} draws, ${noticed} are noticed: ${share} %.`,
    "",
    "| subject | changes | noticed |",
    "|---|---|---|",
    ...subjects.map(({ name, files }) => {
      const drawn = count(mutants, files);
      return `| ${name} | ${drawn} | ${drawn - count(survivors, files)} |`;
    }),
    "",
    "| where | operator | change | word |",
    "|---|---|---|---|",
    ...sorted.map(({ file, line, operator, name }) => {
      const change = name.slice(file.length + 2);
      return `| \`${file}:${line}\` | ${operator} | ${code(change)} | ${words[name] ?? "**not looked at**"} |`;
    }),
    "",
  ];
  writeFileSync(list, lines.join("\n"));
}

function code(text: string): string {
  return `\`\` ${text.replaceAll("|", "\\|")} \`\``;
}

import type { CatalogueEntry } from "../catalogue.ts";
import { nextWords, prefixes, takesFile } from "./words.ts";

export function fishScript(entries: readonly CatalogueEntry[]): string {
  const lines = nextWords(entries, "").map(
    ({ words, summary }) => `complete -c dexdata -n __fish_use_subcommand -a ${words} -d ${quoted(summary)}`,
  );
  for (const prefix of prefixes(entries)) {
    const inner = nextWords(entries, prefix);
    const without = inner.map(({ words }) => words).join(" ");
    for (const { words, summary } of inner) {
      lines.push(
        `complete -c dexdata -n "__fish_seen_subcommand_from ${prefix}; and not __fish_seen_subcommand_from ${without}" -a ${words} -d ${quoted(summary)}`,
      );
    }
  }
  for (const { words, flags } of entries) {
    const seen = words
      .split(" ")
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join("; and ");
    for (const flag of flags) {
      const short = flag.short === undefined ? "" : ` -s ${flag.short}`;
      const value =
        flag.value === undefined
          ? ""
          : flag.choices === undefined
            ? takesFile(flag)
              ? " -rF"
              : " -x"
            : ` -xa ${quoted(flag.choices.join(" "))}`;
      lines.push(`complete -c dexdata -n "${seen}" -l ${flag.name}${short}${value} -d ${quoted(flag.help)}`);
    }
  }
  return `# fish completion for dexdata, written by \`npm run generate\`
complete -c dexdata -f
${lines.join("\n")}
`;
}

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;

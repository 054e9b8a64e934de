import type { CatalogueEntry } from "../catalogue.ts";
import type { Flag } from "../flags/flags.ts";
import { nextWords, prefixes, takesFile } from "./words.ts";

export function zshScript(entries: readonly CatalogueEntry[]): string {
  const list = (prefix: string): string =>
    `  local -a words=(\n${nextWords(entries, prefix).map(described).join("\n")}\n  )\n  _describe command words`;
  const cases = entries.map(
    ({ words, flags }) => `    ${zshQuoted(words)}) _arguments \\\n${flags.map(argument).join(" \\\n")} ;;`,
  );
  const groups = prefixes(entries).map((prefix) => `    ${prefix})\n${list(prefix)} ;;`);
  return `#compdef dexdata
# zsh completion for dexdata, written by \`npm run generate\`
_dexdata() {
  local command="\${words[2]}"
  if (( CURRENT == 2 )); then
${list("")}
    return
  fi
  case "$command" in
    ${prefixes(entries).join("|")}) (( CURRENT > 3 )) && command="$command \${words[3]}" ;;
  esac
  case "$command" in
${groups.join("\n")}
${cases.join("\n")}
  esac
}
_dexdata "$@"
`;
}

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

const described = (entry: CatalogueEntry): string =>
  `    ${zshQuoted(`${entry.words}:${entry.summary.replaceAll(":", " ")}`)}`;

const argument = (flag: Flag): string => {
  const help = flag.help.replaceAll(/[[\]:]/gu, " ");
  const action =
    flag.choices === undefined ? (takesFile(flag) ? "_files" : " ") : `(${flag.choices.join(" ")})`;
  const value = flag.value === undefined ? "" : `:${flag.value.replaceAll(":", " ")}:${action}`;
  const again = flag.isRepeatable === true ? "*" : "";
  return `    ${zshQuoted(`${again}--${flag.name}[${help}]${value}`)}`;
};

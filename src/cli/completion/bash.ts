import type { CatalogueEntry } from "../catalogue.ts";
import { nextWords, prefixes, takesFile } from "./words.ts";

const words = (list: readonly string[]): string => list.join(" ");

export function bashScript(entries: readonly CatalogueEntry[]): string {
  const cases = entries.map(({ words: command, flags }) => {
    const choices = flags.flatMap(({ name, short, choices: known }) =>
      known === undefined
        ? []
        : [
            `      ${short === undefined ? "" : `-${short}|`}--${name}) COMPREPLY=($(compgen -W "${words(known)}" -- "$current")); return;;`,
          ],
    );
    const files = flags.filter(takesFile).map(({ name }) => `--${name}`);
    const fileCase =
      files.length === 0
        ? []
        : [`      ${files.join("|")}) COMPREPLY=($(compgen -f -- "$current")); return;;`];
    const values = flags.filter(
      (flag) => flag.value !== undefined && flag.choices === undefined && !takesFile(flag),
    );
    const valueCase =
      values.length === 0 ? [] : [`      ${values.map(({ name }) => `--${name}`).join("|")}) return;;`];
    return [
      `    "${command}")`,
      `      case "$previous" in`,
      ...[...choices, ...fileCase, ...valueCase].map((line) => `  ${line}`),
      `      esac`,
      `      COMPREPLY=($(compgen -W "${words(flags.map(({ name }) => `--${name}`))} --help" -- "$current"));;`,
    ].join("\n");
  });
  const groups = prefixes(entries).map(
    (prefix) =>
      `    "${prefix}") COMPREPLY=($(compgen -W "${words(nextWords(entries, prefix).map((entry) => entry.words))}" -- "$current"));;`,
  );
  return `# bash completion for dexdata, written by \`npm run generate\`
_dexdata() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" command="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command $word" in
      ${entries
        .map(({ words: command }) => `" ${command}"`)
        .filter((each) => !each.slice(2).includes(" "))
        .join("|")}|${prefixes(entries)
        .map((prefix) => `" ${prefix}"`)
        .join("|")}|${entries
        .filter(({ words: command }) => command.includes(" "))
        .map(({ words: command }) => `"${command}"`)
        .join("|")})
        command="\${command:+$command }$word";;
    esac
  done
  COMPREPLY=()
  case "$command" in
    "") COMPREPLY=($(compgen -W "${words(nextWords(entries, "").map((entry) => entry.words))} --help --version" -- "$current"));;
${groups.join("\n")}
${cases.join("\n")}
  esac
}
complete -F _dexdata dexdata
`;
}

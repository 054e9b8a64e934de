export const shells = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof shells)[number];

/** The text of a script as it stands, but `@{` for `${`, which TypeScript would take for its own. */
function shellText({ raw }: TemplateStringsArray): string {
  return raw.join("").replaceAll("@{", "${");
}

/** Hands the words before the cursor to `dexdata __complete`, and zsh what it says of them. */
const zshScript = shellText`#compdef dexdata
# zsh completion for dexdata, written by "npm run generate"
_dexdata() {
  local -a program lines closed open
  local kind prefix line word description
  program=(@{(Q)@{~words[1]}})
  (( $+aliases[$words[1]] )) && program=(@{(Q)@{(z)aliases[$words[1]]}})
  lines=("@{(@f)$($program __complete zsh "@{(@Q)words[2,CURRENT-1]}" "@{(Q)PREFIX}" 2>/dev/null)}")
  kind=@{lines[1]%%$'\t'*}
  prefix=@{lines[1]#*$'\t'}
  [[ -n $prefix ]] && compset -P "@{(b)prefix}"
  if [[ $kind == files ]]; then
    _files
    return
  fi
  for line in "@{(@)lines[2,-1]}"; do
    word=@{line%%$'\t'*}
    description=@{line#*$'\t'}
    line=@{word//:/\\:}@{description:+:$description}
    if [[ $word == *[:=,.] ]]; then
      open+=("$line")
    else
      closed+=("$line")
    fi
  done
  (( $#closed )) && _describe -V -t words word closed
  (( $#open )) && _describe -V -t prefixes prefix open -S ''
}
# Loaded by compinit it is called at once; sourced, it is registered.
if [[ $funcstack[1] == _dexdata ]]; then
  _dexdata "$@"
else
  compdef _dexdata dexdata
fi
`;

/** Hands the words before the cursor to `dexdata __complete`, and fish what it says of them. */
const fishScript = shellText`# fish completion for dexdata, written by "npm run generate"
function __dexdata_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] __complete fish $words[2..-1] "$current" 2>/dev/null)
    set -l first (string split \t -- $lines[1])
    if test "$first[1]" = files
        set -l rest (string sub -s (math (string length -- "$first[2]") + 1) -- "$current")
        for file in (__fish_complete_path "$rest")
            echo -- $first[2]$file
        end
        return
    end
    for line in $lines[2..-1]
        echo -- $first[2]$line
    end
end
complete -c dexdata -f -k -a '(__dexdata_complete)'
`;

/** Hands the words before the cursor to `dexdata __complete`, and Bash what it says of them. */
const bashScript = shellText`# bash completion for dexdata, written by "npm run generate"
_dexdata() {
  local line=@{COMP_LINE:0:COMP_POINT} rest word i kind="" prefix="" kept="" breaks current
  local -a words=() program=()
  COMPREPLY=()
  # Bash splits words at : = @ too. What no blank separates is one word here.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    rest=@{line#"@{line%%[![:space:]]*}"}
    word=@{COMP_WORDS[i]}
    ((i == COMP_CWORD)) && word=$rest
    if ((i > 0)) && [[ $rest == "$line" ]]; then
      words[@{#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    line=@{rest#"$word"}
  done
  current=@{words[@{#words[@]}-1]}
  # Of the word under the cursor Bash replaces what follows the last of these characters; an @ in front belongs to it.
  breaks=@{COMP_WORDBREAKS//[^:=]/}
  if [[ $current == [\"\']* ]]; then
    current=@{current:1}
  elif [[ -n $breaks && $current == *[$breaks]* ]]; then
    kept=@{current%"@{current##*[$breaks]}"}
  fi
  program=("@{words[0]/#\~/$HOME}")
  if [[ @{words[0]} == dexdata && -n @{BASH_ALIASES[dexdata]:-} ]]; then
    eval "program=(@{BASH_ALIASES[dexdata]})"
  fi
  while IFS=$'\t' read -r word rest; do
    if [[ -z $kind ]]; then
      kind=$word prefix=$rest
    else
      word=$prefix$word
      COMPREPLY+=("@{word#"$kept"}")
    fi
  done < <("@{program[@]}" __complete bash "@{words[@]:1}" 2>/dev/null)
  if [[ $kind == files ]]; then
    rest=@{current#"$prefix"}
    # Bash marks folders and quotes names by itself, but not behind a prefix of ours.
    [[ $kept == "$prefix" ]] && compopt -o filenames 2>/dev/null
    while IFS= read -r word; do
      if [[ $kept != "$prefix" ]]; then
        [[ -d $word ]] && compopt -o nospace 2>/dev/null && word+=/
        printf -v word '%s%q' "$prefix" "$word"
      fi
      COMPREPLY+=("@{word#"$kept"}")
    done < <(compgen -f -- "@{rest//\\/}")
  elif [[ @{#COMPREPLY[@]} == 1 && @{COMPREPLY[0]} == *[:=,.] ]]; then
    compopt -o nospace 2>/dev/null
  else
    compopt -o nosort 2>/dev/null
  fi
}
complete -F _dexdata dexdata
`;

/** Each asks the program at every Tab, so that none of them grows old when a command changes. */
export const completionScripts: Readonly<Record<Shell, string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

import { shellText } from "./shell-text.ts";

/** Hands the words before the cursor to `dexdata __complete`, and zsh what it says of them. */
export const zshScript = shellText`#compdef dexdata
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

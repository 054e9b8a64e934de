# bash completion for dexdata
_dexdata() {
  local line=${COMP_LINE:0:COMP_POINT} rest word i kind="" prefix="" kept="" breaks current
  local -a words=() program=()
  COMPREPLY=()
  # Bash also splits words at : = and @. Here, parts without a space between them are joined to one word.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    rest=${line#"${line%%[![:space:]]*}"}
    word=${COMP_WORDS[i]}
    ((i == COMP_CWORD)) && word=$rest
    if ((i > 0)) && [[ $rest == "$line" ]]; then
      words[${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    line=${rest#"$word"}
  done
  current=${words[${#words[@]}-1]}
  # Bash replaces the part of the word that follows the last : or =. An @ at the start is included in that part.
  breaks=${COMP_WORDBREAKS//[^:=]/}
  if [[ $current == [\"\']* ]]; then
    current=${current:1}
  elif [[ -n $breaks && $current == *[$breaks]* ]]; then
    kept=${current%"${current##*[$breaks]}"}
  fi
  program=("${words[0]/#\~/$HOME}")
  if [[ ${words[0]} == dexdata && -n ${BASH_ALIASES[dexdata]:-} ]]; then
    eval "program=(${BASH_ALIASES[dexdata]})"
  fi
  while IFS=$'\t' read -r word rest; do
    if [[ -z $kind ]]; then
      kind=$word prefix=$rest
    else
      word=$prefix$word
      COMPREPLY+=("${word#"$kept"}")
    fi
  done < <("${program[@]}" __complete bash "${words[@]:1}" 2>/dev/null)
  if [[ $kind == files ]]; then
    rest=${current#"$prefix"}
    # Bash marks directories and quotes names itself, but not if the candidates need a prefix.
    [[ $kept == "$prefix" ]] && compopt -o filenames 2>/dev/null
    while IFS= read -r word; do
      if [[ $kept != "$prefix" ]]; then
        [[ -d $word ]] && compopt -o nospace 2>/dev/null && word+=/
        printf -v word '%s%q' "$prefix" "$word"
      fi
      COMPREPLY+=("${word#"$kept"}")
    done < <(compgen -f -- "${rest//\\/}")
  elif [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[:=,.] ]]; then
    compopt -o nospace 2>/dev/null
  else
    compopt -o nosort 2>/dev/null
  fi
}
complete -F _dexdata dexdata

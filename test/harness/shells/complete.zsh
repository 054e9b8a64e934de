# Types each line of $CASES into an interactive zsh, presses Tab where its | stands, and prints "== <line>", the words
# that zsh takes for possible, whole, and "=> <what the line became>".
zmodload zsh/zpty
capture=$(mktemp)
zpty inner "CAPTURE=$capture zsh -f -i"
print -r -- '
PROMPT=; unsetopt beep; unset zle_bracketed_paste
fpath=($COMPLETIONS $fpath)
autoload -U compinit && compinit -D -u
bindkey "^I" complete-word
bindkey "^U" kill-whole-line
LISTMAX=10000
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
    builtin compadd "$@"
    return $?
  fi
  local -a hits
  builtin compadd -A hits "$@"
  local hit
  for hit in $hits; do print -r -- "$IPREFIX${${(q)hit}//\\/}" >>$CAPTURE; done
  builtin compadd "$@"
}
capture-line() { print -r -- "=> $BUFFER" >>$CAPTURE }
zle -N capture-line
bindkey "^G" capture-line
print -r -- "=> ready" >>$CAPTURE
' >$capture.rc
zpty -w inner "source $capture.rc"
await() { # until the capture holds so many marks
  local -i tries=0
  while (( $(grep -c '^=> ' $capture) < $1 && tries++ < 500 )); do
    zpty -r -t inner drained >/dev/null 2>&1
    sleep 0.01
  done
}
integer marks=1
await 1
while IFS= read -r line; do
  print -r -- "== $line" >>$capture
  before=${line%%'|'*} after=${line#*'|'}
  zpty -w -n inner "$before$after${(pl:$#after::\C-b:)}"$'\t\a'
  (( ++marks ))
  await $marks
  zpty -w -n inner $'\x15'
done <$CASES
zpty -d inner
grep -v '^=> ready' $capture
rm -f $capture $capture.rc

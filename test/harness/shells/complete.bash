# Types each line of $CASES into an interactive bash, presses Tab where its | stands, and prints "== <line>", the words
# that bash takes for possible, each without the part of the word that bash keeps, and "=> <what the line became>".
capture=$(mktemp)
cat >"$capture.rc" <<'RC'
PS1= HISTFILE=
source "$COMPLETIONS/dexdata.bash"
capture_words() {
  _dexdata "$@"
  ((${#COMPREPLY[@]})) && printf '%s\n' "${COMPREPLY[@]}" >>"$CAPTURE"
}
complete -F capture_words dexdata
bind 'set bell-style none'
bind 'set completion-query-items 0'
bind 'set page-completions off'
bind -x '"\C-g": printf "=> %s\n" "$READLINE_LINE" >>"$CAPTURE"'
echo "=> ready" >>"$CAPTURE"
RC
await() { # until the capture holds so many marks
  local tries=0
  while (($(grep -c '^=> ' "$capture") < $1 && tries++ < 500)); do sleep 0.01; done
}
export CAPTURE=$capture
exec 3> >(exec script -qec "bash --noprofile --rcfile '$capture.rc' -i" /dev/null >/dev/null 2>&1)
marks=1
await 1
while IFS= read -r line; do
  echo "== $line" >>"$capture"
  before=${line%%|*} after=${line#*|}
  printf '%s%s%s\t\007' "$before" "$after" "${after//?/$'\002'}" >&3
  await $((++marks))
  printf '\001\013' >&3
done <"$CASES"
echo exit >&3
exec 3>&-
grep -v '^=> ready' "$capture"
rm -f "$capture" "$capture.rc"

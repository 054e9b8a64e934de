# Prints "== <line>" and what fish takes for possible at the | of each line of $CASES; its own form of a word and its
# description, with a tab between.
source $COMPLETIONS/dexdata.fish
while read -l line
    echo "== $line"
    complete -C (string split -m 1 '|' -- $line)[1]
end <$CASES

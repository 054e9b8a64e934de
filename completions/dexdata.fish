# fish completion for dexdata
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

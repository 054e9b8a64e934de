# bash completion for dexdata, written by `npm run generate`
_dexdata() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" command="" word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command $word" in
      " pool"|" txns"|" prices"|" token"|" search"|" ohlcv"|" networks"|" dexes"|" usage"|" api"|" stream"|" completion"|" sandbox"|" help"|" tokens"|" pools"|" auth"|" config"|"tokens search"|"pools search"|"auth login"|"auth status"|"auth logout"|"config get"|"config set"|"config unset"|"config list"|"config path")
        command="${command:+$command }$word";;
    esac
  done
  COMPREPLY=()
  case "$command" in
    "") COMPREPLY=($(compgen -W "pool txns prices token tokens pools search ohlcv networks dexes usage api stream auth config completion sandbox help --help --version" -- "$current"));;
    "tokens") COMPREPLY=($(compgen -W "search" -- "$current"));;
    "pools") COMPREPLY=($(compgen -W "search" -- "$current"));;
    "auth") COMPREPLY=($(compgen -W "login status logout" -- "$current"));;
    "config") COMPREPLY=($(compgen -W "get set unset list path" -- "$current"));;
    "pool")
      case "$previous" in
        -o|--output) COMPREPLY=($(compgen -W "table ndjson json csv tsv" -- "$current")); return;;
        --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")); return;;
        --progress) COMPREPLY=($(compgen -W "auto plain none" -- "$current")); return;;
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
        --require-plan) COMPREPLY=($(compgen -W "keyless free dev pro enterprise" -- "$current")); return;;
        --out|--receipt|--key-file) COMPREPLY=($(compgen -f -- "$current")); return;;
        --fields|--timeout|--deadline|--retries|--retry-on|--retry-max-time|--parallel|--rpm|--max-credits|--tier|--seed|--faults|--now|--base-url|--profile) return;;
      esac
      COMPREPLY=($(compgen -W "--inversed --output --fields --no-header --color --out --resume --force --receipt --validate --quiet --progress --stats --verbose --error-format --timeout --deadline --retries --retry-on --retry-max-time --parallel --rpm --max-credits --estimate --require-plan --sandbox --tier --seed --faults --now --base-url --key-file --profile --help" -- "$current"));;
    "txns")
      case "$previous" in
        -o|--output) COMPREPLY=($(compgen -W "table ndjson json csv tsv" -- "$current")); return;;
        --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")); return;;
        --progress) COMPREPLY=($(compgen -W "auto plain none" -- "$current")); return;;
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
        --require-plan) COMPREPLY=($(compgen -W "keyless free dev pro enterprise" -- "$current")); return;;
        --events|--out|--receipt|--key-file) COMPREPLY=($(compgen -f -- "$current")); return;;
        --from|--to|--limit|--page-size|--cursor|--page|--poll|--for|--idle-exit|--streaming-url|--fields|--timeout|--deadline|--retries|--retry-on|--retry-max-time|--parallel|--rpm|--max-credits|--tier|--seed|--faults|--now|--base-url|--profile) return;;
      esac
      COMPREPLY=($(compgen -W "--from --to --limit --all --page-size --cursor --page --follow --poll --for --idle-exit --events --streaming-url --output --fields --no-header --color --out --resume --force --receipt --validate --quiet --progress --stats --verbose --error-format --timeout --deadline --retries --retry-on --retry-max-time --parallel --rpm --max-credits --estimate --require-plan --sandbox --tier --seed --faults --now --base-url --key-file --profile --help" -- "$current"));;
    "prices")
      case "$previous" in
        --missing) COMPREPLY=($(compgen -W "skip null fail" -- "$current")); return;;
        -o|--output) COMPREPLY=($(compgen -W "table ndjson json csv tsv" -- "$current")); return;;
        --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")); return;;
        --progress) COMPREPLY=($(compgen -W "auto plain none" -- "$current")); return;;
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
        --require-plan) COMPREPLY=($(compgen -W "keyless free dev pro enterprise" -- "$current")); return;;
        --out|--receipt|--key-file) COMPREPLY=($(compgen -f -- "$current")); return;;
        --fields|--timeout|--deadline|--retries|--retry-on|--retry-max-time|--parallel|--rpm|--max-credits|--tier|--seed|--faults|--now|--base-url|--profile) return;;
      esac
      COMPREPLY=($(compgen -W "--missing --output --fields --no-header --color --out --resume --force --receipt --validate --quiet --progress --stats --verbose --error-format --timeout --deadline --retries --retry-on --retry-max-time --parallel --rpm --max-credits --estimate --require-plan --sandbox --tier --seed --faults --now --base-url --key-file --profile --help" -- "$current"));;
    "token")
      case "$previous" in
        -o|--output) COMPREPLY=($(compgen -W "table ndjson json csv tsv" -- "$current")); return;;
        --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")); return;;
        --progress) COMPREPLY=($(compgen -W "auto plain none" -- "$current")); return;;
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
        --require-plan) COMPREPLY=($(compgen -W "keyless free dev pro enterprise" -- "$current")); return;;
        --out|--receipt|--key-file) COMPREPLY=($(compgen -f -- "$current")); return;;
        --fields|--timeout|--deadline|--retries|--retry-on|--retry-max-time|--parallel|--rpm|--max-credits|--tier|--seed|--faults|--now|--base-url|--profile) return;;
      esac
      COMPREPLY=($(compgen -W "--output --fields --no-header --color --out --resume --force --receipt --validate --quiet --progress --stats --verbose --error-format --timeout --deadline --retries --retry-on --retry-max-time --parallel --rpm --max-credits --estimate --require-plan --sandbox --tier --seed --faults --now --base-url --key-file --profile --help" -- "$current"));;
    "tokens search")
      case "$previous" in
        --order-by) COMPREPLY=($(compgen -W "volume_usd_24h volume_usd_7d volume_usd_30d liquidity_usd txns_24h price_change_percentage_24h created_at fdv_usd" -- "$current")); return;;
        --sort) COMPREPLY=($(compgen -W "asc desc" -- "$current")); return;;
        -o|--output) COMPREPLY=($(compgen -W "table ndjson json csv tsv" -- "$current")); return;;
        --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")); return;;
        --progress) COMPREPLY=($(compgen -W "auto plain none" -- "$current")); return;;
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
        --require-plan) COMPREPLY=($(compgen -W "keyless free dev pro enterprise" -- "$current")); return;;
        --out|--receipt|--key-file) COMPREPLY=($(compgen -f -- "$current")); return;;
        --volume-usd-24h-min|--volume-usd-24h-max|--volume-usd-7d-min|--volume-usd-7d-max|--volume-usd-30d-min|--volume-usd-30d-max|--liquidity-usd-min|--liquidity-usd-max|--txns-24h-min|--txns-24h-max|--price-usd-min|--price-usd-max|--price-change-percentage-24h-min|--price-change-percentage-24h-max|--fdv-usd-min|--fdv-usd-max|--created-after|--created-before|--limit|--page-size|--cursor|--chains|--fields|--timeout|--deadline|--retries|--retry-on|--retry-max-time|--parallel|--rpm|--max-credits|--tier|--seed|--faults|--now|--base-url|--profile) return;;
      esac
      COMPREPLY=($(compgen -W "--order-by --sort --detailed --volume-usd-24h-min --volume-usd-24h-max --volume-usd-7d-min --volume-usd-7d-max --volume-usd-30d-min --volume-usd-30d-max --liquidity-usd-min --liquidity-usd-max --txns-24h-min --txns-24h-max --price-usd-min --price-usd-max --price-change-percentage-24h-min --price-change-percentage-24h-max --fdv-usd-min --fdv-usd-max --created-after --created-before --limit --all --page-size --cursor --no-strict --chains --output --fields --no-header --color --out --resume --force --receipt --validate --quiet --progress --stats --verbose --error-format --timeout --deadline --retries --retry-on --retry-max-time --parallel --rpm --max-credits --estimate --require-plan --sandbox --tier --seed --faults --now --base-url --key-file --profile --help" -- "$current"));;
    "pools search")
      case "$previous" in
        --order-by) COMPREPLY=($(compgen -W "volume_usd_24h volume_usd_7d volume_usd_30d liquidity_usd txns_24h created_at price_usd price_change_percentage_48h price_change_percentage_24h price_change_percentage_6h price_change_percentage_1h price_change_percentage_5m" -- "$current")); return;;
        --sort) COMPREPLY=($(compgen -W "asc desc" -- "$current")); return;;
        -o|--output) COMPREPLY=($(compgen -W "table ndjson json csv tsv" -- "$current")); return;;
        --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")); return;;
        --progress) COMPREPLY=($(compgen -W "auto plain none" -- "$current")); return;;
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
        --require-plan) COMPREPLY=($(compgen -W "keyless free dev pro enterprise" -- "$current")); return;;
        --out|--receipt|--key-file) COMPREPLY=($(compgen -f -- "$current")); return;;
        --token|--dex|--volume-usd-24h-min|--volume-usd-24h-max|--volume-usd-7d-min|--volume-usd-7d-max|--volume-usd-30d-min|--volume-usd-30d-max|--liquidity-usd-min|--liquidity-usd-max|--txns-24h-min|--txns-24h-max|--price-usd-min|--price-usd-max|--price-change-percentage-48h-min|--price-change-percentage-48h-max|--price-change-percentage-24h-min|--price-change-percentage-24h-max|--price-change-percentage-6h-min|--price-change-percentage-6h-max|--price-change-percentage-1h-min|--price-change-percentage-1h-max|--price-change-percentage-5m-min|--price-change-percentage-5m-max|--created-after|--created-before|--limit|--page-size|--cursor|--chains|--fields|--timeout|--deadline|--retries|--retry-on|--retry-max-time|--parallel|--rpm|--max-credits|--tier|--seed|--faults|--now|--base-url|--profile) return;;
      esac
      COMPREPLY=($(compgen -W "--token --order-by --sort --dex --detailed --volume-usd-24h-min --volume-usd-24h-max --volume-usd-7d-min --volume-usd-7d-max --volume-usd-30d-min --volume-usd-30d-max --liquidity-usd-min --liquidity-usd-max --txns-24h-min --txns-24h-max --price-usd-min --price-usd-max --price-change-percentage-48h-min --price-change-percentage-48h-max --price-change-percentage-24h-min --price-change-percentage-24h-max --price-change-percentage-6h-min --price-change-percentage-6h-max --price-change-percentage-1h-min --price-change-percentage-1h-max --price-change-percentage-5m-min --price-change-percentage-5m-max --created-after --created-before --limit --all --page-size --cursor --no-strict --chains --output --fields --no-header --color --out --resume --force --receipt --validate --quiet --progress --stats --verbose --error-format --timeout --deadline --retries --retry-on --retry-max-time --parallel --rpm --max-credits --estimate --require-plan --sandbox --tier --seed --faults --now --base-url --key-file --profile --help" -- "$current"));;
    "search")
      case "$previous" in
        -o|--output) COMPREPLY=($(compgen -W "table ndjson json csv tsv" -- "$current")); return;;
        --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")); return;;
        --progress) COMPREPLY=($(compgen -W "auto plain none" -- "$current")); return;;
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
        --require-plan) COMPREPLY=($(compgen -W "keyless free dev pro enterprise" -- "$current")); return;;
        --out|--receipt|--key-file) COMPREPLY=($(compgen -f -- "$current")); return;;
        --type|--fields|--timeout|--deadline|--retries|--retry-on|--retry-max-time|--parallel|--rpm|--max-credits|--tier|--seed|--faults|--now|--base-url|--profile) return;;
      esac
      COMPREPLY=($(compgen -W "--type --output --fields --no-header --color --out --resume --force --receipt --validate --quiet --progress --stats --verbose --error-format --timeout --deadline --retries --retry-on --retry-max-time --parallel --rpm --max-credits --estimate --require-plan --sandbox --tier --seed --faults --now --base-url --key-file --profile --help" -- "$current"));;
    "ohlcv")
      case "$previous" in
        --interval) COMPREPLY=($(compgen -W "1m 5m 10m 15m 30m 1h 6h 12h 24h" -- "$current")); return;;
        --fill) COMPREPLY=($(compgen -W "null previous" -- "$current")); return;;
        -o|--output) COMPREPLY=($(compgen -W "table ndjson json csv tsv" -- "$current")); return;;
        --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")); return;;
        --progress) COMPREPLY=($(compgen -W "auto plain none" -- "$current")); return;;
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
        --require-plan) COMPREPLY=($(compgen -W "keyless free dev pro enterprise" -- "$current")); return;;
        --out|--receipt|--key-file) COMPREPLY=($(compgen -f -- "$current")); return;;
        --from|--to|--count-back|--fields|--timeout|--deadline|--retries|--retry-on|--retry-max-time|--parallel|--rpm|--max-credits|--tier|--seed|--faults|--now|--base-url|--profile) return;;
      esac
      COMPREPLY=($(compgen -W "--interval --from --to --count-back --fill --pool --inversed --output --fields --no-header --color --out --resume --force --receipt --validate --quiet --progress --stats --verbose --error-format --timeout --deadline --retries --retry-on --retry-max-time --parallel --rpm --max-credits --estimate --require-plan --sandbox --tier --seed --faults --now --base-url --key-file --profile --help" -- "$current"));;
    "networks")
      case "$previous" in
        -o|--output) COMPREPLY=($(compgen -W "table ndjson json csv tsv" -- "$current")); return;;
        --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")); return;;
        --progress) COMPREPLY=($(compgen -W "auto plain none" -- "$current")); return;;
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
        --require-plan) COMPREPLY=($(compgen -W "keyless free dev pro enterprise" -- "$current")); return;;
        --out|--receipt|--key-file) COMPREPLY=($(compgen -f -- "$current")); return;;
        --limit|--fields|--timeout|--deadline|--retries|--retry-on|--retry-max-time|--parallel|--rpm|--max-credits|--tier|--seed|--faults|--now|--base-url|--profile) return;;
      esac
      COMPREPLY=($(compgen -W "--limit --output --fields --no-header --color --out --resume --force --receipt --validate --quiet --progress --stats --verbose --error-format --timeout --deadline --retries --retry-on --retry-max-time --parallel --rpm --max-credits --estimate --require-plan --sandbox --tier --seed --faults --now --base-url --key-file --profile --help" -- "$current"));;
    "dexes")
      case "$previous" in
        --order-by) COMPREPLY=($(compgen -W "pool" -- "$current")); return;;
        --sort) COMPREPLY=($(compgen -W "asc desc" -- "$current")); return;;
        -o|--output) COMPREPLY=($(compgen -W "table ndjson json csv tsv" -- "$current")); return;;
        --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")); return;;
        --progress) COMPREPLY=($(compgen -W "auto plain none" -- "$current")); return;;
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
        --require-plan) COMPREPLY=($(compgen -W "keyless free dev pro enterprise" -- "$current")); return;;
        --out|--receipt|--key-file) COMPREPLY=($(compgen -f -- "$current")); return;;
        --limit|--page-size|--cursor|--page|--fields|--timeout|--deadline|--retries|--retry-on|--retry-max-time|--parallel|--rpm|--max-credits|--tier|--seed|--faults|--now|--base-url|--profile) return;;
      esac
      COMPREPLY=($(compgen -W "--order-by --sort --limit --all --page-size --cursor --page --output --fields --no-header --color --out --resume --force --receipt --validate --quiet --progress --stats --verbose --error-format --timeout --deadline --retries --retry-on --retry-max-time --parallel --rpm --max-credits --estimate --require-plan --sandbox --tier --seed --faults --now --base-url --key-file --profile --help" -- "$current"));;
    "usage")
      case "$previous" in
        -o|--output) COMPREPLY=($(compgen -W "table ndjson json csv tsv" -- "$current")); return;;
        --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")); return;;
        --progress) COMPREPLY=($(compgen -W "auto plain none" -- "$current")); return;;
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
        --require-plan) COMPREPLY=($(compgen -W "keyless free dev pro enterprise" -- "$current")); return;;
        --out|--receipt|--key-file) COMPREPLY=($(compgen -f -- "$current")); return;;
        --fields|--timeout|--deadline|--retries|--retry-on|--retry-max-time|--parallel|--rpm|--max-credits|--tier|--seed|--faults|--now|--base-url|--profile) return;;
      esac
      COMPREPLY=($(compgen -W "--output --fields --no-header --color --out --resume --force --receipt --validate --quiet --progress --stats --verbose --error-format --timeout --deadline --retries --retry-on --retry-max-time --parallel --rpm --max-credits --estimate --require-plan --sandbox --tier --seed --faults --now --base-url --key-file --profile --help" -- "$current"));;
    "api")
      case "$previous" in
        -o|--output) COMPREPLY=($(compgen -W "table ndjson json csv tsv" -- "$current")); return;;
        --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")); return;;
        --progress) COMPREPLY=($(compgen -W "auto plain none" -- "$current")); return;;
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
        --require-plan) COMPREPLY=($(compgen -W "keyless free dev pro enterprise" -- "$current")); return;;
        --out|--receipt|--key-file) COMPREPLY=($(compgen -f -- "$current")); return;;
        --field|--limit|--fields|--timeout|--deadline|--retries|--retry-on|--retry-max-time|--parallel|--rpm|--max-credits|--tier|--seed|--faults|--now|--base-url|--profile) return;;
      esac
      COMPREPLY=($(compgen -W "--field --paginate --limit --output --fields --no-header --color --out --resume --force --receipt --validate --quiet --progress --stats --verbose --error-format --timeout --deadline --retries --retry-on --retry-max-time --parallel --rpm --max-credits --estimate --require-plan --sandbox --tier --seed --faults --now --base-url --key-file --profile --help" -- "$current"));;
    "stream")
      case "$previous" in
        --feed) COMPREPLY=($(compgen -W "prices transactions ohlcv reserves" -- "$current")); return;;
        --by) COMPREPLY=($(compgen -W "token pool" -- "$current")); return;;
        --interval) COMPREPLY=($(compgen -W "1s 5s 60s" -- "$current")); return;;
        --on-invalid) COMPREPLY=($(compgen -W "fail drop" -- "$current")); return;;
        -o|--output) COMPREPLY=($(compgen -W "ndjson" -- "$current")); return;;
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
        --out|--events|--key-file) COMPREPLY=($(compgen -f -- "$current")); return;;
        --since|--limit|--for|--idle-exit|--max-reconnects|--streaming-url|--timeout|--rpm|--max-credits|--tier|--seed|--faults|--now|--profile) return;;
      esac
      COMPREPLY=($(compgen -W "--feed --by --interval --since --on-invalid --limit --for --idle-exit --output --envelope --out --events --max-reconnects --streaming-url --quiet --stats --verbose --error-format --timeout --rpm --max-credits --sandbox --tier --seed --faults --now --key-file --profile --help" -- "$current"));;
    "auth login")
      case "$previous" in
        -o|--output) COMPREPLY=($(compgen -W "table ndjson json csv tsv" -- "$current")); return;;
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
        --key-file) COMPREPLY=($(compgen -f -- "$current")); return;;
        --timeout|--retries|--retry-on|--retry-max-time|--rpm|--tier|--seed|--base-url|--profile) return;;
      esac
      COMPREPLY=($(compgen -W "--output --no-header --quiet --stats --verbose --error-format --timeout --retries --retry-on --retry-max-time --rpm --sandbox --tier --seed --base-url --key-file --profile --help" -- "$current"));;
    "auth status")
      case "$previous" in
        -o|--output) COMPREPLY=($(compgen -W "table ndjson json csv tsv" -- "$current")); return;;
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
        --key-file) COMPREPLY=($(compgen -f -- "$current")); return;;
        --timeout|--retries|--retry-on|--retry-max-time|--rpm|--tier|--seed|--base-url|--profile) return;;
      esac
      COMPREPLY=($(compgen -W "--output --no-header --quiet --stats --verbose --error-format --timeout --retries --retry-on --retry-max-time --rpm --sandbox --tier --seed --base-url --key-file --profile --help" -- "$current"));;
    "auth logout")
      case "$previous" in
        -o|--output) COMPREPLY=($(compgen -W "table ndjson json csv tsv" -- "$current")); return;;
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
        --key-file) COMPREPLY=($(compgen -f -- "$current")); return;;
        --timeout|--retries|--retry-on|--retry-max-time|--rpm|--tier|--seed|--base-url|--profile) return;;
      esac
      COMPREPLY=($(compgen -W "--output --no-header --quiet --stats --verbose --error-format --timeout --retries --retry-on --retry-max-time --rpm --sandbox --tier --seed --base-url --key-file --profile --help" -- "$current"));;
    "config get")
      case "$previous" in
        -o|--output) COMPREPLY=($(compgen -W "table ndjson json csv tsv" -- "$current")); return;;
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
      esac
      COMPREPLY=($(compgen -W "--output --no-header --error-format --help" -- "$current"));;
    "config set")
      case "$previous" in
        -o|--output) COMPREPLY=($(compgen -W "table ndjson json csv tsv" -- "$current")); return;;
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
      esac
      COMPREPLY=($(compgen -W "--output --no-header --error-format --help" -- "$current"));;
    "config unset")
      case "$previous" in
        -o|--output) COMPREPLY=($(compgen -W "table ndjson json csv tsv" -- "$current")); return;;
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
      esac
      COMPREPLY=($(compgen -W "--output --no-header --error-format --help" -- "$current"));;
    "config list")
      case "$previous" in
        -o|--output) COMPREPLY=($(compgen -W "table ndjson json csv tsv" -- "$current")); return;;
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
      esac
      COMPREPLY=($(compgen -W "--output --no-header --error-format --help" -- "$current"));;
    "config path")
      case "$previous" in
        -o|--output) COMPREPLY=($(compgen -W "table ndjson json csv tsv" -- "$current")); return;;
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
      esac
      COMPREPLY=($(compgen -W "--output --no-header --error-format --help" -- "$current"));;
    "completion")
      case "$previous" in
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
      esac
      COMPREPLY=($(compgen -W "--error-format --help" -- "$current"));;
    "sandbox")
      case "$previous" in
        --dialect) COMPREPLY=($(compgen -W "spec public" -- "$current")); return;;
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
        --log) COMPREPLY=($(compgen -f -- "$current")); return;;
        --port|--clock|--speed|--rpm|--minute|--credits|--packs|--overage-cap|--latency|--seed|--faults) return;;
      esac
      COMPREPLY=($(compgen -W "--port --clock --speed --dialect --rpm --minute --credits --packs --overage-cap --latency --log --env --error-format --seed --faults --help" -- "$current"));;
    "help")
      case "$previous" in
        --error-format) COMPREPLY=($(compgen -W "text json" -- "$current")); return;;
      esac
      COMPREPLY=($(compgen -W "--error-format --help" -- "$current"));;
  esac
}
complete -F _dexdata dexdata

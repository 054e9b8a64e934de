export const terminalTopic = `
On a terminal, dexdata prints tables, charts and live views. In a pipe, it prints rows unless you choose a format.

Tables and charts:
  numbers   12.4M, or 0.0\u20891234, where the small digit counts the zeros; in a pipe, all digits
  columns   fit the terminal; -o wide shows all of them, --columns selects some, and a hidden column that you named
      is reported
  --chart   ohlcv: candles and volume. * marks a partial candle, and an interval without trades is an empty column.
      If there are more candles than columns, the title shows how many share one
  --spark   searches: bars for the price 24h, 6h, 1h and 5m ago and now, on a scale of each row
  not UTF-8  only ASCII, with other characters as \\u{4e16}

Live views:
  --watch 1m   refreshes at this interval, 5s or more. New rows are marked with + and changed rows with *; a pipe gets
      these rows. Rate limits, server and network errors are reported and the next round tries again
  --progress   shows rows, requests, credits, rate and time left; plain prints a line every 10s, none and -q nothing
  stream       shows a board with the latest event of each asset; -o ndjson prints lines instead

Examples:
  dexdata ohlcv ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --from -3d --chart --sandbox`;

export const pullsTopic = `
Long pulls run as fast as the rate limit allows, lose and repeat no rows, and can be resumed. Rows arrive in order,
and memory use stays flat.

Files:
  --out FILE  appears only when it is complete; until then, rows are in FILE.part and the checkpoint in FILE.resume
  --resume    continues an interrupted pull; a new pull with --resume writes to FILE itself, which is complete when
      FILE.resume disappears
  --force     starts over, or overwrites an existing file
  --receipt FILE  writes time range, rows, SHA-256, credits and completeness as JSON
  FILE.lock   one run writes a file at a time; a second run exits 7

Completeness:
  count        if the service's own count disagrees, pages are requested again, up to 3 times; then the run exits 8
  end of list  the proof in the receipt where the service gives no count
  filters      if the service ignores a filter, the run ends before it prints a row
  --no-strict  accepts such lists and rows

Examples:
  dexdata pools search ethereum --all --estimate --sandbox
  dexdata txns ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 --from -2h --all --out swaps.ndjson --resume --sandbox`;

export const keysTopic = `
Without a key, you use the keyless plan. dexdata auth login looks up the plan of a key and stores both. The plan
decides the hosts: keyless and free use the free hosts; dev, pro and enterprise use the paid hosts.

Sources of the key, first match wins:
  1  --key-file FILE or --profile NAME
  2  DEXDATA_API_KEY
  3  the stored key of DEXDATA_PROFILE
  4  the key_command setting: a program that prints the key on its first line
  5  the stored key of the profile setting, or of the last auth switch

A stored key brings its plan. For other keys, set DEXDATA_TIER, or run dexdata auth status once: it looks the plan up
and remembers it by a hash of the key. dexdata never guesses a host, so a container or a CI job sets both
DEXDATA_API_KEY and DEXDATA_TIER.

A key is sent only to the configured hosts, only over https or to localhost, and never after a redirect. Malformed keys
are rejected before a request. No message and no command prints a key.`;

export const proxiesTopic = `
REST and streams use an http:// or https:// proxy through a CONNECT tunnel. The proxy sees the host name, never the key.
Localhost and the sandbox bypass it. All traffic is HTTP/1.1.

Variables:
  https_proxy, HTTPS_PROXY, all_proxy, ALL_PROXY  the proxy: the first one that is set. SOCKS is not supported.
      Messages hide the user name and password
  no_proxy, NO_PROXY  hosts to reach without the proxy, as names (with their subdomains), addresses or ranges, each
      with an optional :port; * is every host
  HTTP_PROXY  has no effect: only localhost is reached over plain http
  NODE_EXTRA_CA_CERTS  a file with your own certificate authority, or that of a proxy that decrypts TLS

dexdata doctor shows the proxy in use, and any problem with it or with a certificate.`;

export const followTopic = `
dexdata txns --follow outputs a pool's history, then new transactions, oldest first, without gaps or duplicates. Rows
always come from REST; stream events only trigger reads, every 2s at most. A read also runs every minute, so a silent
stream delays rows by a minute at most.

Rows and gaps:
  settling   a row is printed after a second read, 3s later, finds no new row before it
  late rows  are found by the service's own count, printed after newer rows, and reported
  gaps       are reported when the stream is back, and again when REST has filled them
  no stream  reads continue every 15s until it is back

Flags:
  --poll 15s      reads at this interval instead of using the stream, and prints the cost of an hour
  --out FILE      appends; without --from, the next run continues after the newest row of its files
  --events FILE   appends gaps, late rows and reconnects as NDJSON
  --for, --limit  end the run with exit 0; --idle-exit ends it with 8, --max-credits with 5`;

export const limitsTopic = `
Memory and time stay bounded no matter what the service sends. Exceeding a limit ends the command with a one-line error
and exit code 1, unless noted.

Limits:
  response     32 MiB unpacked, and 500,000 values if it is longer than 1 MiB; headers 64 KiB
  error body   256 KiB; if it is longer, only the status counts. Messages show 500 characters, of a stream warning 1,024
  request      --timeout (30s) for connection, headers and body; --retries (4) wait up to 3m in all (--retry-max-time)
  list         a cursor of 8,192 characters; 20 pages in a row without a row, 3 with known rows only
  wait         requested by the service: 1h; a longer one ends the command with exit 6
  event        1 MiB, up to 16 MiB with --max-event; larger ones are skipped and reported. After 64 MiB without its end,
      dexdata reconnects
  ohlcv        50 million candles (exit 2)
  --follow     3,000 rows in memory; late rows are found among the last 10m or 5,000 rows
  key          4 KiB in a file, 4 KiB from key_command, which may run for a minute (exit 2)
  files        config and credentials: 1 MiB each; larger ones are ignored. Names in suggestions: 200 characters
  flags        --parallel 32, --retries 100; --watch every 5s, --poll every 2s (exit 2)
  output       records: 10,000 characters of a text, numbers of 400 places; json: 16 MiB of indentation, then compact`;

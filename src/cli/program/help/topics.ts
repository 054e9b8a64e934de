import type { Command } from "../../commands/command.ts";
import type { TopicContext, TopicName } from "./overview.ts";
import * as table from "./table-topics.ts";
import type { Block } from "../../help-page.ts";

const terminalTopic = `
On a terminal, dexdata prints tables, charts and live views. In a pipe, it prints NDJSON unless you choose another
format.

Tables and charts:
  numbers   Tables shorten numbers: 12.4M, or 0.0\u20891234, where the small digit counts the zeros. Other formats keep
      every digit.
  columns   As many as fit are shown. -o wide shows all of them, and --columns selects some. If a column that you
      selected does not fit, a warning names it.
  --chart   Draws the candles and the volume of ohlcv. * marks a partial candle, and an interval without trades is an
      empty column. If there are more candles than columns, the title shows how many candles share a column.
  --spark   Adds bars to each row of a search: the price 24h, 6h, 1h and 5m ago, and now. Each row has its own scale.
  encoding  If the locale is not UTF-8, output is ASCII, and other characters are written as \\u{4e16}.

Live views:
  --watch 1m   Refreshes every minute; the shortest interval is 5s. New rows are marked with + and changed rows with *.
      A pipe gets only the new and changed rows. Rate limits, server errors and network errors are reported, and the
      next refresh tries again.
  --progress   Shows rows, requests, credits, rate and time left. --progress plain prints a line every 10s.
  stream       Shows a board with the latest event of each asset. -o ndjson prints lines instead.
  keys         In the views of --watch and stream, q quits, the arrow keys scroll, and ? shows all keys.

Examples:
  dexdata ohlcv ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --from -3d --chart --sandbox`;

const pullsTopic = `
Long pulls run as fast as the rate limit allows, never lose or repeat a row, and can be resumed. Rows arrive in order,
and memory use stays flat.

Files:
  --out FILE  FILE appears only when all rows are read. Until then, the rows are in FILE.part and the checkpoint is in
      FILE.resume.
  --resume    Continues an interrupted pull. You can also use it on the first run: rows then go directly to FILE, which
      is complete when FILE.resume no longer exists (unless the run exited 8).
  --out 'swaps/{network}/{date}.ndjson'  Collects all rows in swaps/.rows-*.part, and then divides them into files by the
      values of these fields: {network} {pool} {token} {dex} {candle} {year} {month} {date} {date-hour}.
  --out FILE.gz  Collects all rows in FILE.gz.part, and then compresses them with gzip.
  --force     Starts over, or overwrites an existing file.
  --receipt FILE  Writes the time range, rows, SHA-256, credits and completeness as JSON.
  FILE.lock   Lets only one run at a time write to FILE. A second run exits 7.

Completeness:
  count        A list is complete if the service's own count of its rows agrees. If it does not, pages are requested
      again, up to 3 times. If it still does not agree, the command finishes the list and exits 8.
  end of list  Where the service has no count, a list is complete when it ends. The receipt records which proof was used.
  assets       A response about another pool, token or network is requested again; if it is wrong again, the command exits 1.
  filters      If the service ignores a filter, the command fails before it prints a row.
  --no-strict  Accepts incomplete lists, and unfiltered rows if the service ignores a filter.

Examples:
  dexdata txns ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 --from -2h --all --out swaps.ndjson --resume --sandbox`;

const keysTopic = `
Without a key, you are on the keyless plan. dexdata auth login looks up the plan of a key, and stores both
under the name of a profile. The plan determines the hosts: keyless and free use the free hosts; dev, pro and enterprise use the paid hosts.

Sources of the key (the first match wins):
  1  --key-file FILE or --profile NAME
  2  DEXDATA_API_KEY
  3  The profile named in DEXDATA_PROFILE
  4  The key_command setting: a program that prints the key on the first line of its output
  5  The profile named in the profile setting, or else the active profile (see dexdata auth switch)

A stored key includes its plan. For other keys, set DEXDATA_TIER to the plan (tier and plan mean the same), or run
dexdata auth status once: it looks up the plan and saves it under a hash of the key. dexdata never guesses a host, so
set both DEXDATA_API_KEY and DEXDATA_TIER in containers and CI jobs.

A key is sent only to the configured hosts, only over HTTPS or to localhost, and never after a redirect. Malformed keys
are rejected before anything is sent. No message and no command prints a key.`;

const proxiesTopic = `
REST requests and streams go through an http:// or https:// proxy, in a CONNECT tunnel. The proxy sees the host name,
never the key. Requests to localhost and to the sandbox bypass the proxy. All traffic is HTTP/1.1.

Variables:
  https_proxy, HTTPS_PROXY, all_proxy, ALL_PROXY  The proxy; the first of these that is set wins. SOCKS is not supported.
      Messages hide the user name and password.
  no_proxy, NO_PROXY  Hosts to reach without the proxy: names (including their subdomains), addresses or ranges, each
      with an optional :port. * means every host.
  HTTP_PROXY  Has no effect, because only localhost is reached over plain HTTP.
  NODE_EXTRA_CA_CERTS  A file with more certificate authorities to trust: your own, or the one of a proxy that decrypts
      TLS.

dexdata doctor shows the proxy in use, and any problem with it or with a certificate.`;

const followTopic = `
dexdata txns --follow prints a pool's transactions since --from (default: now) and then new ones, oldest first except for late rows, without gaps or
duplicates. All rows are read from REST; stream events only trigger reads, at most one every 2s. There is also a read every minute, so a
silent stream delays rows by a minute at most. Each request and each event costs 1 credit.

Rows and gaps:
  settling   dexdata holds each new row for 3s and reads again. If an older row has turned up, it is printed first.
  late rows  Rows that appear even later are detected by the service's own count. They are printed after newer rows, and
      reported.
  old lists  If a list is incomplete, or older than one already received, dexdata reads it again.
  gaps       A gap is reported when the stream is back, and again when it has been filled from REST.
  no stream  Reads continue every 15s until the stream is back.

Flags:
  --poll 15s      Reads at this interval instead of using the stream, and prints what it costs.
  --out FILE      Appends to FILE; swaps-{date}.ndjson has one file per UTC day of the rows. The next run continues
      after the newest row in these files, including files that logrotate has renamed.
  --events FILE   Appends status events as NDJSON, e.g. gaps, late rows and reconnects.
  --for, --limit  End the command with exit 0, or 8 if --when had no alert, or if rows at the end of --for may be missing.
      --idle-exit ends it with exit 8, --max-credits with exit 5.`;

const alertsTopic = `
With --when, dexdata prints a line or runs a command when a condition becomes true. It works in dexdata stream, with
--follow, and with --watch (except in ohlcv and txns).

Flags:
  --when 'price < 3000'  A field, one of < <= > >= = !=, and a value; on the price feed, also 'price rises 5% in 1h' (or
      falls, or moves; prices up to 1/60 of the time older may count); "and" joins tests. For the fields of a command,
      use --when '?'.
  -- ./page-me.sh  Runs this command, with a line of JSON on stdin
  --cooldown 5m    Minimum time between two alerts of the same condition and asset
  --blind 5m       Also alerts after this long without reliable data
  --state FILE     Keeps the state of alerts across restarts
  --for 1h         Ends the run: exit 0 after an alert, otherwise 8
  --limit 1        Ends the run after this many alerts; with --watch, limits the rows of each refresh`;

const limitsTopic = `
Memory and time stay bounded no matter what the service sends. If a limit is exceeded, the command ends with an
error and exit code 1, unless another result is listed here.

Limits:
  response     32 MiB after decompression, and 64 KiB of headers. Bodies over 1 MiB may have at most 500,000 JSON values.
  error body   256 KiB; if it is longer, only the status is used. Messages show at most 500 characters of an error
      body, and 1,024 of a stream warning.
  request      30s in total for connection, headers and body (--timeout); at most 4 retries (--retries), which wait at
      most 3m in total (--retry-max-time)
  list         Cursors of up to 8,192 characters. dexdata gives up on a list after 10 empty pages in a row, or after
      3 pages in a row with only rows already received.
  wait         A Retry-After of at most --retry-max-time, and never more than 1h; a longer one ends the command
      with exit 6
  event        1 MiB, or up to 16 MiB with --max-event; larger ones are skipped and reported. If a skipped event
      has not ended after 64 MiB, dexdata reconnects.
  ohlcv        50 million candles (exit 2); --chart merges adjacent candles into at most 6,000
  --follow     At most 3,000 rows wait in memory. A late row is found only if it is at most 10m old and one of the newest
      5,000 rows.
  key          4 KiB in a file, and 4 KiB from key_command (exit 2); key_command is stopped after a minute (exit 2)
  files        1 MiB each for settings and names (exit 2), and for stored keys (ignored, with a warning)
  suggestions  For a mistyped network or DEX, only names of up to 200 characters are suggested.
  flags        At most --parallel 32 and --retries 100; at least --watch 5s and --poll 2s (5s for several
      pools and for searches) (exit 2)
  tables       When one record is shown, e.g. with dexdata token, each text is cut after 10,000 characters. Numbers longer than 400 characters are shown as
      the service sent them.
  -o json      If the indentation would exceed 16 MiB, the document is compact.`;

type Topic = string | ((commands: readonly Command[], context: TopicContext) => string);

/** Each topic's text and the document with more details. */
const topics: Readonly<Record<TopicName, readonly [document: string, topic: Topic]>> = {
  "exit-codes": ["reference.md", table.exitCodesTopic],
  time: ["guide.md", table.timeTopic],
  output: ["guide.md", table.outputTopic],
  terminal: ["guide.md", terminalTopic],
  pulls: ["guide.md", pullsTopic],
  credits: ["guide.md", table.creditsTopic],
  keys: ["guide.md", keysTopic],
  environment: ["reference.md", table.environmentTopic],
  proxies: ["guide.md", proxiesTopic],
  follow: ["streams.md", followTopic],
  streams: ["streams.md", table.streamsTopic],
  alerts: ["alerts.md", alertsTopic],
  limits: ["reference.md", limitsTopic],
  agents: ["agents.md", table.agentsTopic],
};

export function topicPage(
  name: TopicName,
  commands: readonly Command[],
  context: TopicContext,
): readonly Block[] {
  const [document, topic] = topics[name];
  const text = typeof topic === "string" ? topic : topic(commands, context);
  return textPage(`${text}\n\nMore: docs/${document} in the dexdata package.`);
}

/**
 * Blank lines separate blocks. The lines below a `Heading:` are either rows (`  term  text`, continued on lines with a
 * deeper indent) or commands to paste (`  dexdata …`).
 */
function textPage(source: string): readonly Block[] {
  return source
    .trim()
    .split("\n\n")
    .map((part) => {
      const [first = "", ...lines] = part.split("\n");
      if (!first.endsWith(":") || lines.length === 0) return { prose: [first, ...lines].join(" ") };
      const heading = first.slice(0, -1);
      const found = lines
        .join("\n")
        .replaceAll(/\n {3,}/gu, " ")
        .matchAll(/^ {2}(.*?)(?: {2,}(.*))?$/gmu);
      const rows = [...found].map(([, term = "", text = ""]) => [term, text] as const);
      const isCommands = rows.every(([, text]) => text === "");
      return isCommands ? { heading, commands: rows.map(([term]) => term) } : { heading, rows };
    });
}

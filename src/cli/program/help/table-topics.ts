import { exitCodes } from "../../../base/exit-codes.ts";
import { assetsPerPost, connectionsOfPlan, type Feed } from "../../../api/feed.ts";
import { feeds, longestBackfill, streamIntervals } from "../../../api/feeds.ts";
import { outputFormats } from "../../../api/output-format.ts";
import { candleReach, finestCandles, plans, type Tier } from "../../../api/tier.ts";
import { exactDuration, formatDuration } from "../../../api/duration.ts";
import type { Command } from "../../commands/command.ts";
import { formats } from "../../render/formats/formats.ts";
import { findFolders } from "../../folders.ts";
import { settings } from "../../../client/settings.ts";
import { formatInstant, parseTimeBound, secondsOf } from "../../../base/time/time.ts";
import type { TopicContext } from "./overview.ts";

export const exitCodesTopic = (): string => `
The exit code shows how a command ended. The text after each arrow is what a script should do next.

Exit codes:
${tableLines(Object.entries(exitCodes).map(([code, { when, next }]) => [code, `${when} → ${next}`]))}

An error is at most three lines on stderr: the problem, the service's own message, and what to do next. With
--error-format json, each failed input is a JSON object on a line of stderr; notes remain text. JSON is the default if
the output is JSON or NDJSON, and stderr is not a terminal.

Examples:
  dexdata explain 402
  dexdata explain plan_required`;

/** Every time format that `parseTimeBound` accepts. */
export const timeForms: readonly (readonly [example: string, meaning: string])[] = [
  ["now", "the start of the run"],
  ["-90s", "90 seconds before now; the minus is optional"],
  ["-15m", "15 minutes before now"],
  ["-24h", "24 hours before now"],
  ["-7d", "7 × 24 hours before now"],
  ["today", "00:00 UTC of the current day"],
  ["yesterday", "00:00 UTC of the day before"],
  ["2026-11-21", "a date: 00:00 UTC, whatever your time zone"],
  ["2026-11-21T08:54:00Z", "RFC 3339; seconds can be omitted or have a fraction"],
  ["2026-11-21T10:54:00+02:00", "RFC 3339 with any offset"],
  ["1795251240", "Unix seconds, up to 11 digits; not milliseconds"],
];

export function timeTopic(commands: readonly Command[], { clock, env }: TopicContext): string {
  // An invalid DEXDATA_NOW is an error elsewhere. This topic explains what it accepts.
  const present = parseTimeBound(env["DEXDATA_NOW"] ?? "", clock.now());
  const now = "problem" in present ? clock.now() : secondsOf(present) * 1000;
  const read = (example: string): string => {
    const time = parseTimeBound(example, now);
    return "problem" in time ? time.problem : formatInstant(time);
  };
  const timed = commands.filter(({ flags }) => "from" in flags || "created-after" in flags);
  return `
The flags --from, --to, --at, --since, --created-after, --created-before, --now and --clock accept these forms of a time.

Forms, and their values at ${read("now")}:
${tableLines(timeForms.map(([example, meaning]) => [example, `${read(example)}  ${meaning}`]))}

A command reads the local clock once (with --watch, once per refresh), so its time range is the same for all pages and
retries. Rows exactly at the start of a range are included. Rows exactly at its end are included by searches, but not by ohlcv and txns. For entire UTC days, these
two have --day (2026-11-20, yesterday, today or 2026-11-18..2026-11-20): each row is in exactly one day. Ranges that end before they begin, invalid dates and unknown units are rejected before a request is sent. Commands with a time range: ${timed.map(({ words }) => words).join(", ")}.

Durations (--timeout, --for, --poll) always have a unit: 500ms, 30s, 2m, 1h.

Examples:
  dexdata pools search base --created-after -24h --sandbox`;
}

export const outputTopic = (): string => `
stdout carries only data, in every format, even when a command fails. Messages go to stderr. Rows keep every digit that
the service (the DexPaprika API) sent, except in tables and in the typed columns of Parquet. NDJSON and JSON also keep
fields that dexdata does not know.

Formats of -o:
${tableLines(outputFormats.map((format) => [format, formats[format].summary]))}

Paths of --fields:
  id               A field of the row; null if the row does not have it
  24h.volume_usd   A field inside another field
  tokens.0.symbol  An item of a list, counted from 0; * selects all items

With --prefix pool_id,id, each line begins with the values of these fields, separated by colons; then come a tab and the
unchanged NDJSON row. Null is empty. Control characters and backslashes in a text appear as \\uXXXX, so a line has exactly one
tab before its row. --resume continues a file only with the same --prefix.

Without -o, the file name of --out selects the format: x.csv, x.tsv, x.json or x.parquet; x.csv.gz is also compressed. In
CSV and TSV, a row is one line, nested values are compact JSON, and special characters are escaped. Anyone can create a token
with any name, so control, bidi and zero-width characters never reach a terminal unescaped. dexdata schema prints the
types of a row's fields.`;

/** The candles that a plan includes, if it does not include all. */
function candlesOf(tier: Tier): string {
  const [reach, finest] = [candleReach[tier], finestCandles[tier]];
  if (reach === undefined) return "";
  const lengths = finest === undefined ? "" : ` (${exactDuration(finest * 1000)}+)`;
  return `, ${formatDuration(reach * 1000)} of candles${lengths}`;
}

export const creditsTopic = (commands: readonly Command[]): string => `
A request costs 1 credit, a batch of prices 1 credit per address, and a stream event 1 credit. Requests also count
against the rate limit of the plan. Server errors and requests rejected because of the key, the plan or the rate limit are
free; a 400, 404 or 410 costs 1 credit. dexdata auth status shows the credits left; on paid plans, dexdata usage
also shows those used. The sandbox is free.

If overage is enabled, a pro plan keeps working when its credits are used up, at 20 USD per million credits, up to its
spending cap.

Plans:
${tableLines(
  Object.values(plans).map(({ tier, hosts, requestsPerMinute }) => [
    tier,
    `${requestsPerMinute === undefined ? "rate limit set by contract" : `${requestsPerMinute} requests/min`}, ` +
      `${connectionsOfPlan[tier]} streams, ${hosts} hosts${candlesOf(tier)}`,
  ]),
)}

Commands that require a plan:
${tableLines(commands.filter(({ plan }) => plan.isBounded).map(({ words, plan }) => [words, plan.full]))}

Your own limits:
  --estimate     Prints estimated requests, credits, rows and time; sends at most one request (sync: one per pool with transactions)
  --max-credits  Stops the command before a request that would exceed this number of credits (exit 5)
  budget.daily   Limits the credits spent per UTC day, for all processes on this machine that use the same key and service
  --rpm          Replaces the rate limit of the plan; --rpm unlimited removes it, but dexdata still obeys Retry-After

Processes on this machine that use the same key share its rate limit. After a 429, none of them sends a request until
the time in Retry-After has passed.`;

export function environmentTopic(_commands: readonly Command[], context: TopicContext): string {
  const folders = findFolders(context);
  const variables = Object.values(settings).filter(({ only }) => only !== "file");
  return `
Precedence: flag, variable, config file, default. Empty counts as unset, except in DEXDATA_PAGER and PAGER. See
dexdata config list.

Settings:
${tableLines(variables.map(({ variable, help }) => [variable, help]))}

Keys, time and directories (absolute paths):
  DEXDATA_API_KEY     API key; set DEXDATA_TIER to its plan
  DEXDATA_NOW         Time to use as "now", e.g. to resolve -24h
  DEXDATA_CONFIG_DIR  Directory for settings, names and keys (${folders.config})
  DEXDATA_STATE_DIR   Directory for the rate limit and budget.daily (${folders.state})
  DEXDATA_CACHE_DIR   Directory for cached lists and compiled code (${folders.cache})
  DEXDATA_PAGER       Pager for long help and tables; empty: none

Shared with other programs: PATH, PAGER, CI, NO_COLOR, FORCE_COLOR, TERM, LC_ALL, LC_CTYPE, LANG, WT_SESSION,
XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_CACHE_HOME, HTTPS_PROXY, ALL_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS,
NODE_TLS_REJECT_UNAUTHORIZED and NODE_DISABLE_COMPILE_CACHE.`;
}

export const streamsTopic = (): string => `
dexdata stream prints live events until you stop it: a line per event, or on a terminal, a board. Each event costs 1 credit. An asset is a token or a
pool that you stream. For the history of a pool and then its new transactions, see dexdata help follow.

--feed transactions --by token streams the transactions of all pools of a token, which can be a thousand times the
events of one pool. Prices are strings, so that no digit is lost: in jq, compare (.price | tonumber).

Feeds (what they accept; assets per connection; plan):
${tableLines(Object.values(feeds).map((feed) => [feed.name, describeFeed(feed).join("; ")]))}

--feed ohlcv also accepts --interval (${streamIntervals.join(", ")}) and --since (replays at most ${longestBackfill / 60} minutes).

Operation:
  assets        If the assets need more connections than the plan has, the command exits 6 before it connects.
  reconnects    If a connection drops, or receives nothing for 45s, dexdata waits 1, 2, 4 … 60s and reconnects. It reports
      each gap.
  --on-invalid  --on-invalid drop skips invalid assets. By default, the command fails and names them.
  --out FILE    Appends to FILE. ticks-{network}-{date}.ndjson has one file per network and UTC day of the events.
  --events FILE  Appends status events as NDJSON.
  --idle-exit   Exits 8 if any one connection is silent for this long.
  SIGHUP        Reloads the @file that lists the assets.

The exit code is 0 if --limit, --for, the key q or a closed pipe ended the stream; with --when, only after an alert. If the
program that reads the pipe is slow, the stream slows down, and memory use stays flat.`;

/** What a user may want, and the command for it. */
const tasks: readonly (readonly [task: string, typed: string, plan?: string])[] = [
  ["find by name", "search <text>"],
  ["busiest pools", "pools search <network>"],
  ["busiest tokens", "tokens search <network>"],
  ["one pool", "pool <network> <address>"],
  ["prices now", "prices <network> <address…>"],
  ["past prices", "prices <network> <address…> --at <time>", "dev or higher; with --pool, any"],
  ["trades of a day", "txns <network> <pool> --day yesterday --all"],
  ["candles", "ohlcv <network> <pool> --pool --from -1d"],
  ["live events", "stream <network:address…> --limit 10"],
  ["keep a history", "sync <directory> <list> --kind ohlcv"],
  ["credits left", "auth status"],
  ["errors explained", "explain <code>"],
];

const requestCost = "1 per request";

/** Also the source of docs/agents.md. */
export function agentsTopic(commands: readonly Command[]): string {
  const rows = tasks.map(([task, typed, needed]) => {
    const entry = commands.find(({ words }) => `${typed} `.startsWith(`${words} `));
    const { credits, plan } = entry ?? {};
    const cost = typed.includes("--at") ? requestCost : (credits?.brief ?? "free");
    const isPaid = plan?.isBounded === true && !plan.brief.startsWith("any") && !typed.includes("--pool");
    const least = needed ?? (isPaid ? plan.brief : undefined);
    const notes = [
      ...(cost === requestCost ? [] : [cost]),
      ...(least === undefined ? [] : [`plan: ${least}`]),
    ];
    return [task, `dexdata ${typed}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`] as const;
  });
  return `
Commands for programs and agents. A request costs 1 credit unless noted. stdout carries only data.

Tasks:
${tableLines(rows)}

Conventions:
  output  NDJSON in a pipe. --json is short for -o json, and --json=a,b for -o json --fields a,b.
  errors  JSON on stderr per failed input if the output is (ND)JSON in a pipe: code, exit, message, retryable, next.
  cost    --estimate prints the cost of a pull and exits; --max-credits 50 stops before a run spends more.
  lists   txns, dexes, tokens search, pools search: 10 rows without --limit or --all. --receipt FILE shows if it is complete.
  flags   dexdata commands -o json lists the commands; dexdata commands txns -o json describes the flags of one.
  fields  dexdata schema txns lists the fields of a row.
  tests   --sandbox or DEXDATA_SANDBOX=1: simulated data, offline and free. DEXDATA_NOW sets its clock.

Exit codes: 0 success, 1 internal error or invalid response, 2 invalid command line, 3 not found, 4 key or plan, 5 out of
credits, 6 rate limit, 7 network or server error, 8 incomplete. Retry if retryable is true; dexdata help exit-codes has the rest.`;
}

/** The kinds of assets, how many share a connection, and the plan. */
export function describeFeed({ kinds, batches, plan }: Feed): readonly [string, string, string] {
  const assets = kinds
    .map(({ by }, index) => (index === 0 ? `${by}s` : `${by}s with --by ${by}`))
    .join(", or ");
  const perConnection = {
    always: `${assetsPerPost} per connection`,
    perhaps: `1 per connection (${assetsPerPost}, if the plan has too few connections and the service accepts several)`,
    never: "1 per connection",
  }[batches];
  return [assets, perConnection, plan === "keyless" ? "any plan" : `${plan} or higher`];
}

/** Rows of a topic, for `topicPage()` to parse. */
function tableLines(rows: readonly (readonly [term: string, text: string])[]): string {
  return rows.map(([term, text]) => `  ${term}  ${text}`).join("\n");
}

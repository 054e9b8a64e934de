import { exitCodes } from "../../../contract/exit-codes.ts";
import { assetsPerPost, connectionsOfPlan, type Feed } from "../../../contract/feed.ts";
import { feeds } from "../../../contract/feeds/all-feeds.ts";
import { longestBackfill, streamIntervals } from "../../../contract/feeds/ohlcv-feed.ts";
import { outputFormats } from "../../../contract/output-format.ts";
import { plans } from "../../../contract/tier.ts";
import type { Command } from "../../../commands/command.ts";
import { formats } from "../../../render/formats/formats.ts";
import { findFolders } from "../../../settings/folders.ts";
import { settings } from "../../../settings/settings.ts";
import { formatInstant, parseTimeBound } from "../../../time/time.ts";
import type { TopicContext } from "../topic-names.ts";
import { tableLines } from "./text-page.ts";

export const exitCodesTopic = (): string => `
Exit codes, and what a script should do next.

Exit codes:
${tableLines(Object.entries(exitCodes).map(([code, { when, next }]) => [code, `${when} → ${next}`]))}

An error is at most three lines on stderr: the problem, the service's own words, and what to do next. With
--error-format json, it is one JSON object for each failed input. JSON is the default if the output is json or ndjson
and stderr is not a terminal.

Examples:
  dexdata explain 402
  dexdata explain plan_required`;

/** Every form of time that `parseTimeBound` accepts, with its meaning. */
export const timeForms: readonly (readonly [example: string, meaning: string])[] = [
  ["now", "the start of the run"],
  ["-90s", "seconds before now; the minus is optional"],
  ["-15m", "minutes"],
  ["-24h", "hours"],
  ["-7d", "days of 24 hours"],
  ["2026-11-21", "a date: 00:00 UTC, in every time zone"],
  ["2026-11-21T08:54:00Z", "RFC 3339, with any fraction of a second"],
  ["2026-11-21T10:54:00+02:00", "and with any offset"],
  ["1795251240", "Unix seconds, up to 11 digits; not milliseconds"],
];

export function timeTopic(commands: readonly Command[], { clock }: TopicContext): string {
  const now = clock.now();
  const read = (example: string): string => {
    const time = parseTimeBound(example, now);
    return "problem" in time ? time.problem : formatInstant(time);
  };
  const timed = commands.filter(({ flags }) => "from" in flags || "created-after" in flags);
  return `
Accepted values of --from, --to, --created-after, --created-before and --now.

Forms, and their values at ${read("now")}:
${tableLines(timeForms.map(([example, meaning]) => [example, `${read(example)}  ${meaning}`]))}

A run reads the clock once, so its time range is the same for all pages and retries. Both ends are included, except the
end of candles: the last candle opens before it. Empty ranges, impossible dates and unknown units are rejected before a
request is sent. Commands with a time range: ${timed.map(({ words }) => words).join(", ")}.

Durations (--timeout, --for, --poll) always have a unit: 500ms, 30s, 2m, 1h.

Examples:
  dexdata pools search base --created-after -24h --sandbox`;
}

export const outputTopic = (): string => `
stdout carries only data, in every format, even when a command fails. Messages go to stderr. Rows are the service's own
bytes: every digit is preserved, and so are fields that dexdata does not know.

Formats of -o:
${tableLines(outputFormats.map((format) => [format, formats[format].summary]))}

Paths of --fields:
  id               a field of the row; null if the row does not have it
  24h.volume_usd   a field inside another field
  tokens.0.symbol  an item of a list, counted from 0; * selects all items

Without -o, the name of --out selects the format: x.csv, x.tsv or x.json. In csv and tsv, a row is one line, nested
values are compact JSON, and special characters are escaped. Anyone can name a token, so control, bidi and zero-width
characters never reach a terminal unescaped. dexdata schema prints the types of a row.`;

export const creditsTopic = (commands: readonly Command[]): string => `
A request costs 1 credit, a price batch 1 per address, a stream event 1. Requests also count against a limit per minute.
Rejections for key, plan, rate limit and server errors are free; 404 and 410 cost 1. dexdata usage shows what is left.
The sandbox is free.

Plans:
${tableLines(
  Object.values(plans).map(({ tier, hosts, requestsPerMinute }) => [
    tier,
    `${requestsPerMinute === undefined ? "rate by contract" : `${requestsPerMinute} requests/min`}, ` +
      `${connectionsOfPlan[tier]} streams, ${hosts} hosts`,
  ]),
)}

Commands that require a plan:
${tableLines(commands.filter(({ plan }) => plan.isBounded).map(({ words, plan }) => [words, plan.full]))}

Your own limits:
  --estimate     prints requests, credits, rows and time, and sends one request at most
  --max-credits  stops the run before a request that would exceed it (exit 5)
  budget.daily   limits each UTC day, for all processes on this machine that use the key
  --rpm          replaces the rate of the plan; unlimited obeys only Retry-After

Processes on this machine that use the same key share its rate limit. After a 429, none of them sends a request before
Retry-After.`;

export function environmentTopic(_commands: readonly Command[], context: TopicContext): string {
  const folders = findFolders(context);
  const variables = Object.values(settings).filter(({ fileOnly }) => !fileOnly);
  return `
Precedence: flag, environment variable, config file, default. An empty variable counts as unset. dexdata config list
shows each value and its source.

Settings:
${tableLines(variables.map(({ variable, help }) => [variable, help]))}

Keys, sandbox and directories:
  DEXDATA_API_KEY     API key; DEXDATA_TIER names its plan
  DEXDATA_SANDBOX     1: use the sandbox in every command
  DEXDATA_NOW         resolve times as of this time
  DEXDATA_CONFIG_DIR  settings, keys (${folders.config})
  DEXDATA_STATE_DIR   rate limit, daily budget (${folders.state})
  DEXDATA_CACHE_DIR   lists, compiled code (${folders.cache})

Shared with other programs: NO_COLOR, FORCE_COLOR, TERM, LC_ALL, LC_CTYPE, LANG, WT_SESSION, XDG_CONFIG_HOME,
XDG_STATE_HOME, XDG_CACHE_HOME, HTTPS_PROXY, ALL_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS and NODE_DISABLE_COMPILE_CACHE.`;
}

export const streamsTopic = (): string => `
dexdata stream prints live events, one per line, until you stop it. dexdata txns --follow combines a pool's history with
new rows. Each event costs 1 credit.

Feeds:
${tableLines(Object.values(feeds).map((feed) => [feed.name, describeFeed(feed).join("; ")]))}

--feed ohlcv accepts --interval ${streamIntervals.join(", ")}; --since replays up to ${longestBackfill / 60} minutes.

Operation:
  assets        share as few connections as possible; more assets than the plan allows end the run with exit 6
  reconnects    after 1, 2, 4 … 60s, and after 45s without a byte; each gap is reported
  --on-invalid  drop skips invalid assets; the default is to fail and name them
  --out FILE    appends; ticks-%Y%m%d.ndjson starts a new file every UTC day
  --events FILE  appends connection events as NDJSON
  --idle-exit   exits 8 when any one connection has no event for this long
  SIGHUP        reloads the @file that lists the assets

A stream exits 0 only after --limit or --for, or when its reader closes the pipe. A slow reader slows the stream, and
memory use stays flat.`;

/** Returns the kind of asset, the number of assets per connection, and the plan. */
export function describeFeed({ kinds, batches, plan }: Feed): readonly [string, string, string] {
  const assets = kinds.map(({ by }, index) => (index === 0 ? by : `${by} with --by ${by}`)).join(", ");
  const perConnection = {
    always: `${assetsPerPost} per connection`,
    perhaps: `1 per connection, or ${assetsPerPost} where the service accepts it`,
    never: "1 per connection",
  }[batches];
  return [assets, perConnection, plan === "keyless" ? "any plan" : `${plan} or higher`];
}

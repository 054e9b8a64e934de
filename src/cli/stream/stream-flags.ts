import { feedNames, streamIntervals } from "../../tail/feeds.ts";
import { streamEvents } from "./stream-events.ts";
import type { Flag } from "../flags/flags.ts";
import type { Block } from "../help/page.ts";

/** What `--max-event` may allow: an event is in memory as a whole, a few times over. */
export const mostMebibytes = 16;

export const streamFlags: readonly Flag[] = [
  {
    name: "feed",
    value: "feed",
    choices: feedNames,
    help: "what to listen to (default prices)",
    group: "Filters",
  },
  {
    name: "by",
    value: "what",
    choices: ["token", "pool"],
    help: "whose addresses these are: of transactions a pool's unless said, of reserves a token's",
    group: "Filters",
  },
  {
    name: "interval",
    value: "interval",
    choices: streamIntervals,
    help: "length of a candle of --feed ohlcv (default 1s)",
    group: "Filters",
  },
  {
    name: "since",
    value: "time",
    help: "begin with the candles from there; 15 minutes back at most: -5m",
    group: "Filters",
  },
  {
    name: "on-invalid",
    value: "how",
    choices: ["fail", "drop"],
    help: "what is not streamed (default fail); drop leaves it out and goes on",
    group: "Filters",
  },
  { name: "limit", value: "n", help: "stop after so many events", group: "Rows" },
  { name: "for", value: "duration", help: "stop after so long", group: "Rows" },
  {
    name: "idle-exit",
    value: "duration",
    help: "stop with exit 8 when a connection had no event for so long; the others do not count",
    group: "Rows",
  },
  {
    name: "output",
    short: "o",
    value: "format",
    choices: ["ndjson"],
    help: "one ndjson line an event, also on a terminal; that shows a live board otherwise",
    group: "Output",
  },
  {
    name: "envelope",
    help: "each event inside an envelope: {feed, event, id, network, address, received, data}",
    group: "Output",
  },
  {
    name: "out",
    value: "file",
    help: "append the lines to a file; %Y %m %d %H %M in its name are the UTC time a line came: ticks-%Y%m%d.ndjson",
    group: "Output",
  },
  {
    name: "events",
    value: "file",
    help: `append what happens to the connections as NDJSON: ${streamEvents.join(", ")}`,
    group: "Output",
  },
  {
    name: "max-reconnects",
    value: "n",
    help: "give up after so many connections in a row without data (default: never)",
    group: "Requests",
  },
  {
    name: "max-event",
    value: "mib",
    help: `largest event in MiB, up to ${mostMebibytes} (default 1); larger ones are skipped and reported`,
    group: "Requests",
  },
  {
    name: "max-credits",
    value: "n",
    help: "stop with exit 5 when the events have cost so many credits",
    group: "Requests",
  },
  {
    name: "streaming-url",
    value: "url",
    help: "streaming host instead of the configured one",
    group: "Hosts and keys",
  },
  {
    name: "speed",
    value: "n",
    help: "with --sandbox: how fast its time runs (default 60; 1 with --since)",
    group: "Hosts and keys",
  },
];

export function streamNotes(): readonly Block[] {
  return [
    {
      prose:
        "@file names a file with one asset a line; SIGHUP reads it again. Every interruption is said on stderr with " +
        "both instants. Ends with 0 only at a stop that was asked for (--limit, --for), or when the reader goes away.",
    },
  ];
}

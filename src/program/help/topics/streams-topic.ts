import { assetsPerPost, type Feed } from "../../../contract/feed.ts";
import { feeds } from "../../../contract/feeds/all-feeds.ts";
import { longestBackfill, streamIntervals } from "../../../contract/feeds/ohlcv-feed.ts";
import { plans } from "../../../contract/tier.ts";
import { streamEvents } from "../../../commands/stream/stream-flags.ts";
import type { Block } from "../../../render/page/help-page.ts";

export function streamsTopic(): readonly Block[] {
  return [
    {
      prose:
        "dexdata stream writes what happens as it happens, one line an event, until it is stopped; dexdata txns --follow " +
        "joins the history of a pool with what comes. Each event costs one credit.",
    },
    { heading: "Feeds", rows: Object.values(feeds).map((feed) => [feed.name, describe(feed)]) },
    {
      prose: `--feed ohlcv takes --interval ${streamIntervals.join(", ")} and goes back up to ${longestBackfill / 60} minutes with --since.`,
    },
    {
      heading: "What is written",
      rows: [
        [
          "an event",
          "the service's own bytes, when it comes; --envelope adds feed, event, id, network, address and the instant it " +
            "was received. One larger than 1 MiB is skipped and reported; --max-event 16 takes up to 16 MiB",
        ],
        [
          "--out FILE",
          "adds lines; ticks-%Y%m%d.ndjson is a file for each day (UTC, %H %M too) of receiving them. Half a line that a " +
            "killed run left goes. A file that is moved away, as logrotate does, is left within a second of lines and made " +
            "anew, --events likewise",
        ],
        ["--events FILE", `appends as NDJSON: ${streamEvents.join(", ")}`],
      ],
    },
    {
      heading: "Connections",
      rows: [
        [
          "assets",
          "as few connections as hold them, up to the plan's (dexdata help credits); more are refused before, exit 6. " +
            "Where the host has fewer places, those without one go on with others",
        ],
        [
          "a bad asset",
          "is named: by the message, else by halving its batch, else by REST (a credit a token; not with --max-credits). " +
            "--on-invalid drop goes on without it",
        ],
        [
          "broken ones",
          "45 s without a byte, an end, an error, 408, 429, 5xx or a machine that slept: dexdata reconnects after 1, 2, 4 … " +
            "60 s, or when the retry field allows, and reports the gap. Only 30 s with data reset the wait. Reconnects send " +
            "the last event ID and use half of the rate limit at most. HTTP 204 ends a connection for good",
        ],
        ["--idle-exit", "is a clock for each connection, open or not: take a time that the quietest keeps"],
      ],
    },
    {
      heading: "How it ends",
      rows: [
        ["0", "--limit or --for was reached, or the reader went away"],
        ["2, 3, 4", "a refusal that stays: 400; 404, 410; 401, 403"],
        ["5", "402, --max-credits, or the day's budget"],
        [
          "6, 7",
          "more assets than there is room for, a wait of more than 1h; a host that was not found at the start",
        ],
        ["8", "--idle-exit; HTTP 204; with --for a connection that never opened, or was down at the end"],
        ["129 to 143", "a signal: dexdata help exit-codes"],
      ],
    },
    { prose: "SIGHUP reads @file again. A slow reader slows the stream, it does not fill memory." },
    {
      heading: "Examples",
      commands: [
        "dexdata stream ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --limit 3 --sandbox",
        "dexdata txns ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 --follow --from -1h --limit 20 --sandbox",
      ],
    },
  ];
}

function describe({ kinds, batches, plan }: Feed): string {
  const assets = kinds
    .map(({ by }, index) => (index === 0 ? `a ${by}` : `with --by ${by} a ${by}`))
    .join(", ");
  const room = {
    always: `${assetsPerPost} a connection`,
    perhaps: `1 a connection, or ${assetsPerPost} where the service takes it`,
    never: "1 a connection",
  }[batches];
  const needed = plan === "keyless" ? "any plan" : `${plans[plan].tier} or higher`;
  return `${assets}; ${room}; ${needed}`;
}

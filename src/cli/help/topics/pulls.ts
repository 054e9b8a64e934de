import type { Block } from "../page.ts";

export function pullsTopic(): readonly Block[] {
  return [
    {
      prose:
        "A long pull is as fast as the rate allows, loses and repeats no row, and goes on where it ended. Rows come in " +
        "order, and memory does not grow with them.",
    },
    {
      heading: "How it is pulled",
      rows: [
        [
          "--parallel 8",
          "requests under way at once, where the interface permits it: pages of transactions in a frozen window, slices " +
            "of candles, batches of prices, many addresses",
        ],
        [
          "one window",
          "the upper bound of a pull over pages is fixed by its first answer, never by the local clock",
        ],
        [
          "complete",
          "a list ends where the service says so, unless the service's own count says that rows are missing. Then the " +
            "page is requested again, up to 3 times; if rows are still missing, the run exits 8 with their number. " +
            "--no-strict accepts such a list. The receipt names the proof: count, or end of list where the service " +
            "gives none",
        ],
        [
          "checks",
          "what the service echoes of a search is compared with what was asked: a filter that it did not apply ends the " +
            "command before a row is printed, unless --no-strict says otherwise",
        ],
        [
          "retries",
          "of 429 (never before Retry-After), 500 and connection faults, after 1, 2, 4 … s with jitter; anything else is " +
            "one request. --retries, --retry-on, --retry-max-time, --timeout and --deadline change that",
        ],
      ],
    },
    {
      heading: "What is written",
      rows: [
        [
          "--out FILE",
          "the file appears only when it is complete, and replaces another one only with --force. Until then the rows " +
            "are in FILE.part, and the checkpoint beside them in FILE.resume",
        ],
        [
          "an early end",
          "a failure, Ctrl-C, kill -9 or an empty account leaves both. The message ends with the command that continues: " +
            "the same one with --resume. --force starts over; without either flag, the next run sends nothing and exits " +
            "2. Tables cannot be continued, so they leave nothing",
        ],
        [
          "--resume",
          "a pull that begins with it grows in FILE itself, which is complete once FILE.resume is gone. Relative times " +
            "stay as they were; another query, another service or a modified file is rejected. For a complete file it " +
            "exits 0 if the --receipt of the same query proves that, otherwise 2",
        ],
        [
          "other programs",
          "one run writes a file at a time, by FILE.lock; a second one exits 7. A lock whose process has ended is taken " +
            "at once, and one of another container or host a minute after its last refresh. If another program " +
            "truncates, extends or replaces the file during the pull, the run exits 1. stream and txns --follow do not add " +
            "to the file of an unfinished pull",
        ],
        [
          "--receipt FILE",
          "window, requests, rows, dropped repeats, first and last row, SHA-256 of the output, credits before and after, " +
            "whether it is complete, and the proof or the missing rows: over all runs of a resumed pull. more and next tell " +
            "whether and where the list continues",
        ],
      ],
    },
    {
      prose:
        "What it will cost, and how to bound it: dexdata help credits. A history and then what comes: dexdata help follow.",
    },
    {
      heading: "Examples",
      commands: [
        "dexdata pools search ethereum --all --estimate --sandbox",
        "dexdata txns ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 --from -2h --all --out swaps.ndjson --resume --sandbox",
      ],
    },
  ];
}

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
          "the upper bound of a pull over pages is fixed by its first answer, never by the local clock, and checked " +
            "against the service's own count. A cursor that repeats, or pages without anything new, end it with an error",
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
          "the file appears whole or not at all, and replaces nothing without --force, which keeps the mode",
        ],
        [
          "--resume",
          "it grows page by page beside a journal, FILE.resume: after a failure, Ctrl-C, kill -9 or an empty account the " +
            "same command goes on. Relative bounds stay where the pull began; another query, another service or a changed " +
            "file is refused. It is whole once its journal is gone",
        ],
        [
          "--receipt FILE",
          "window, requests, rows, dropped repeats, first and last row, SHA-256 of the output, credits before and after, " +
            "and whether it is complete or why not: over all runs of a resumed pull. more and next tell whether and where " +
            "the list continues",
        ],
        ["an early end", "says how many rows came before, and prints the command that goes on"],
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

import type { Block } from "../page.ts";

export function terminalTopic(): readonly Block[] {
  return [
    {
      prose:
        "A terminal gets tables for reading, pictures and what moves; a pipe gets rows, unless it is asked otherwise.",
    },
    {
      heading: "Tables",
      rows: [
        [
          "numbers",
          "amounts as 12.4M, small prices as 0.0\u20891234 (nine zeros after the point; in a pipe all digits), times as ages",
        ],
        [
          "a narrow window",
          "the least important columns leave first, what --order-by names late, and addresses are whole or left out. " +
            "--columns chooses columns and their order; what is named, or says what a row is about, and finds no room is said. -o wide has every column",
        ],
        ["not UTF-8", "where the locale says so all of it is ASCII, other characters as \\u{4e16}"],
      ],
    },
    {
      heading: "Pictures",
      rows: [
        [
          "--chart",
          "ohlcv: candles and volume, fitted to the window, 80 by 24 where there is none. In colour green rose and red " +
            "fell; without (--color never) hollow rose. An interval without a trade is an empty column, with --fill " +
            "previous a dash; * marks a candle that is still running. Where candles are more than columns, the title says " +
            "how many share one: the open of the first, the close of the last, the highest, the lowest, the sum of the " +
            "volumes. A year of minutes is merged as it comes, into 6,000 spans at most",
        ],
        [
          "--spark",
          "tokens search and pools search: a bar below each of 24H 6H 1H 5M NOW: the price, and what it was by the row's " +
            "own changes. Each row has its own scale; a change that a row does not tell is a gap",
        ],
      ],
    },
    {
      heading: "What moves",
      rows: [
        [
          "--watch 1m",
          "asks again at its interval, 5 s or more and as many requests as the plan's rate allows, and says first what an " +
            "hour costs. New rows are marked + and changed ones *; Ctrl-C leaves the last picture. A pipe gets the first " +
            "round, then rows that are new or changed, and stderr names those no longer there. Rate, service and network " +
            "faults are said and the next round tries again; 400, 401, 402, 403, 404 and 410 end it",
        ],
        [
          "--progress",
          "of what takes more than half a second: rows, requests, credits, rate, time left and a countdown of each wait on " +
            "one line, which leaves nothing behind. plain writes a line every 10 s, for logs; none and -q nothing",
        ],
        [
          "stream",
          "a board: the latest of each asset, its change since the start, updates in the last minute, its course over the " +
            "last hour at most, and the connections in one line. -o ndjson, a pipe or TERM=dumb give lines",
        ],
      ],
    },
    {
      heading: "Examples",
      commands: [
        "dexdata tokens search fantom --spark --limit 5 -o table --sandbox",
        "dexdata ohlcv ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --from -3d --chart --sandbox",
      ],
    },
  ];
}

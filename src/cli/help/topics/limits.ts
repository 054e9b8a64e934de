import type { Block } from "../page.ts";

export function limitsTopic(): readonly Block[] {
  return [
    {
      prose:
        "Whatever a service sends, memory and time stay bounded. What goes beyond ends the command with one line that says " +
        "so, exit 1 unless it is told otherwise here.",
    },
    {
      heading: "At most",
      rows: [
        ["an answer", "32 MiB unpacked, and 500,000 values where it is longer than 1 MiB; headers 64 KiB"],
        [
          "a refusal",
          "256 KiB; a longer one is judged by its status alone. Of a line that it says 500 characters are shown, of a " +
            "stream's warning 1,024",
        ],
        [
          "a request",
          "--timeout (30 s) for connection, headers and body together; --retries (4) more, which wait 3 min in all " +
            "(--retry-max-time)",
        ],
        [
          "a list",
          "a cursor of 8,192 characters that never comes twice; 20 pages in a row without a row, 3 with known rows only",
        ],
        ["a wait", "requested by the service: 1h; a longer one ends the command with exit 6"],
        [
          "an event",
          "of a stream: 1 MiB, up to 16 by --max-event. A larger one is skipped and reported; after 64 MiB without its " +
            "end, dexdata reconnects",
        ],
        ["a window", "of ohlcv: 50 million candles (exit 2)"],
        ["--follow", "3,000 rows held at once; late rows are looked for among the last 10 min or 5,000 rows"],
        ["a key", "as a file, or printed by key_command: 4 KiB; a minute for the program (exit 2)"],
        ["a name", "of a list that is suggested: 200 characters"],
        ["settings", "config and credentials: 1 MiB each; a larger one counts as broken"],
        ["flags", "--parallel 32, --retries 100; --watch every 5 s, --poll every 2 s (exit 2)"],
      ],
    },
    {
      prose:
        "Name and value lines show 10,000 characters of a text; formats for programs have all of it. A number of more than " +
        "400 places is shown as it was sent, and JSON that would take more than 16 MiB of indentation stays compact.",
    },
  ];
}

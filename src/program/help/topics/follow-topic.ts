import { followEvents } from "../../../commands/follow/follow-flags.ts";
import type { Block } from "../../../render/page/help-page.ts";

export function followTopic(): readonly Block[] {
  return [
    {
      prose:
        "dexdata txns --follow writes a pool's history and then what comes, oldest first, without a hole or a repeat. Rows " +
        "are always those of REST; an event of the stream only says when to read, at most every 2 s. A read happens each " +
        "minute anyway, so that a stream that is open and silent costs a minute and nothing else.",
    },
    {
      heading: "What is written when",
      rows: [
        ["held for 3 s", "a row is written when a second read, 3 s later, finds nothing new before it"],
        [
          "late rows",
          "each read compares the service's total of the last ten minutes (or 5,000 rows) with the rows it knows; one that " +
            "was indexed up to so late is found, written after newer ones, and said. One that goes just when another " +
            "comes leaves the total even: so all of that time is read again every five minutes (a credit a 100 rows), " +
            "which finds such a row if it comes at most four minutes late",
        ],
        [
          "rows ahead",
          "one that is dated ahead of the service's own time is written and said, and hides nothing that comes after it",
        ],
        [
          "gaps",
          "are said with both instants when the stream is open again, and as filled by the read after that. Without a " +
            "stream, or a host, reads go on every 15 s; REST that fails is asked again after 1 s to 60 s, of which the first failure of a row is said, and what it came to",
        ],
        ["--events FILE", `appends all of it as NDJSON: ${followEvents.join(", ")}`],
        [
          "--poll 15s",
          "opens no stream and says what an hour of it costs: less than a credit an event where much is traded",
        ],
        [
          "--out FILE",
          "adds lines to a file, which may be named after their time. Started again without --from it goes on where the " +
            "newest of its files ends, also behind one that logrotate moved away (FILE.1, FILE-20261121; where that is " +
            "compressed it says that it cannot tell); with --from it says what is written again. The newest file is found " +
            "by its rows, so a clock that was set back loses and repeats none. One run follows into a file at a time; a " +
            "second one exits 2",
        ],
      ],
    },
    {
      prose:
        "It ends by --limit, by --for (exit 0, or 8 where reads failed to the end), --idle-exit (8), --max-credits (5, " +
        "events included), a signal (SIGHUP too), a reader that goes away at the next row, or a refusal that stays: " +
        "400, 401, 402, 403, 404, 410. What was read is written first; a reader that sleeps is not waited for, and what " +
        "it did not take is said.",
    },
  ];
}

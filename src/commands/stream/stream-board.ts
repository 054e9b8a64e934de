import type { Subject } from "../../client/pages/page.ts";
import { dataOf, type StreamEvent } from "../../client/streams/stream-event.ts";
import type { FeedName } from "../../contract/feeds/all-feeds.ts";
import { createBoard } from "../../render/board/board.ts";
import type { TailState } from "../../render/board/board-lines.ts";
import { openDisplay } from "../../render/display.ts";
import { createPaint } from "../../render/painter.ts";
import { readsUnicode } from "../../run/output/terminal.ts";
import type { Run } from "../../run/with-run.ts";
import { subjectOf } from "../../tail/event-line.ts";
import type { Moment } from "../../tail/shard-handlers.ts";
import { nameOf } from "../../tail/shards.ts";
import type { Shard } from "../../tail/tail.ts";

export interface BoardFacts {
  readonly feed: FeedName;
  readonly subjects: readonly Subject[];
  readonly isSimulated: boolean;
  readonly state: () => TailState;
}

/** Shows the latest event of each asset on a terminal. Messages appear on the board, and on stderr after it closes. */
export async function openBoard(
  { context, options, report, stderr }: Run,
  { feed, subjects, isSimulated, state }: BoardFacts,
) {
  const { clock, stdout, signal, interrupt, env } = context;
  // Earlier messages belong above the board.
  await report.settled();
  let names = subjects.map(nameOf);
  const board = createBoard({
    feed,
    assets: names,
    isSimulated,
    isUnicode: readsUnicode(env),
    paint: await createPaint(options.isColored),
    start: clock.elapsed(),
  });
  const display = openDisplay({
    clock,
    output: stdout,
    frame: (window, elapsed) => board.frame(window, state(), elapsed),
    lastFrame: (window, elapsed) => board.frame(window, undefined, elapsed),
    signal,
    interrupt,
    onSuspend: context.onSuspend,
  });
  const say = (text: string): void => {
    board.say(text.trim().replace(/^dexdata: /u, ""), clock.elapsed());
    display.changed();
  };
  const release = stderr.isTerminal ? stderr.hold(say) : undefined;
  const watch = (wanted: readonly string[]): void => {
    names = [...wanted];
    board.watch(names, clock.elapsed());
    display.changed();
  };
  return {
    show: async (shard: Shard, events: readonly StreamEvent[], at: Moment) => {
      const named = events.map((event) => {
        const subject = subjectOf(event, shard.subjects);
        return { data: dataOf(event), asset: subject === undefined ? undefined : nameOf(subject) };
      });
      board.events(named, at.elapsed);
      display.changed();
      await Promise.resolve();
    },
    watch: (wanted: readonly Subject[]) => watch(wanted.map(nameOf)),
    drop: (unwanted: readonly Subject[]) => {
      const dropped = new Set(unwanted.map(nameOf));
      watch(names.filter((name) => !dropped.has(name)));
    },
    close: async () => {
      await display.close();
      await release?.();
    },
  };
}

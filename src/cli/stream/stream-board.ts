import { dataOf } from "../../client/streams/received-event.ts";
import { createBoard } from "../../render/board/board.ts";
import { openDisplay } from "../../render/display.ts";
import { createPaint } from "../../render/painter.ts";
import type { Context } from "../../context/context.ts";
import { subjectOf } from "../../tail/event-line.ts";
import type { FeedName } from "../../tail/feeds.ts";
import { nameOf } from "../../tail/shards.ts";
import { readsUnicode } from "../output/presentation.ts";
import type { HeldOutput } from "../output/held-output.ts";
import type { StreamDisplay } from "./stream-display.ts";
import type { ConnectionTally } from "./stream-tally.ts";

export interface BoardWishes {
  readonly feed: FeedName;
  /** `network:address` */
  readonly assets: readonly string[];
  readonly isSimulated: boolean;
  readonly isColored: boolean;
  readonly stderr: HeldOutput;
  readonly settled: () => Promise<void>;
  readonly connections: ConnectionTally;
  readonly counts: () => { readonly events: number; readonly credits: number };
}

/** The latest of each asset, on a terminal. What is said meanwhile stands in the picture, and on stderr after it. */
export async function openBoard(context: Context, wishes: BoardWishes): Promise<StreamDisplay> {
  const { clock, stdout, signal, interrupt } = context;
  const { feed, assets, isSimulated, stderr, connections, counts } = wishes;
  // What was said before belongs above the picture.
  await wishes.settled();
  const board = createBoard({
    feed,
    assets,
    isSimulated,
    isUnicode: readsUnicode(context.env),
    paint: await createPaint(wishes.isColored),
    start: clock.elapsed(),
  });
  const display = openDisplay({
    clock,
    output: stdout,
    frame: (window, elapsed) => board.frame(window, { ...connections.state(), ...counts() }, elapsed),
    lastFrame: (window, elapsed) => board.frame(window, undefined, elapsed),
    signal,
    interrupt,
    onSuspend: context.onSuspend,
  });
  const tell = (text: string): void => {
    board.say(text.trim().replace(/^dexdata: /u, ""), clock.elapsed());
    display.changed();
  };
  const release = stderr.isTerminal ? stderr.hold(tell) : undefined;
  let names = assets;
  const watch = (wanted: readonly string[]): void => {
    names = wanted;
    board.watch(names, clock.elapsed());
    display.changed();
  };
  return {
    show: async (shard, events, at) => {
      const named = events.map((event) => {
        const subject = subjectOf(event, shard.subjects);
        return { data: dataOf(event), asset: subject === undefined ? undefined : nameOf(subject) };
      });
      board.events(named, at.elapsed);
      display.changed();
      await Promise.resolve();
    },
    watch: (subjects) => watch(subjects.map(nameOf)),
    drop: (subjects) => {
      const dropped = new Set(subjects.map(nameOf));
      watch(names.filter((name) => !dropped.has(name)));
    },
    close: async () => {
      await display.close();
      await release?.();
    },
  };
}

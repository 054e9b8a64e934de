import type { Client } from "../../../client/client.ts";
import { dataOf, Foreign, type StreamEvent } from "../../../client/stream-event.ts";
import type { Moment } from "../../../client/stream-options.ts";
import { nameOf, type Subject } from "../../../client/subject.ts";
import type { BoardState } from "../../render/board/board.ts";
import type { BoardOptions } from "../../render/board/board-table.ts";
import { openDisplay } from "../../render/display.ts";
import { createPaint, readsUnicode } from "../../render/terminal.ts";
import type { KnownAssets } from "../pull/known-assets.ts";
import type { Run } from "../../run/with-run.ts";

export interface BoardFacts extends Pick<BoardOptions, "feed" | "by" | "isSimulated" | "isOn"> {
  readonly subjects: readonly Subject[];
  readonly known: KnownAssets;
  readonly state: () => BoardState;
}

/** Messages appear on the board while it is open, and again on stderr after it closes. */
export async function openBoard(
  { context, options, report, onClose }: Run,
  { subjects, known, state, ...facts }: BoardFacts,
) {
  const { clock, env } = context;
  // Earlier messages should appear above the board.
  await report.settled();
  let watched = subjects;
  const { createBoard } = await import("../../render/board/board.ts");
  const board = createBoard({
    ...facts,
    assets: subjects,
    isUnicode: readsUnicode(env),
    paint: await createPaint(options.isColored),
    start: clock.elapsed(),
    findAsset: (address, network = "") => known.find(network, address),
  });
  const display = openDisplay(context, {
    frame: (window, elapsed) => board.frame(window, state(), elapsed),
    lastFrame: (window, elapsed) => board.frame(window, undefined, elapsed),
    pressed: board.key,
    said: (message) => board.say(message, clock.elapsed()),
  });
  onClose(display.close);
  const watch = (wanted: readonly Subject[]): void => {
    watched = wanted;
    board.watch(watched, clock.elapsed());
    display.changed();
  };
  return {
    show: (events: readonly StreamEvent[], at: Moment): void => {
      const owned = events.flatMap((event) => {
        const { owner } = event;
        return owner === undefined || owner instanceof Foreign ? [] : [{ data: dataOf(event), asset: owner }];
      });
      board.events(owned, at.elapsed);
      display.changed();
    },
    watch,
    /** Removes assets that the service does not stream. */
    drop: (unwanted: readonly Subject[]): void => {
      const dropped = new Set(unwanted.map(nameOf));
      watch(watched.filter((subject) => !dropped.has(nameOf(subject))));
    },
  };
}

/** Each request costs a credit. With more pools, only those that are already known show amounts in tokens. */
const maxLearned = 25;

/** Without the decimals of their tokens, the board would show trades as raw numbers. They are cached for a day. */
export async function learnPools(
  client: Client,
  known: KnownAssets,
  subjects: readonly Subject[],
  signal: AbortSignal,
): Promise<void> {
  const unknown = subjects.filter((subject) => !known.knowsPool(subject)).slice(0, maxLearned);
  for (const { network, address } of unknown) {
    if (signal.aborted) return;
    // A failure is not an error: the amounts stay raw.
    await known.requestPool(client, network, address).catch(() => undefined);
  }
  known.save();
}

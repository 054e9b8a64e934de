import type { Context } from "../../model/context.ts";
import { openRotatingFile } from "../../tail/rotating-file.ts";
import type { TornLine } from "../../tail/torn-line.ts";
import type { HeldOutput } from "../held-output.ts";
import { counted, type Notices } from "../notices.ts";
import type { RunOptions } from "../run-options.ts";
import { createLines, type LineOutput, type StreamDisplay } from "./stream-display.ts";
import type { StreamOptions } from "./stream-options.ts";
import type { ConnectionTally } from "./stream-tally.ts";

export interface OutputWishes {
  readonly options: RunOptions;
  readonly wishes: StreamOptions;
  readonly notices: Notices;
  /** Where the notices go; held back while a board fills the terminal. */
  readonly stderr: HeldOutput;
  /** `network:address` */
  readonly assets: readonly string[];
  readonly isSimulated: boolean;
  readonly connections: ConnectionTally;
  readonly counts: () => { readonly events: number; readonly credits: number };
}

/**
 * Where events go: lines into a pipe or into files, the live board on a terminal; with `--out` on a terminal both, so
 * that somebody who looks sees more than nothing.
 */
export async function openOutput(context: Context, output: OutputWishes): Promise<StreamDisplay> {
  const { wishes, notices } = output;
  const isShown = showsBoard(context, output.options);
  const displays: StreamDisplay[] = [];
  if (wishes.out !== undefined) {
    const file = await openRotatingFile(wishes.out, context.clock, (name, torn) =>
      notices.warn(`dexdata: ${name}: ${repaired(torn)}`),
    );
    displays.push(openLines(file, wishes, notices, file.close));
  } else if (!isShown) displays.push(openLines(context.stdout, wishes, notices));
  if (isShown) {
    const { openBoard } = await import("./stream-board.ts");
    const { isColored } = output.options;
    const { settled } = notices;
    displays.push(await openBoard(context, { ...output, feed: wishes.feed.name, isColored, settled }));
  }
  const [only, ...others] = displays;
  return only !== undefined && others.length === 0 ? only : together(displays);
}

/** A terminal that can be drawn on, and nobody who asked for lines. */
function showsBoard({ stdout, env }: Context, { format }: RunOptions): boolean {
  return stdout.isTerminal && format === "table" && env["TERM"] !== "dumb";
}

function openLines(
  output: LineOutput,
  wishes: StreamOptions,
  notices: Notices,
  close?: () => Promise<void>,
): StreamDisplay {
  let broken = 0;
  const lines = createLines(
    output,
    { feed: wishes.feed.name, isEnveloped: wishes.isEnveloped },
    (shard, event) => {
      broken += 1;
      // Powers of two: a service that goes wrong for days must not fill the disk of a log.
      if ((broken & (broken - 1)) !== 0) return;
      const what = `an event ${event.name} on connection ${shard.number} that is no JSON`;
      notices.warn(`dexdata: left out: ${what} (${counted(broken, "event")} so far)`);
    },
  );
  return close === undefined ? lines : { ...lines, close };
}

function together(displays: readonly StreamDisplay[]): StreamDisplay {
  return {
    show: async (shard, events, at) => {
      for (const display of displays) await display.show(shard, events, at);
    },
    watch: (subjects) => {
      for (const display of displays) display.watch?.(subjects);
    },
    drop: (subjects) => {
      for (const display of displays) display.drop?.(subjects);
    },
    close: async () => {
      for (const display of displays) await display.close();
    },
  };
}

/** What became of a line that an earlier run left torn. */
export function repaired({ kind, bytes }: TornLine): string {
  if (kind === "ended") return "its last line had no end, and was given one";
  return `its last line was half written, and cut off (${counted(bytes, "byte")})`;
}

import type { StreamEvent } from "../../client/streams/stream-event.ts";
import type { Context } from "../../context/context.ts";
import { openRotatingFile } from "../../files/rotating-file.ts";
import type { Shard } from "../../tail/shard-handlers.ts";
import type { TornLine } from "../../files/last-lines.ts";
import type { HeldOutput } from "../../render/held-output.ts";
import { counted } from "../../text/counted.ts";
import type { Report } from "../../run/report.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { createLines, type LineOutput, type StreamDisplay } from "./stream-display.ts";
import type { StreamOptions } from "./stream-options.ts";
import type { ConnectionTally } from "./stream-tally.ts";

export interface OutputWishes {
  readonly options: RunOptions;
  readonly wishes: StreamOptions;
  readonly report: Report;
  /** Where the report goes; held back while a board fills the terminal. */
  readonly stderr: HeldOutput;
  /** `network:address` */
  readonly assets: readonly string[];
  readonly isSimulated: boolean;
  readonly connections: ConnectionTally;
  /** An event that is no JSON is not written. */
  readonly leftOut: (shard: Shard, event: StreamEvent) => void;
  readonly counts: () => { readonly events: number; readonly credits: number };
}

/**
 * Where events go: lines into a pipe or into files, the live board on a terminal; with `--out` on a terminal both, so
 * that somebody who looks sees more than nothing.
 */
export async function openOutput(context: Context, output: OutputWishes): Promise<StreamDisplay> {
  const { wishes, report } = output;
  const isShown = showsBoard(context, output.options);
  const displays: StreamDisplay[] = [];
  if (wishes.out !== undefined) {
    const file = await openRotatingFile(wishes.out, context.clock, (name, torn) =>
      report.warn(`${name}: ${repaired(torn)}`),
    );
    displays.push({ ...openLines(file, output), close: file.close });
  } else if (!isShown) displays.push(openLines(context.stdout, output));
  if (isShown) {
    const { openBoard } = await import("./stream-board.ts");
    const { isColored } = output.options;
    const { settled } = report;
    displays.push(await openBoard(context, { ...output, feed: wishes.feed.name, isColored, settled }));
  }
  const [only, ...others] = displays;
  return only !== undefined && others.length === 0 ? only : together(displays);
}

/** A terminal that can be drawn on, and nobody who asked for lines. */
function showsBoard({ stdout, env }: Context, { format }: RunOptions): boolean {
  return stdout.isTerminal && format === "table" && env["TERM"] !== "dumb";
}

function openLines(lines: LineOutput, { wishes, leftOut }: OutputWishes): StreamDisplay {
  return createLines(lines, { feed: wishes.feed.name, isEnveloped: wishes.isEnveloped }, leftOut);
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

import type { Clock, Output } from "../../context/context.ts";

const LF = 0x0a;
/** Milliseconds to write the last lines, because another program must not delay the end of a stream. */
const lastWrites = 400;

interface Pending {
  readonly bytes: Buffer;
  readonly events: number;
}

export type PendingLines = ReturnType<typeof createPendingLines>;

/** Knows which lines the program that reads the output has not accepted yet. */
export function createPendingLines(output: Pick<Output, "write" | "unaccepted">) {
  const pending = new Set<Pending>();
  let settled: (() => void) | undefined;
  return {
    write: async (bytes: Buffer, events: number): Promise<void> => {
      const each = { bytes, events };
      pending.add(each);
      try {
        await output.write(bytes);
      } finally {
        pending.delete(each);
        if (pending.size === 0) settled?.();
      }
    },
    /** Waits briefly at the end of the run, and returns the number of events without a whole line in the output. */
    unwritten: async (clock: Pick<Clock, "sleep">): Promise<number> => {
      if (pending.size === 0) return 0;
      const waiting = new AbortController();
      settled = (): void => waiting.abort("written");
      await clock.sleep(lastWrites, waiting.signal).catch(() => undefined);
      let left = output.unaccepted?.() ?? Number.POSITIVE_INFINITY;
      let events = 0;
      for (const each of [...pending].toReversed()) {
        const missing = Math.min(left, each.bytes.length);
        left -= missing;
        events += missing === 0 ? 0 : each.events - linesIn(each.bytes, each.bytes.length - missing);
      }
      return events;
    },
  };
}

/** The number of lines that end before this index. */
function linesIn(bytes: Buffer, end: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(LF); at >= 0 && at < end; at = bytes.indexOf(LF, at + 1)) lines += 1;
  return lines;
}

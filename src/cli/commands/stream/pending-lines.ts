import type { Clock, Output } from "../../../base/context/context.ts";

const LF = 0x0a;
/** Milliseconds to write the last lines, because another program must not delay the end of a stream. */
const lastWrites = 400;

export type PendingLines = ReturnType<typeof createPendingLines>;

/** Knows which lines the program that reads the output has not accepted yet. */
export function createPendingLines(output: Pick<Output, "write" | "unaccepted">) {
  // Objects, because two writes may be of the same memory.
  const pending = new Set<{ readonly bytes: Buffer }>();
  let settled: (() => void) | undefined;
  return {
    write: async (bytes: Buffer): Promise<void> => {
      const each = { bytes };
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
        events += linesIn(each.bytes.subarray(each.bytes.length - missing));
      }
      return events;
    },
  };
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) lines += 1;
  return lines;
}

import type { Output } from "../../src/base/context/context.ts";
import { watchOutput } from "./no-key-seen.ts";

/** A screen or a pipe that stores everything written to it. */
export interface TestOutput extends Output {
  /** All of it so far. */
  readonly text: () => string;
  readonly bytes: () => Buffer;
  /** One entry per write. */
  readonly chunks: readonly Buffer[];
  /** Stalls the reader: writes wait until the returned function is called. */
  readonly stall: () => () => void;
  /** Delays each write by this promise, for a reader slowed by the test's clock. */
  readonly slowDown: (wait: () => Promise<void>) => void;
  /** Closes the reader: this and later writes fail as on a closed pipe, pending ones too. */
  readonly close: () => void;
  /** Closes the reader after this many bytes, as `head -c` does. */
  readonly closeAfter: (bytes: number) => void;
  readonly isClosed: () => boolean;
}

export function createTestOutput(options: {
  readonly isTerminal: boolean;
  readonly columns: number | undefined;
  readonly rows?: number | undefined;
  /** Called once, when a write fails on the closed pipe. */
  readonly onClosed: () => void;
}): TestOutput {
  const chunks: Buffer[] = [];
  const watch = watchOutput("a run of the program");
  const closed = new AbortController();
  let room = Number.POSITIVE_INFINITY;
  let keepUp: (() => Promise<void>) | undefined;

  const whenClosed = new Promise<never>((_, reject) => {
    closed.signal.addEventListener("abort", () => reject(brokenPipe()), { once: true });
  });
  // There may be no pending write when the reader closes.
  whenClosed.catch(() => {});

  let isReported = false;
  const fail = (): never => {
    if (!isReported) {
      isReported = true;
      options.onClosed();
    }
    throw brokenPipe();
  };

  return {
    isTerminal: options.isTerminal,
    target: options.isTerminal ? undefined : "pipe",
    columns: options.columns,
    rows: options.rows,
    chunks,
    bytes: () => Buffer.concat(chunks),
    text: () => Buffer.concat(chunks).toString("utf8"),
    isClosed: () => closed.signal.aborted,
    write: async (text) => {
      if (closed.signal.aborted) return fail();
      const written = typeof text === "string" ? Buffer.from(text, "utf8") : Buffer.from(text);
      const taken = written.subarray(0, Math.min(written.length, room));
      chunks.push(taken);
      watch(taken);
      room -= taken.length;
      if (room <= 0) closed.abort();
      if (taken.length < written.length) return fail();
      try {
        await (room <= 0 ? undefined : Promise.race([keepUp?.(), whenClosed]));
      } catch {
        return fail();
      }
    },
    stall: () => {
      const released = new AbortController();
      const reading = new Promise<void>((resolve) => {
        released.signal.addEventListener("abort", () => resolve(), { once: true });
      });
      const before = keepUp;
      keepUp = () => reading;
      return () => {
        keepUp = before;
        released.abort();
      };
    },
    slowDown: (wait) => {
      keepUp = wait;
    },
    close: () => closed.abort(),
    closeAfter: (bytes) => {
      room = bytes;
    },
  };
}

function brokenPipe(): Error {
  return Object.assign(new Error("write EPIPE"), { code: "EPIPE", errno: -32, syscall: "write" });
}

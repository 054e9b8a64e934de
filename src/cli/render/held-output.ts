import { stripVTControlCharacters } from "node:util";
import type { Output } from "../../base/context/context.ts";

/** Everything else stays that of the output, whose size can change. */
export function withWrite(output: Omit<Output, "write">, write: Output["write"]): Output {
  return Object.assign(Object.create(output), { write });
}

export type HeldOutput = ReturnType<typeof createBufferedOutput>;

/** A stream that runs for days can produce thousands of lines, and only the latest are useful at the end. */
const maxKept = 100;

export function createBufferedOutput(output: Output) {
  let tell: ((text: string) => void) | undefined;
  let kept: string[] = [];
  const held = withWrite(output, async (text) => {
    if (tell === undefined) return await output.write(text);
    const line = typeof text === "string" ? text : Buffer.from(text).toString("utf8");
    kept = [...kept, line].slice(-maxKept);
    tell(stripVTControlCharacters(line));
  });
  return Object.assign(held, {
    /** Passes text to the listener. The returned function writes the latest text and resumes normal output. */
    hold: (listener: (text: string) => void) => {
      tell = listener;
      return async () => {
        tell = undefined;
        const texts = kept.join("");
        kept = [];
        if (texts !== "") await output.write(texts);
      };
    },
  });
}

export type YieldingOutput = ReturnType<typeof createYieldingOutput>;

const LF = 0x0a;

/** An output to a terminal with a live line that is cleared before each write. */
export function createYieldingOutput(output: Output, makeRoom: () => Promise<void>) {
  let pendingWrites = 0;
  let isWhole = true;
  const inRoom = async (write: () => Promise<void>): Promise<void> => {
    pendingWrites += 1;
    try {
      await makeRoom();
      await write();
    } finally {
      pendingWrites -= 1;
    }
  };
  const yielding = withWrite(output, async (text) => {
    if (text.length > 0) isWhole = typeof text === "string" ? text.endsWith("\n") : text.at(-1) === LF;
    await inRoom(async () => await output.write(text));
  });
  const { page } = output;
  return Object.assign(yielding, {
    page: page && (async (text: string) => await inRoom(async () => await page(text))),
    /** Whether the output ends with a complete line, so that the live line can be drawn below it. */
    isWhole: () => isWhole,
    isBusy: () => pendingWrites > 0,
  });
}

/** Shows a text that is longer than the terminal in the user's pager. */
export async function writePaged(output: Output, text: string): Promise<void> {
  const { rows, page } = output;
  if (page === undefined || rows === undefined || text.split("\n").length <= rows) await output.write(text);
  else await page(text);
}

/** Collects what is written, so that all of it is passed on at once. */
export function collectOutput(output: Omit<Output, "write">) {
  const texts: Buffer[] = [];
  const collect: Output["write"] = (text) => {
    texts.push(Buffer.from(text));
    return Promise.resolve();
  };
  return { output: withWrite(output, collect), take: (): Buffer => Buffer.concat(texts.splice(0)) };
}

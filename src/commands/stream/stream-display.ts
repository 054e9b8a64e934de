import type { Subject } from "../../client/pages/page.ts";
import { type ByteStore, createByteStore } from "../../client/streams/byte-store.ts";
import type { StreamEvent } from "../../client/streams/stream-event.ts";
import { createReplacements, enveloped, jsonLine, subjectOf } from "../../tail/event-line.ts";
import type { Moment, Shard } from "../../tail/shard-handlers.ts";

const LF = 0x0a;

/** Where events go: lines of NDJSON, or a picture for people. */
export interface StreamDisplay {
  /** Events of one connection, in order. Resolves when they have been handed over and the reader keeps up. */
  readonly show: (shard: Shard, events: readonly StreamEvent[], at: Moment) => Promise<void>;
  /** Shows these assets from now on; of no interest to lines. */
  readonly watch?: (subjects: readonly Subject[]) => void;
  /** These never come. */
  readonly drop?: (subjects: readonly Subject[]) => void;
  readonly close: () => Promise<void>;
}

/** Takes whole lines, and when they were received: a file may be named after that. */
export interface LineOutput {
  readonly write: (lines: Uint8Array, receivedAt: number) => Promise<void>;
}

/** One line an event, all lines of a chunk in one write, at once. `broken` hears of an event that is no JSON. */
export function createLines(
  output: LineOutput,
  { feed, isEnveloped }: { readonly feed: string; readonly isEnveloped: boolean },
  broken: (shard: Shard, event: StreamEvent) => void,
): StreamDisplay {
  // Weakly: a connection that is closed is never heard of again. It stays the same object while its assets do.
  const replacements = new WeakMap<Shard, ReturnType<typeof createReplacements>>();
  const isReplacement = (shard: Shard, event: StreamEvent): boolean => {
    const known = replacements.get(shard) ?? createReplacements();
    replacements.set(shard, known);
    return known(event);
  };
  const lineOf = (shard: Shard, event: StreamEvent, at: Moment): Uint8Array | undefined => {
    const line = jsonLine(event);
    if (line === undefined) broken(shard, event);
    if (line === undefined || !isEnveloped) return line === undefined ? undefined : Buffer.from(line);
    const facts = {
      feed,
      subject: subjectOf(event, shard.subjects),
      received: at.now,
      isReplacement: isReplacement(shard, event),
    };
    return Buffer.from(enveloped(line, event, facts));
  };
  /** Its last write is over: room of its own for each would be what the garbage collector is busy with. */
  let spare: ByteStore | undefined;
  return {
    show: async (shard, events, at) => {
      const lines = spare ?? createByteStore();
      spare = undefined;
      for (const event of events) {
        // Bytes as they came wherever they may stay so: a stream at full speed has no time for anything else.
        if (event.isPlainJson && !isEnveloped) {
          lines.addLine(event.bytes, event.start, event.end);
          continue;
        }
        const line = lineOf(shard, event, at);
        if (line === undefined) continue;
        lines.add(line);
        lines.addByte(LF);
      }
      if (lines.length() > 0) await output.write(lines.lend(), at.now);
      spare = lines;
    },
    close: async () => await Promise.resolve(),
  };
}

import type { Subject } from "../../client/batches.ts";
import type { StreamEvent } from "../../client/streams/event-stream.ts";
import { createReplacements, enveloped, jsonLine, subjectOf } from "../../tail/event-line.ts";
import type { Moment } from "../../tail/shard.ts";
import type { Shard } from "../../tail/tail.ts";

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
  readonly write: (text: string, receivedAt: number) => Promise<void>;
}

/** One line an event, all lines of a chunk in one write, at once. `broken` hears of an event that is no JSON. */
export function createLines(
  output: LineOutput,
  { feed, isEnveloped }: { readonly feed: string; readonly isEnveloped: boolean },
  broken: (shard: Shard, event: StreamEvent) => void,
): StreamDisplay {
  const replacements = new Map<number, ReturnType<typeof createReplacements>>();
  const isReplacement = ({ number }: Shard, event: StreamEvent): boolean => {
    const known = replacements.get(number) ?? createReplacements();
    replacements.set(number, known);
    return known(event);
  };
  return {
    show: async (shard, events, at) => {
      let lines = "";
      for (const event of events) {
        const line = jsonLine(event.data);
        if (line === undefined) broken(shard, event);
        else if (!isEnveloped) lines += `${line}\n`;
        else {
          const facts = {
            feed,
            subject: subjectOf(event, shard.subjects),
            received: at.now,
            isReplacement: isReplacement(shard, event),
          };
          lines += `${enveloped(line, event, facts)}\n`;
        }
      }
      if (lines !== "") await output.write(lines, at.now);
    },
    close: async () => await Promise.resolve(),
  };
}

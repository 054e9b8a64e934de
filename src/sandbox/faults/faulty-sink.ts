import type { StreamSink } from "../streams/event-stream.ts";
import { errorFrame } from "../streams/stream-event.ts";
import type { StreamFault } from "./fault-counter.ts";

/**
 * A sink that goes wrong after so many events. What it swallows has been paid for, as it would be when a network
 * loses it.
 *
 * @param cut ends the connection without a word
 */
export function faultySink(sink: StreamSink, fault: StreamFault | undefined, cut: () => void): StreamSink {
  if (fault === undefined) return sink;
  let left = fault.afterEvents;
  let hasStruck = false;
  const strike = (): void => {
    hasStruck = true;
    if (fault.kind === "stream-cut") cut();
    if (fault.kind !== "stream-error") return;
    sink.write(errorFrame("an error, as --faults asked"));
    sink.end();
  };
  if (left === 0) strike();
  return {
    write: (frame) => {
      if (hasStruck) return;
      sink.write(frame);
      if (isUpdate(frame)) left -= 1;
      if (left === 0) strike();
    },
    queued: sink.queued,
    end: () => {
      if (!hasStruck) sink.end();
    },
  };
}

/** Pings and errors have no `request_id:` (wire-facts 5.4). */
function isUpdate(frame: string): boolean {
  return frame.includes("\nrequest_id: ");
}

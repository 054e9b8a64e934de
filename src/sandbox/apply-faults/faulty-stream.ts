import { type Opening, openStream } from "../streams/open-stream.ts";
import type { SandboxRequest } from "../sandbox-exchange.ts";
import type { StreamHub } from "../streams/stream-hub.ts";
import type { SandboxState } from "../service/state.ts";
import { type FaultyResponse, standIn, withDueFaults } from "./faulty-answer.ts";
import type { Fault } from "../fault-kinds.ts";
import { errorFrame, type EventStream, type StreamSink } from "../streams/served-stream.ts";
import type { Work } from "../work.ts";

export interface Responding {
  readonly response: FaultyResponse;
  /** Opens the stream. `cut` breaks its connection. Undefined if there is none. */
  readonly start: ((sink: StreamSink, cut: () => void) => EventStream) | undefined;
}

export function* openWithFaults(
  request: SandboxRequest,
  state: SandboxState,
  hub: StreamHub,
): Work<Responding> {
  // A stream has no body to change.
  const due = { ...state.faults.forRequest(request.target), changes: [] };
  const { response: sent, start }: Opening =
    due.answer === undefined
      ? yield* openStream(request, state, hub)
      : { response: standIn(due.answer, request, state), start: undefined };
  const response = withDueFaults(sent, due);
  // If the connection breaks before the stream opens, there is no stream in which to inject a fault.
  const isLost = due.delivery?.kind === "reset-before" || due.delivery?.kind === "reset-headers";
  if (start === undefined || isLost) return { response, start: undefined };
  const fault = state.faults.forStream(request.target);
  if (fault === undefined) return { response, start };
  const { account } = response;
  return {
    response: { ...response, account: { ...account, faults: [...account.faults, fault.text] } },
    start: (sink, cut) => start(faultySink(sink, fault, cut)),
  };
}

/** Dropped events are still charged, just as when a network loses them. `cut` closes the stream without an event. */
function faultySink(sink: StreamSink, fault: Fault, cut: () => void): StreamSink {
  let left = fault.amount ?? 0;
  let hasStruck = false;
  const strike = (): void => {
    hasStruck = true;
    if (fault.kind === "stream-cut") cut();
    if (fault.kind !== "stream-error") return;
    sink.write(errorFrame("error injected by the sandbox"));
    sink.end();
  };
  if (left === 0) strike();
  return {
    write: (frame) => {
      if (hasStruck) return;
      sink.write(frame);
      // Pings and errors do not have `request_id:` (wire-facts 5.4).
      if (frame.includes("\nrequest_id: ")) left -= 1;
      if (left === 0) strike();
    },
    queued: sink.queued,
    end: () => {
      if (!hasStruck) sink.end();
    },
  };
}

import { type Opening, openStream } from "../streams/open-stream.ts";
import type { StreamRequest } from "../streams/read-subscriptions.ts";
import type { StreamHub } from "../streams/stream-hub.ts";
import type { SandboxState } from "../state.ts";
import { type FaultyResponse, withDueFaults } from "./faulty-answer.ts";
import type { StreamFault } from "./due-faults.ts";
import { standIn } from "./fault-response.ts";
import { errorFrame, type StreamSink } from "../streams/served-stream.ts";

type FaultyOpening =
  | { readonly kind: "refused"; readonly response: FaultyResponse }
  | (Extract<Opening, { kind: "open" }> & { readonly fault: StreamFault | undefined });

export function openWithFaults(request: StreamRequest, state: SandboxState, hub: StreamHub): FaultyOpening {
  const found = state.faults?.forRequest(request.target);
  // A stream has no body to change.
  const due = found && { ...found, changes: [] };
  const opening: Opening =
    due?.answer === undefined
      ? openStream(request, state, hub)
      : { kind: "refused", response: standIn(due.answer, request, state) };
  if (opening.kind === "refused") return { kind: "refused", response: withDueFaults(opening.response, due) };
  // If the connection breaks before the stream opens, there is no stream in which to inject a fault.
  const isLost = due?.delivery?.kind === "reset-before" || due?.delivery?.kind === "reset-headers";
  const { status, headers, account } = opening;
  const response = withDueFaults({ status, headers, account, body: "" }, due);
  if (isLost) return { kind: "refused", response };
  const fault = state.faults?.forStream(request.target);
  const faults = [...(response.account.faults ?? []), ...(fault === undefined ? [] : [fault.text])];
  return {
    ...opening,
    headers: response.headers,
    account: faults.length === 0 ? account : { ...account, faults },
    fault,
  };
}

/** Dropped events are still charged, just as when a network loses them. `cut` closes the stream without an event. */
export function faultySink(sink: StreamSink, fault: StreamFault | undefined, cut: () => void): StreamSink {
  if (fault === undefined) return sink;
  let left = fault.afterEvents;
  let hasStruck = false;
  const strike = (): void => {
    hasStruck = true;
    if (fault.kind === "stream-cut") cut();
    if (fault.kind !== "stream-error") return;
    sink.write(errorFrame("error injected by --faults"));
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

/** Pings and errors do not have `request_id:` (wire-facts 5.4). */
function isUpdate(frame: string): boolean {
  return frame.includes("\nrequest_id: ");
}

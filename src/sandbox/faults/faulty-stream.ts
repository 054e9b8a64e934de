import { type Opening, openStream } from "../streams/open-stream.ts";
import type { StreamRequest } from "../streams/stream-plan.ts";
import type { StreamHub } from "../streams/stream-hub.ts";
import type { SandboxState } from "../state.ts";
import { changeHeaders, type FaultyResponse, namesOf } from "./faulty-answer.ts";
import type { DueFaults, StreamFault } from "./due-faults.ts";
import { standIn } from "./fault-response.ts";
import { errorFrame, type StreamSink } from "../streams/served-stream.ts";

type FaultyOpening =
  | { readonly kind: "refused"; readonly response: FaultyResponse }
  | (Extract<Opening, { kind: "open" }> & { readonly fault: StreamFault | undefined });

/** `openStream`, with what `--faults` asked for. */
export function openWithFaults(request: StreamRequest, state: SandboxState, hub: StreamHub): FaultyOpening {
  const due = state.faults?.forRequest(request.target);
  const opening: Opening =
    due?.answer === undefined
      ? openStream(request, state, hub)
      : { kind: "refused", response: standIn(due.answer, request, state) };
  if (opening.kind === "refused") return { kind: "refused", response: faulty(opening.response, due) };
  // A connection that breaks before the stream is open carries none; later faults are those of streams.
  const isLost = due?.delivery?.kind === "reset-before" || due?.delivery?.kind === "reset-headers";
  const answer = faulty({ ...opening, body: "" }, due);
  if (isLost) return { kind: "refused", response: answer };
  const fault = state.faults?.forStream(request.target);
  const faults = [...(answer.account.faults ?? []), ...(fault === undefined ? [] : [fault.text])];
  const account = faults.length === 0 ? opening.account : { ...opening.account, faults };
  return { ...opening, headers: answer.headers, account, fault };
}

function faulty(response: Omit<FaultyResponse, "delivery">, due: DueFaults | undefined): FaultyResponse {
  if (due === undefined) return { ...response, delivery: undefined };
  const { status, headers, body } = changeHeaders(due.headers, response);
  const account = { ...response.account, faults: namesOf({ ...due, changes: [] }) };
  return { status, headers, body, account, delivery: due.delivery };
}

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

import type { Opening } from "../streams/open-stream.ts";
import { openStream } from "../streams/open-stream.ts";
import type { StreamRequest } from "../streams/plan-of-stream.ts";
import type { StreamHub } from "../streams/stream-hub.ts";
import type { SandboxState } from "../state.ts";
import { type FaultyResponse, namesOf } from "./answer-with-faults.ts";
import { changeHeaders } from "./changed-headers.ts";
import type { DueFaults } from "./choose-fault.ts";
import type { StreamFault } from "./fault-counter.ts";
import { standIn } from "./stand-in.ts";

export type FaultyOpening =
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

import type { SandboxRequest, SandboxResponse } from "../exchange.ts";
import { handle } from "../handle.ts";
import type { SandboxState } from "../state.ts";
import { changedAnswer } from "./changed-answer.ts";
import { changeHeaders } from "./changed-headers.ts";
import type { DueFaults } from "./choose-fault.ts";
import type { Fault } from "./fault.ts";
import { standIn } from "./stand-in.ts";

export interface FaultyResponse extends SandboxResponse {
  /** How to send it; undefined for the usual way. */
  readonly delivery: Fault | undefined;
}

/** `handle`, with what `--faults` asked for. */
export function answerWithFaults(request: SandboxRequest, state: SandboxState): FaultyResponse {
  const due = state.faults?.forRequest(request.target);
  if (due === undefined) {
    const response = handle(request, state);
    if (response.status === 200) state.faults?.returned(request.target, response.body);
    return { ...response, delivery: undefined };
  }
  const response =
    due.answer === undefined
      ? changedAnswer(due.changes, request, state, (changed) => handle(changed, state))
      : standIn(due.answer, request, state);
  const changed = changeHeaders(due.headers, response);
  return {
    ...changed,
    account: { ...changed.account, faults: namesOf(due) },
    delivery: due.delivery,
  };
}

/** As typed, for the log. */
export function namesOf({ answer, delivery, changes, headers }: DueFaults): readonly string[] {
  const all = [answer, ...(answer === undefined ? changes : []), ...headers, delivery];
  return all.flatMap((fault) => (fault === undefined ? [] : [fault.text]));
}

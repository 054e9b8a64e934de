import { canStrike } from "./can-strike.ts";
import { chooseFaults, type DueFaults, isDue } from "./choose-fault.ts";
import type { Fault, Faults } from "./fault.ts";
import { traitsOf } from "./kinds.ts";
import { cutList, listKey } from "./list-body.ts";

/** What goes wrong in one stream. */
export interface StreamFault {
  readonly kind: "stream-cut" | "stream-silent" | "stream-error";
  /** Events to deliver before; 0 strikes at once. */
  readonly afterEvents: number;
  /** As typed. */
  readonly text: string;
}

/** Counts the requests each fault can strike, and keeps the last response of each list; all else about faults is pure. */
export interface FaultCounter {
  /** To be asked once a request, of either kind of host. */
  readonly forRequest: (target: string) => DueFaults | undefined;
  /** To be asked once a stream that opens. */
  readonly forStream: (target: string) => StreamFault | undefined;
  /** The body that was last returned for another part of the same list, or for this one. */
  readonly earlier: (target: string) => string | undefined;
  /** To be called with each body that was returned, as it was before any fault. */
  readonly returned: (target: string, body: string) => void;
}

/** Lists whose last response is kept. */
const LISTS_KEPT = 100;

export function createFaultCounter(faults: Faults, seed: number): FaultCounter {
  const counts = new Map<Fault, number>();
  const earlier = new Map<string, string>();
  const keepsLists = faults.some(({ kind }) => kind === "stale-page" || kind === "duplicate-page");
  const strikes = (fault: Fault, target: string): boolean => {
    if (!canStrike(fault, target, earlier.has(listKey(target)))) return false;
    const number = (counts.get(fault) ?? 0) + 1;
    counts.set(fault, number);
    return isDue(fault, number, seed);
  };
  const ofRequests = faults.filter(({ kind }) => traitsOf(kind).layer !== "stream");
  const ofStreams = faults.filter(({ kind }) => traitsOf(kind).layer === "stream");
  return {
    forRequest: (target) => chooseFaults(ofRequests.filter((fault) => strikes(fault, target))),
    forStream: (target) => {
      // All of them count, whether or not one before them strikes.
      const [due] = ofStreams.filter((fault) => strikes(fault, target));
      if (due === undefined || !isStreamKind(due.kind)) return undefined;
      return { kind: due.kind, afterEvents: due.amount ?? 0, text: due.text };
    },
    earlier: (target) => earlier.get(listKey(target)),
    returned: (target, body) => {
      if (!keepsLists || cutList(body) === undefined) return;
      earlier.set(listKey(target), body);
      const [oldest] = earlier.keys();
      if (earlier.size > LISTS_KEPT && oldest !== undefined) earlier.delete(oldest);
    },
  };
}

function isStreamKind(kind: Fault["kind"]): kind is StreamFault["kind"] {
  return kind === "stream-cut" || kind === "stream-silent" || kind === "stream-error";
}

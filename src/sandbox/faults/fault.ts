import type { Tier } from "../../contract/tier.ts";
import type { FaultName } from "./kinds.ts";

/** One part of a `--faults` text, read. */
export interface Fault {
  readonly kind: FaultName | "status";
  /** The part as typed. */
  readonly text: string;
  /** A status, milliseconds or a number of events; undefined where the kind has none and none was given. */
  readonly amount: number | undefined;
  /** Seconds that a 429 says to wait. */
  readonly retryAfter: number | undefined;
  readonly tier: Tier | undefined;
  /** Name of the filter to drop. */
  readonly filter: string | undefined;
  readonly when: When;
  /** Only paths that hold this; undefined for all. */
  readonly path: string | undefined;
}

/** Counted over the requests the fault can strike, from 1. */
export type When =
  /** Of a rate: bursts of `length` requests begin at this share of them. */
  | { readonly by: "rate"; readonly share: number; readonly length: number }
  /** Inclusive; `to` may be Infinity. A count is a range from 1. */
  | { readonly by: "range"; readonly from: number; readonly to: number };

export type Faults = readonly Fault[];

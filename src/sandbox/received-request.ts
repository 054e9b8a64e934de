import type { Tier } from "../api/tier.ts";

/** A request that the sandbox has received, or a stream that it has opened. It never contains the key. */
export interface ReceivedRequest {
  /** When the sandbox responded, on the simulated clock (RFC 3339). */
  readonly time: string;
  readonly host: "rest_free" | "rest_paid" | "stream_free" | "stream_paid";
  readonly method: string;
  /** The path and query as sent, still percent-encoded. */
  readonly url: string;
  readonly status: number;
  /** The plan that the sandbox applied. */
  readonly plan: Tier;
  /** The credits charged for the response. Events of a stream are charged one by one after it has opened. */
  readonly credits: number;
  /** The plan of the key that was sent, `none` without a key, or `invalid`. */
  readonly key: Exclude<Tier, "keyless"> | "none" | "invalid";
  /** The injected faults, as written in the options. */
  readonly faults?: readonly string[];
  /** Milliseconds until the sandbox responded. */
  readonly ms: number;
}

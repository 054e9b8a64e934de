import type { Tier } from "../contract/tier.ts";
import type { Faults } from "./faults/fault-kinds.ts";

/** The forms of the sandbox's responses: the specification's, or the public service's where the two differ. */
export type Dialect = "spec" | "public";

/** The hosts of the service: free for keyless and free keys, paid for the others. */
export type SandboxHost = "rest_free" | "rest_paid" | "stream_free" | "stream_paid";

export function isPaidHost(host: SandboxHost): boolean {
  return host === "rest_paid" || host === "stream_paid";
}

/** A request to a host, without its socket. */
export interface SandboxRequest {
  readonly method: string;
  /** Path and query as on the request line, still percent-encoded. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly remoteAddress: string;
  readonly host: SandboxHost;
}

export interface SandboxResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly account: Accounting;
}

/** The part of a log entry that is not in the request or the response. */
export interface Accounting {
  /** The plan that applied to the request. */
  readonly plan: Tier;
  /** The content of the Authorization header: a key of a tier, none, or an invalid one. */
  readonly key: Exclude<Tier, "keyless"> | "none" | "invalid";
  /** Credits charged. */
  readonly credits: number;
  /** The faults of this request, as typed. */
  readonly faults?: readonly string[];
}

export interface SandboxOptions {
  readonly seed?: number;
  /** The simulated clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Real milliseconds from an arbitrary start: rate windows run in real time. */
  readonly elapsed: () => number;
  /**
   * The port of the REST host for keyless and free callers; the other three use the next ports. With 0 or without it, any
   * four free ports.
   */
  readonly port?: number;
  /** Receives one JSON object per request. */
  readonly log?: (line: string) => void;
  /** Instead of each tier's own rate; Infinity for none. */
  readonly requestsPerMinute?: number;
  /** Length of the rate's window. */
  readonly minuteMs?: number;
  /** Instead of each tier's own credits. */
  readonly credits?: number;
  /** Credits bought in addition to the plan; Pro only. */
  readonly packs?: number;
  /** The spend cap in USD of Pro's overage; without it overage is off. */
  readonly overageCapUsd?: number;
  readonly latencyMs?: number;
  readonly dialect?: Dialect;
  /** Simulated faults, and when they happen; see `parseFaults`. */
  readonly faults?: Faults;
}

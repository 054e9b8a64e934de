import type { Tier } from "../contract/tier.ts";
import type { Faults } from "./faults/fault-kinds.ts";

/** The format of responses: as in the specification, or as the public service sends them where it differs. */
export type Dialect = "spec" | "public";

/** The hosts of the service. The free hosts serve keyless and free callers, and the paid hosts all others. */
export type SandboxHost = "rest_free" | "rest_paid" | "stream_free" | "stream_paid";

export function isPaidHost(host: SandboxHost): boolean {
  return host === "rest_paid" || host === "stream_paid";
}

/** A request to one of the hosts, independent of any socket. */
export interface SandboxRequest {
  readonly method: string;
  /** Path and query as on the request line, still percent-encoded. */
  readonly target: string;
  /** Header names are in lower case. */
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

/** Fields of a log entry that are not part of the request or response. */
export interface Accounting {
  /** The plan that applied to the request. */
  readonly plan: Tier;
  /** The content of the Authorization header: the tier of a key, none, or invalid. */
  readonly key: Exclude<Tier, "keyless"> | "none" | "invalid";
  /** Credits charged for the request. */
  readonly credits: number;
  /** The faults injected into this request, as typed. */
  readonly faults?: readonly string[];
}

export interface SandboxOptions {
  readonly seed?: number;
  /** The simulated clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Real milliseconds since an arbitrary start. Rate limits use real time. */
  readonly elapsed: () => number;
  /**
   * The port of the REST host for keyless and free callers. The other three hosts use the next ports. With 0 or
   * undefined, four free ports are used.
   */
  readonly port?: number;
  /** Receives one JSON line per request. */
  readonly log?: (line: string) => void;
  /** Overrides the rate limit of each tier. Infinity means no limit. */
  readonly requestsPerMinute?: number;
  /** Length of the rate limit window, in real milliseconds. */
  readonly minuteMs?: number;
  /** Overrides the credits of each tier. */
  readonly credits?: number;
  /** Credits purchased in addition to the plan, for pro only. */
  readonly packs?: number;
  /** The spend cap for overage in USD, for pro only. Undefined disables overage. */
  readonly overageCapUsd?: number;
  readonly latencyMs?: number;
  readonly dialect?: Dialect;
  /** Faults to inject, and when; see `parseFaults`. */
  readonly faults?: Faults;
}

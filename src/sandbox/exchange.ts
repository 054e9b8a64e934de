import type { Tier } from "../contract/tier.ts";
import type { Dialect } from "./dialect.ts";
import type { Faults } from "./faults/fault.ts";

/** The hosts of the service: free for keyless and free keys, paid for the others. */
export type SandboxHost = "rest_free" | "rest_paid" | "stream_free" | "stream_paid";

export function isPaidHost(host: SandboxHost): boolean {
  return host === "rest_paid" || host === "stream_paid";
}

/** What arrives at a host, without the socket it came through. */
export interface SandboxRequest {
  readonly method: string;
  /** Path and query as they stood on the request line, still percent-encoded. */
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

/** What the log says of a request beside what was asked and answered. */
export interface Accounting {
  /** The plan the request was judged by. */
  readonly plan: Tier;
  /** What the Authorization header held: a key of a tier, none, or one that does not count. */
  readonly key: Exclude<Tier, "keyless"> | "none" | "invalid";
  /** Credits charged. */
  readonly credits: number;
  /** What was made to go wrong, as asked for. */
  readonly faults?: readonly string[];
}

export interface SandboxOptions {
  readonly seed?: number;
  /** The simulated clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Real milliseconds from an arbitrary start: rate windows run in real time. */
  readonly elapsed: () => number;
  /**
   * Where the REST host for keyless and free callers listens; the other three take the next ports. Any four that are not in
   * use where it is 0 or left out.
   */
  readonly port?: number;
  /** One JSON object a request. */
  readonly log?: (line: string) => void;
  /** Instead of each tier's own rate; Infinity for none. */
  readonly requestsPerMinute?: number;
  /** Length of the rate's window. */
  readonly minuteMs?: number;
  /** Instead of each tier's own credits. */
  readonly credits?: number;
  /** Credits bought beside the plan; Pro only. */
  readonly packs?: number;
  /** The spend cap in USD of Pro's overage; without it overage is off. */
  readonly overageCapUsd?: number;
  readonly latencyMs?: number;
  readonly dialect?: Dialect;
  /** What goes wrong on purpose, and when; see `parseFaults`. */
  readonly faults?: Faults;
}

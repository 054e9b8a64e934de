import type { IncomingHttpHeaders } from "node:http";
import type { Tier } from "../../api/tier.ts";
import type { Faults } from "../faults/fault-kinds.ts";
import type { ReceivedRequest } from "../wire/received-request.ts";

/** Follows the specification, or the public service where the two differ. */
export type Dialect = "spec" | "public";

/** The free hosts serve keyless and free callers. The paid hosts serve all others. */
export type SandboxHost = ReceivedRequest["host"];

export function isPaidHost(host: SandboxHost): boolean {
  return host === "rest_paid" || host === "stream_paid";
}

export interface SandboxRequest {
  readonly method: string;
  /** The path and query from the request line, still percent-encoded. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string;
  readonly host: SandboxHost;
  /** Only streams read it. */
  readonly body?: string;
}

export interface SandboxResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly account: Accounting;
}

export interface Accounting {
  readonly plan: Tier;
  readonly key: ReceivedRequest["key"];
  readonly credits: number;
  readonly faults?: readonly string[];
}

export interface SandboxOptions {
  readonly seed?: number;
  /** The simulated clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Real milliseconds since an arbitrary start. Rate limits use real time. */
  readonly elapsed: () => number;
  /** The first of four consecutive ports. If 0 or undefined, four free ports are used. */
  readonly port?: number;
  /** Called once per request, and once per stream when it opens. */
  readonly log?: (request: ReceivedRequest) => void;
  /** Infinity means no limit. */
  readonly requestsPerMinute?: number;
  /** Length of the rate limit window in real milliseconds. */
  readonly minuteMs?: number;
  readonly credits?: number;
  /** Credits purchased in addition to the plan, for pro only. */
  readonly packs?: number;
  /** The spend cap in USD, for pro only. Undefined disables overage. */
  readonly overageCapUsd?: number;
  readonly latencyMs?: number;
  readonly dialect?: Dialect;
  readonly faults?: Faults;
}

import type { IncomingHttpHeaders } from "node:http";
import type { Faults } from "./fault-kinds.ts";
import type { ReceivedRequest } from "./received-request.ts";

/** Follows the specification, or the public service where the two differ. */
export type Dialect = "spec" | "public";

/** The free hosts serve keyless and free callers. The paid hosts serve all others. */
export type SandboxHost = ReceivedRequest["host"];

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

export interface Accounting extends Pick<ReceivedRequest, "plan" | "key" | "credits"> {
  readonly faults: readonly string[];
}

/** What the service simulates, and on which ports. */
export interface SandboxSettings {
  readonly seed: number;
  /** The simulated clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Real milliseconds since an arbitrary start. Rate limits use real time. */
  readonly elapsed: () => number;
  /** The first of four consecutive ports. If 0, four free ports are used. */
  readonly port: number;
  /** Called once per request, and once per stream when it opens. */
  readonly log: (request: ReceivedRequest) => void;
  /** Infinity means no limit, and undefined that of the plan. */
  readonly requestsPerMinute: number | undefined;
  /** Length of the rate limit window in real milliseconds. */
  readonly minuteMs: number;
  /** Undefined means those of the plan. */
  readonly credits: number | undefined;
  /** Credits purchased in addition to the plan, for pro only. */
  readonly packs: number;
  /** The spend cap in USD, for pro only. Undefined disables overage. */
  readonly overageCapUsd: number | undefined;
  readonly latencyMs: number;
  readonly dialect: Dialect;
  readonly faults: Faults;
}

/** The others have the default settings. */
export type SandboxOptions = Pick<SandboxSettings, "now" | "elapsed"> & Partial<SandboxSettings>;

export const defaultSettings: Omit<SandboxSettings, "now" | "elapsed"> = {
  seed: 1,
  port: 0,
  log: () => undefined,
  requestsPerMinute: undefined,
  minuteMs: 60_000,
  credits: undefined,
  packs: 0,
  overageCapUsd: undefined,
  latencyMs: 0,
  dialect: "public",
  faults: [],
};

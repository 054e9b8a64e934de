// The public types of the sandbox. The build copies them into the types of `dexdata/sandbox`.

import type { Tier } from "../api/tier.ts";
import type { ReceivedRequest } from "../sandbox/received-request.ts";
import type { ClientOptions, Time } from "./public-types.ts";

/** Durations are in milliseconds. */
export interface SandboxOptions {
  /** The start time of the simulated clock. Default: now. */
  readonly clock?: Time | undefined;
  /** The speed of the simulated clock: 1 (the default) is real time, and 0 stops it, so that only `advance` moves it. */
  readonly speed?: number | undefined;
  /** Selects the simulated market. The same seed and time give the same rows. Default: 1. */
  readonly seed?: number | undefined;
  /** Faults to inject, e.g. `"429x3"` or `["500:5%", "reset-body@7"]`; docs/sandbox.md lists them. Default: none. */
  readonly faults?: string | readonly string[] | undefined;
  /** Which API to imitate where the specification and the public service differ. Default: public. */
  readonly dialect?: "spec" | "public" | undefined;
  /** Requests per minute of each account. Default: the plan's limit. */
  readonly rpm?: number | "unlimited" | undefined;
  /** The length of the rate limit's minute. Default: 60,000. */
  readonly minute?: number | undefined;
  /** Credits of each account. Default: the plan's credits. */
  readonly credits?: number | undefined;
  /** Credits purchased in addition to the plan, for pro only. Default: 0. */
  readonly packs?: number | undefined;
  /** The spend cap for overage in USD, for pro only. Default: overage is disabled. */
  readonly overageCap?: number | undefined;
  /** Delays every response. Default: 0. */
  readonly latency?: number | undefined;
  /** The first of four consecutive ports. Default: 0, which uses four free ports. */
  readonly port?: number | undefined;
}

/** A simulated API on 127.0.0.1. Several can run in one process; they share nothing. */
export interface Sandbox {
  /** One URL for each host of the API. Free hosts serve keyless and free callers, paid hosts all other plans. */
  readonly urls: {
    readonly restFree: string;
    readonly restPaid: string;
    readonly streamingFree: string;
    readonly streamingPaid: string;
  };
  /**
   * One key per plan. Any other text after `api_pro_` is a key of another account on the pro plan, with separate
   * credits and a separate rate limit.
   */
  readonly keys: Readonly<Record<Exclude<Tier, "keyless">, string>>;
  /** Options that connect a client to the sandbox as a caller on this plan. Default: pro. */
  readonly clientOptions: (
    tier?: Tier,
  ) => Pick<ClientOptions, "apiKey" | "baseUrl" | "streamingUrl" | "now"> & { readonly tier: Tier };
  /**
   * The same as environment variables, for other processes and for `createClient({ environment })`. `DEXDATA_NOW` is the
   * time of the call and does not move; it is empty as long as the simulated clock is the real one.
   */
  readonly environment: (tier?: Tier) => Readonly<Record<string, string>>;
  /** The time on the simulated clock. */
  readonly now: () => Date;
  /**
   * Moves the clock forward by this many milliseconds. Rate limits then count that time as passed, and open streams
   * send the events of that time.
   */
  readonly advance: (milliseconds: number) => void;
  /** Replaces all faults, and counts requests for them from 1 again. Without an argument, no faults are injected. */
  readonly setFaults: (faults?: string | readonly string[]) => void;
  /** Returns the requests since the last call, in the order of their responses. */
  readonly takeRequests: () => readonly ReceivedRequest[];
  /** Closes all connections and ports. Nothing of the sandbox then keeps the process alive. */
  readonly close: () => Promise<void>;
}

// What programs see. The build copies this file into the package's types, so it imports nothing.

export type Tier = "keyless" | "free" | "dev" | "pro" | "enterprise";

/** Nothing is read from the user's settings, key store or environment unless `environment` hands it over. Times are milliseconds. */
export interface ClientOptions {
  /** Sent bare, to the hosts of this client only. */
  readonly apiKey?: string;
  /** The plan of the key, which decides the hosts and the pace. Required with a key: no host is guessed. */
  readonly tier?: Tier;
  /** Replaces the REST host of the tier; https, or this machine. */
  readonly baseUrl?: string;
  /** Replaces the streaming host of the tier. */
  readonly streamingUrl?: string;
  /**
   * `process.env`, for a client that takes what is not said here from `DEXDATA_API_KEY`, `DEXDATA_TIER`,
   * `DEXDATA_BASE_URL` and its siblings, `DEXDATA_RPM`, `HTTPS_PROXY` and `NO_PROXY`.
   */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /**
   * How numbers of JSON are given: as numbers, the nearest double (as `JSON.parse` does), or as text with the service's
   * own digits. Amounts in a token's smallest unit are text either way, since no double holds them; and so are whole rows
   * in `texts` of their pages.
   */
  readonly numbers?: "number" | "text";
  /** Requests a minute; the plan's rate unless said. Kept by this client alone. */
  readonly rpm?: number | "unlimited";
  /** Requests after a failed one; 429, 500 and connection faults only. 4 unless said. */
  readonly retries?: number;
  /** Waiting for one request, in all; a wait that would pass it is not begun. 180,000 unless said. */
  readonly retryMaxTime?: number;
  /** Connecting, headers and body of one request. 30,000 unless said. */
  readonly timeout?: number;
  /**
   * Requests under way at once, where a list can be asked for in parts. 1 unless said: then nothing is asked for in
   * advance, and leaving a loop early costs no credit.
   */
  readonly parallel?: number;
  /** Credits that this client may spend: the request, or the event, that would pass them is a Failure. */
  readonly maxCredits?: number;
  /** Ends everything that this client does; what it waits for rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Before each wait: for the pace, or for the next attempt. */
  readonly onWait?: (milliseconds: number, reason: string) => void;
}

/** What was asked, and what it cost, by all calls of a client. */
export interface Meter {
  readonly requests: number;
  readonly credits: number;
  /** What requests without a whole answer may have cost beside them. */
  readonly creditsInDoubt: number;
  /** What the service last said is left, in its own digits. */
  readonly creditsLeft: string | undefined;
  /** The plan that the service counted the newest request under. */
  readonly plan: string | undefined;
}

export interface ListOptions {
  /** Rows in all; every row unless said. */
  readonly limit?: number;
}

export interface Page<T> {
  readonly rows: readonly T[];
  /** The same rows as the service wrote them: JSON, every digit. */
  readonly texts: readonly string[];
  /** What was asked for and has no row. */
  readonly missing: readonly Asset[];
}

/**
 * Rows of a list, each once. Nothing is asked before it is iterated, and each iteration asks anew; leaving the loop ends
 * the requests.
 */
export interface Listing<T> extends AsyncIterable<T> {
  readonly pages: () => AsyncIterable<Page<T>>;
  readonly toArray: () => Promise<T[]>;
}

/** An address on a network. */
export interface Asset {
  readonly network: string;
  readonly address: string;
}

export type FeedName = "prices" | "transactions" | "ohlcv" | "reserves";

export interface StreamOptions<F extends FeedName = FeedName> {
  readonly feed: F;
  /** Any number, on as few connections as hold them. */
  readonly assets: readonly Asset[];
  /** Whose addresses these are: of transactions a pool's unless said, of reserves a token's. */
  readonly by?: "token" | "pool";
  /** Of `ohlcv`; 1s unless said. */
  readonly interval?: "1s" | "5s" | "60s";
  /** Of `ohlcv`: begin with the candles from there; 15 minutes back at most. */
  readonly since?: Time;
  /** What the service does not stream ends the stream, or is left out. "fail" unless said. */
  readonly onInvalid?: "fail" | "drop";
  /** Whatever happens to the connections, and between the service and this client. */
  readonly onNotice?: (notice: StreamNotice) => void;
}

export interface StreamEvent<T> {
  /** The service's name of the event. */
  readonly event: string;
  /** Whose event it is, where the service says so. */
  readonly asset: Asset | undefined;
  /** When it was received. */
  readonly received: Date;
  readonly data: T;
  /** The same as the service wrote it. */
  readonly text: string;
}

export type StreamNotice =
  /** Open for the first time. */
  | { readonly kind: "open"; readonly assets: readonly Asset[] }
  /** Open again: events of that time may be missing. */
  | {
      readonly kind: "gap";
      readonly assets: readonly Asset[];
      readonly from: Date;
      readonly to: Date;
      readonly reason: string;
    }
  /** Not connected; tried again after so many milliseconds. */
  | {
      readonly kind: "retry";
      readonly assets: readonly Asset[];
      readonly wait: number;
      readonly reason: string;
    }
  /** One event of these assets was skipped. */
  | { readonly kind: "lost"; readonly assets: readonly Asset[]; readonly reason: string }
  /** Assets that are left out. */
  | { readonly kind: "dropped"; readonly assets: readonly Asset[]; readonly reason: string }
  /** What the service says besides data, or sent in place of it: text of strangers. */
  | {
      readonly kind: "warning" | "error" | "unknown";
      readonly assets: readonly Asset[];
      readonly text: string;
    };

/** An instant, unix seconds, or a text as on the command line: `-24h`, `2026-11-21`, RFC 3339. */
export type Time = Date | number | string;

// The public types. The build copies this file into the package's types, and writes out the imported unions.

import type { FeedName } from "../contract/feeds/all-feeds.ts";
import type { Tier } from "../contract/tier.ts";

export type { FeedName, Tier };

/** The user's settings and key store are never read, and the environment only from `environment`. Times are milliseconds. */
export interface ClientOptions {
  /** Sent as it is, to the hosts of this client only. */
  readonly apiKey?: string;
  /** The plan of the key, which decides the hosts and the rate limit. Required with a key: no host is guessed. */
  readonly tier?: Tier;
  /** Replaces the REST host of the tier; https, or localhost. */
  readonly baseUrl?: string;
  /** Replaces the streaming host of the tier. */
  readonly streamingUrl?: string;
  /**
   * `process.env`, for a client whose other options default to `DEXDATA_API_KEY`, `DEXDATA_TIER`, `DEXDATA_BASE_URL` and
   * its siblings, `DEXDATA_RPM`, `HTTPS_PROXY` and `NO_PROXY`.
   */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /**
   * How JSON numbers are returned: as numbers, the nearest double (like `JSON.parse`), or as strings with the service's
   * digits. Amounts in a token's smallest unit are strings either way, since no double holds them. So are the rows in
   * `texts` of a page.
   */
  readonly numbers?: "number" | "text";
  /** Requests per minute of this client; default: the limit of the plan. */
  readonly rpm?: number | "unlimited";
  /** Retries after 429, 500 and connection errors; default: 4. */
  readonly retries?: number;
  /** Total wait for one request; a wait that would exceed it does not start. Default: 180,000. */
  readonly retryMaxTime?: number;
  /** Connection, headers and body of one request. Default: 30,000. */
  readonly timeout?: number;
  /**
   * Concurrent requests for lists that can be fetched in parts. Default: 1, which requests nothing in advance, so leaving a
   * loop early costs no credit.
   */
  readonly parallel?: number;
  /** Credits that this client may spend; a request or an event that would exceed them is a Failure. */
  readonly maxCredits?: number;
  /** Ends everything that this client does; pending promises reject with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called before each wait, for the rate limit or a retry. */
  readonly onWait?: (milliseconds: number, reason: string) => void;
}

/** The requests of a client, and their cost. */
export interface Meter {
  readonly requests: number;
  readonly credits: number;
  /** Possible additional cost of requests without a complete response. */
  readonly creditsInDoubt: number;
  /** The remaining credits that the service last reported, in its digits. */
  readonly creditsLeft: string | undefined;
  /** The plan that the service applied to the last request. */
  readonly plan: string | undefined;
}

export interface ListOptions {
  /** Maximum rows in total; default: all. */
  readonly limit?: number;
}

export interface Page<T> {
  readonly rows: readonly T[];
  /** The same rows as the service sent them: JSON, every digit. */
  readonly texts: readonly string[];
  /** Requested assets without a row. */
  readonly missing: readonly Asset[];
}

/**
 * Rows of a list, each once. Requests start with the iteration, and start over with each iteration; leaving the loop ends
 * them.
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

export interface StreamOptions<F extends FeedName = FeedName> {
  readonly feed: F;
  /** Any number, on as few connections as possible. */
  readonly assets: readonly Asset[];
  /** The kind of the addresses; default: pools for transactions, tokens for reserves. */
  readonly by?: "token" | "pool";
  /** For `ohlcv`; default: 1s. */
  readonly interval?: "1s" | "5s" | "60s";
  /** For `ohlcv`: the time of the first candle; at most 15 minutes ago. */
  readonly since?: Time;
  /** Whether an asset that the service does not stream ends the stream or is skipped; default: "fail". */
  readonly onInvalid?: "fail" | "drop";
  /** Called for changes of connections and for messages of the service. */
  readonly onNotice?: (notice: StreamNotice) => void;
}

export interface StreamEvent<T> {
  /** The service's name of the event. */
  readonly event: string;
  /** The asset of the event, if the service names it. */
  readonly asset: Asset | undefined;
  /** When it was received. */
  readonly received: Date;
  readonly data: T;
  /** The data as the service sent it. */
  readonly text: string;
}

export type StreamNotice = { readonly assets: readonly Asset[] } &
  /** Open for the first time. */
  (
    | { readonly kind: "open" }
    /** Open again: events of this time range may be missing. */
    | { readonly kind: "gap"; readonly from: Date; readonly to: Date; readonly reason: string }
    /** Not connected; the next attempt follows after `wait` milliseconds. */
    | { readonly kind: "retry"; readonly wait: number; readonly reason: string }
    /** "lost": one event of these assets was skipped. "dropped": these assets are no longer streamed. */
    | { readonly kind: "lost" | "dropped"; readonly reason: string }
    /** A message of the service, or an event of an unknown name: untrusted text. */
    | { readonly kind: "warning" | "error" | "unknown"; readonly text: string }
  );

/** A Date, unix seconds, or a string as on the command line: `-24h`, `2026-11-21`, RFC 3339. */
export type Time = Date | number | string;

// The public types. The build copies this file into the package's types and expands the imported unions.

import type { ErrorCode as KnownCode } from "../api/service-errors.ts";
import type { FeedName } from "../api/feeds.ts";
import type { Tier } from "../api/tier.ts";

export type { FeedName, KnownCode, Tier };

/**
 * Client options. The user's settings and key store are never read, and environment variables are read only from
 * `environment`. Times are in milliseconds.
 */
export interface ClientOptions {
  /** The API key, sent unchanged and only to this client's hosts. */
  readonly apiKey?: string | undefined;
  /**
   * The key's plan, which determines the hosts and the rate limit. Required with a key, because the host is never
   * guessed.
   */
  readonly tier?: Tier | undefined;
  /** Replaces the tier's REST host. Must use https, except for localhost. */
  readonly baseUrl?: string | undefined;
  /** Replaces the tier's streaming host. */
  readonly streamingUrl?: string | undefined;
  /**
   * Pass `process.env` to use environment variables as defaults for the other options: `DEXDATA_API_KEY`,
   * `DEXDATA_TIER`, `DEXDATA_BASE_URL` and the other host variables, `DEXDATA_RETRIES`, `DEXDATA_RETRY_ON`,
   * `DEXDATA_TIMEOUT`, `DEXDATA_RPM`, `DEXDATA_NOW`, and the variables for proxies. If `DEXDATA_SANDBOX` is on, only
   * hosts on this machine are accepted.
   */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Determines how JSON numbers are returned: as the nearest double (like `JSON.parse`), or as strings with the
   * original digits. Amounts in a token's smallest unit are always strings, because a double cannot represent them. A
   * page's `texts` always contain the original digits.
   */
  readonly numbers?: "number" | "text" | undefined;
  /** Requests per minute for this client. Default: the plan's limit. */
  readonly rpm?: number | "unlimited" | undefined;
  /**
   * Number of retries after 429, 500 and connection errors, and after 502, 503 and 504 once the client has had a
   * response. Default: 4.
   */
  readonly retries?: number | undefined;
  /** Maximum total wait for one request. A wait that would exceed it does not start. Default: 180,000. */
  readonly retryMaxTime?: number | undefined;
  /** Time limit for one request, including the connection, headers and body. Default: 30,000. */
  readonly timeout?: number | undefined;
  /**
   * Concurrent requests for lists that can be fetched in parts. Default: 1, which never requests pages in advance, so
   * leaving a loop early does not waste credits.
   */
  readonly parallel?: number | undefined;
  /** Credits that this client may spend. A request or event that would exceed this limit causes a Failure. */
  readonly maxCredits?: number | undefined;
  /** Ends all of this client's activity. Pending promises reject with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called before each wait for the rate limit or a retry. */
  readonly onWait?: ((milliseconds: number, reason: string) => void) | undefined;
  /**
   * The time that relative times such as `-24h` and default time ranges start from. Default: `DEXDATA_NOW`, which does not
   * move (Node prints a warning if the host is not on this machine), or the system clock if it is not set.
   */
  readonly now?: (() => Date) | undefined;
}

/** How many requests a client has sent, and what they cost. */
export interface Meter {
  readonly requests: number;
  readonly credits: number;
  /** Additional credits that requests without a complete response may have cost. */
  readonly creditsInDoubt: number;
  /** The remaining credits last reported by the service, with the original digits. */
  readonly creditsLeft: string | undefined;
  /** The plan that the service applied to the last request. */
  readonly plan: string | undefined;
}

export interface ListOptions {
  /** Maximum total number of rows. Default: all rows. */
  readonly limit?: number | undefined;
}

export interface Page<T> {
  readonly rows: readonly T[];
  /** The same rows as JSON, exactly as the service sent them. */
  readonly texts: readonly string[];
  /** Requested assets that have no row. */
  readonly missing: readonly Asset[];
}

/**
 * A list's rows, each returned once. Requests are sent when iteration starts, and again for each new iteration. Leaving
 * the loop cancels them.
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
  /** Any number of assets that fit into the plan's connections. */
  readonly assets: readonly Asset[];
  /** What the addresses identify. The default depends on the feed. */
  readonly by?: "token" | "pool" | undefined;
  /** The interval of `ohlcv` candles. Default: 1s. */
  readonly interval?: "1s" | "5s" | "60s" | undefined;
  /** The time of the first `ohlcv` candle, at most 15 minutes ago. */
  readonly since?: Time | undefined;
  /**
   * Whether an asset that the service does not stream ends the stream ("fail") or is skipped ("drop"). Default: "fail".
   */
  readonly onInvalid?: "fail" | "drop" | undefined;
  /** Called when a connection changes and when the service sends a message. */
  readonly onNotice?: ((notice: StreamNotice) => void) | undefined;
}

export interface StreamEvent<T> {
  /** The event's name, as sent by the service. */
  readonly event: string;
  /** The event's asset, if the service identifies it. */
  readonly asset: Asset | undefined;
  /** When the event was received. */
  readonly received: Date;
  readonly data: T;
  /** The data exactly as the service sent it. */
  readonly text: string;
}

export type StreamNotice = { readonly assets: readonly Asset[] } &
  /** The connection is open for the first time. */
  (
    | { readonly kind: "open" }
    /** The connection is open again; events from this time range may be missing. */
    | { readonly kind: "gap"; readonly from: Date; readonly to: Date; readonly reason: string }
    /** The connection is closed. The next attempt follows after `wait` milliseconds. */
    | { readonly kind: "retry"; readonly wait: number; readonly reason: string }
    /** An event for one of these assets was skipped ("lost"), or these assets are no longer streamed ("dropped"). */
    | { readonly kind: "lost" | "dropped"; readonly reason: string }
    /** Untrusted text: a message from the service or the name of an unknown event. */
    | { readonly kind: "warning" | "error" | "unknown"; readonly text: string }
  );

/**
 * A Date, Unix seconds (not milliseconds) with or without a fraction, or a string: `-24h` before now (units s, m, h, d),
 * `2026-11-21` (00:00 UTC), or RFC 3339 such as `2026-11-21T08:54:00Z`.
 */
export type Time = Date | number | string;

/** A number, or a string with a number, which keeps all digits and can have a suffix: `250k`, `1.5m`, `2b`, `9.1e-13`. */
export type Amount = number | string;

/** A call that fails throws a Failure. Parameters and options are checked before anything is sent (code `usage`). */
export declare class Failure extends Error {
  private constructor();
  /** Branch on this code. The service can add codes at any time. */
  readonly code: KnownCode | (string & {});
  /** Whether the same call may succeed later without changes. */
  readonly retryable: boolean;
  /** A suggestion for people, on one line. It may name commands of the `dexdata` program, with their options. */
  readonly next: string | undefined;
  /** The HTTP status of a response with an error; undefined if there is no such response. */
  readonly status: number | undefined;
  /** The service's own message. Untrusted text: it can contain anything, including control characters. */
  readonly why: string | undefined;
  /** The fields of the error body by name. Each value is JSON text, so numbers keep all their digits. */
  readonly body: ReadonlyMap<string, string> | undefined;
  /** The parameter that the service rejected. */
  readonly param: string | undefined;
  /** Milliseconds to wait before the next request, as requested by the service. */
  readonly retryAfter: number | undefined;
}

import type { SandboxState } from "../service/state.ts";
import type { EventSource, EventStream, StreamEvent } from "./served-stream.ts";
import { sourceOf, subjectKey } from "./feed-events.ts";
import type { Subscription } from "./subscriptions.ts";
import { internalError, type Refusal } from "../wire/service-refusal.ts";
import type { Market } from "../market/market.ts";
import type { Tier } from "../../api/tier.ts";
import { connectionsOfPlan } from "../../api/feed.ts";
import { billing } from "../service/billing-refusals.ts";
import type { Caller } from "../service/accounts.ts";
import type { Dialect } from "../sandbox-exchange.ts";

/** Wire-facts 5.4. Pings are sent in real time, and rate limits use real time too. */
const PING_MS = 15_000;
const TURN_MS = 100;
// After a large clock jump, events are sent in batches, so queues stay small. Each turn covers up to 16
// minutes of events, which is faster than any reader.
const STEP_SECONDS = 60;
const STEPS_A_TURN = 16;
/** Milliseconds of work after which a turn ends, so that other requests are served. */
const WORK_MS = 10;
const CROWDED_MS = 10;

interface Group {
  readonly source: EventSource;
  readonly members: Set<Member>;
}

interface Member {
  readonly stream: EventStream;
  readonly requestId: number;
  /** Unix seconds. Events up to this time are not sent. */
  readonly since: number;
}

/** Manages all open streams and their subscriptions. All events are sent in `turn`. */
export class StreamHub {
  /** Called when a stream opens while no other stream is open. */
  onWake: () => void = () => {};
  readonly #state: SandboxState;
  readonly #groups = new Map<string, Group>();
  /** The real time of each stream's next ping, in chronological order. */
  readonly #pings = new Map<EventStream, number>();
  /** All events up to this time, in Unix seconds, have been sent. */
  #sentTo = 0;

  constructor(state: SandboxState) {
    this.#state = state;
  }

  /** Of each open stream, to whom it counts. */
  get owners(): readonly string[] {
    return Array.from(this.#pings.keys(), ({ owner }) => owner);
  }

  /** The stream receives events after `at`. */
  add(stream: EventStream, market: Market, subscriptions: readonly Subscription[], at: number): void {
    const { dialect, options } = this.#state;
    if (this.#pings.size === 0) this.#sentTo = at;
    this.#pings.set(stream, options.elapsed() + PING_MS);
    for (const { subject, requestId } of subscriptions) {
      const key = `${market.faultName} ${subjectKey(subject)}`;
      const group = this.#groups.get(key) ?? {
        source: sourceOf(subject, market, dialect, at),
        members: new Set<Member>(),
      };
      this.#groups.set(key, group);
      group.members.add({ stream, requestId, since: at });
    }
    this.onWake();
  }

  remove(stream: EventStream): void {
    this.#pings.delete(stream);
    for (const [key, { members }] of this.#groups) {
      for (const member of members) if (member.stream === stream) members.delete(member);
      if (members.size === 0) this.#groups.delete(key);
    }
  }

  /** Returns the milliseconds until the next call; undefined if no streams are open. */
  turn(): number | undefined {
    const now = this.#state.at();
    const { elapsed } = this.#state.options;
    const end = elapsed() + WORK_MS;
    for (let step = 0; step < STEPS_A_TURN && this.#sentTo < now; step += 1) {
      const from = this.#sentTo;
      this.#sentTo = Math.min(now, from + STEP_SECONDS);
      this.#sendEvents(from, this.#sentTo, now);
      if (elapsed() >= end) break;
    }
    // A ping's time means that all events up to then have been sent.
    this.#sendPings();
    if (this.#pings.size === 0) return undefined;
    if (this.#sentTo >= now) return TURN_MS;
    return [...this.#pings.keys()].some((stream) => stream.isCrowded()) ? CROWDED_MS : 0;
  }

  #sendPings(): void {
    const elapsed = this.#state.options.elapsed();
    for (const [stream, due] of this.#pings) {
      if (due > elapsed) break;
      // Move the stream to the end, after all streams with earlier pings.
      this.#pings.delete(stream);
      this.#pings.set(stream, elapsed + PING_MS);
      stream.ping(this.#sentTo);
    }
  }

  /** Chronological across all subscriptions, because a stream may have several. */
  #sendEvents(from: number, to: number, now: number): void {
    const due: { event: StreamEvent; group: Group }[] = [];
    for (const group of this.#groups.values()) {
      try {
        for (const event of group.source(from, to)) due.push({ event, group });
      } catch (error) {
        for (const { stream } of group.members) stream.fail(internalError(error));
      }
    }
    due.sort((a, b) => a.event.at - b.event.at);
    for (const { event, group } of due) {
      for (const { stream, requestId, since } of group.members) {
        if (event.at > since) stream.deliver(event, requestId, now);
      }
    }
  }
}

/** Specification, Limits: concurrent streams per server, across both hosts. */
const PER_SERVER = 10_000;
/** Specification, Limits: concurrent streams per IP address, regardless of tier. */
const PER_IP = 10;
/** Wire-facts 2.2. The enterprise plan's limit is not public. */
const byPlan: Readonly<Record<Tier, number>> = { ...connectionsOfPlan, enterprise: PER_SERVER };

/** Specification, Events 3, and wire-facts 5.7. */
const tooManyOfOwner: Readonly<Record<Dialect, string>> = {
  spec: "ip stream limit exceeded",
  public: "Concurrent stream limit reached for your plan. Close an open stream before starting another.",
};

/** Seconds. When another stream will end is unknown, so this only sets how often clients retry. */
const RETRY_AFTER = 5;

/** Undefined if the limits allow another stream besides those of `owners`. A batch counts as one stream. */
export function tooManyStreams(
  owners: readonly string[],
  owner: string,
  tier: Tier,
  dialect: Dialect,
): Refusal | undefined {
  const most = dialect === "spec" ? PER_IP : byPlan[tier];
  if (owners.filter((each) => each === owner).length >= most)
    return tooMany(tier, tooManyOfOwner[dialect], dialect);
  return owners.length >= PER_SERVER ? tooMany(tier, "global stream limit exceeded", dialect) : undefined;
}

/** Specification: streams are counted per IP address. The public service counts them per account. */
export function streamOwner(caller: Caller, remoteAddress: string, dialect: Dialect): string {
  return dialect === "public" && caller.kind === "keyed" ? caller.key : remoteAddress;
}

/** Specification, Status codes: a 429 has Retry-After. The public service omits that header. */
function tooMany(tier: Tier, message: string, dialect: Dialect): Refusal {
  const retryAfter = dialect === "spec" ? RETRY_AFTER : undefined;
  const headers = retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) };
  return billing(429, { error: "rate_limited", tier, message, retry_after: retryAfter }, headers);
}

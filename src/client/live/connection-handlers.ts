import type { Failure } from "../../base/failure.ts";
import type { Gap, Moment } from "../gap.ts";
import type { StreamEvent } from "../stream-event.ts";
import type { UpToDate } from "./up-to-date.ts";

/** What one connection reports. */
export interface ConnectionHandlers {
  /** After an interruption, `gap` is the period without a connection. */
  readonly opened: (at: Moment, gap: Gap | undefined, upToDate: UpToDate) => void;
  /** A chunk's data events, in order. Awaited, so a slow consumer slows down the socket; an error ends the stream. */
  readonly events: (events: readonly StreamEvent[], at: Moment) => Promise<void>;
  /** The service charges a credit for each data event, even if it is not passed on. */
  readonly charged: (events: number) => void;
  /** The loss may be permanent. `since` is the start of the gap. */
  readonly lost: (since: Moment, failure: Failure) => void;
  /** The connection was lost or could not be opened. The next attempt follows after the wait. */
  readonly retrying: (failure: Failure, waitMilliseconds: number) => void;
  /** Lines arrived that are not part of an event stream. */
  readonly stray: (lines: number) => void;
  /** A message from the service for the user. The text is untrusted. */
  readonly said: (kind: "warning" | "error" | "unknown", text: string) => void;
}

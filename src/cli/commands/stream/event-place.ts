import { Foreign, readRow, type StreamEvent } from "../../../client/stream-event.ts";
import type { Feed, FeedKind } from "../../../api/feed.ts";
import { type PathNames, readTime } from "../../../base/files/file-pattern.ts";
import { member } from "../../../base/json/json-scan.ts";
import { instant } from "../../../base/text/words.ts";
import type { Subscription } from "../../../client/stream-options.ts";
import { createSparseCount } from "../../run/repeat-limiter.ts";

/** What selects an event's file. */
export interface Place {
  /** In milliseconds since the epoch. */
  readonly time: number;
  readonly names: PathNames;
}

/** The fields in paths, except the times, that the events of a feed have. */
export function eventFields({ params }: Feed, { by, event }: FeedKind): readonly string[] {
  const isOfPool = by === "pool" || event.record["pool_id"] !== undefined;
  return [
    "network",
    ...(isOfPool ? ["pool"] : []),
    ...(by === "token" ? ["token"] : []),
    ...(params.includes("interval") ? ["candle"] : []),
  ];
}

/** In milliseconds. A time that differs more from the receipt is wrong and would create a file far from the others. */
const maxApart = 86_400_000;

/** The user's own names are preferred to the service's, because only they are the same for all events of an asset. */
export function createPlaces(
  { feed, kind, params }: Omit<Subscription, "subjects">,
  isSimulated: boolean,
  warn: (text: string) => void,
) {
  const [countUntimed, countApart] = [createSparseCount(), createSparseCount()];
  const timeOf = (row: unknown, received: number): number => {
    const time = feed.times.map((name) => readTime(member(row, name))).find((each) => each !== undefined);
    // The time of simulated events is not that of the clock.
    if (time !== undefined && (isSimulated || Math.abs(time - received) <= maxApart)) return time;
    const [count, problem] =
      time === undefined
        ? [countUntimed(), "an event has no readable time"]
        : [countApart(), `an event's time is ${instant(time)}, more than a day from its receipt`];
    const effect = "such events are written to the file of their time of receipt";
    if (count !== undefined) warn(`${problem}; ${effect}; ${count} so far`);
    return received;
  };
  return (event: StreamEvent, received: number): Place => {
    const row = readRow(event);
    const { owner } = event;
    const [subject, isAlike] = owner instanceof Foreign ? [undefined, owner.isAlike] : [owner, false];
    const text = (...names: readonly string[]): string | undefined =>
      names.map((name) => member(row, name)).find((value) => typeof value === "string");
    const pool = kind.by === "pool" ? subject?.address : undefined;
    const token = kind.by === "token" ? subject?.address : undefined;
    const names = {
      network: subject?.network ?? text("chain", "c"),
      // Without the network in the path, a foreign event would be in the file of the asset with the same address.
      pool: isAlike ? undefined : (pool ?? text("pool_id")),
      token: isAlike ? undefined : (token ?? text("token_id", "address", "a")),
      candle: params.get("interval") ?? text("interval"),
    };
    return { time: timeOf(row, received), names };
  };
}

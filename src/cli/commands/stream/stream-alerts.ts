import type { Feed, FeedKind } from "../../../api/feed.ts";
import { fieldPaths } from "../../../api/field-paths.ts";
import { isBetween } from "../../../base/json/compare-decimals.ts";
import { createPathReader } from "../../../base/json/path-reader.ts";
import type { EventOwners } from "../../../client/event-owner.ts";
import type { Moment } from "../../../client/gap.ts";
import { jsonLine, type StreamEvent } from "../../../client/stream-event.ts";
import { nameOf, type Subject } from "../../../client/subject.ts";
import { splitPath } from "../../render/values/row-text.ts";
import { type Alerts, readWanted, type WantedAlerts } from "../../run/alerts/open-alerts.ts";
import { valuesOf } from "../../run/alerts/condition.ts";
import { plainText } from "../../run/alerts/row-alerts.ts";
import type { TypedFlags } from "../../run/flags/flag.ts";
import type { Candidate, Quiet } from "../../run/alerts/alerts.ts";
import type { Connection } from "../../../client/stream-options.ts";

/** A price event has `price`, `p`, or both. */
const otherName: Readonly<Record<string, string>> = { price: "p" };

/** Undefined without `--when`. */
export function readAlerts(typed: TypedFlags, feed: Feed, { event }: FeedKind): WantedAlerts | undefined {
  return readWanted(typed, { fields: valuesOf(fieldPaths(event)), hasSeries: feed.isSeries });
}

/** The fields whose texts the parser finds in each event. */
export function alertFields({ fields }: Pick<Alerts, "fields">): readonly string[] {
  return [...fields, ...fields.flatMap((field) => otherName[field] ?? [])];
}

interface Reading {
  readonly owners: EventOwners;
  /** Whether the parser finds the texts of `alertFields`, and not those of other fields. */
  readonly isLocated: boolean;
  /** The service's time, in Unix milliseconds. */
  readonly now: () => number;
  /** Called for each event that is not valid JSON, and so matches nothing. */
  readonly broken: (connection: Connection, event: StreamEvent) => void;
}

export function createEventAlerts(
  alerts: Pick<Alerts, "fields" | "isOver" | "see" | "flush">,
  { owners, isLocated, now, broken }: Reading,
) {
  const names = alertFields(alerts);
  const readPaths = createPathReader(names.map(splitPath));
  const quiet = new Map<Subject, Quiet>();
  return async (events: readonly StreamEvent[], connection: Connection, at: Moment): Promise<void> => {
    const time = now();
    for (const event of events) {
      const owner = owners.subjectOf(event, connection.subjects);
      if (owner === undefined) continue;
      const known = quiet.get(owner);
      // Otherwise, alerts would halve the rate of events.
      const isDue = known === undefined || time < known.from || time >= known.until;
      if (!isDue && isLocated && isWithin(event, known)) continue;
      if (alerts.isOver()) break;
      // Most events are plain, and a line of one is needed only if it matches.
      const line = event.isPlainJson ? undefined : jsonLine(event);
      if (line === undefined && !event.isPlainJson) {
        broken(connection, event);
        continue;
      }
      const { texts, firstText } = event;
      const row = (): string => line ?? jsonLine(event) ?? "";
      let parsed: readonly (string | undefined)[] | undefined;
      const readAt = (index: number): string | undefined => {
        if (index < 0) return undefined;
        if (isLocated && texts !== undefined) {
          const place = firstText + 2 * index;
          const [from = 0, to = 0] = [texts[place], texts[place + 1]];
          return from === to ? undefined : event.bytes.toString("latin1", from, to);
        }
        parsed ??= readPaths(row());
        return plainText(parsed[index]);
      };
      const candidate: Candidate = {
        asset: nameOf(owner),
        label: owner.label,
        read: (field) => readAt(names.indexOf(field)) ?? readAt(names.indexOf(otherName[field] ?? "")),
        row,
        at: time,
      };
      quiet.set(owner, alerts.see(candidate, at.elapsed));
    }
    await alerts.flush();
  };
}

/** The first text is the field's, and the second one has its other name. */
function isWithin({ bytes, texts, firstText }: StreamEvent, { text, low, high }: Quiet): boolean {
  if (texts === undefined) return false;
  const at = texts[firstText] === texts[firstText + 1] ? firstText + 2 : firstText;
  const [from = 0, to = 0] = [texts[at], texts[at + 1]];
  return isBetween(bytes, from, to, low, high) || bytes.toString("latin1", from, to) === text;
}

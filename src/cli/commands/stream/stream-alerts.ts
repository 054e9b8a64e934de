import { isBetween } from "../../../base/json/compare-decimals.ts";
import type { EventOwners } from "../../../client/event-owner.ts";
import type { Moment } from "../../../client/gap.ts";
import { jsonLine, type StreamEvent } from "../../../client/stream-event.ts";
import { nameOf, type Subject } from "../../../client/subject.ts";
import { type Alerts, createRowReader } from "../../run/alerts/open-alerts.ts";
import type { Quiet } from "../../run/alerts/alerts.ts";
import type { Connection } from "../../../client/stream-options.ts";

/** A price event has `price`, `p`, or both. */
const otherName: Readonly<Record<string, string>> = { price: "p" };

/** The fields whose texts the parser finds in each event. */
export function alertFields({ fields }: Pick<Alerts, "fields">): readonly string[] {
  return [...fields, ...fields.flatMap((field) => otherName[field] ?? [])];
}

interface Reading {
  readonly owners: EventOwners;
  /** The number of fields whose texts the parser finds in front of those of `alertFields`. */
  readonly others: number;
  /** The service's time, in Unix milliseconds. */
  readonly now: () => number;
  /** Called for each event that is not valid JSON, and so matches nothing. */
  readonly broken: (connection: Connection, event: StreamEvent) => void;
}

export function createEventAlerts(
  alerts: Pick<Alerts, "fields" | "isOver" | "see" | "flush">,
  { owners, others, now, broken }: Reading,
) {
  const names = alertFields(alerts);
  const readRow = createRowReader(names);
  const quiet = new Map<Subject, Quiet>();
  return async (events: readonly StreamEvent[], connection: Connection, at: Moment): Promise<void> => {
    const time = now();
    for (const event of events) {
      const owner = owners.subjectOf(event, connection.subjects);
      if (owner === undefined) continue;
      const known = quiet.get(owner);
      const first = event.firstText + 2 * others;
      // Otherwise, alerts would halve the rate of events.
      const isDue = known === undefined || time < known.from || time >= known.until;
      if (!isDue && isWithin(event, first, known)) continue;
      if (alerts.isOver()) break;
      if (!event.isPlainJson && jsonLine(event) === undefined) {
        broken(connection, event);
        continue;
      }
      // Needed only if the event matches, or if the parser has not found its texts.
      const row = (): string => jsonLine(event) ?? "";
      const readText = event.texts === undefined ? readRow(row()) : locatedReader(event, first, names);
      const read = (field: string): string | undefined => readText(field) ?? readText(otherName[field] ?? "");
      const candidate = { asset: nameOf(owner), label: owner.label, read, row, at: time };
      quiet.set(owner, alerts.see(candidate, at.elapsed));
    }
    await alerts.flush();
  };
}

function locatedReader({ bytes, texts = [] }: StreamEvent, first: number, names: readonly string[]) {
  return (name: string): string | undefined => {
    const index = names.indexOf(name);
    const place = first + 2 * index;
    const [from = 0, to = 0] = index < 0 ? [] : [texts[place], texts[place + 1]];
    return from === to ? undefined : bytes.toString("latin1", from, to);
  };
}

/** The first text is the field's, and the second one has its other name. */
function isWithin({ bytes, texts }: StreamEvent, first: number, { text, low, high }: Quiet): boolean {
  if (texts === undefined) return false;
  const at = texts[first] === texts[first + 1] ? first + 2 : first;
  const [from = 0, to = 0] = [texts[at], texts[at + 1]];
  return isBetween(bytes, from, to, low, high) || bytes.toString("latin1", from, to) === text;
}

import { isDecimal } from "../../../base/json/exact-decimal.ts";
import { assetOf, jsonLine, type StreamEvent } from "../../../client/stream-event.ts";
import { nameOf, type Subject } from "../../../client/subject.ts";
import type { Range } from "../../run/alerts/alerts.ts";
import { type Alerts, createRowReader } from "../../run/alerts/open-alerts.ts";
import type { Moment, Connection } from "../../../client/stream-options.ts";

/** A price event has `price` (public service), `p` (legacy event), or both (specification). */
const otherName: Readonly<Record<string, string>> = { price: "p", p: "price" };

/** The fields whose texts the parser finds in each event: each field of a condition, and then its other name. */
export function alertFields({ fields }: Pick<Alerts, "fields">): readonly string[] {
  return fields.flatMap((field) => [field, otherName[field] ?? field]);
}

interface Reading {
  /** The number of fields whose texts the parser finds in front of those of `alertFields`. */
  readonly others: number;
  /** The service's time, in Unix milliseconds. */
  readonly now: () => number;
  /** Called for each event that is not valid JSON, and so matches nothing. */
  readonly broken: (connection: Connection, event: StreamEvent) => void;
  /** Undefined if the events have all fields of the conditions. */
  readonly complete: Complete | undefined;
}

/** Adds fields to an event of this asset. */
type Complete = (event: StreamEvent, asset: Subject) => Promise<StreamEvent>;

export function createEventAlerts(
  alerts: Pick<Alerts, "fields" | "isOver" | "rangeAround" | "see" | "flush">,
  { others, now, broken, complete }: Reading,
) {
  const fields = alertFields(alerts);
  const readRow = createRowReader(fields);
  /** In which an asset's next values change nothing. Alerts would halve the rate of events if they saw each of them. */
  const ranges = new WeakMap<Subject, Range>();
  return async (sent: readonly StreamEvent[], connection: Connection, at: Moment): Promise<void> => {
    const time = now();
    // An `await` in the loop over events would slow it down for all feeds.
    const events = complete === undefined ? sent : await completeEach(sent, complete);
    for (const event of events) {
      const asset = assetOf(event);
      if (asset === undefined) continue;
      const near = nearNumber(event, others);
      const range = ranges.get(asset);
      if (range !== undefined && range.from < near && near < range.to) continue;
      if (alerts.isOver()) break;
      if (!event.isPlainJson && jsonLine(event) === undefined) {
        broken(connection, event);
        continue;
      }
      // Needed only if the event matches, or if the parser has not found its texts.
      const row = (): string => jsonLine(event) ?? "";
      const found =
        event.texts === undefined
          ? readRow(row())
          : fields.map((_, index) => locatedText(event, others + index));
      const texts = alerts.fields.map((_, index) => found[2 * index] ?? found[2 * index + 1]);
      ranges.set(asset, alerts.rangeAround(isDecimal(texts[0] ?? "") ? near : Number.NaN));
      alerts.see(
        { asset: nameOf(asset), label: asset.label, key: undefined, texts, row, at: time },
        at.elapsed,
      );
    }
    await alerts.flush();
  };
}

async function completeEach(
  events: readonly StreamEvent[],
  complete: Complete,
): Promise<readonly StreamEvent[]> {
  const completed: StreamEvent[] = [];
  for (const event of events) {
    const asset = assetOf(event);
    completed.push(asset === undefined ? event : await complete(event, asset));
  }
  return completed;
}

const [ZERO, POINT] = [48, 46];
/** Ten times as much is exact as a double. */
const exactTenth = 1e14;
const powers = Array.from({ length: 40 }, (_, power) => 10 ** power);

/**
 * The number at the place of a field, or of its other name, to at least 14 digits; NaN if it is not in the form of most
 * prices, such as `0.0123`. Decoding its text would cost more than all tests of the event.
 */
function nearNumber({ bytes, texts = [], firstText }: StreamEvent, index: number): number {
  let place = firstText + 2 * index;
  if (texts[place] === texts[place + 1]) place += 2;
  const from = texts[place] ?? 0;
  const to = texts[place + 1] ?? 0;
  let value = 0;
  let point = to;
  let last = from;
  for (let at = from; at < to; at += 1) {
    const digit = (bytes[at] ?? 0) - ZERO;
    if (digit === POINT - ZERO && point === to) point = at;
    else if (digit < 0 || digit > 9) return Number.NaN;
    else if (value < exactTenth) {
      value = 10 * value + digit;
      last = at;
    } else if (point === to) return Number.NaN;
  }
  return from === to ? Number.NaN : value / (powers[Math.max(0, last - point)] ?? Number.NaN);
}

function locatedText({ bytes, texts = [], firstText }: StreamEvent, index: number): string | undefined {
  const place = firstText + 2 * index;
  const [from = 0, to = 0] = [texts[place], texts[place + 1]];
  return from === to ? undefined : bytes.toString("latin1", from, to);
}

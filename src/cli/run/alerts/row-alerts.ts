import { createPathReader } from "../../../base/json/path-reader.ts";
import { decodeName } from "../../../base/json/json-scan.ts";
import { splitPath } from "../../render/values/row-text.ts";
import type { Candidate } from "./alerts.ts";
import type { Alerts } from "./open-alerts.ts";

/** `text` is the row's JSON. */
type AlertRow = Pick<Candidate, "asset" | "label" | "at"> & { readonly text: string };

/** `within` is the path to the fields in each row. */
export function createRowAlerts(alerts: Alerts, within: readonly string[] = []) {
  const { fields } = alerts;
  const readPaths = createPathReader(fields.map((field) => [...within, ...splitPath(field)]));
  /** Returns the number of rows up to the limit of alerts. `now` is on the monotonic clock. */
  return async (rows: readonly AlertRow[], now: number): Promise<number> => {
    let seen = 0;
    for (const { text, ...facts } of rows) {
      if (alerts.isOver()) break;
      seen += 1;
      const values = readPaths(text);
      const read = (field: string): string | undefined => plainText(values[fields.indexOf(field)]);
      alerts.see({ ...facts, read, row: () => text }, now);
    }
    await alerts.flush();
    return seen;
  };
}

/** The text of a JSON value, without the quotes of a string; undefined for null and for a missing value. */
export function plainText(raw: string | undefined): string | undefined {
  if (raw === undefined || raw === "null") return undefined;
  return raw.startsWith('"') ? decodeName(raw) : raw;
}

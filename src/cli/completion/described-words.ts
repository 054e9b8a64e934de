import { findEndpoint } from "../../contract/endpoints/find-endpoint.ts";
import type { Field, RecordShape } from "../../contract/record.ts";
import type { CatalogueEntry } from "../catalogue.ts";
import type { Candidate } from "./completion.ts";

/** Fields of the rows of a command; inside a record once its name and a dot are typed. */
export function fieldWords(entry: CatalogueEntry | undefined, typed: string): readonly Candidate[] {
  const names = new Set<string>();
  const before = typed.split(".").slice(0, -1);
  for (const { rows } of entry?.endpoints ?? []) {
    for (const { record, added } of Object.values(rows)) {
      const inner = innerRecord({ ...record, ...added?.record }, before);
      for (const [name, field] of Object.entries(inner))
        names.add([...before, name + opening(field)].join("."));
    }
  }
  return [...names].map((word) => ({ word }));
}

/** `24h.` and `tokens.0.`: what follows stands inside. */
function opening({ type: { kind } }: Field): string {
  return kind === "record" ? "." : kind === "list" ? ".0." : "";
}

function innerRecord(record: RecordShape, path: readonly string[]): RecordShape {
  const [name, ...rest] = path;
  if (name === undefined) return record;
  const type = Object.hasOwn(record, name) ? record[name]?.type : undefined;
  if (type?.kind === "record") return innerRecord(type.record, rest);
  if (type?.kind === "list" && /^\d+$/u.test(rest[0] ?? "")) return innerRecord(type.record, rest.slice(1));
  return {};
}

/** `order_by=`: wire names of what a path of the service takes. */
export function parameterWords(path: string | undefined): readonly Candidate[] {
  const segments =
    (path ?? "")
      .split("?")[0]
      ?.split("/")
      .filter((each) => each !== "") ?? [];
  const params = findEndpoint(segments)?.endpoint.params ?? [];
  return params
    .filter(({ place }) => place === "query")
    .map(({ name, help }) => ({ word: `${name}=`, description: help }));
}

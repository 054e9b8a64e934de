import { sqlDialects } from "../../render/schema/sql-dialects.ts";
import type { Flag } from "../flags/flags.ts";

export const schemaForms = ["jsonschema", "sql", "ts"] as const;

export const schemaFlags: readonly Flag[] = [
  {
    name: "as",
    value: "form",
    choices: schemaForms,
    help: "JSON Schema, a table, or an interface of TypeScript (default jsonschema)",
    group: "Output",
  },
  {
    name: "dialect",
    value: "database",
    choices: sqlDialects,
    help: "whose types the table of --as sql has (default postgres)",
    group: "Output",
  },
];

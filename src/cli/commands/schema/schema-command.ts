import { localExits } from "../../../base/exit-codes.ts";
import { command } from "../command.ts";
import { documentFlags } from "../../run/flags/shared-flags.ts";
import { schemaFlags } from "./known-records.ts";

export const schemaCommand = command({
  words: "schema",
  section: "Reference",
  positionals: [{ name: "record", isOptional: true, suggests: "records" }],
  summary: "Print the fields of a row as JSON Schema, SQL or TypeScript",
  examples: [
    "dexdata schema",
    "dexdata schema transaction --as sql",
    "dexdata schema pools search --as ts",
    "dexdata schema price-event --as sql --dialect duckdb",
  ],
  exits: localExits,
  flags: schemaFlags,
  notes: [
    "The fields come from the API schema that dexdata itself uses. In PostgreSQL, numbers are NUMERIC, which keeps " +
      "every digit. SQLite and DuckDB have no type of unlimited precision, so numbers are stored as text. Nested values are JSON. The " +
      "service may add fields, so the JSON Schema allows additional ones.",
  ],
  shared: documentFlags,
  run: async (input, context) => await (await import("./schema.ts")).schema(input, context),
});

import { command } from "../command.ts";
import { documentFlags } from "../../run/flags/shared-flags.ts";
import { schemaFlags } from "./known-records.ts";

export const schemaCommand = command({
  words: "schema",
  section: "Reference",
  positionals: [{ name: "record", isOptional: true, suggests: "records" }],
  summary: "the columns of a command's ndjson, for databases and programs",
  examples: [
    "dexdata schema",
    "dexdata schema transaction --as sql",
    "dexdata schema pools search --as ts",
    "dexdata schema price-event --as sql --dialect duckdb",
  ],
  flags: schemaFlags,
  notes: [
    {
      prose:
        "It is of the same contract as the command itself. Of PostgreSQL numbers are NUMERIC, which keeps every digit; " +
        "SQLite and DuckDB have no such type, and there they are text. What has parts is JSON. The service may add " +
        "fields, so a JSON Schema lets further ones pass.",
    },
  ],
  shared: documentFlags,
  run: async (input, context) => await (await import("./schema.ts")).schema(input, context),
});

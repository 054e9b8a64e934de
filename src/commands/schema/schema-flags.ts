import { sqlDialects } from "../../render/schema/sql-dialects.ts";
import { flag } from "../../run/flags/flag.ts";
import { choice } from "../../run/flags/flag-types.ts";

export const schemaFlags = {
  as: flag(choice(["jsonschema", "sql", "ts"], "form"), "Output", {
    summary: "JSON Schema, a table, or an interface of TypeScript",
    default: "jsonschema",
  }),
  dialect: flag(choice(sqlDialects, "database"), "Output", {
    summary: "whose types the table of --as sql has",
    default: "postgres",
  }),
};

import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { usageFailure } from "../../contract/failure.ts";
import { nearest } from "../../text/nearest.ts";
import { jsonSchema } from "../../render/schema/json-schema.ts";
import { sqlDialects } from "../../render/schema/sql-dialects.ts";
import { createTable } from "../../render/schema/sql.ts";
import { typeScript } from "../../render/schema/typescript.ts";
import { didYouMean } from "../asking/nearest-command.ts";
import type { FlagValues } from "../flags/flags.ts";
import { writeRows } from "../output/local-output.ts";
import { readWord } from "../run-options.ts";
import { type KnownRecord, knownRecords } from "./known-records.ts";
import { schemaFlags } from "./schema-flags.ts";

/** The columns of a line of NDJSON, for the program that reads it; without a word, the records that there are. */
export async function schema(
  words: readonly string[],
  flags: FlagValues,
  context: Context,
): Promise<ExitCode> {
  const form = readWord(flags, "as", schemaFlags);
  const dialect = readWord(flags, "dialect", schemaFlags);
  const asked = words.join(" ").trim().toLowerCase();
  if (asked === "") {
    if (form !== undefined || dialect !== undefined)
      throw usageFailure("a record is needed", "list them: dexdata schema");
    const rows = knownRecords().map(({ name, record, command }) => ({
      record: name,
      fields: Object.keys(record).length,
      command: `dexdata ${command}`,
    }));
    return await writeRows(context, flags, rows);
  }
  if (dialect !== undefined && form !== "sql") throw usageFailure(`--dialect ${dialect}: goes with --as sql`);
  await context.stdout.write(textOf(findRecord(asked), form, dialect));
  return 0;
}

function textOf(found: KnownRecord, form: string | undefined, dialect: string | undefined): string {
  const description = `One line of: dexdata ${found.command} -o ndjson`;
  if (form === "ts")
    return typeScript(found, description, { number: "number", numberOrText: "string | number" });
  if (form === "sql")
    return createTable(found, description, sqlDialects.find((each) => each === dialect) ?? "postgres");
  return `${JSON.stringify(jsonSchema(found, description), null, 2)}\n`;
}

/** By its name, or by the command whose rows it is where that has only one kind of them. */
function findRecord(asked: string): KnownRecord {
  const all = knownRecords();
  const name = asked.replaceAll(/[\s_]+/gu, "-");
  const ofCommand = all.filter(({ command }) => command === asked);
  const found = all.find((each) => each.name === name) ?? (ofCommand.length === 1 ? ofCommand[0] : undefined);
  if (found !== undefined) return found;
  const near = nearest(name, [...all.map((each) => each.name), ...all.map(({ command }) => command)]);
  throw usageFailure(`"${asked}": there is no such record`, didYouMean(near, "list them: dexdata schema"));
}

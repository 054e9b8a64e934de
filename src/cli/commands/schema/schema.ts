import type { Context } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { usageFailure } from "../../../base/failure.ts";
import { didYouMean } from "../../../base/text/nearest.ts";
import { nearestChoice } from "../../../api/read-choice.ts";
import { jsonSchema, createTable, type SqlDialect } from "../../render/schema.ts";
import { typeScript } from "../../../api/typescript.ts";
import type { Input } from "../command.ts";
import type { Values } from "../../run/flags/flag.ts";
import type { documentFlags } from "../../run/flags/shared-flags.ts";
import { writeRows } from "../../run/output/local-output.ts";
import { type KnownRecord, knownRecords, type schemaFlags } from "./known-records.ts";

export async function schema(
  { words, flags, typed }: Input<typeof documentFlags & typeof schemaFlags>,
  context: Context,
): Promise<ExitCode> {
  const { as: form, dialect } = flags;
  const asked = words.join(" ").trim().toLowerCase();
  if (asked === "") {
    if (typed.has("as") || typed.has("dialect"))
      throw usageFailure("missing <record>", "list them: dexdata schema");
    const rows = knownRecords().map(({ name, record, command }) => ({
      record: name,
      fields: Object.keys(record).length,
      command: `dexdata ${command}`,
    }));
    return await writeRows(context, flags, rows);
  }
  if (typed.has("dialect") && form !== "sql") throw usageFailure(`--dialect requires --as sql`);
  await context.stdout.write(textOf(findRecord(asked), form, dialect));
  return 0;
}

type Form = Values<typeof schemaFlags>["as"];

function textOf(found: KnownRecord, form: Form, dialect: SqlDialect): string {
  const description = `One line of: dexdata ${found.command} -o ndjson`;
  if (form === "ts") return typeScript(found, description, false);
  if (form === "sql") return createTable(found, description, dialect);
  return `${JSON.stringify(jsonSchema(found, description), null, 2)}\n`;
}

/** A command name also finds a record if the command prints only one kind of row. */
function findRecord(asked: string): KnownRecord {
  const all = knownRecords();
  const name = asked.replaceAll(/[\s_]+/gu, "-");
  const ofCommand = all.filter(({ command }) => command === asked);
  const found = all.find((each) => each.name === name) ?? (ofCommand.length === 1 ? ofCommand[0] : undefined);
  if (found !== undefined) return found;
  // The flags in the name of a command, as in `search --type tokens`, are not flags of this command.
  const printed = all.filter(({ command }) => command.startsWith(`${asked} `)).map((each) => each.name);
  if (printed.length > 1)
    throw usageFailure(`unknown record "${asked}"`, `choose one of: ${printed.join(", ")}`);
  const near =
    printed[0] ??
    nearestChoice(name, [...all.map((each) => each.name), ...all.map(({ command }) => command)]);
  const meant = all.find(({ command }) => command === near)?.name ?? near;
  throw usageFailure(`unknown record "${asked}"`, didYouMean(meant, "list them: dexdata schema"));
}

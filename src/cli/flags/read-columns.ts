import { usageFailure } from "../../contract/failure.ts";
import { hasColumns, type RowFormat } from "../../contract/output-format.ts";
import type { FlagValues } from "./flags.ts";
import { readText } from "./read-flag.ts";

/** The names of `--columns`; whether the table has them is checked where it is known which table it is. */
export function readColumns(
  flags: FlagValues,
  format: RowFormat,
  fields: string | undefined,
): readonly string[] | undefined {
  const typed = readText(flags, "columns");
  if (typed === undefined) return undefined;
  if (fields !== undefined)
    throw usageFailure("--columns and --fields: both say what is shown", "leave one of them out");
  if (!hasColumns(format)) {
    throw usageFailure(
      `--columns: chooses columns of a table, and the output is ${format}`,
      "add -o table, or choose by --fields",
    );
  }
  const names = typed.split(",").map((name) => name.trim());
  if (names.includes(""))
    throw usageFailure(`--columns "${typed}": must be names separated by commas, such as token-0,price-usd`);
  return names;
}

import { fieldAt, splitPath } from "../../../api/record.ts";
import { rowShape } from "../../../api/endpoint.ts";
import { fail, usageFailure } from "../../../base/failure.ts";
import { columnOf, columnsOf, type ParquetColumn, typeNames } from "../../../rows/parquet-format.ts";
import { parquetEncoder, type WrittenRows } from "../../../rows/parquet-writer.ts";
import { counted } from "../../../base/text/words.ts";
import { formatLabel, type OpenedPull, type ParquetOutput } from "./pull.ts";
import { footerReceipt } from "./receipt.ts";

/** The footer of a file has a receipt of the pull. */
export function createParquetOutput(opened: OpenedPull): ParquetOutput {
  const { endpoint, groups } = opened.plan;
  const [group, another] = groups;
  if (another !== undefined)
    throw usageFailure(
      `${formatLabel(opened.flags)}: ${endpoint.command} returns several kinds of rows (${groups.join(", ")}), but a file has one`,
      `choose one: --type ${group}`,
    );
  const { record, added } = rowShape(endpoint, group);
  const shape = { ...record, ...added?.record };
  const columns = opened.options.fields?.map((path) => {
    const steps = splitPath(path);
    return columnOf(path, steps.includes("*") ? undefined : fieldAt(shape, steps));
  });
  const written: WrittenRows[] = [];
  const target = {
    columns: columns ?? columnsOf({ record, ...(added && { added }) }),
    refuse,
    receipt: (rows: WrittenRows) => {
      written.push(rows);
      return footerReceipt(opened, rows);
    },
  };
  const typeOf = (name: string): string =>
    typeNames[target.columns.find((column) => column.name === name)?.type ?? "json"];
  return {
    target,
    encoder: parquetEncoder(target),
    written: () => written,
    notes: () =>
      [...spilledIn(written)].map(([name, count]) => {
        const [verb, their] = count === 1 ? ["does", "its exact text is"] : ["do", "their exact text is"];
        return `${name}: ${counted(count, "value")} ${verb} not fit ${typeOf(name)}; ${their} in the column other`;
      }),
  };
}

function spilledIn(written: readonly WrittenRows[]): ReadonlyMap<string, number> {
  const all = new Map<string, number>();
  for (const { spilled } of written)
    for (const [name, count] of Object.entries(spilled)) all.set(name, (all.get(name) ?? 0) + count);
  return all;
}

/** With `--fields`, there is no column for the exact text. */
function refuse({ name, type }: ParquetColumn, raw: string): Error {
  const value = raw.length > 60 ? `${raw.slice(0, 60)}…` : raw;
  return fail("output", `${name}: ${value} does not fit ${typeNames[type]}`, {
    isDamaged: true,
    next: "leave out --fields; the column other then has the exact text of such values",
  });
}

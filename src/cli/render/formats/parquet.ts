import { usageFailure } from "../../../base/failure.ts";
import type { Presentation, Renderer, Format } from "../renderer.ts";
import { createRowSelector } from "../values/row-text.ts";

/** Typed columns for DuckDB, Polars and others. Its code and its libraries are loaded on first use. */
export const parquet: Format = {
  summary:
    "Typed columns for tools such as DuckDB: exact decimals for raw amounts, doubles for prices; only in pipes and files",
  columns: undefined,
  ending: "parquet",
  canGrow: true,
  isClosed: true,
  errors: "text",
  binary: { stagedAs: "ndjson" },
  createRenderer,
  local: { rows: refuseLocal, record: refuseLocal, document: refuseLocal },
};

function refuseLocal(): never {
  throw usageFailure("--output parquet: only data from the service has typed columns", "use json or ndjson");
}

async function createRenderer({ output, fields, parquet: target }: Presentation): Promise<Renderer> {
  if (target === undefined) throw new Error("the columns of the rows are unknown");
  const { createParquetWriter } = await import("../../../rows/parquet-writer.ts");
  const writer = createParquetWriter({ ...target, write: output.write });
  const select = createRowSelector(fields);
  return {
    page: async ({ rows }) => await writer.add(rows.texts().map(select)),
    end: async () => {
      await writer.finish(target.receipt);
    },
  };
}

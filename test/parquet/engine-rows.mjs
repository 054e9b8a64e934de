// Prints the canonical rows of a Parquet file as another program reads it, or their number and SHA-256, one line per file:
// node engine-rows.mjs <duckdb|polars> <directory of its npm package> <file> <types> [hash [<file> <types>]...]
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import path from "node:path";

const [engine, folder, first, typesOfFirst, how, ...others] = process.argv.slice(2);
const load = createRequire(path.join(folder, "/"));
let types = [];
let hash = createHash("sha256");
let rows = 0;

function timeText(micros) {
  const rest = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const whole = new Date(Number((micros - rest) / 1000n)).toISOString().slice(0, 19);
  return `"${whole}${rest === 0n ? "" : `.${String(rest).padStart(6, "0")}`}Z"`;
}

const texts = {
  text: (value) => JSON.stringify(value),
  json: (value) => value,
  time: (value) => timeText(BigInt(value)),
  double: (value) => String(value),
  decimal: (value) => `"${value}"`,
  integer: (value) => String(value),
  boolean: (value) => String(value),
};

function add(names, values) {
  const members = names.flatMap((name, index) => {
    const value = values[index];
    return value === null || value === undefined
      ? []
      : [`${JSON.stringify(name)}:${texts[types[index]](value)}`];
  });
  const line = `{${members.join(",")}}\n`;
  rows += 1;
  if (how === "hash") hash.update(line);
  else process.stdout.write(line);
}

const engines = {
  duckdb: async (file) => {
    const { DuckDBInstance } = load("@duckdb/node-api");
    const connection = await (await DuckDBInstance.create()).connect();
    await connection.run("SET preserve_insertion_order = true");
    const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM read_parquet('${file}')`);
    const names = described.getRows().map(([name]) => name);
    // As bytes, because the package's text decoder drops a byte order mark.
    const columns = names.map((name, index) =>
      ["text", "json"].includes(types[index]) ? `encode("${name}")` : `"${name}"`,
    );
    const result = await connection.stream(`SELECT ${columns.join(", ")} FROM read_parquet('${file}')`);
    const plain = (value) => {
      if (typeof value !== "object" || value === null) return value;
      return value.bytes === undefined ? (value.micros ?? value.value) : Buffer.from(value.bytes).toString();
    };
    for (let chunk = await result.fetchChunk(); chunk?.rowCount > 0; chunk = await result.fetchChunk())
      for (const values of chunk.getRows()) add(names, values.map(plain));
  },
  polars: async (file) => {
    const polars = load("nodejs-polars");
    const exact = { time: (column) => column.cast(polars.Int64).cast(polars.Utf8) };
    exact.decimal = exact.integer = (column) => column.cast(polars.Utf8);
    const frame = polars.readParquet(file);
    const names = frame.columns;
    for (let start = 0; start < frame.height; start += 50_000) {
      const part = frame.slice(start, 50_000);
      const columns = names.map((name, index) => {
        const column = part.getColumn(name);
        return (exact[types[index]]?.(column) ?? column).toArray();
      });
      for (let row = 0; row < part.height; row += 1)
        add(
          names,
          columns.map((column) => column[row]),
        );
    }
  },
};

const words = [first, typesOfFirst, ...others];
for (let at = 0; at < words.length; at += 2) {
  types = words[at + 1].split(",");
  hash = createHash("sha256");
  rows = 0;
  await engines[engine](words[at]);
  if (how === "hash") process.stdout.write(`${JSON.stringify({ rows, rows_sha256: hash.digest("hex") })}\n`);
}

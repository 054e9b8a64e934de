// Runs `duckdb [-csv] FILE [SQL]` like DuckDB's own shell, with the npm library: node duckdb-shell.mjs <directory> …
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [folder = "", ...words] = process.argv.slice(2);
const { DuckDBInstance } = createRequire(path.join(folder, "/"))("@duckdb/node-api");

const showsRows = words[0] === "-csv";
const [file, sql = readFileSync(0, "utf8")] = showsRows ? words.slice(1) : words;
const database = await DuckDBInstance.create(file);
const connection = await database.connect();
const result = await connection.runAndReadAll(sql);
if (showsRows) {
  const rows = [result.columnNames(), ...result.getRowsJson()];
  process.stdout.write(rows.map((row) => `${row.map((value) => value ?? "").join(",")}\n`).join(""));
}
connection.closeSync();
database.closeSync();

import path from "node:path";
import { afterAll, beforeAll } from "vitest";
import { addProgram, type Desk, openDesk } from "./console.ts";
import { findPostgres, type Postgres, startPostgres } from "./postgres.ts";
import { duckdbFolder, polarsFolder } from "./recipe-tools.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Opens a desk for one test file, with PostgreSQL, DuckDB and Polars if available. */
export function useRecipeDesk(env: () => Readonly<Record<string, string>> = () => ({})): () => Desk {
  const { folder, env: own } = openDesk(temporaryFolder());
  const shell = path.resolve("test/harness/duckdb-shell.mjs");
  addProgram(folder, "duckdb", `exec "${process.execPath}" "${shell}" "${duckdbFolder}" "$@"`);
  let postgres: Postgres | undefined;
  beforeAll(async () => {
    const programs = findPostgres();
    if (programs !== undefined) postgres = await startPostgres(programs);
  });
  afterAll(async () => await postgres?.stop());
  const polars = { NODE_PATH: path.join(polarsFolder ?? "", "node_modules") };
  return () => ({ folder, env: { ...own, ...polars, ...postgres?.env, ...env() } });
}

/** The databases that a table can be written for. */
export const sqlDialects = ["postgres", "sqlite", "duckdb"] as const;
export type SqlDialect = (typeof sqlDialects)[number];

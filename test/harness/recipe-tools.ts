import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { hasTerminal } from "./console.ts";
import { findPostgres } from "./postgres.ts";

/** The directory of `npm install @duckdb/node-api`; it is not a dependency of the project. */
export const duckdbFolder = process.env["DEXDATA_TEST_DUCKDB"];

/** The directory of `npm install nodejs-polars`. */
export const polarsFolder = process.env["DEXDATA_TEST_POLARS"];

/** The native part of Polars is an optional package for each platform. */
function hasPolars(): boolean {
  const modules = path.join(polarsFolder ?? "", "node_modules");
  return (
    polarsFolder !== undefined &&
    existsSync(modules) &&
    readdirSync(modules).some((name) => name.startsWith("nodejs-polars-"))
  );
}

const onPath = (name: string): boolean => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0;

/** External programs that the recipes need, and how to install each. */
const tools = {
  jq: { isThere: onPath("jq"), from: "apt-get install jq" },
  sqlite3: { isThere: onPath("sqlite3"), from: "apt-get install sqlite3" },
  psql: { isThere: findPostgres() !== undefined && onPath("psql"), from: "apt-get install postgresql" },
  duckdb: {
    isThere:
      duckdbFolder !== undefined && existsSync(path.join(duckdbFolder, "node_modules/@duckdb/node-api")),
    from: "npm install --prefix FOLDER @duckdb/node-api, and DEXDATA_TEST_DUCKDB=FOLDER",
  },
  "nodejs-polars": {
    isThere: hasPolars(),
    from: "npm install --prefix FOLDER nodejs-polars, and DEXDATA_TEST_POLARS=FOLDER",
  },
  curl: { isThere: onPath("curl"), from: "apt-get install curl" },
  "systemd-analyze": { isThere: onPath("systemd-analyze"), from: "apt-get install systemd" },
  logrotate: {
    isThere: onPath("logrotate") || existsSync("/usr/sbin/logrotate"),
    from: "apt-get install logrotate",
  },
  crontab: { isThere: onPath("crontab"), from: "apt-get install cron" },
  "nats-server": {
    isThere: onPath("nats-server") || existsSync("/usr/sbin/nats-server"),
    from: "apt-get install nats-server",
  },
  promtool: { isThere: onPath("promtool"), from: "apt-get install prometheus" },
  kcat: { isThere: onPath("kcat"), from: "apt-get install kcat" },
  script: { isThere: hasTerminal, from: "apt-get install bsdutils" },
} as const;

export type Tool = keyof typeof tools;

export const toolNames = Object.keys(tools).filter((name): name is Tool => name in tools);

/** Prints what is skipped: a machine without a tool must not count as one on which the recipe works. */
export function leftOut(what: string, needed: readonly Tool[]): string | undefined {
  const missing = needed.filter((name) => !tools[name].isThere);
  if (missing.length === 0) return undefined;
  const said = `LEFT OUT: ${what}: ${missing.map((name) => `${name} is not there (${tools[name].from})`).join(", ")}`;
  console.warn(`\n!! ${said}\n`);
  return said;
}

import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";

export interface Postgres {
  /** The environment of `psql`. */
  readonly env: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}

const debian = "/usr/lib/postgresql";

/**
 * Returns the directory of the server's programs, which is not on the path in Debian; undefined if there is none, or if
 * runuser or timeout is missing.
 */
export function findPostgres(): string | undefined {
  if (process.platform !== "linux") return undefined;
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  const folders = [
    ...versions.map((version) => path.join(debian, version, "bin")),
    ...(process.env["PATH"] ?? "").split(":"),
  ];
  return folders.find((folder) => existsSync(path.join(folder, "initdb")));
}

/**
 * Starts a separate cluster on a unix socket, without a network; PostgreSQL does not run as root, and this one ends
 * after at most two minutes.
 */
export async function startPostgres(programs: string): Promise<Postgres> {
  // Not in the tests' temporary directory, which other users cannot enter, and short: the path of a socket is limited to
  // 107 bytes.
  const folder = mkdtempSync("/tmp/dexdata-postgres-");
  chmodSync(folder, 0o777);
  const asOther = process.getuid?.() === 0 ? ["runuser", "-u", "nobody", "--"] : [];
  const data = path.join(folder, "cluster");
  const flags = [
    "--no-sync",
    "--auth=trust",
    "--username=dexdata",
    "--encoding=UTF8",
    "--locale=C",
    `--pgdata=${data}`,
  ];
  execFileSync("env", [...asOther, path.join(programs, "initdb"), ...flags], { cwd: folder });
  const server = [path.join(programs, "postgres"), "-D", data, "-k", folder, "-c", "listen_addresses=", "-F"];
  const child = spawn("timeout", ["120", ...asOther, ...server], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString("utf8");
      if (said.includes("ready to accept connections")) resolve();
    });
    child.once("close", () => reject(new Error(said)));
  });
  return {
    env: { PGHOST: folder, PGUSER: "dexdata", PGDATABASE: "postgres" },
    stop: async () => {
      child.kill("SIGINT");
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

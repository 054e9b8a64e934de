import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";

export interface Postgres {
  /** What `psql` reads. */
  readonly env: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}

const debian = "/usr/lib/postgresql";

/** Where the server's programs are, which Debian keeps off the path; undefined where there are none, or no runuser and timeout. */
export function findPostgres(): string | undefined {
  if (process.platform !== "linux") return undefined;
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  const folders = [
    ...versions.map((version) => path.join(debian, version, "bin")),
    ...(process.env["PATH"] ?? "").split(":"),
  ];
  return folders.find((folder) => existsSync(path.join(folder, "initdb")));
}

/** A cluster of its own on a unix socket, in no network; it refuses to run as root, and ends after two minutes at most. */
export async function startPostgres(programs: string): Promise<Postgres> {
  // Not in the tests' own temporary folder, which others may not enter, and short: the path of a socket has 107 bytes.
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

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { binaryEnv, ended } from "../harness/binary.ts";
import { openDesk } from "../harness/console.ts";
import { dataFiles, hashesOf, periodsBelow } from "../harness/lake.ts";
import { fileOfPages } from "../harness/readme.ts";
import { leftOut, polarsFolder } from "../harness/recipe-tools.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const { folder, env } = openDesk(temporaryFolder());
const lake = path.join(folder, "lake");
const pools = ["0x6cdbaa786e1c1935d4d61336ef5ee11b3d412e8f", "0x87f25874014a0eada3604acb0b227de7c9a6578d"];
const [cron, service, timer] = ["crontab: sync every hour", "dexdata-sync.service", "dexdata-sync.timer"].map(
  (name) => fileOfPages(name),
);

async function type(command: string) {
  const own = binaryEnv({ ...env, DEXDATA_SANDBOX: "1", DEXDATA_NOW: "2026-11-21T08:54:00Z" });
  const child = spawn("sh", ["-c", command], { cwd: folder, env: own, stdio: "pipe" });
  const { exit, stdout, stderr } = await ended(child);
  const said = stdout.toString("utf8") + stderr;
  return { exit, said: said.replace("note: simulated data, because DEXDATA_SANDBOX is set\n", "") };
}

beforeAll(async () => {
  const assets = pools.map((pool) => `ethereum:${pool}`).join(" ");
  expect(await type(`dexdata sync lake ${assets} --from 2026-11-17 -q > files.ndjson`)).toEqual({
    exit: 0,
    said: "",
  });
});

describe("the crontab line", () => {
  const line = /^\d+ \* \* \* \* +(.*)$/mu.exec(cron ?? "")?.[1] ?? "";
  const reason = leftOut("the crontab of sync, by cron, was not tried", ["crontab"]);

  test.skipIf(reason !== undefined)("is accepted by cron", () => {
    const file = path.join(folder, "crontab");
    writeFileSync(file, cron ?? "");
    expect(spawnSync("crontab", ["-n", file]).status).toBe(0);
  });

  test("replaces a file that is missing, prints nothing, and names findings", async () => {
    const whole = hashesOf(lake);
    rmSync(path.join(lake, dataFiles(lake)[1] ?? ""));
    expect(await type(line)).toEqual({ exit: 0, said: "" });
    expect(hashesOf(lake)).toEqual(whole);
    const foreign = path.join(lake, "transactions", "notes.txt");
    writeFileSync(foreign, "");
    expect(await type(line)).toEqual({ exit: 0, said: "see: dexdata verify lake\n" });
    rmSync(foreign);
  });
});

describe("the units", () => {
  const reason = leftOut("the units of sync, by systemd, were not tried", ["systemd-analyze"]);

  test.skipIf(reason !== undefined)("are accepted by systemd", () => {
    const units = path.join(folder, "units");
    mkdirSync(units);
    const programs = path.join(folder, "bin");
    const files = { "dexdata-sync.service": service, "dexdata-sync.timer": timer };
    for (const [name, text = ""] of Object.entries(files))
      writeFileSync(path.join(units, name), text.replaceAll("/usr/local/bin", programs));
    const { status, stdout, stderr } = spawnSync(
      "systemd-analyze",
      ["verify", "--man=no", ...Object.keys(files).map((name) => path.join(units, name))],
      { encoding: "utf8" },
    );
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  test("keep the state of the rate limit for a user without a home directory", () => {
    expect(service).toContain("StateDirectory=dexdata\n");
    const set = /^Environment=(.*)$/mu.exec(service ?? "")?.[1] ?? "";
    for (const name of ["STATE", "CONFIG", "CACHE"]) expect(set).toContain(`DEXDATA_${name}_DIR=%S/dexdata`);
  });

  test("run a command that has nothing to do after the first run", async () => {
    const command = /^ExecStart=\/usr\/local\/bin\/(.*)$/mu.exec(service ?? "")?.[1] ?? "";
    expect(command).toContain("dexdata sync");
    expect(await type(command)).toEqual({ exit: 0, said: "" });
  });
});

const noPolars = leftOut("a directory of sync in Polars was not tried", ["nodejs-polars"]);

test.skipIf(noPolars !== undefined)(
  "Polars reads the complete files as one table with columns for network and pool",
  async () => {
    const script = `
      const polars = require("nodejs-polars");
      const trades = polars.scanParquet("lake/transactions/**/rows.parquet", { hivePartitioning: true });
      const dated = trades.withColumn(polars.col("created_at").cast(polars.Utf8).str.slice(0, 10).alias("date"));
      const groups = dated.groupBy(["pool", "date"]).agg(polars.len()).sort(["pool", "date"]).collectSync();
      process.stdout.write(groups.writeCSV().toString());`;
    const { stdout, stderr } = spawnSync(process.execPath, ["-e", script], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, NODE_PATH: path.join(polarsFolder ?? "", "node_modules") },
    });
    const expected = new Map<string, number>();
    for (const { name, footer } of await periodsBelow(lake)) {
      const [, pool = "", date = ""] = /pool=([^/]+)\/date=([^/]+)\/rows/u.exec(name) ?? [];
      if (date !== "") expected.set(`${pool},${date}`, footer.rows);
    }
    expect(expected.size).toBe(6);
    const lines = [...expected].map(([key, rows]) => `${key},${rows}`).toSorted();
    expect({ stdout, stderr }).toEqual({ stdout: `pool,date,len\n${lines.join("\n")}\n`, stderr: "" });
    expect(readFileSync("docs/archive.md", "utf8")).toContain(
      'scan_parquet("lake/transactions/**/rows.parquet"',
    );
  },
);

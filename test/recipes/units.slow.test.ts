import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { binaryEnv, ended, program } from "../harness/binary.ts";
import { openDesk } from "../harness/console.ts";
import { fileOfPages } from "../harness/readme.ts";
import { leftOut, type Tool } from "../harness/recipe-tools.ts";
import { rowsOf } from "../harness/rows.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const { folder, env } = openDesk(temporaryFolder());
const [state, log] = [path.join(folder, "state"), path.join(folder, "log")];
for (const each of [state, log, path.join(folder, "swaps")]) mkdirSync(each);
const service = useSandbox({ now: () => Date.now() });
const sandbox = binaryEnv({ ...env, DEXDATA_SANDBOX: "1" });

/** The unit as systemd passes it to the program, in directories of the test. */
function startOfUnit(): readonly string[] {
  const line = /^ExecStart=(.*)$/mu.exec(fileOfPages("dexdata-ticks.service"))?.[1] ?? "";
  const words = line
    .split(" ")
    .map((word) =>
      word
        .replace("%S", state)
        .replace("%L", log)
        .replace("%d", folder)
        .replace("/etc/dexdata", folder)
        .replaceAll("%%", "%"),
    );
  expect(words.shift()).toBe("/usr/bin/dexdata");
  return words;
}

function tryWith(what: string, needed: readonly Tool[], trying: () => Promise<void> | void): void {
  const reason = leftOut(`${what} was not tried`, needed);
  test.skipIf(reason !== undefined)(reason ?? what, trying);
}

/** Waits until the file has content; the timeout of the test is the limit. */
async function waitForFile(file: string, child: ChildProcess): Promise<void> {
  const hasLine = (): boolean => existsSync(file) && readFileSync(file, "utf8").includes("\n");
  const watcher = watch(path.dirname(file));
  await new Promise<void>((resolve, reject) => {
    const resolveIfWritten = (): void => {
      if (hasLine()) resolve();
    };
    watcher.on("change", resolveIfWritten);
    child.once("close", (exit) => reject(new Error(`it ended with ${exit}`)));
    resolveIfWritten();
  });
  watcher.close();
}

describe("the programs of the pages accept their files:", () => {
  tryWith("the unit, by systemd", ["systemd-analyze"], () => {
    const unit = path.join(folder, "dexdata-ticks.service");
    writeFileSync(
      unit,
      fileOfPages("dexdata-ticks.service").replace("/usr/bin/dexdata", `${folder}/bin/dexdata`),
    );
    const { status, stdout, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", unit], {
      encoding: "utf8",
    });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  tryWith("the unit of the collector, by systemd", ["systemd-analyze"], () => {
    const text = fileOfPages("dexdata-swaps.service").replace("/usr/bin/dexdata", `${folder}/bin/dexdata`);
    const unit = path.join(folder, "dexdata-swaps.service");
    writeFileSync(unit, text);
    const verified = spawnSync("systemd-analyze", ["verify", "--man=no", unit], { encoding: "utf8" });
    expect(verified).toMatchObject({ status: 0, stdout: "", stderr: "" });
  });

  tryWith("the alert rules, by promtool", ["promtool"], () => {
    const rules = path.join(folder, "dexdata.rules.yml");
    writeFileSync(rules, fileOfPages("dexdata.rules.yml"));
    const { status, stdout } = spawnSync("promtool", ["check", "rules", rules], { encoding: "utf8" });
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("3 rules found") });
  });

  tryWith("the log rotation, by logrotate, while the unit's command writes", ["logrotate"], async () => {
    mkdirSync(path.join(log, "dexdata"));
    mkdirSync(path.join(state, "dexdata"));
    writeFileSync(path.join(folder, "assets.txt"), "fantom:0x3e75a8e0409ef1ff79c2b7b1d85fe309c46347bc\n");
    writeFileSync(
      path.join(folder, "rotation.conf"),
      fileOfPages("logrotate.d/dexdata").replace("/var/log", log),
    );
    const others = ["--key-file", "--out"];
    const words = startOfUnit().filter(
      (word, index, all) => !others.includes(word) && !others.includes(all[index - 1] ?? ""),
    );
    // Rows are frequent output, so they are moved out of the comparison.
    const out = path.join(log, "dexdata/ticks.ndjson");
    const child = spawn(process.execPath, [program, ...words, "--out", out, "--for", "50s"], {
      env: sandbox,
      stdio: "pipe",
    });
    await waitForFile(out, child);
    execFileSync(
      "logrotate",
      ["--force", "--state", path.join(folder, "rotated"), path.join(folder, "rotation.conf")],
      {
        env: { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin` },
      },
    );
    await waitForFile(out, child);
    child.kill("SIGTERM");
    const exit = await new Promise((resolve) => child.once("close", resolve));
    expect(exit).toBe(143);
    expect(readdirSync(path.dirname(out)).toSorted()).toEqual([
      "stream.ndjson",
      "stream.ndjson.1",
      "ticks.ndjson",
      "ticks.ndjson.1",
    ]);
    const times = [`${out}.1`, out].flatMap((file) =>
      rowsOf(readFileSync(file, "utf8")).map(({ timestamp }) => Number(timestamp)),
    );
    expect(times.length).toBeGreaterThan(1);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });

  tryWith("the crontab, by cron", ["crontab"], () => {
    writeFileSync(path.join(folder, "crontab"), fileOfPages("crontab -e"));
    const { status } = spawnSync("crontab", ["-n", path.join(folder, "crontab")], { encoding: "utf8" });
    expect(status).toBe(0);
  });
});

describe("the crontab line", () => {
  const line = /^\d+ 0 \* \* \* +(.*)$/mu.exec(fileOfPages("crontab -e"))?.[1] ?? "";
  const swaps = path.join(folder, "swaps");
  const nameOf = (daysAgo: number): string =>
    `swaps-${new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)}.ndjson`;
  const run = async (budget: string): Promise<object> => {
    const child = spawn("sh", ["-c", line], {
      env: { ...binaryEnv({ ...env, ...service.env() }), HOME: folder, DEXDATA_BUDGET_DAILY: budget },
      stdio: "pipe",
    });
    const { exit, stdout, stderr } = await ended(child);
    const files = readdirSync(swaps)
      .filter((file) => file.startsWith("swaps"))
      .toSorted();
    return {
      exit,
      said: stdout.toString("utf8") + stderr.replace(/^\{"code":"daily_budget".*\n$/u, "…"),
      files,
    };
  };

  test("continues after the budget ended it, and does nothing once the file is complete", async () => {
    writeFileSync(path.join(swaps, "pull.sh"), fileOfPages("pull.sh"));
    const [name, ...before] = [nameOf(1), nameOf(2), nameOf(3)];
    // Days that are already complete.
    for (const each of before) writeFileSync(path.join(swaps, each), "");
    const files = [...before, name].toSorted();
    expect(await run("9")).toEqual({ exit: 5, said: "…", files: [...files, `${name}.resume`] });
    expect(await run("2000")).toEqual({ exit: 0, said: "", files });
    const whole = readFileSync(path.join(swaps, name), "utf8");
    const ids = rowsOf(whole).map(({ id, log_index: index }) => `${String(id)} ${String(index)}`);
    expect(ids.length).toBeGreaterThan(2000);
    expect(new Set(ids).size).toBe(ids.length);
    expect(await run("2000")).toEqual({ exit: 0, said: "", files });
    expect(readFileSync(path.join(swaps, name), "utf8")).toBe(whole);
  });
});

import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { binaryEnv, ended } from "../harness/binary.ts";
import { spawn } from "node:child_process";

/** The chunks of dist that a run loads, by their names without hash. */
async function chunksOf(words: readonly string[]): Promise<readonly string[]> {
  // The program's own exit code and output do not matter here; what the module cache holds at the end does.
  const report = `process.on("exit", () => require("fs").writeSync(2, "\\nLOADED " + Object.keys(require.cache).join(" ")))`;
  const script = `${report}; process.argv.splice(1, 0, "dexdata"); require(${JSON.stringify(`${process.cwd()}/dist/dexdata.cjs`)});`;
  const child = spawn(process.execPath, ["-e", script, "--", ...words], { env: binaryEnv(), stdio: "pipe" });
  const { stderr } = await ended(child);
  const loaded = /LOADED (.*)/u.exec(stderr)?.[1] ?? "";
  return loaded.split(" ").map((file) => (file.split("/").at(-1) ?? "").replace(/(-[\w-]{8})?\.cjs$/u, ""));
}

const heavy = ["undici", "zod", "conf", "ora", "chalk", "cli-table3", "server", "run-endpoint"];

describe("what a run loads", () => {
  test("the build has these chunks, so that their absence below says something", () => {
    const built = readdirSync("dist").map((file) => file.replace(/(-[\w-]{8})?\.cjs$/u, ""));
    for (const chunk of [
      "undici",
      "zod",
      "conf",
      "chalk",
      "cli-table3",
      "server",
      "run-endpoint",
      "commander",
    ]) {
      expect(built).toContain(chunk);
    }
  });

  test("--version loads the entry alone", async () => {
    const chunks = await chunksOf(["--version"]);
    expect(chunks).toContain("dexdata");
    expect(chunks.length).toBeLessThanOrEqual(2);
  });

  test.each([
    ["--help"],
    ["txns --help"],
    ["pools search --help"],
    ["sandbox --help"],
    ["auth login --help"],
  ])("%s loads commander and the endpoints, neither undici nor zod nor the sandbox", async (line) => {
    const chunks = await chunksOf(line.split(" "));
    expect(chunks).toContain("commander");
    expect(chunks.filter((chunk) => heavy.includes(chunk))).toEqual([]);
  });

  test("a refused command line loads none of them either", async () => {
    const chunks = await chunksOf(["pools", "search", "--limt", "3"]);
    expect(chunks.filter((chunk) => heavy.includes(chunk))).toEqual([]);
  });

  test("ndjson loads no table, colour, schema or settings writer", async () => {
    const chunks = await chunksOf(["networks", "--sandbox", "-o", "ndjson"]);
    expect(chunks).toContain("undici");
    expect(chunks.filter((chunk) => ["zod", "conf", "ora", "chalk", "cli-table3"].includes(chunk))).toEqual(
      [],
    );
  });
});

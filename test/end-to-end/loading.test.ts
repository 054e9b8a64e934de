import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { binaryEnv, ended } from "../harness/binary.ts";
import { spawn } from "node:child_process";

/** What an expression gives when the run has ended; its exit code and output do not matter here. */
async function atExit(expression: string, words: readonly string[]): Promise<readonly string[]> {
  const report = `process.on("exit", () => require("fs").writeSync(2, "\\nLOADED " + ${expression}.join(",")))`;
  const script = `${report}; process.argv.splice(1, 0, "dexdata"); require(${JSON.stringify(`${process.cwd()}/dist/dexdata.cjs`)});`;
  const child = spawn(process.execPath, ["-e", script, "--", ...words], { env: binaryEnv(), stdio: "pipe" });
  const { stderr } = await ended(child);
  return (/LOADED (.*)/u.exec(stderr)?.[1] ?? "").split(",");
}

/** The chunks of dist that a run loads, by their names without hash. */
async function chunksOf(words: readonly string[]): Promise<readonly string[]> {
  const loaded = await atExit("Object.keys(require.cache)", words);
  return loaded.map((file) => (file.split("/").at(-1) ?? "").replace(/(-[\w-]{8})?\.cjs$/u, ""));
}

/** Node's own modules that it loads. */
async function builtinsOf(words: readonly string[]): Promise<readonly string[]> {
  const loaded = await atExit("process.moduleLoadList", words);
  return loaded.map((name) => name.replace("NativeModule ", ""));
}

/** Modules of Node that undici and commander load at their front doors, 30 ms in all, and nothing here needs. */
const unneeded = [
  "http2",
  "child_process",
  "worker_threads",
  "perf_hooks",
  "readline",
  "internal/deps/undici/undici",
];

const heavy = ["undici", "tunnel", "zod", "conf", "ora", "chalk", "cli-table3", "server", "run-endpoint"];

describe("what a run loads", () => {
  test("the build has these chunks, so that their absence below says something", () => {
    const built = readdirSync("dist").map((file) => file.replace(/(-[\w-]{8})?\.cjs$/u, ""));
    for (const chunk of [
      "undici",
      "tunnel",
      "zod",
      "conf",
      "ora",
      "live-line",
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

  test("a schema loads what describes rows, and nothing that asks", async () => {
    const chunks = await chunksOf(["schema", "pool", "--as", "sql"]);
    expect(chunks).toContain("schema");
    expect(chunks.filter((chunk) => heavy.includes(chunk))).toEqual([]);
  });

  test("half a second of work without a terminal on stderr loads no spinner", async () => {
    const chunks = await chunksOf(["networks", "--sandbox", "--faults", "slow-body=700ms"]);
    expect(chunks.filter((chunk) => ["ora", "live-line"].includes(chunk))).toEqual([]);
  });

  test("a Tab loads the commands and what describes them, not even what splits words", async () => {
    const chunks = await chunksOf(["__complete", "bash", "pools", "search", "ethereum", "--dex", ""]);
    expect(chunks).toContain("complete-words");
    expect(chunks.filter((chunk) => [...heavy, "commander", "main"].includes(chunk))).toEqual([]);
  });

  test("ndjson loads no table, colour, schema or settings writer", async () => {
    const chunks = await chunksOf(["networks", "--sandbox", "-o", "ndjson"]);
    expect(chunks).toContain("undici");
    expect(
      chunks.filter((chunk) => ["tunnel", "zod", "conf", "ora", "chalk", "cli-table3"].includes(chunk)),
    ).toEqual([]);
  });

  test("csv loads no table either, and the list of fields nothing that asks", async () => {
    const chunks = await chunksOf(["networks", "--sandbox", "-o", "csv"]);
    expect(chunks).toContain("separated");
    expect(chunks.filter((chunk) => ["zod", "conf", "chalk", "cli-table3"].includes(chunk))).toEqual([]);
    const listing = await chunksOf(["pool", "--fields", "?"]);
    expect(listing).toContain("list-fields");
    expect(listing.filter((chunk) => heavy.includes(chunk))).toEqual([]);
  });

  test("asking loads none of Node's modules that it does not need", async () => {
    const builtins = await builtinsOf([
      "pool",
      "ethereum",
      "0x1",
      "--base-url",
      "http://127.0.0.1:9",
      "--retries",
      "0",
    ]);
    expect(builtins).toContain("net");
    expect(builtins.filter((name) => unneeded.includes(name))).toEqual([]);
  });
});

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { binaryEnv, ended, packageFolder, program } from "../harness/binary.ts";

const dist = path.join(packageFolder, "dist");

/** The value of an expression at the end of the run; the run's exit code and output do not matter here. */
async function atExit(
  expression: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const report = `process.on("exit", () => require("fs").writeSync(2, "\\nLOADED " + ${expression}.join(",")))`;
  const script = `${report}; process.argv.splice(1, 0, "dexdata"); require(${JSON.stringify(program)});`;
  const child = spawn(process.execPath, ["-e", script, "--", ...words], {
    env: binaryEnv(env),
    stdio: "pipe",
  });
  const { stderr } = await ended(child);
  return (/LOADED (.*)/u.exec(stderr)?.[1] ?? "").split(",");
}

/** The chunks of dist that a run loads, by name without the hash. */
async function chunksOf(words: readonly string[]): Promise<readonly string[]> {
  const loaded = await atExit("Object.keys(require.cache)", words);
  return loaded.map((file) => nameOf(file.split("/").at(-1) ?? ""));
}

const nameOf = (file: string): string => file.replace(/(?:-[\w-]{8})?\.cjs$/u, "");

/** The built-in modules of Node that it loads. */
async function builtinsOf(
  words: readonly string[],
  env?: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const loaded = await atExit("process.moduleLoadList", words, env);
  return loaded.map((name) => name.replace("NativeModule ", ""));
}

/** Separate chunks: packages, and modules that the program loads with `import()`. */
function parts(): readonly string[] {
  const files = readdirSync(dist).filter((file) => file.endsWith(".cjs"));
  const late = files.flatMap((file) => {
    const code = readFileSync(path.join(dist, file), "utf8");
    return [...code.matchAll(/\.then\(\(\) ?=> ?require\("\.\/([^"]+)"\)\)/gu)].map(([, name = ""]) =>
      nameOf(name),
    );
  });
  return [...new Set([...late, ...packages])];
}

const packages = ["undici", "zod", "commander", "cli-table3", "chalk", "ora", "conf"];

/** The separate chunks that a run loads. */
async function partsOf(words: readonly string[]): Promise<readonly string[]> {
  const [known, loaded] = [parts(), await chunksOf(words)];
  return loaded.filter((chunk) => known.includes(chunk)).toSorted();
}

/** A service that responds with one pool over plain http. */
const asked: (string | undefined)[] = [];
const service = createServer(({ headers }, response) => {
  asked.push(headers["x-api-key"]?.toString() ?? headers.authorization);
  response
    .setHeader("content-type", "application/json")
    .end('{"id":"0x1","chain":"ethereum","tokens":[{"id":"0x2"}]}');
});
let ask: readonly string[] = [];
beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const address = service.address();
  if (address === null || typeof address === "string") throw new Error("it listens on a port");
  ask = [
    "pool",
    "ethereum",
    "0x0000000000000000000000000000000000000001",
    "--base-url",
    `http://127.0.0.1:${address.port}`,
  ];
});
afterAll(() => {
  service.close();
  service.closeAllConnections();
});

/** Chunks that every command loads. */
const command = ["commander", "run-command", "run-main"];
/** Chunks that every command with requests loads. */
const asking = [...command, "run-endpoint", "undici"];

const heavy = ["undici", "tunnel", "zod", "conf", "ora", "chalk", "cli-table3", "server", "run-endpoint"];

describe("loaded chunks", () => {
  test("the build has these chunks, so the tests below can notice their absence", () => {
    expect(parts()).toEqual(
      expect.arrayContaining([
        ...asking,
        "tunnel",
        "live-line",
        "server",
        "record-view",
        "list-view",
        "print-help",
      ]),
    );
    const built = readdirSync(dist).map(nameOf);
    for (const name of packages) expect(built).toContain(name);
  });

  test("the code and the libraries for Parquet are one chunk, and loaded only to write it", async () => {
    const isParquet = (name: string): boolean => name.startsWith("parquet");
    const chunks = readdirSync(dist).filter((file) => file.endsWith(".cjs"));
    const withLibrary = chunks.filter((file) =>
      readFileSync(path.join(dist, file), "latin1").includes("parquet file invalid (footer != PAR1)"),
    );
    expect(withLibrary.map(nameOf)).toEqual(["parquet"]);
    const words = ["networks", "--sandbox", "-q", "-o"];
    expect((await chunksOf([...words, "parquet"])).filter(isParquet).toSorted()).toEqual([
      "parquet",
      "parquet-output",
    ]);
    const others = ["ndjson", "json", "csv", "tsv", "table"].map((format) => [...words, format]);
    others.push(["schema", "pool"], ["doctor", "--sandbox", "--no-stream"], ["help", "output"]);
    for (const other of others) expect((await chunksOf(other)).filter(isParquet)).toEqual([]);
  });

  test("--version loads only the entry, and not even Node's streams", async () => {
    expect(await chunksOf(["--version"])).toEqual(["dexdata"]);
    expect(await builtinsOf(["--version"])).not.toContain("stream");
  });

  test.each([["--help"], ["txns --help"], ["pools search -h"], ["help sandbox"], ["auth --help"], [""]])(
    "%s: loads a prepared page and the module that prints it",
    async (line) => {
      const words = line === "" ? [] : line.split(" ");
      expect(await partsOf(words)).toEqual(["run-help"]);
      const builtins = await builtinsOf(words);
      expect(builtins.filter((name) => [...unneeded, "v8"].includes(name))).toEqual([]);
    },
  );

  test.each([
    [
      ["help", "exit-codes"],
      [...command, "print-help"],
    ],
    [
      ["pools", "search", "--limt", "3"],
      [...command, "failure-text"],
    ],
    [
      ["explain", "404"],
      [...command, "explain"],
    ],
    [
      ["pool", "--fields", "?"],
      [...command, "list-fields"],
    ],
    [
      ["networks", "--sandbox", "-o", "ndjson"],
      [...asking, "server"],
    ],
    [
      ["networks", "--sandbox", "-o", "json"],
      [...asking, "server"],
    ],
    [
      ["networks", "--sandbox", "-o", "csv"],
      [...asking, "separated-rows", "server"],
    ],
    [
      ["networks", "--sandbox", "-o", "table"],
      [...asking, "cli-table3", "list-view", "server"],
    ],
    [
      ["networks", "--sandbox", "--validate"],
      [...asking, "row-check", "server", "zod"],
    ],
    // Half a second of work without a terminal on stderr: no spinner.
    [
      ["networks", "--sandbox", "--faults", "slow-body=700ms"],
      [...asking, "server"],
    ],
  ])("%j", async (words, expected) => {
    expect(await partsOf(words)).toEqual(expected.toSorted());
  });

  test("a record as a table needs no table package", async () => {
    expect(await partsOf([...ask, "-o", "table"])).toEqual([...asking, "record-view"].toSorted());
  });

  test("a service command loads neither other commands nor help", async () => {
    const chunks = await chunksOf([...ask, "-o", "table"]);
    expect(chunks).toContain("run-endpoint");
    const others = [
      "api",
      "auth",
      "config",
      "doctor",
      "explain",
      "old-url",
      "print-help",
      "schema",
      "stream",
    ];
    expect(chunks.filter((chunk) => others.includes(chunk))).toEqual([]);
  });

  test("a Tab loads the commands and their descriptions, but not the code that splits words", async () => {
    const chunks = await chunksOf(["__complete", "bash", "pools", "search", "ethereum", "--dex", ""]);
    expect(chunks).toContain("complete-words");
    expect(chunks.filter((chunk) => [...heavy, "commander", "run-main"].includes(chunk))).toEqual([]);
  });

  test("requests over plain http load no unnecessary modules of Node, even with a list and a key in files", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "dexdata-loading-"));
    const [list, key] = [path.join(folder, "list"), path.join(folder, "key")];
    writeFileSync(list, "ethereum:0x0000000000000000000000000000000000000001\n");
    writeFileSync(key, "api_pro_s3cr3tPart\n", { mode: 0o600 });
    asked.length = 0;
    const host = ask.at(-1) ?? "";
    const builtins = await builtinsOf(["prices", `@${list}`, "--key-file", key, "--base-url", host], {
      DEXDATA_TIER: "pro",
    });
    expect(asked).toContain("api_pro_s3cr3tPart");
    expect(builtins).not.toContain("internal/fs/streams");
    expect(builtins.filter((name) => unneeded.includes(name))).toEqual([]);
  });

  test("requests over plain http load no unnecessary modules of Node", async () => {
    const builtins = await builtinsOf([...ask, "-o", "table"]);
    expect(builtins).toContain("net");
    expect(builtins.filter((name) => unneeded.includes(name))).toEqual([]);
  });
});

/** Modules of Node that undici and commander load in their entry files, and that few runs use. */
const unneeded = [
  "http2",
  "child_process",
  "worker_threads",
  "perf_hooks",
  "readline",
  "internal/deps/undici/undici",
  "tls",
  "fs/promises",
  "dns",
];

import { execFile, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "rolldown";
import { beforeAll, describe, expect, test } from "vitest";
import config from "../../rolldown.config.ts";
import { allCommands } from "../../src/cli/program/all-commands.ts";
import { endpoints } from "../../src/api/endpoints/all.ts";
import { binaryEnv, packageFolder, program } from "../harness/binary.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

interface Built {
  /** Every file with its bytes. */
  readonly files: ReadonlyMap<string, string>;
  /** The packages they contain. */
  readonly packages: ReadonlySet<string>;
}

async function buildPackage(): Promise<Built> {
  const folder = temporaryFolder();
  const { output } = await build({
    ...config,
    output: { ...[config.output].flat()[0], dir: path.join(folder, "dist") },
  });
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .toSorted();
  const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  const packages = modules.flatMap((id) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/u.exec(id)?.[1] ?? []);
  return {
    files: new Map(names.map((file) => [path.relative(folder, file), readFileSync(file, "latin1")])),
    packages: new Set(packages),
  };
}

let first: Built;
let second: Built;
beforeAll(async () => {
  first = await buildPackage();
  second = await buildPackage();
});

test("two builds produce the same files with the same bytes", () => {
  expect(first.files.size).toBeGreaterThan(50);
  expect([...second.files.keys()]).toEqual([...first.files.keys()]);
  for (const [file, bytes] of first.files) expect(second.files.get(file) === bytes, file).toBe(true);
});

test("no file contains the path of the build directory", () => {
  const naming = [...first.files].filter(([, bytes]) => bytes.includes(process.cwd()));
  expect(naming.map(([file]) => file)).toEqual([]);
});

test("THIRD-PARTY-LICENSES contains every bundled package with its license text", () => {
  const text = first.files.get("THIRD-PARTY-LICENSES") ?? "";
  expect([...first.packages]).toEqual(
    expect.arrayContaining(["undici", "zod", "commander", "cli-table3", "chalk", "ora", "conf"]),
  );
  const named = [...text.matchAll(/^(\S+) \d[\w.-]* \(.+\)$/gmu)].map(([, name = ""]) => name);
  expect(new Set(named)).toEqual(first.packages);
  // Packages with the same text share it: titles and texts take turns.
  const parts = text.split(`${"-".repeat(80)}\n`).slice(1);
  for (const [index, part] of parts.entries())
    if (index % 2 === 1) expect(part).toMatch(/permission is|permission to|redistribution/iu);
});

test("the package exports only the client and its types", () => {
  const types = first.files.get(path.join("dist", "library.d.cts")) ?? "";
  expect(types).toContain("export declare function createClient");
  expect(types).not.toMatch(/\bimport\b|\brequire\b/u);
  for (const { id } of endpoints)
    expect(types).toContain(
      `  ${id.replaceAll(/_(.)/gu, (_, letter: string) => letter.toUpperCase())}(params`,
    );
});

test("the manual has every command with its own flags, and formatters find no errors in it", (context) => {
  const page = first.files.get(path.join("dist", "dexdata.1")) ?? "";
  for (const { words, flags } of allCommands) {
    const section = page
      .split("\n.S")
      .find((part) => part.startsWith(`S "dexdata ${words} `) || part.startsWith(`S "dexdata ${words}"`));
    // The others are described once, in the section of their topic.
    const own = Object.keys(flags).filter((name) => flags[name]?.topic === undefined);
    for (const name of own) expect(section).toContain(`\\-\\-${name.replaceAll("-", "\\-")}`);
  }
  for (const [formatter, ...words] of [
    ["groff", "-man", "-ww", "-z", "-Tutf8"],
    ["mandoc", "-T", "lint", "-W", "warning"],
  ] as const) {
    const { error, stdout, stderr } = spawnSync(formatter, words, { input: page, encoding: "utf8" });
    if (error === undefined) expect(stdout + stderr).toBe("");
    else
      void context.annotate(`LEFT OUT: there is no ${formatter} here, so the manual was not tried with it`);
  }
});

describe("the example program in docs/library.md", () => {
  const source = /```js\n([^`]+)```/u.exec(readFileSync("docs/library.md", "utf8"))?.[1] ?? "";
  const folder = temporaryFolder();
  beforeAll(() => {
    const home = path.join(folder, "node_modules", "dexdata");
    mkdirSync(home, { recursive: true });
    symlinkSync(path.join(packageFolder, "dist"), path.join(home, "dist"));
    copyFileSync(path.join(packageFolder, "package.json"), path.join(home, "package.json"));
    writeFileSync(path.join(folder, "program.mjs"), source);
    // The same, extended with cases that only types can detect.
    writeFileSync(
      path.join(folder, "program.mts"),
      `${source}
const row = (await client.tokensSearch({ order_by: "fdv_usd", created_after: new Date() }, { limit: 1 }).toArray())[0];
const price: number | null | undefined = row?.price_usd;
const exact: Promise<string | null | undefined> = createClient({ numbers: "text" }).pool({ network: "a", pool_address: "b" }).then((pool) => pool.last_price);
const raw = async (): Promise<string | undefined> => (await client.poolTransactions({ network: "a", pool_address: "b" }).toArray())[0]?.amount_0;
// @ts-expect-error an order that the service does not know
client.tokensSearch({ order_by: "price_usd" });
// @ts-expect-error a parameter that is not there
client.networks({ limit: 1 });
// @ts-expect-error a pool needs its address
void client.pool({ network: "a" });
export { price, exact, raw };
`,
    );
  });

  test("runs with the installed package", async () => {
    const words = ["sandbox", "--speed", "600", "--", process.execPath, "program.mjs"];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, ...words], {
      cwd: folder,
      env: binaryEnv(),
    });
    expect(stderr).toBe("");
    expect(stdout.trim().split("\n")).toEqual([
      expect.stringMatching(/^\d+ pools, the first 0x[\da-f]{40}$/u),
      expect.stringMatching(/^ethereum \d+\.\d+$/u),
      "404 not_found pool 0x0000000000000000000000000000000000000001 not found on ethereum; the network may not exist",
      // The list, the pool that was not found, and each event that arrived before the loop ended.
      expect.stringMatching(/^(?:[3-9]|\d\d+) credits$/u),
    ]);
  });

  test("compiles with the package's types, which reject the parameters that the service rejects", async () => {
    const flags = [
      "--noEmit",
      "--strict",
      "--module",
      "nodenext",
      "--target",
      "es2023",
      "--exactOptionalPropertyTypes",
    ];
    const types = ["--typeRoots", path.resolve("node_modules/@types"), "--types", "node"];
    const compiling = promisify(execFile)(
      process.execPath,
      [path.resolve("node_modules/.bin/tsc"), ...flags, ...types, "program.mts"],
      { cwd: folder },
    ).catch((cause: unknown) => Object(cause));
    expect((await compiling).stdout).toBe("");
  });
});

test("the package contains the program and its documents, and nothing else", async () => {
  const { stdout } = await promisify(execFile)("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    // The file is a .cmd there.
    shell: process.platform === "win32",
  });
  const unpacked = Number(/"unpackedSize": (\d+)/u.exec(stdout)?.[1]);
  expect(unpacked).toBeLessThan(2_200_000);
  const paths = [...stdout.matchAll(/"path": "([^"]+)"/gu)].map(([, file = ""]) => file);
  expect(paths).toEqual(expect.arrayContaining(["dist/dexdata.cjs", "docs/guide.md", "docs/reference.md"]));
  const outside = paths.filter((file) => !/^(?:dist|completions|docs|examples)\//u.test(file));
  expect(outside.toSorted()).toEqual(["LICENSE", "README.md", "THIRD-PARTY-LICENSES", "package.json"]);
});

/** Scripts that npm would run on a machine that installs or builds the package. */
test("neither a package of the lock file nor our own has an install script", () => {
  const lock: unknown = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const packages: unknown =
    lock !== null && typeof lock === "object" && "packages" in lock ? lock.packages : {};
  const entries = Object.entries(Object(packages));
  expect(entries.length).toBeGreaterThan(50);
  const withScript = entries.filter(([, entry]) => Object(entry).hasInstallScript === true);
  expect(withScript.map(([name]) => name)).toEqual([]);
  const manifest: unknown = JSON.parse(readFileSync("package.json", "utf8"));
  expect(manifest).not.toHaveProperty("dependencies");
  for (const script of ["preinstall", "install", "postinstall", "prepare"])
    expect(manifest).not.toHaveProperty(`scripts.${script}`);
});

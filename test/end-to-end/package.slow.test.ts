import { execFile, spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { build } from "rolldown";
import { beforeAll, describe, expect, test } from "vitest";
import config from "../../rolldown.config.ts";
import { allCommands } from "../../src/cli/all-commands.ts";
import { endpoints } from "../../src/api/endpoints/all.ts";
import { binaryEnv, packageFolder, program } from "../harness/binary.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

/** Every file with its bytes. */
type Files = ReadonlyMap<string, string>;

interface Built {
  readonly files: Files;
  /** The packages they contain. */
  readonly packages: ReadonlySet<string>;
}

/** All files below these entries of a directory. */
function filesOf(folder: string, entries: readonly string[]): Files {
  const below = entries.flatMap((entry) =>
    statSync(path.join(folder, entry)).isDirectory()
      ? readdirSync(path.join(folder, entry), { recursive: true, encoding: "utf8" }).map((name) =>
          path.join(entry, name),
        )
      : [entry],
  );
  const names = below.filter((name) => statSync(path.join(folder, name)).isFile()).toSorted();
  return new Map(names.map((name) => [name, readFileSync(path.join(folder, name), "latin1")]));
}

async function buildPackage(): Promise<Built> {
  const folder = temporaryFolder();
  const { output } = await build({
    ...config,
    output: { ...[config.output].flat()[0], dir: path.join(folder, "dist") },
  });
  const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  const packages = modules.flatMap((id) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/u.exec(id)?.[1] ?? []);
  return { files: filesOf(folder, readdirSync(folder)), packages: new Set(packages) };
}

let rebuilt: Built;
beforeAll(async () => {
  rebuilt = await buildPackage();
});

test("the build of the program and a second one, in another directory, have the same files with the same bytes", () => {
  const built = filesOf(packageFolder, ["dist", "THIRD-PARTY-LICENSES"]);
  expect(rebuilt.files.size).toBeGreaterThan(50);
  expect([...built.keys()].toSorted()).toEqual([...rebuilt.files.keys()].toSorted());
  for (const [file, bytes] of rebuilt.files) expect(built.get(file) === bytes, file).toBe(true);
});

test("no file contains the path of the build directory", () => {
  const naming = [...rebuilt.files].filter(([, bytes]) => bytes.includes(process.cwd()));
  expect(naming.map(([file]) => file)).toEqual([]);
});

test("THIRD-PARTY-LICENSES contains every bundled package with its license text", () => {
  const text = rebuilt.files.get("THIRD-PARTY-LICENSES") ?? "";
  expect([...rebuilt.packages]).toEqual(
    expect.arrayContaining(["undici", "zod", "commander", "cli-table3", "chalk", "ora", "conf"]),
  );
  const named = [...text.matchAll(/^(\S+) \d[\w.-]* \(.+\)$/gmu)].map(([, name = ""]) => name);
  expect(new Set(named)).toEqual(rebuilt.packages);
  // Packages with the same text share it: titles and texts take turns.
  const parts = text.split(`${"-".repeat(80)}\n`).slice(1);
  for (const [index, part] of parts.entries())
    if (index % 2 === 1) expect(part).toMatch(/permission is|permission to|redistribution/iu);
});

test("the package exports only the client and its types", () => {
  const types = rebuilt.files.get(path.join("dist", "library.d.cts")) ?? "";
  expect(types).toContain("export declare function createClient");
  expect(types).not.toMatch(/\bimport\b|\brequire\b/u);
  for (const { id } of endpoints)
    expect(types).toContain(
      `  ${id.replaceAll(/_(.)/gu, (_, letter: string) => letter.toUpperCase())}(params`,
    );
});

test("the manual has every command with its own flags, and formatters find no errors in it", (context) => {
  const compressed = rebuilt.files.get(path.join("dist", "dexdata.1.gz")) ?? "";
  const page = gunzipSync(Buffer.from(compressed, "latin1")).toString();
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
      "404 not_found pool 0x0000000000000000000000000000000000000001 not found on ethereum",
      // The list, the pool that was not found, and each event that arrived before the loop ended.
      expect.stringMatching(/^(?:[3-9]|\d\d+) credits$/u),
    ]);
  });
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

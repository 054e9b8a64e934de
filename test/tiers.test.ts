import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/** Vitest's own variables would make the nested vitest consider itself a part of this run. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:VITEST|TEST$|NODE_ENV$|NODE_OPTIONS$)/u.test(name)),
);

/** The test files that a script of package.json runs, as vitest itself lists them. */
function filesOf(script: string): readonly string[] {
  const manifest: unknown = JSON.parse(readFileSync("package.json", "utf8"));
  const scripts: Readonly<Record<string, string>> = Object(manifest).scripts;
  const [, filter = ""] = /&& vitest run (.*)$/u.exec(scripts[script] ?? "") ?? [];
  expect(filter).toContain(".slow.test.ts");
  const words = ["list", "--filesOnly", ...filter.replaceAll('"', "").split(" ")];
  const listed = execFileSync(process.execPath, ["node_modules/vitest/vitest.mjs", ...words], {
    env,
    encoding: "utf8",
  });
  return listed.trim().split("\n");
}

test("each test file is run by exactly one of npm test and npm run test:all", () => {
  const all = readdirSync("test", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => path.posix.join("test", name.split(path.sep).join("/")));
  const [quick, slow] = [filesOf("test"), filesOf("test:all")];
  expect(slow.length).toBeGreaterThan(20);
  expect([...quick, ...slow].toSorted()).toEqual(all.toSorted());
});

test("each file named in test/README.md exists", () => {
  const text = readFileSync("test/README.md", "utf8");
  const named = [...text.matchAll(/`((?:[\w-]+\/)+[\w-]+)`/gu)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(80);
  const isThere = (name: string): boolean =>
    ["", ".test.ts", ".slow.test.ts"].some((ending) => existsSync(`test/${name}${ending}`));
  expect(named.filter((name) => !name.startsWith("src/") && !isThere(name))).toEqual([]);
});

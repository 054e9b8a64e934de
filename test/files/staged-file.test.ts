import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { stageFile, stagingName, stagingSuffix } from "../../src/base/files/replace-file.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const folder = temporaryFolder();
let count = 0;
function newFile(): string {
  count += 1;
  mkdirSync(path.join(folder, String(count)));
  return path.join(folder, String(count), "settings.json");
}
const never = (): number => 0;

test("every call uses a unique name, even if the random source repeats", () => {
  const names = Array.from({ length: 1000 }, () => stagingName(never, "x"));
  expect(new Set(names).size).toBe(1000);
  for (const name of [...names, stagingName(() => 1 - 2 ** -53, "x")])
    expect(name).toMatch(new RegExp(`^x${stagingSuffix}$`, "u"));
});

test("the staged file is next to its target, with the given or existing mode", () => {
  const file = newFile();
  const staged = stageFile(never, file, "größe", { mode: 0o600 });
  expect([path.dirname(staged), readFileSync(staged, "utf8")]).toEqual([path.dirname(file), "größe"]);
  expect(statSync(staged).mode & 0o777).toBe(0o600);
  const kept = stageFile(never, file, "", { mode: 0o600, kept: 0o646 });
  expect(statSync(kept).mode & 0o777).toBe(0o646);
});

test.runIf(process.geteuid?.() === 0)("root does not take over a file of another user", () => {
  const file = newFile();
  writeFileSync(file, "{}");
  chownSync(file, 12345, 23456);
  const { uid, gid } = statSync(stageFile(never, file, "", { mode: 0o600 }));
  expect([uid, gid]).toEqual([12345, 23456]);
});

test("files that another user planted under the next names are neither followed nor changed", () => {
  const file = newFile();
  const precious = path.join(path.dirname(file), "precious");
  writeFileSync(precious, "precious");
  const [, head = "", last = "0"] = /^(.*)(....)\.new$/u.exec(stagingName(never, file)) ?? [];
  const planted = Array.from({ length: 9 }, (_, index) => {
    const next = ((Number.parseInt(last, 16) + 1 + index) % 0x1_00_00).toString(16).padStart(4, "0");
    return `${head}${next}.new`;
  });
  for (const name of planted) symlinkSync(precious, name);
  const staged = stageFile(never, file, "new", { mode: 0o600 });
  expect(planted).not.toContain(staged);
  expect([readFileSync(precious, "utf8"), readFileSync(staged, "utf8")]).toEqual(["precious", "new"]);
});

test("if no name is free, staging fails; content that could not be written is removed", () => {
  const file = newFile();
  mkdirSync(path.join(path.dirname(file), "inner"));
  expect(() => stageFile(never, path.join(file, "x"), "", { mode: 0o600 })).toThrow("ENOENT");
  if (existsSync("/dev/full"))
    expect(() => stageFile(never, "/dev/full/x", "", { mode: 0o600 })).toThrow("ENOTDIR");
  expect(readdirSync(path.dirname(file))).toEqual(["inner"]);
});

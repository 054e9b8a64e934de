import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { folderBelow } from "../../src/base/files/paths.ts";
import type { FileLock } from "../../src/base/files/file-lock.ts";
import { identityOf, keepCopy, publish } from "../../src/base/files/synced-file.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const folder = temporaryFolder();
let isHeld = true;
const lock: Pick<FileLock, "isHeld" | "path"> = { path: path.join(folder, "lock"), isHeld: () => isHeld };
let count = 0;

function files() {
  count += 1;
  const [staged, target] = ["staged", "target"].map((name) => path.join(folder, `${name}-${count}`));
  writeFileSync(staged ?? "", "new");
  return [staged ?? "", target ?? ""] as const;
}

test("L8: a file gets its name only under the lock", () => {
  const [staged, target] = files();
  isHeld = false;
  expect(() => publish(lock, staged, target, undefined)).toThrow(
    "was removed or taken over by another process",
  );
  expect(() => keepCopy(lock, staged, target)).toThrow("was removed or taken over");
  expect(existsSync(target)).toBe(false);
  isHeld = true;
  publish(lock, staged, target, undefined);
  expect(readFileSync(target, "utf8")).toBe("new");
});

test("L8: only the file that was read is replaced", () => {
  const [staged, target] = files();
  writeFileSync(target, "read");
  const read = identityOf(target);
  writeFileSync(`${target}.newer`, "newer");
  renameSync(`${target}.newer`, target);
  expect(() => publish(lock, staged, target, read)).toThrow("was changed by another program during the run");
  expect(() => publish(lock, staged, target, undefined)).toThrow("was changed");
  expect(readFileSync(target, "utf8")).toBe("newer");
  publish(lock, staged, target, identityOf(target));
  expect(readFileSync(target, "utf8")).toBe("new");
  const [again, gone] = files();
  writeFileSync(gone, "read");
  const before = identityOf(gone);
  unlinkSync(gone);
  expect(() => publish(lock, again, gone, before)).toThrow("was changed");
});

test("L7: directories are created below the root, and no link is followed", () => {
  const root = path.join(folder, "root");
  mkdirSync(root);
  const deep = folderBelow(root, "one", "two/three");
  expect(deep).toBe(path.join(root, "one", "two", "three"));
  expect(existsSync(deep)).toBe(true);
  const outside = path.join(folder, "outside");
  mkdirSync(outside);
  symlinkSync(outside, path.join(root, "link"));
  expect(() => folderBelow(root, "link", "below")).toThrow("is a link, and dexdata follows no links below");
  expect(existsSync(path.join(outside, "below"))).toBe(false);
  symlinkSync(path.join(folder, "nothing"), path.join(root, "dangling"));
  expect(() => folderBelow(root, "dangling")).toThrow("is a link");
  writeFileSync(path.join(root, "file"), "");
  expect(() => folderBelow(root, "file", "below")).toThrow("is not a directory");
  const linked = path.join(folder, "linked-root");
  symlinkSync(root, linked);
  expect(existsSync(folderBelow(linked, "four"))).toBe(true);
});

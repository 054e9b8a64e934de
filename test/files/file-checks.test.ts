import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { cutFile } from "../../src/base/files/last-lines.ts";
import { isSameFile } from "../../src/base/files/paths.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const refusing = (code: string) => ({
  truncate: async () => await Promise.reject(Object.assign(new Error(code), { code })),
});

test("a file is truncated through its handle, or by name if that is rejected as on Windows", async () => {
  const folder = temporaryFolder();
  const [file, moved] = [path.join(folder, "rows"), path.join(folder, "moved")];
  writeFileSync(file, "123456789");
  await cutFile(refusing("EPERM"), file, 6);
  expect(readFileSync(file, "utf8")).toBe("123456");
  await expect(cutFile(refusing("EIO"), file, 3)).rejects.toThrow("EIO");
  expect(readFileSync(file, "utf8")).toBe("123456");
  const handle = await open(file, "a");
  renameSync(file, moved);
  await cutFile(handle, file, 2);
  await handle.close();
  expect(readFileSync(moved, "utf8")).toBe("12");
});

test("a file has the same identity by name and by handle, even with 32-bit volume numbers, and differs from other files", async () => {
  const folder = temporaryFolder();
  const [file, other] = [path.join(folder, "rows"), path.join(folder, "other")];
  for (const name of [file, other]) writeFileSync(name, "");
  const handle = await open(file, "a");
  const opened = await handle.stat({ bigint: true });
  await handle.close();
  expect(isSameFile(statSync(file, { bigint: true }), opened)).toBe(true);
  expect(isSameFile(statSync(other, { bigint: true }), opened)).toBe(false);
  // File numbers on Windows have 64 bits; as doubles, neighboring numbers would be equal.
  const [ino, dev] = [2n ** 60n + 1n, 0x1234_5678_9abc_def0n];
  expect(isSameFile({ ino, dev }, { ino, dev: 0x9abc_def0n })).toBe(true);
  expect(isSameFile({ ino, dev }, { ino: ino + 1n, dev })).toBe(false);
  expect(isSameFile({ ino, dev }, { ino, dev: dev + 1n })).toBe(false);
});

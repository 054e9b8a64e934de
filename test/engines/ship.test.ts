import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import net from "node:net";
import path from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const ship = path.resolve("examples/ship.mjs");
const root = temporaryFolder();

/** A directory whose files are shipped to one file. */
function openFolder(stateName = "state") {
  const folder = mkdtempSync(path.join(root, "ship-"));
  const [state, stored] = [path.join(folder, stateName), path.join(folder, "stored")];
  mkdirSync(path.join(folder, "logs"));
  const run = (files = path.join(folder, "logs", "*"), name = state) =>
    spawnSync(process.execPath, [ship, "--once", name, files, "sh", "-c", 'cat >> "$1"', "sh", stored], {
      encoding: "utf8",
      timeout: 60_000,
    });
  return {
    folder,
    state,
    run,
    at: (name: string): string => path.join(folder, "logs", name),
    stored: (): string => (existsSync(stored) ? readFileSync(stored, "utf8") : ""),
  };
}

test("L17: a state whose name begins like the files is only itself", () => {
  const { folder, run, stored } = openFolder("swaps");
  writeFileSync(path.join(folder, "swaps-1.ndjson"), "1\n");
  writeFileSync(path.join(folder, "swaps-2.ndjson"), "2\n");
  expect(run(path.join(folder, "swaps*"))).toMatchObject({ status: 0, stderr: "" });
  expect(stored()).toBe("1\n2\n");
  expect(run(path.join(folder, "swaps*"))).toMatchObject({ status: 0, stderr: "" });
  expect(stored()).toBe("1\n2\n");
});

test("L17: files of locks and of unfinished work are not shipped", () => {
  const { at, run, stored } = openFolder();
  for (const name of ["a.lock", "a.lock.break", "a.0123456789abcdef.new", "a.part", "a.resume", "a.gz"])
    writeFileSync(at(name), "no\n");
  writeFileSync(at("a.ndjson"), "yes\n");
  expect(run().status).toBe(0);
  expect(stored()).toBe("yes\n");
});

test("L17: one file that cannot be read, or with an endless line, is reported, and the others are shipped", () => {
  const { at, run, stored } = openFolder();
  symlinkSync(at("a-loop"), at("a-loop"));
  writeFileSync(at("b-long"), "");
  truncateSync(at("b-long"), 2 ** 26 + 1);
  writeFileSync(at("c-sound"), "1\n2\n");
  const { status, stderr } = run();
  expect(status).toBe(1);
  expect(stderr).toContain("a-loop");
  expect(stderr).toContain("b-long: the line at byte 0 has more than 64 MiB");
  expect(stored()).toBe("1\n2\n");
  // Otherwise, all of it would be searched for keys.
  truncateSync(at("b-long"), 0);
});

test("L17: a replaced file of the same size and last line is shipped again", () => {
  const { at, run, stored } = openFolder();
  writeFileSync(at("a"), "first\nlast\n");
  expect(run().status).toBe(0);
  const { atime, mtime } = statSync(at("a"));
  writeFileSync(at("a"), "other\nlast\n");
  utimesSync(at("a"), atime, mtime);
  expect(run().status).toBe(0);
  expect(stored()).toBe("first\nlast\nother\nlast\n");
});

test("a renamed file is continued, and so is a state of an earlier version", () => {
  const { at, state, run, stored } = openFolder();
  writeFileSync(at("a"), "1\n");
  expect(run().status).toBe(0);
  renameSync(at("a"), at("a.1"));
  appendFileSync(at("a.1"), "2\n");
  expect(run().status).toBe(0);
  expect(stored()).toBe("1\n2\n");
  const [[id, place] = ["", {}]] = Object.entries<Record<string, unknown>>(
    JSON.parse(readFileSync(state, "utf8")),
  );
  const earlier = { at: place["at"], length: place["length"], hash: place["hash"] };
  writeFileSync(state, JSON.stringify({ [id.split(":")[1] ?? ""]: earlier }));
  appendFileSync(at("a.1"), "3\n");
  expect(run().status).toBe(0);
  expect(stored()).toBe("1\n2\n3\n");
});

test("L17: a damaged state is a sentence", () => {
  const { at, state, run } = openFolder();
  writeFileSync(at("a"), "1\n");
  writeFileSync(state, "{broken");
  expect(run()).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^ship\.mjs: \S+ is damaged; remove it/u),
  });
});

test.skipIf(process.platform !== "linux")("L17: a link to a state has the lock of the state", async () => {
  const { at, state, folder, run } = openFolder();
  writeFileSync(at("a"), "1\n");
  expect(run().status).toBe(0);
  const linked = path.join(folder, "linked");
  symlinkSync(state, linked);
  const { createHash } = await import("node:crypto");
  const name = `dexdata-ship-${createHash("sha256").update(state).digest("hex").slice(0, 16)}`;
  const server = net.createServer();
  await new Promise<void>((resolve) => {
    server.listen(`\0${name}`, resolve);
  });
  try {
    for (const each of [state, linked])
      expect(run(undefined, each)).toMatchObject({ status: 7, stderr: expect.stringContaining("is in use") });
  } finally {
    server.close();
  }
});

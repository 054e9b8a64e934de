import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { secretMark, startSearch } from "./key-search.ts";
import { takeSightings } from "./no-key-seen.ts";
import { createTestContext } from "./test-context.ts";

const key = `api_pro_${secretMark}Part`;
const seenIn = (text: string): boolean => startSearch().see(Buffer.from(text)) !== undefined;

describe("a key is detected", () => {
  test.each([
    ["alone", key],
    ["without the mark", "api_dev_0123456789"],
    ["in the middle of bytes that are no text", `\u0000\uFFFD${key}\u0000`],
    ["without its beginning", `…${key.slice(6)}`],
    ["in base64", Buffer.from(`user:${key}`).toString("base64")],
    ["in base64, one further", Buffer.from(`users:${key}`).toString("base64")],
    ["in base64, two further", Buffer.from(`${key}:`).toString("base64")],
    ["in hex", Buffer.from(key).toString("hex")],
    ["in a URL", `https://host.invalid/?key=${encodeURIComponent(key)}`],
  ])("%s", (_, text) => {
    expect(seenIn(text)).toBe(true);
  });

  test.each(["…Part", "api_…", "invalid_api_key", "api_pro_sandbox", "api_pro_<anything>"])(
    "but not in the text %s",
    (text) => {
      expect(seenIn(text)).toBe(false);
    },
  );

  test("across two writes", () => {
    const { see } = startSearch();
    expect([see(Buffer.from(`x ${key.slice(0, 9)}`)), see(Buffer.from(key.slice(9)))]).toEqual([
      undefined,
      expect.stringContaining(key),
    ]);
  });
});

describe("and reported, so that the test fails, when it is written", () => {
  test("by a run in this process", async () => {
    const { stdout, stderr } = createTestContext();
    await stdout.write(`key ${key}\n`);
    await stderr.write("nothing\n");
    expect(takeSightings()).toEqual([expect.stringContaining(key)]);
  });

  test("by a child process, on either stream", async () => {
    const script = `console.log(process.env.SECRET); console.error(process.env.SECRET)`;
    const env = { ...process.env, SECRET: key };
    const child = spawn(process.execPath, ["-e", script], { env });
    child.stdout.resume();
    child.stderr.resume();
    await once(child, "close");
    expect(takeSightings()).toHaveLength(2);
    spawnSync(process.execPath, ["-e", script], { env });
    expect(takeSightings()).toHaveLength(2);
  });

  test("to a file, when its directory is removed; key stores and files named as keys may contain one", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "dexdata-search-"));
    mkdirSync(path.join(folder, "deep"));
    for (const name of ["credentials.json", "credentials.json.bak", "key.txt", "deep/receipt.json"])
      writeFileSync(path.join(folder, name), `x${key}`);
    rmSync(folder, { recursive: true });
    expect(takeSightings()).toEqual([expect.stringContaining("deep/receipt.json: x")]);
  });
});

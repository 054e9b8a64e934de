import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../harness/temporary-folder.ts";

// installed-binary.mjs installs the real executable; here, a shell script takes its place.

const name = "dexdata-linux-x64.gz";
const program = gzipSync("#!/bin/sh\necho dexdata 9.9.9\n");
const sumOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

let files: Readonly<Record<string, Buffer | string>> = {};
const server = createServer((request, response) => {
  const file = files[(request.url ?? "").slice(1)];
  if (file === undefined) response.writeHead(404).end();
  else response.end(file);
});
let base = "";
beforeAll(async () => {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  if (typeof address === "object" && address !== null) base = `http://127.0.0.1:${address.port}`;
});
afterAll(() => server.close());

const root = temporaryFolder();

interface Ended {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Everything below the home directory, without directories. */
  readonly left: readonly string[];
}

async function install(
  words: readonly string[],
  { served = {}, present }: { served?: typeof files; present?: string } = {},
  script = path.resolve("bin/install.sh"),
): Promise<Ended> {
  files = served;
  const home = mkdtempSync(path.join(root, "home-"));
  if (present !== undefined) {
    mkdirSync(path.join(home, ".local/bin"), { recursive: true });
    writeFileSync(path.join(home, ".local/bin/dexdata"), present);
  }
  const machine = path.join(home, "machine");
  mkdirSync(machine);
  writeFileSync(path.join(machine, "uname"), '#!/bin/sh\n[ "$1" = -s ] && echo Linux || echo x86_64\n', {
    mode: 0o755,
  });
  const env = { HOME: home, TMPDIR: home, PATH: `${machine}:/usr/local/bin:/usr/bin:/bin` };
  const ended = await new Promise<Omit<Ended, "left">>((resolve) => {
    execFile("/bin/sh", [script, ...words], { env, timeout: 20_000 }, (cause, stdout, stderr) =>
      resolve({ exit: cause === null ? 0 : Number(cause.code ?? -1), stdout, stderr }),
    );
  });
  const left = readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && each.name !== "uname")
    .map((each) => path.relative(home, path.join(each.parentPath, each.name)));
  return { ...ended, left };
}

const sums = (bytes: Buffer): string =>
  `${"0".repeat(64)}  dexdata-darwin-x64.gz\n${sumOf(bytes)}  ${name}\n`;

describe.runIf(existsSync("/bin/sh"))("install.sh", () => {
  test("installs the file for this machine, and reports if its directory is not on the PATH", async () => {
    const seen = await install([`${base}/`], { served: { SHA256SUMS: sums(program), [name]: program } });
    expect(seen).toMatchObject({ exit: 0, stderr: "", left: [".local/bin/dexdata"] });
    expect(seen.stdout).toMatch(
      /^installed dexdata 9\.9\.9: \S+\/\.local\/bin\/dexdata\nadd it to your PATH: /u,
    );
  });

  test("uses another directory if one is given", async () => {
    const directory = path.join(root, "other bin");
    const seen = await install([base, directory], { served: { SHA256SUMS: sums(program), [name]: program } });
    expect(seen).toMatchObject({ exit: 0, left: [] });
    expect(readdirSync(directory)).toEqual(["dexdata"]);
  });

  test.each([
    [
      "a changed file",
      { SHA256SUMS: sums(program), [name]: Buffer.concat([program, program]) },
      /does not match/u,
    ],
    ["a truncated file", { SHA256SUMS: sums(program), [name]: program.subarray(0, 30) }, /does not match/u],
    ["a file without a sum", { SHA256SUMS: "", [name]: program }, /has no dexdata-linux-x64\.gz/u],
    ["no file", { SHA256SUMS: sums(program) }, /cannot download \S+\.gz/u],
    ["no sums", {}, /cannot download \S+SHA256SUMS/u],
    [
      "a program that does not start",
      (() => {
        const broken = gzipSync("#!/bin/sh\nexit 1\n");
        return { SHA256SUMS: sums(broken), [name]: broken };
      })(),
      /does not start on this system; nothing was installed/u,
    ],
  ])("%s changes nothing", async (_, served, message) => {
    const seen = await install([base], { served, present: "before" });
    expect(seen).toMatchObject({ exit: 1, stdout: "", left: [".local/bin/dexdata"] });
    expect(seen.stderr).toMatch(message);
  });

  test.each([
    [[], /^error: missing BASE_URL\n {2}hint: usage: /u],
    [["http://files.example/dexdata"], /^error: invalid BASE_URL .* must start with https:/u],
    [["http://127.0.0.1:1@files.example"], /^error: invalid BASE_URL: must not contain "@"/u],
  ])("rejects %j before it sends anything", async (words, message) => {
    const seen = await install(words);
    expect(seen).toMatchObject({ exit: 1, stdout: "", left: [] });
    expect(seen.stderr).toMatch(message);
  });

  test("does nothing if only a part of it was downloaded", async () => {
    const script = readFileSync("bin/install.sh", "utf8");
    const part = path.join(root, "part.sh");
    for (const share of [0.3, 0.6, 0.9]) {
      writeFileSync(part, script.slice(0, Math.floor(script.length * share)));
      const served = { SHA256SUMS: sums(program), [name]: program };
      expect((await install([base], { served }, part)).left).toEqual([]);
    }
  });
});

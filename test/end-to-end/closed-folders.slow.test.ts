import { spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { binaryEnv, ended, packageFolder } from "../harness/binary.ts";
import { lockOfGone } from "../harness/lock-token.ts";
import { startScriptedServer, json, type ScriptedServer } from "../harness/scripted-server.ts";

/**
 * No directory is closed to root, so root runs the program as the user nobody, which exists on every Linux.
 */
const who = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/**
 * Outside the tests' own directory, which other users cannot read; the same may apply to the program's
 * directory.
 */
const home = mkdtempSync("/tmp/dexdata-closed-");
const copy = path.join(home, "program");
let service: ScriptedServer;

beforeAll(async () => {
  service = await startScriptedServer(() => json('[{"id":"ethereum","display_name":"Ethereum"}]'));
  chmodSync(home, 0o755);
  cpSync(path.join(packageFolder, "dist"), copy, { recursive: true });
  for (const name of ["open", "closed", "unreadable", "sticky"]) mkdirSync(path.join(home, name));
  chmodSync(path.join(home, "open"), 0o777);
  writeFileSync(path.join(home, "open", "begun"), "");
  writeFileSync(path.join(home, "open", "begun.resume"), '{"checkpoint":1}\n');
  chmodSync(path.join(home, "open", "begun.resume"), 0);
  // Like /tmp: all users may create files in it, and remove only their own.
  chmodSync(path.join(home, "sticky"), 0o1777);
  writeFileSync(path.join(home, "sticky", "x.lock"), lockOfGone());
  chmodSync(path.join(home, "closed"), 0o555);
  chmodSync(path.join(home, "unreadable"), 0);
});

afterAll(async () => {
  for (const name of ["closed", "unreadable"]) chmodSync(path.join(home, name), 0o700);
  rmSync(home, { recursive: true });
  await service.close();
});

/** Returns the messages for a user without access to the directory; `~` is the home directory. */
async function run(
  words: string,
  env: Readonly<Record<string, string>> = {},
  user: Readonly<Partial<Record<"uid" | "gid", number>>> = who,
): Promise<unknown> {
  const open = path.join(home, "open");
  const folders = { DEXDATA_CONFIG_DIR: open, DEXDATA_STATE_DIR: open, DEXDATA_CACHE_DIR: open };
  const program = [process.execPath, path.join(copy, "dexdata.cjs")];
  const child = spawn(
    "env",
    [...(user === who ? [] : ["-u", "HOME"]), ...program, ...words.split(" "), "--error-format", "text"],
    {
      ...user,
      cwd: home,
      env: binaryEnv({ HOME: home, DEXDATA_BASE_URL: service.url, ...folders, ...env }),
      stdio: "pipe",
    },
  );
  const { exit, stdout, stderr } = await ended(child);
  return { exit, rows: String(stdout).split("\n").length - 1, said: stderr.replaceAll(home, "~") };
}

const check = "check the permissions of the directory, or name another file";

const onUnix = test.runIf(process.platform !== "win32");

onUnix.each([
  ["networks --out closed/x", `--out "closed/x": cannot be written (permission denied)\n  hint: ${check}`],
  [
    "networks --out closed/x --resume",
    `--out "closed/x": cannot be written (permission denied)\n  hint: ${check}`,
  ],
  [
    "networks --receipt closed/r",
    `--receipt "closed/r": cannot be written (permission denied)\n  hint: ${check}`,
  ],
  [
    "networks --out open/begun --resume",
    "open/begun.resume cannot be read (permission denied)\n  hint: check its permissions, or name another file",
  ],
  ...["stream", "prices", "pool"].map((command) => [
    `${command} @unreadable/list`,
    '"@unreadable/list": cannot be read (permission denied)\n  hint: check the file name and its permissions',
  ]),
])("%s without access for the user: exit 2 before a request", async (words, said) => {
  const before = service.requests.length;
  expect(await run(words)).toEqual({ exit: 2, rows: 0, said: `error: ${said}\n` });
  expect(service.requests.length).toBe(before);
});

/** Without root, no other user can own the lock. */
test.runIf(process.platform === "linux" && process.getuid?.() === 0)(
  "an abandoned lock that only another user can remove ends the run at once with exit 2",
  async () => {
    const begun = performance.now();
    expect(await run("networks --out sticky/x")).toEqual({
      exit: 2,
      rows: 0,
      said:
        "error: cannot remove the abandoned lock sticky/x.lock: operation not permitted\n" +
        "  hint: delete it as the user who owns it\n",
    });
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(readdirSync(path.join(home, "sticky"))).toEqual(["x.lock"]);
  },
);

onUnix("settings and state that are closed: said once, and the rows come", async () => {
  const [config, state] = [path.join(home, "unreadable"), path.join(home, "closed")];
  const env = {
    DEXDATA_CONFIG_DIR: config,
    DEXDATA_STATE_DIR: path.join(state, "state"),
    DEXDATA_CACHE_DIR: state,
  };
  expect(await run("networks -o ndjson", env)).toEqual({
    exit: 0,
    rows: 1,
    said:
      "warning: ~/unreadable/config.json cannot be read (permission denied); ignoring the file\n" +
      "warning: ~/unreadable/credentials.json cannot be read (permission denied); continuing without a stored key\n" +
      "warning: the request rate cannot be shared with other processes: ~/closed/state: permission denied\n",
  });
});

test.runIf(process.getuid?.() === 0)(
  "a user without an entry in the user database, as in a container, can save settings and keys",
  async () => {
    const user = { uid: 54_321, gid: 54_321 };
    for (const words of [
      "config set retries 2",
      "config get retries",
      `name add foo ethereum:0x${"1".repeat(40)}`,
    ])
      expect(await run(words, {}, user)).toMatchObject({
        exit: 0,
        said: expect.not.stringContaining("error"),
      });
  },
);

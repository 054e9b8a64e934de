import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { allCommands } from "../../src/cli/all-commands.ts";
import { answerShell } from "../../src/cli/complete.ts";
import { findFolders } from "../../src/cli/folders.ts";
import { dexdata } from "../harness/dexdata.ts";
import { failureOf } from "../harness/failure-of.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

/** Compares the directories, which findFolders determines on access. */
const read = (context: Parameters<typeof findFolders>[0]) => ({ ...findFolders(context) });

const standard = (home: string) => ({
  config: `${home}/.config/dexdata`,
  state: `${home}/.local/state/dexdata`,
  cache: `${home}/.cache/dexdata`,
});

test.each(["linux", "darwin"])("on %s the directories follow XDG", (platform) => {
  expect(read({ platform, env: { HOME: "/home/ann" } })).toEqual(standard("/home/ann"));
  const env = { HOME: "/home/ann", XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s", XDG_CACHE_HOME: "/k" };
  expect(read({ platform, env })).toEqual({
    config: "/c/dexdata",
    state: "/s/dexdata",
    cache: "/k/dexdata",
  });
});

test("a relative or empty XDG directory is ignored, as XDG requires", () => {
  const env = { HOME: "/home/ann", XDG_CONFIG_HOME: "c", XDG_STATE_HOME: "", XDG_CACHE_HOME: "./k" };
  expect(read({ platform: "linux", env })).toEqual(standard("/home/ann"));
});

test("our own variables take precedence and name the directory itself", () => {
  const env = {
    HOME: "/home/ann",
    XDG_CONFIG_HOME: "/c",
    DEXDATA_CONFIG_DIR: "/own/",
    DEXDATA_STATE_DIR: "/state/../own",
  };
  expect(read({ platform: "linux", env })).toEqual({
    config: "/own",
    state: "/own",
    cache: "/home/ann/.cache/dexdata",
  });
  expect(read({ platform: "linux", env: { HOME: "/home/ann", DEXDATA_CONFIG_DIR: "" } })).toEqual(
    standard("/home/ann"),
  );
});

test("Windows uses its own locations", () => {
  const env = { USERPROFILE: "C:\\Users\\ann" };
  expect(read({ platform: "win32", env })).toEqual({
    config: "C:\\Users\\ann\\AppData\\Roaming\\dexdata",
    state: "C:\\Users\\ann\\AppData\\Local\\dexdata\\state",
    cache: "C:\\Users\\ann\\AppData\\Local\\dexdata\\cache",
  });
  expect(read({ platform: "win32", env: { ...env, APPDATA: "D:\\R", LOCALAPPDATA: "D:\\L" } })).toEqual({
    config: "D:\\R\\dexdata",
    state: "D:\\L\\dexdata\\state",
    cache: "D:\\L\\dexdata\\cache",
  });
});

/** Values that would be relative to the working directory. */
const relative = [".", "..", "sub", "./sub", "~", "~/x", " /x"];

test.each([undefined, "", ...relative])(
  "with HOME %j, the home directory of the user database is used",
  (home) => {
    const before = process.env["HOME"];
    // os.homedir() of Node returns this value.
    process.env["HOME"] = home ?? "";
    try {
      expect(read({ platform: "linux", env: { HOME: home } })).toEqual(standard(os.userInfo().homedir));
    } finally {
      process.env["HOME"] = before;
    }
  },
);

describe("no variable makes a path that is relative to the working directory:", () => {
  const shared = ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"];
  const windows = ["USERPROFILE", "APPDATA", "LOCALAPPDATA"];
  const own = {
    config: "DEXDATA_CONFIG_DIR",
    state: "DEXDATA_STATE_DIR",
    cache: "DEXDATA_CACHE_DIR",
  } as const;

  test("the lists have every variable that the program reads for a path", () => {
    const source = readFileSync("src/cli/folders.ts", "utf8");
    const named = [...source.matchAll(/"([A-Z]+(?:_[A-Z]+)*)"/gu)].map(([, name = ""]) => name);
    expect(new Set(named)).toEqual(new Set([...shared, ...windows, ...Object.values(own)]));
  });

  test.each(relative)("%j is ignored in the variables of other programs", (value) => {
    const set = Object.fromEntries([...shared, ...windows].map((name) => [name, value]));
    for (const folder of Object.values(read({ platform: "linux", env: set })))
      expect(path.posix.isAbsolute(folder)).toBe(true);
    for (const folder of Object.values(read({ platform: "win32", env: set })))
      expect(path.win32.isAbsolute(folder)).toBe(true);
  });

  test.each(Object.entries(own))("the %s directory rejects a relative path in %s", async (folder, name) => {
    for (const value of relative) {
      const folders = findFolders({ platform: "linux", env: { HOME: "/home/ann", [name]: value } });
      expect(await failureOf(() => Object.entries(folders).find(([each]) => each === folder))).toEqual({
        exit: 2,
        message: `invalid ${name} "${value}": must be an absolute path`,
        next: undefined,
      });
    }
  });

  test("one invalid variable does not affect the other directories", () => {
    const env = { HOME: "/home/ann", DEXDATA_CACHE_DIR: "x" };
    expect(findFolders({ platform: "linux", env }).config).toBe("/home/ann/.config/dexdata");
  });
});

describe("a config.json in the working directory", () => {
  const folder = temporaryFolder();
  const planted = path.join(folder, "planted");
  const program = `sh -c 'touch ${planted}; echo api_free_x'`;

  test.each([
    ["HOME", ".config/dexdata"],
    ["XDG_CONFIG_HOME", "dexdata"],
    ["DEXDATA_CONFIG_DIR", ""],
  ])("is not read through %s, so its key_command does not run", async (name, inside) => {
    const before = process.cwd();
    mkdirSync(path.join(folder, inside), { recursive: true });
    writeFileSync(path.join(folder, inside, "config.json"), JSON.stringify({ key_command: program }));
    process.chdir(folder);
    try {
      for (const value of ["", ".", "./"]) {
        const env = { HOME: "/nonexistent", [name]: value, DEXDATA_BASE_URL: "http://127.0.0.1:9" };
        const { stderr } = await dexdata("networks --retries 0 -q", { env });
        expect(stderr).not.toContain("key_command");
        expect(existsSync(planted)).toBe(false);
      }
    } finally {
      process.chdir(before);
    }
  });
});

test("completion offers nothing instead of failing if a variable is invalid", () => {
  const context = {
    env: { HOME: "/home/ann", DEXDATA_CACHE_DIR: "x", DEXDATA_CONFIG_DIR: "x" },
    platform: "linux",
  };
  for (const words of [
    ["pool", ""],
    ["networks", "--profile", ""],
    ["dexes", ""],
  ])
    expect(answerShell(context, allCommands, ["zsh", ...words])).toMatch(/^\w+\t/u);
});

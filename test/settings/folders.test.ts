import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { findFolders } from "../../src/settings/folders.ts";

const standard = (home: string) => ({
  config: `${home}/.config/dexdata`,
  state: `${home}/.local/state/dexdata`,
  cache: `${home}/.cache/dexdata`,
});

test.each(["linux", "darwin"])("on %s the directories follow XDG", (platform) => {
  expect(findFolders({ platform, env: { HOME: "/home/ann" } })).toEqual(standard("/home/ann"));
  const env = { HOME: "/home/ann", XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s", XDG_CACHE_HOME: "/k" };
  expect(findFolders({ platform, env })).toEqual({
    config: "/c/dexdata",
    state: "/s/dexdata",
    cache: "/k/dexdata",
  });
});

test("a relative or empty XDG directory is ignored, as XDG requires", () => {
  const env = { HOME: "/home/ann", XDG_CONFIG_HOME: "c", XDG_STATE_HOME: "", XDG_CACHE_HOME: "./k" };
  expect(findFolders({ platform: "linux", env })).toEqual(standard("/home/ann"));
});

test("our own variables take precedence, name the directory itself, and may be relative", () => {
  const env = {
    HOME: "/home/ann",
    XDG_CONFIG_HOME: "/c",
    DEXDATA_CONFIG_DIR: "/own/",
    DEXDATA_STATE_DIR: "own",
  };
  expect(findFolders({ platform: "linux", env })).toEqual({
    config: "/own",
    state: path.resolve("own"),
    cache: "/home/ann/.cache/dexdata",
  });
  expect(findFolders({ platform: "linux", env: { HOME: "/home/ann", DEXDATA_CONFIG_DIR: "" } })).toEqual(
    standard("/home/ann"),
  );
});

test("Windows uses its own locations", () => {
  const env = { USERPROFILE: "C:\\Users\\ann" };
  expect(findFolders({ platform: "win32", env })).toEqual({
    config: "C:\\Users\\ann\\AppData\\Roaming\\dexdata",
    state: "C:\\Users\\ann\\AppData\\Local\\dexdata\\state",
    cache: "C:\\Users\\ann\\AppData\\Local\\dexdata\\cache",
  });
  expect(
    findFolders({ platform: "win32", env: { ...env, APPDATA: "D:\\R", LOCALAPPDATA: "D:\\L" } }),
  ).toEqual({
    config: "D:\\R\\dexdata",
    state: "D:\\L\\dexdata\\state",
    cache: "D:\\L\\dexdata\\cache",
  });
});

test.each([{}, { HOME: "" }, { HOME: "home/ann" }])(
  "without a usable HOME (%j) the system's home directory is used",
  (env) => {
    expect(findFolders({ platform: "linux", env })).toEqual(standard(os.homedir()));
  },
);

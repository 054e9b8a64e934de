import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { credentialsPath, readCredentials } from "../../src/cli/settings/credentials.ts";
import { saveProfile } from "../../src/cli/settings/edit-credentials.ts";
import { dexdata, type Outcome } from "../harness/dexdata.ts";

import { createTestContext, type TestContext, type TestContextOptions } from "../harness/test-context.ts";

const work = { key: "api_pro_s3cr3tWork", tier: "pro", rest: "https://rest.invalid" } as const;
const play = { key: "api_free_s3cr3tPlay", tier: "free" } as const;

let home: TestContext;
beforeEach(() => {
  home = createTestContext();
});

const store = async (...names: readonly ("work" | "play" | "third")[]): Promise<void> => {
  for (const name of names) await saveProfile(home, name, name === "play" ? play : work);
};

async function auth(words: string, options: TestContextOptions = {}): Promise<Result> {
  const env = { HOME: home.home, ...options.env };
  const { exit, stdout, stderr } = await dexdata(`auth ${words} --error-format text`, { ...options, env });
  return { exit, stdout, stderr };
}

type Result = Pick<Outcome, "exit" | "stdout" | "stderr">;

describe("auth list", () => {
  test("shows every profile, the active one, last four characters, tier, time and host, without a request", async () => {
    await store("work", "play");
    expect(await auth("list", { isTerminal: { stdout: true } })).toEqual({
      exit: 0,
      stdout:
        "PROFILE  IN USE  KEY    TIER  STORED                REST URL\n" +
        "work     yes     …Work  pro   2026-11-21T08:54:00Z  https://rest.invalid\n" +
        "play     no      …Play  free  2026-11-21T08:54:00Z  unknown\n",
      stderr: "",
    });
    expect((await auth("list")).stdout.split("\n")[1]).toBe(
      '{"profile":"play","in_use":false,"key":"…Play","tier":"free","stored":"2026-11-21T08:54:00Z","rest_url":null}',
    );
  });

  test("shows how to store a key if there is none, and still prints JSON", async () => {
    expect(await auth("list -o json")).toEqual({
      exit: 0,
      stdout: "[]\n",
      stderr: "no key stored; add one: dexdata auth login\n",
    });
  });

  test.each([
    ["DEXDATA_API_KEY is set and overrides stored keys", { DEXDATA_API_KEY: "api_dev_s3cr3tTyped" }, {}],
    ["DEXDATA_PROFILE is play and overrides this profile", { DEXDATA_PROFILE: "play" }, {}],
    [
      "the profile setting is play and overrides this profile; remove the setting: dexdata config unset profile",
      {},
      { profile: "play" },
    ],
    [
      "key_command is set and overrides stored keys; remove the setting: dexdata config unset key_command",
      {},
      { key_command: "pass show dexdata" },
    ],
  ])("and auth switch report what overrides it: %s", async (what, env, config) => {
    await store("work", "play");
    writeFileSync(path.join(path.dirname(credentialsPath(home)), "config.json"), JSON.stringify(config));
    const outcome = await auth("switch work", { env });
    expect(outcome).toEqual({
      exit: 0,
      stdout: "",
      stderr: `switched to profile "work": pro plan\n  ${what}\n`,
    });
    const isNamed = "DEXDATA_PROFILE" in env || "profile" in config;
    const listed = await auth("list -o json", { env });
    expect(JSON.parse(listed.stdout).map(({ in_use }: { in_use: boolean }) => in_use)).toEqual(
      isNamed ? [false, true] : [true, false],
    );
    expect(listed.stderr).toBe(isNamed ? "" : `  ${what}\n`);
  });

  test("reports a damaged file, or one that other users can read", async () => {
    await store("work");
    const file = credentialsPath(home);
    chmodSync(file, 0o644);
    const exposed = await auth("list");
    expect(exposed.stderr).toBe(`warning: other users can read the key in ${file}; run: chmod 600 ${file}\n`);
    writeFileSync(file, `{"key":"${work.key}`);
    for (const words of ["list", "switch", "switch work", "logout", "logout --all"]) {
      const { exit, stdout, stderr } = await auth(words);
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
      // Without reading the file, logout cannot know whether a key is left in it.
      const left = words.startsWith("logout") ? ", and it may contain keys" : "";
      expect(stderr).toContain(`error: ${file} is not valid JSON${left}\n`);
    }
    expect(readFileSync(file, "utf8")).toBe(`{"key":"${work.key}`);
  });
});

describe("auth switch", () => {
  test("selects the profile to use by default", async () => {
    await store("work", "play", "third");
    expect(await auth("switch play")).toEqual({
      exit: 0,
      stdout: "",
      stderr: 'switched to profile "play": free plan\n',
    });
    expect(readCredentials(home).active).toBe("play");
  });

  test("without an argument switches between two profiles", async () => {
    await store("work", "play");
    const switched = [await auth("switch"), await auth("switch")].map(({ stderr }) => stderr);
    expect(switched).toEqual([
      'switched to profile "play": free plan\n',
      'switched to profile "work": pro plan\n',
    ]);
  });

  test("requires a name with three profiles, fails with only one, and names an unknown one", async () => {
    await store("work");
    expect((await auth("switch")).stderr).toBe(
      "error: no other profile to switch to\n  hint: add one: dexdata auth login --profile <name>\n",
    );
    await store("play", "third");
    expect((await auth("switch")).stderr).toBe(
      "error: missing <profile>: more than two profiles are stored\n  hint: choose one of: play, third\n",
    );
    expect(await auth("switch gone")).toEqual({
      exit: 2,
      stdout: "",
      stderr:
        'error: unknown profile "gone"; stored: work, play, third\n' +
        "  hint: add one: dexdata auth login --profile <name>\n",
    });
    const { exit, stderr } = await auth(`switch ${work.key}`);
    expect([exit, stderr.includes("s3cr3t")]).toEqual([2, false]);
    expect(readCredentials(home).active).toBe("work");
  });
});

describe("auth logout --all", () => {
  test("removes every key and the saved tiers", async () => {
    await store("work", "play");
    expect(await auth("logout --all")).toEqual({
      exit: 0,
      stdout: "",
      stderr: "removed all stored keys: work, play\n",
    });
    expect(JSON.parse(readFileSync(credentialsPath(home), "utf8"))).toEqual({
      version: 1,
      active: "default",
      profiles: {},
      remembered: {},
    });
    expect((await auth("logout --all")).stderr).toBe("no key stored\n");
  });

  test("cannot be combined with one profile", async () => {
    await store("work");
    expect((await auth("logout --all --profile work")).exit).toBe(2);
    expect(readCredentials(home).profiles.size).toBe(1);
  });
});

import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { credentialsPath } from "../../src/cli/settings/credentials.ts";
import { savePlan, removeProfile, saveProfile } from "../../src/cli/settings/edit-credentials.ts";
import { setSetting } from "../../src/cli/settings/edit-config.ts";
import type { KeyFlags } from "../../src/cli/settings/find-key.ts";
import { findKey } from "../harness/find-key.ts";
import { createTestContext, type TestContext } from "../harness/test-context.ts";
import { failureOf } from "../harness/failure-of.ts";

const HOME = { key: "api_free_home0001", tier: "free" } as const;
const WORK = { key: "api_pro_work0002", tier: "pro" } as const;
const TYPED = "api_dev_environment0003";
const FILED = "api_dev_file0004";

let context: TestContext;
let keyFile: string;

beforeEach(async () => {
  context = createTestContext();
  keyFile = path.join(context.home, "key");
  writeFileSync(keyFile, `${FILED}\n`, { mode: 0o600 });
  await saveProfile(context, "default", HOME);
  await saveProfile(context, "work", WORK);
});

const find = async (env: Record<string, string>, flags: KeyFlags = {}) =>
  await findKey({ ...context, env: { ...context.env, ...env } }, flags);

const kept = { rest: undefined, streaming: undefined };
const stored = { key: HOME.key, source: 'profile "default"', tier: "free", kept };
const work = { key: WORK.key, source: 'profile "work"', tier: "pro", kept };
const typed = { key: TYPED, source: "DEXDATA_API_KEY", tier: undefined };
const environment = { DEXDATA_API_KEY: TYPED };

describe("flags take precedence over the environment, and the environment over the store", () => {
  test("the active profile", async () => {
    expect(await find({})).toEqual({ found: stored, warnings: [] });
  });

  test("the profile in the environment precedes that of config.json, which precedes the active one", async () => {
    expect((await find({ DEXDATA_PROFILE: "work" })).found).toEqual(work);
    await setSetting(context, "profile", "work");
    expect((await find({})).found).toEqual(work);
    expect((await find({ DEXDATA_PROFILE: "default" })).found).toEqual(stored);
  });

  test("the key in the environment precedes any stored key", async () => {
    expect((await find(environment)).found).toEqual(typed);
    expect((await find({ ...environment, DEXDATA_PROFILE: "work" })).found).toEqual(typed);
  });

  test("an empty variable counts as unset", async () => {
    expect((await find({ DEXDATA_API_KEY: "" })).found).toEqual(stored);
  });

  test("a flag precedes the environment", async () => {
    const filed = {
      key: FILED,
      lookUp: `dexdata auth status --key-file ${keyFile}`,
      source: `--key-file ${keyFile}`,
      tier: undefined,
    };
    expect(await find(environment, { keyFile })).toEqual({ found: filed, warnings: [] });
    expect((await find(environment, { profile: "work" })).found).toEqual({
      ...work,
      lookUp: "dexdata auth status --profile work",
    });
  });

  test("two flags with two keys are rejected", async () => {
    expect(await failureOf(() => find({}, { keyFile, profile: "work" }))).toEqual({
      exit: 2,
      message: "--key-file and --profile cannot be used together",
      next: "use one of them",
    });
  });
});

describe("the tier", () => {
  test("is DEXDATA_TIER, or else the stored result of the service for this key", async () => {
    expect((await find({ ...environment, DEXDATA_TIER: "enterprise" })).found?.tier).toBe("enterprise");
    expect((await find({ DEXDATA_API_KEY: WORK.key })).found?.tier).toBe("pro");
    await savePlan(context, TYPED, "dev");
    expect((await find(environment)).found?.tier).toBe("dev");
    await savePlan(context, FILED, "pro");
    expect((await find({}, { keyFile })).found?.tier).toBe("pro");
  });

  test("must be one of five", async () => {
    expect(await failureOf(() => find({ ...environment, DEXDATA_TIER: "pr0" }))).toEqual({
      exit: 2,
      message: 'invalid DEXDATA_TIER "pr0": must be one of keyless, free, dev, pro, enterprise',
      next: "did you mean pro?",
    });
  });
});

const noProfile = (where: string): string => `${where} "gone": unknown profile; stored: default, work`;

describe("a profile that is not stored", () => {
  const next = "add one: dexdata auth login --profile <name>";

  test("is an error in the flag, variable or file that contains its name", async () => {
    expect(await failureOf(() => find({}, { profile: "gone" }))).toEqual({
      exit: 2,
      message: noProfile("--profile"),
      next,
    });
    const byVariable = await failureOf(() => find({ DEXDATA_PROFILE: "gone" }));
    expect(byVariable.message).toBe(noProfile("DEXDATA_PROFILE"));
    await setSetting(context, "profile", "gone");
    const byFile = await failureOf(() => find({}));
    expect(byFile.message).toBe(
      noProfile(`profile in ${path.join(context.home, ".config/dexdata/config.json")}`),
    );
  });

  test("means keyless if no profile was given", async () => {
    await removeProfile(context, "default");
    expect(await find({})).toEqual({ found: undefined, warnings: [] });
  });
});

describe("an unreadable store", () => {
  beforeEach(() => {
    writeFileSync(credentialsPath(context), `{"key": "${HOME.key}`);
  });

  test("causes one warning, and the run continues keyless", async () => {
    const warning = `${credentialsPath(context)} is not valid JSON; continuing without a stored key`;
    expect(await find({})).toEqual({ found: undefined, warnings: [warning] });
  });

  test("does not matter if the key has another source", async () => {
    expect(await find(environment)).toEqual({ found: typed, warnings: [] });
    expect((await find({}, { keyFile })).warnings).toEqual([]);
  });

  test("is the reason for rejecting a named profile", async () => {
    expect(await failureOf(() => find({}, { profile: "work" }))).toEqual({
      exit: 2,
      message: `--profile "work": ${credentialsPath(context)} is not valid JSON`,
      next: "store the key again: dexdata auth login",
    });
  });
});

describe("a key file", () => {
  test("that other users can read is reported", async () => {
    const folder = path.join(context.home, "it's");
    mkdirSync(folder);
    const shared = path.join(folder, "key");
    copyFileSync(keyFile, shared);
    chmodSync(shared, 0o644);
    const warning = `other users can read the key in ${shared}; run: chmod 600 '${context.home}/it'\\''s/key'`;
    expect((await find({}, { keyFile: shared })).warnings).toEqual([warning]);
  });

  test("that has no permissions on Windows is not reported", async () => {
    chmodSync(keyFile, 0o644);
    expect((await findKey({ ...context, platform: "win32" }, { keyFile })).warnings).toEqual([]);
  });

  test("and a store that other users can read is reported when used", async () => {
    const file = credentialsPath(context);
    chmodSync(file, 0o640);
    const warning = `other users can read the key in ${file}; run: chmod 600 ${file}`;
    expect((await find({})).warnings).toEqual([warning]);
    expect((await find(environment)).warnings).toEqual([]);
  });

  test.each([
    ["that is missing", () => "/nonexistent/key", "cannot be read (no such file)"],
    ["that is a directory", () => context.home, "cannot be read (is a directory)"],
    ["that never ends", () => "/dev/zero", "must contain only a key"],
  ])("%s is rejected", async (_what, file, why) => {
    const failure = await failureOf(() => find({}, { keyFile: file() }));
    expect([failure.exit, failure.message]).toEqual([2, `--key-file "${file()}": ${why}`]);
  });

  test("of exactly 4 KiB is read; one byte more is an error", async () => {
    writeFileSync(keyFile, `api_${"x".repeat(4092)}`);
    expect((await find({}, { keyFile })).found?.key.length).toBe(4096);
    writeFileSync(keyFile, `api_${"x".repeat(4093)}`);
    expect((await failureOf(() => find({}, { keyFile }))).message).toContain("must contain only a key");
  });

  test("whose path is the key itself is not quoted", async () => {
    expect(await failureOf(() => find({}, { keyFile: FILED }))).toEqual({
      exit: 2,
      message: '--key-file "api_…": cannot be read (no such file)',
      next: "--key-file takes a file path, not a key; to store a key, run: dexdata auth login",
    });
  });
});

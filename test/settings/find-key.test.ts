import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { credentialsPath } from "../../src/settings/credentials.ts";
import { rememberTier, removeProfile, saveProfile } from "../../src/settings/edit-credentials.ts";
import { setSetting } from "../../src/settings/edit-config.ts";
import { findKey, type KeyFlags } from "../../src/settings/find-key.ts";
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

describe("what was typed now wins, then the environment, then the store", () => {
  test("the active profile", async () => {
    expect(await find({})).toEqual({ found: stored, warnings: [] });
  });

  test("the profile of the environment, before that of config.json, before the active one", async () => {
    expect((await find({ DEXDATA_PROFILE: "work" })).found).toEqual(work);
    await setSetting(context, "profile", "work");
    expect((await find({})).found).toEqual(work);
    expect((await find({ DEXDATA_PROFILE: "default" })).found).toEqual(stored);
  });

  test("the key of the environment before any stored one", async () => {
    expect((await find(environment)).found).toEqual(typed);
    expect((await find({ ...environment, DEXDATA_PROFILE: "work" })).found).toEqual(typed);
  });

  test("an empty one counts as unset", async () => {
    expect((await find({ DEXDATA_API_KEY: "" })).found).toEqual(stored);
  });

  test("a flag before the environment", async () => {
    const filed = { key: FILED, source: `--key-file ${keyFile}`, tier: undefined };
    expect(await find(environment, { keyFile })).toEqual({ found: filed, warnings: [] });
    expect((await find(environment, { profile: "work" })).found).toEqual(work);
  });

  test("two flags that name two keys are refused", async () => {
    expect(await failureOf(() => find({}, { keyFile, profile: "work" }))).toEqual({
      exit: 2,
      message: "--key-file and --profile cannot be used together",
      next: "use one of them",
    });
  });
});

describe("the tier", () => {
  test("is what DEXDATA_TIER says, else what the service once said of this key", async () => {
    expect((await find({ ...environment, DEXDATA_TIER: "enterprise" })).found?.tier).toBe("enterprise");
    expect((await find({ DEXDATA_API_KEY: WORK.key })).found?.tier).toBe("pro");
    await rememberTier(context, TYPED, "dev");
    expect((await find(environment)).found?.tier).toBe("dev");
    await rememberTier(context, FILED, "pro");
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

  test("is refused where it was named, by flag, variable or file", async () => {
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

  test("is keyless where none was named", async () => {
    await removeProfile(context, "default");
    expect(await find({})).toEqual({ found: undefined, warnings: [] });
  });
});

describe("a store that cannot be read", () => {
  beforeEach(() => {
    writeFileSync(credentialsPath(context), `{"key": "${HOME.key}`);
  });

  test("is one warning, and the run goes on keyless", async () => {
    const warning = `${credentialsPath(context)} is not valid JSON; continuing without a stored key`;
    expect(await find({})).toEqual({ found: undefined, warnings: [warning] });
  });

  test("is no matter where the key comes from elsewhere", async () => {
    expect(await find(environment)).toEqual({ found: typed, warnings: [] });
    expect((await find({}, { keyFile })).warnings).toEqual([]);
  });

  test("is the reason why a named profile is refused", async () => {
    expect(await failureOf(() => find({}, { profile: "work" }))).toEqual({
      exit: 2,
      message: `--profile "work": ${credentialsPath(context)} is not valid JSON`,
      next: "store the key again: dexdata auth login",
    });
  });
});

describe("a key file", () => {
  test("that others can read is said", async () => {
    chmodSync(keyFile, 0o644);
    const warning = `other users can read the key in ${keyFile}; run: chmod 600 '${keyFile}'`;
    expect((await find({}, { keyFile })).warnings).toEqual([warning]);
  });

  test("and a store that others can read, when it is used", async () => {
    const file = credentialsPath(context);
    chmodSync(file, 0o640);
    const warning = `other users can read the key in ${file}; run: chmod 600 '${file}'`;
    expect((await find({})).warnings).toEqual([warning]);
    expect((await find(environment)).warnings).toEqual([]);
  });

  test.each([
    ["that is missing", () => "/nonexistent/key", "cannot be read (no such file)"],
    ["that is a folder", () => context.home, "cannot be read (is a directory)"],
    ["that never ends", () => "/dev/zero", "must contain only a key"],
  ])("%s is refused", async (_what, file, why) => {
    const failure = await failureOf(() => find({}, { keyFile: file() }));
    expect([failure.exit, failure.message]).toEqual([2, `--key-file "${file()}": ${why}`]);
  });

  test("of exactly 4 KiB is read, one byte more is not", async () => {
    writeFileSync(keyFile, `api_${"x".repeat(4092)}`);
    expect((await find({}, { keyFile })).found?.key.length).toBe(4096);
    writeFileSync(keyFile, `api_${"x".repeat(4093)}`);
    expect((await failureOf(() => find({}, { keyFile }))).message).toContain("must contain only a key");
  });

  test("that is the key itself is not repeated", async () => {
    expect(await failureOf(() => find({}, { keyFile: FILED }))).toEqual({
      exit: 2,
      message: '--key-file "api_…": cannot be read (no such file)',
      next: "--key-file takes a file path, not a key; to store a key, run: dexdata auth login",
    });
  });
});

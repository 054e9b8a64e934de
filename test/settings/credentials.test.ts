import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { credentialsPath, plansIn, readCredentials } from "../../src/cli/settings/credentials.ts";
import {
  savePlan,
  removeProfile,
  saveProfile,
  switchProfile,
} from "../../src/cli/settings/edit-credentials.ts";
import { createTestContext, type TestContext } from "../harness/test-context.ts";
import { failureOf } from "../harness/failure-of.ts";

const FREE = { key: "api_free_aaaaaaaa", tier: "free" } as const;
const PRO = { key: "api_pro_bbbbbbbb", tier: "pro" } as const;

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

function withStore(content: string, mode = 0o600): TestContext {
  const context = createTestContext();
  const file = credentialsPath(context);
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, content);
  chmodSync(file, mode);
  return context;
}

test("without a store there are no credentials, and no file is created", () => {
  const context = createTestContext();
  const file = credentialsPath(context);
  expect(readCredentials(context)).toEqual({
    path: file,
    active: "default",
    profiles: new Map(),
    remembered: new Map(),
  });
  expect(readdirSync(context.home)).toEqual([]);
});

test("a saved key is in a 0600 file in a 0700 directory without other files", async () => {
  const context = createTestContext();
  expect(await saveProfile(context, "default", FREE)).toEqual({ backup: undefined });
  const file = credentialsPath(context);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    version: 1,
    active: "default",
    profiles: { default: { ...FREE, saved_at: "2026-11-21T08:54:00Z" } },
    remembered: {},
  });
  expect([modeOf(file), modeOf(path.dirname(file))]).toEqual(["600", "700"]);
  expect(readdirSync(path.dirname(file))).toEqual(["credentials.json"]);
});

test("a temporary copy of the key left by kill -9 is removed by the next write, and unrelated files stay", async () => {
  const context = createTestContext();
  await saveProfile(context, "a", FREE);
  const folder = path.dirname(credentialsPath(context));
  const left = [
    "credentials.json.0123456789abcdef.new",
    "credentials.json.0123456789abcdef.new.tmp-0123456789abcdef",
  ];
  const others = [
    "config.json.0123456789abcdef.new",
    "credentials.json.0123456789abcdef.new.txt",
    "credentials.json.12.new",
    "credentials.json.bak",
    "my-credentials.json.0123456789abcdef.new",
  ];
  for (const name of [...left, ...others]) writeFileSync(path.join(folder, name), "{}");
  await removeProfile(context, "a");
  expect(readdirSync(folder).toSorted()).toEqual([...others, "credentials.json"].toSorted());
});

describe("profiles", () => {
  test("the first profile becomes active, a second one only when selected", async () => {
    const context = createTestContext();
    await saveProfile(context, "home", FREE);
    await saveProfile(context, "work", PRO);
    expect(readCredentials(context).active).toBe("home");
    await switchProfile(context, "work");
    expect(readCredentials(context).active).toBe("work");
    expect([...readCredentials(context).profiles.keys()]).toEqual(["home", "work"]);
  });

  test("removing a profile also removes the stored tier of its key, and activates no other profile", async () => {
    const context = createTestContext();
    await saveProfile(context, "home", FREE);
    await saveProfile(context, "work", PRO);
    await savePlan(context, FREE.key, "free");
    const nothing = { profiles: [], files: [], left: [] };
    expect(await removeProfile(context, "home")).toEqual({ ...nothing, profiles: ["home"] });
    expect(await removeProfile(context, "home")).toEqual(nothing);
    const { active, profiles, remembered } = readCredentials(context);
    expect([active, [...profiles.keys()], remembered.size]).toEqual(["home", ["work"], 0]);
    expect(readFileSync(credentialsPath(context), "utf8")).not.toContain("aaaaaaaa");
  });

  test("a profile that is not stored cannot be selected", async () => {
    const context = createTestContext();
    await saveProfile(context, "home", FREE);
    expect(await failureOf(() => switchProfile(context, "work"))).toEqual({
      exit: 2,
      message: 'unknown profile "work"; stored: home',
      next: "add one: dexdata auth login --profile <name>",
    });
  });

  test.each(["", "a b", "__proto__", "../x", "-x", "x".repeat(65), "api_pro_bbbbbbbb"])(
    "%j is not a valid profile name",
    async (name) => {
      const failure = await failureOf(() => saveProfile(createTestContext(), name, PRO));
      expect(failure.exit).toBe(2);
      expect(failure.message).not.toContain("bbbbbbbb");
    },
  );
});

test("the tier of a key is known only from its profile or its hash", async () => {
  const context = createTestContext();
  await saveProfile(context, "work", PRO);
  await savePlan(context, FREE.key, "free");
  const tiers = [PRO.key, FREE.key, "api_dev_cccccccc"].map(
    (key) => plansIn(readCredentials(context), key)[0]?.tier,
  );
  expect(tiers).toEqual(["pro", "free", undefined]);
  expect(readFileSync(credentialsPath(context), "utf8")).not.toContain(FREE.key);
});

describe("permissions", () => {
  const store = JSON.stringify({ version: 1, active: "default", profiles: {}, remembered: {} });

  test.each([0o644, 0o640, 0o604, 0o660])(
    "a store that other users can read (%o) is reported",
    async (mode) => {
      const context = withStore(store, mode);
      const file = credentialsPath(context);
      expect(readCredentials(context).exposure).toBe(
        `other users can read the key in ${file}; run: chmod 600 ${file}`,
      );
      await saveProfile(context, "default", FREE);
      expect([modeOf(file), readCredentials(context).exposure]).toEqual(["600", undefined]);
    },
  );

  test("Windows has no such permission bits", () => {
    const { env } = withStore(store, 0o644);
    const appData = createTestContext({ platform: "win32" });
    expect(
      readCredentials({ ...appData, env: { DEXDATA_CONFIG_DIR: env["HOME"] } }).exposure,
    ).toBeUndefined();
  });

  test("wider permissions of a directory are narrowed if it contains only our files", async () => {
    for (const [stranger, expected] of [
      ["config.json.bak", "700"],
      ["notes.txt", "755"],
    ] as const) {
      const context = createTestContext();
      const folder = path.join(context.home, ".config", "dexdata");
      mkdirSync(folder, { recursive: true });
      chmodSync(folder, 0o755);
      writeFileSync(path.join(folder, stranger), "");
      await saveProfile(context, "default", FREE);
      expect(modeOf(folder)).toBe(expected);
    }
  });
});

test("a store that is a symbolic link stays a link", async () => {
  const context = createTestContext();
  const file = credentialsPath(context);
  const real = path.join(context.home, "key-store.json");
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(real, JSON.stringify({ version: 1, active: "default", profiles: {}, remembered: {} }));
  symlinkSync(real, file);
  await saveProfile(context, "default", FREE);
  expect([modeOf(real), readFileSync(real, "utf8").includes(FREE.key)]).toEqual(["600", true]);
  expect(readdirSync(context.home).toSorted()).toEqual([".config", "key-store.json"]);
});

const broken: readonly [string, string, string][] = [
  ["truncated", `{"version":1,"profiles":{"default":{"key":"${PRO.key}`, "is not valid JSON"],
  ["empty", "", "is not valid JSON"],
  ["of a later version", '{"version":2}', "has an unsupported format version"],
  ["without its fields", '{"version":1,"active":"default"}', "is not a valid credentials file"],
  [
    "with an unknown tier",
    `{"version":1,"active":"default","profiles":{"default":{"key":"${PRO.key}","tier":"gold","saved_at":""}},"remembered":{}}`,
    "is not a valid credentials file",
  ],
  [
    "with a name that contains terminal escapes",
    `{"version":1,"active":"a","profiles":{"a\\u001b[31m":{"key":"${PRO.key}","tier":"pro","saved_at":""}},"remembered":{}}`,
    "is not a valid credentials file",
  ],
  [
    "with an invalid host",
    `{"version":1,"active":"a","profiles":{"a":{"key":"${PRO.key}","tier":"pro","saved_at":"","rest_url":"host"}},"remembered":{}}`,
    "is not a valid credentials file",
  ],
];

describe.each(broken)("a store that is %s", (_what, content, why) => {
  test("causes one clear error that quotes neither its content nor a key", () => {
    const context = withStore(content);
    const file = credentialsPath(context);
    const { problem, profiles } = readCredentials(context);
    expect([problem, profiles.size]).toEqual([`${file} ${why}`, 0]);
    expect(plansIn(readCredentials(context), PRO.key)).toEqual([]);
  });

  test("is not changed by any operation", async () => {
    const context = withStore(content);
    const file = credentialsPath(context);
    const changes = [
      () => saveProfile(context, "default", FREE),
      () => switchProfile(context, "default"),
      () => savePlan(context, FREE.key, "free"),
    ];
    for (const change of changes) {
      expect(await failureOf(change)).toEqual({
        exit: 2,
        message: `${file} ${why}`,
        next: "to move the file aside and store a key again, run: dexdata auth login",
      });
    }
    // After a logout, the user expects that no key is left.
    expect(await failureOf(() => removeProfile(context, "default"))).toEqual({
      exit: 2,
      message: `${file} ${why}, and it may contain keys`,
      next: `to remove it, run: rm ${file}`,
    });
    expect(readFileSync(file, "utf8")).toBe(content);
    expect(readdirSync(path.dirname(file))).toEqual(["credentials.json"]);
  });

  test("is replaced if requested, after a backup under a new name each time", async () => {
    const context = withStore(content, 0o644);
    const file = credentialsPath(context);
    const options = { replaceBroken: true };
    expect(await saveProfile(context, "default", FREE, options)).toEqual({ backup: `${file}.bak` });
    expect(readFileSync(`${file}.bak`, "utf8")).toBe(content);
    expect([modeOf(`${file}.bak`), readCredentials(context).profiles.size]).toEqual(["600", 1]);
    writeFileSync(file, "again");
    expect(await saveProfile(context, "default", FREE, options)).toEqual({ backup: `${file}.bak2` });
    expect(readFileSync(`${file}.bak`, "utf8")).toBe(content);
  });
});

test("a directory in place of the store is moved aside like a broken file", async () => {
  const context = createTestContext();
  const file = credentialsPath(context);
  mkdirSync(path.join(file, "inside"), { recursive: true });
  expect(readCredentials(context).problem).toBe(`${file} is not a file`);
  expect(await saveProfile(context, "default", FREE, { replaceBroken: true })).toEqual({
    backup: `${file}.bak`,
  });
  expect([readCredentials(context).profiles.size, readdirSync(`${file}.bak`)]).toEqual([1, ["inside"]]);
  rmSync(`${file}.bak`, { recursive: true });
});

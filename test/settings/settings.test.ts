import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { Failure } from "../../src/base/failure.ts";
import { configPath, readSettings } from "../../src/cli/settings/read-settings.ts";
import { allSettings, listSettings, setSetting, unsetSetting } from "../../src/cli/settings/edit-config.ts";
import { createTestContext, type TestContext } from "../harness/test-context.ts";
import { failureOf } from "../harness/failure-of.ts";

function withConfig(content: string, env: Record<string, string> = {}): TestContext {
  const context = createTestContext({ env });
  mkdirSync(path.dirname(configPath(context)), { recursive: true });
  writeFileSync(configPath(context), content);
  return context;
}

/** An accepted value of each setting, its parsed value, a rejected value, and the reason. */
const values: readonly [string, string, unknown, string, string][] = [
  [
    "base_url",
    "https://a.invalid/",
    "https://a.invalid",
    "http://a.invalid",
    "must use https; http is accepted only for loopback addresses (127.0.0.1, [::1], localhost)",
  ],
  [
    "pro_base_url",
    "http://127.0.0.1:1",
    "http://127.0.0.1:1",
    "a",
    "must start with https:// and a host (http:// only for loopback addresses)",
  ],
  [
    "streaming_url",
    "https://b.invalid",
    "https://b.invalid",
    "https://b.invalid?x",
    "must not contain a query or a fragment",
  ],
  [
    "streaming_pro_url",
    "https://c.invalid/v1",
    "https://c.invalid/v1",
    "https://c.invalid/#x",
    "must not contain a query or a fragment",
  ],
  ["output", "json", "json", "xml", "must be one of table, wide, ndjson, json, csv, tsv"],
  ["color", "never", "never", "on", "must be one of auto, always, never"],
  ["retries", "0", 0, "-1", "must be a whole number from 0 to 100"],
  [
    "retry_on",
    "502, 503",
    new Set([502, 503]),
    "200",
    "must be HTTP statuses from 400 to 599, separated by commas, e.g. 502,503,504",
  ],
  [
    "timeout",
    "1.5s",
    1500,
    "0",
    "must be a duration such as 500ms, 30s, 5m or 1h, more than 0 and up to 24h",
  ],
  ["page_size", "100", 100, "101", "must be a whole number from 1 to 100"],
  ["rpm", "300", 300, "100001", "must be a whole number from 1 to 100000, or unlimited"],
  ["budget.daily", "5000", 5000, "5k", "must be a whole number from 0 to 999999999"],
  [
    "profile",
    "work-2",
    "work-2",
    "a b",
    "must be 1 to 64 letters, digits, dots, dashes or underscores, and start with a letter or digit",
  ],
  [
    "key_command",
    "pass show 'dex data'",
    ["pass", "show", "dex data"],
    "pass show dexdata | head -1",
    "must not contain |, because it runs without a shell",
  ],
  ["tier", "pro", "pro", "gold", "must be one of keyless, free, dev, pro, enterprise"],
  ["sandbox", "Yes", true, "nein", "must be 1, true, yes or on, or 0, false, no or off"],
  ["no_input", "on", true, "maybe", "must be 1, true, yes or on, or 0, false, no or off"],
];

const environmentOnly = ["tier", "sandbox", "no_input"];

const valueOf = (context: TestContext, name: string): unknown =>
  Object.entries(readSettings(context)).find(([each]) => each === name.replace(".", "_"))?.[1];

test("the table above contains every setting", () => {
  expect(values.map(([name]) => name)).toEqual(allSettings.map((setting) => setting.name));
});

/** Built in parts so that no test contains the name of a public host. */
const host = (name: string): string => `https://${name}.dexpaprika.com`;

test("defaults are the public hosts and the values of the design", () => {
  const context = createTestContext();
  const { warnings, damaged, ...sourced } = readSettings(context);
  expect(damaged).toBeUndefined();
  const shown = Object.entries(sourced).map(([name, { value, source, where }]) => [
    name,
    value,
    source,
    where,
  ]);
  const defaults: readonly [string, unknown][] = [
    ["base_url", host("api")],
    ["pro_base_url", host("api-pro")],
    ["streaming_url", host("streaming")],
    ["streaming_pro_url", host("streaming-pro")],
    ["output", undefined],
    ["color", "auto"],
    ["retries", 4],
    ["retry_on", new Set()],
    ["timeout", 30_000],
    ["page_size", undefined],
    ["rpm", undefined],
    ["budget_daily", undefined],
    ["profile", undefined],
    ["key_command", undefined],
    ["tier", undefined],
    ["sandbox", false],
    ["no_input", false],
  ];
  expect(shown).toEqual(defaults.map(([name, value]) => [name, value, "default", "default"]));
  expect(warnings).toEqual([]);
});

describe.each(values)("%s", (name, accepted, value, refused, why) => {
  const variable = `DEXDATA_${name.toUpperCase().replace(".", "_")}`;
  const fileOnly = name === "key_command";

  if (fileOnly) {
    test("rejects its variable: an environment must not run programs", async () => {
      const context = createTestContext({ env: { [variable]: accepted } });
      expect(await failureOf(() => readSettings(context))).toEqual({
        exit: 2,
        message: `${variable} is not accepted: the program can be set only in config.json, so that a directory's environment file (e.g. .envrc) cannot choose it`,
        next: `unset it, and run: dexdata config set ${name} <command>`,
      });
    });
  } else {
    test("is read from its variable", () => {
      const context = createTestContext({ env: { [variable]: accepted } });
      expect(valueOf(context, name)).toEqual({
        value,
        source: "environment",
        where: variable,
        text: accepted,
      });
    });

    test("rejects its variable with the name, the value and the accepted form", async () => {
      const context = createTestContext({ env: { [variable]: refused } });
      const failure = await failureOf(() => readSettings(context));
      expect([failure.exit, failure.message]).toEqual([2, `invalid ${variable} "${refused}": ${why}`]);
    });
  }

  test("an empty variable counts as unset", () => {
    expect(valueOf(createTestContext({ env: { [variable]: "" } }), name)).toMatchObject({
      source: "default",
    });
  });

  if (environmentOnly.includes(name)) return;

  test("is read from config.json, which the variable overrides", () => {
    const context = withConfig(JSON.stringify({ [name]: accepted }));
    const where = `${name} in ${configPath(context)}`;
    expect(valueOf(context, name)).toEqual({ value, source: "config", where, text: accepted });
    if (fileOnly) return;
    const both = withConfig(JSON.stringify({ [name]: refused }), { [variable]: accepted });
    expect(valueOf(both, name)).toMatchObject({ value, source: "environment" });
  });

  test("is rejected in config.json with the file and a hint", async () => {
    const context = withConfig(JSON.stringify({ [name]: refused }));
    expect(await failureOf(() => readSettings(context))).toEqual({
      exit: 2,
      message: `invalid ${name} in ${configPath(context)} "${refused}": ${why}`,
      next: `run: dexdata config set ${name} <value>, or: dexdata config unset ${name}`,
    });
  });

  test("can be set, read and unset", async () => {
    const context = createTestContext();
    await setSetting(context, name, accepted);
    expect(valueOf(context, name)).toMatchObject({ value, source: "config" });
    expect([await unsetSetting(context, name), await unsetSetting(context, name)]).toEqual([true, false]);
    expect(valueOf(context, name)).toMatchObject({ source: "default" });
    expect(readFileSync(configPath(context), "utf8")).toBe("{}\n");
  });

  test("rejects an invalid value on setting, and writes no file", async () => {
    const context = createTestContext();
    const failure = await failureOf(() => setSetting(context, name, refused));
    expect([failure.exit, failure.message]).toEqual([2, `invalid ${name} "${refused}": ${why}`]);
    expect(() => readFileSync(configPath(context))).toThrow("ENOENT");
  });
});

test("a number written by hand is read, and unknown settings survive a change", async () => {
  const context = withConfig('{"retries": 2, "from_the_future": {"a": [1]}}');
  expect(readSettings(context)).toMatchObject({
    retries: { value: 2, source: "config" },
    warnings: [`${configPath(context)}: "from_the_future" is not a valid setting in this file; ignoring it`],
  });
  await setSetting(context, "page_size", "50");
  expect(JSON.parse(readFileSync(configPath(context), "utf8"))).toEqual({
    retries: 2,
    from_the_future: { a: [1] },
    page_size: 50,
  });
  expect(await unsetSetting(context, "from_the_future")).toBe(true);
  expect(readSettings(context).warnings).toEqual([]);
});

test.each([
  ["not JSON", "{", "is not valid JSON"],
  ["truncated", '{"output": "js', "is not valid JSON"],
  ["empty", "", "is not valid JSON"],
  ["a list", "[]", "is not a JSON object"],
  ["a string", '"x"', "is not a JSON object"],
  ["too large", " ".repeat(1024 * 1024 + 1), "is larger than 1 MiB, the limit for this file"],
])("a config.json that is %s causes one warning, and cannot be changed", async (_what, content, why) => {
  const context = withConfig(content, { DEXDATA_OUTPUT: "json" });
  const file = configPath(context);
  expect(readSettings(context)).toMatchObject({
    output: { value: "json" },
    color: { value: "auto", source: "default" },
    damaged: `${file} ${why}`,
    warnings: [`${file} ${why}; ignoring the file`],
  });
  const refusal = {
    exit: 2,
    message: `${file} ${why}`,
    next: "fix or move the file, then try again",
  };
  expect(await failureOf(() => setSetting(context, "color", "never"))).toEqual(refusal);
  expect(await failureOf(() => unsetSetting(context, "color"))).toEqual(refusal);
  expect(readFileSync(file, "utf8")).toBe(content);
});

test("an unreadable config.json causes one warning too", () => {
  const context = createTestContext();
  mkdirSync(configPath(context), { recursive: true });
  expect(readSettings(context)).toMatchObject({
    damaged: undefined,
    warnings: [`${configPath(context)} is not a file; ignoring the file`],
  });
});

test("a path in a file, or the file itself, is reported as such", async () => {
  const file = path.join(createTestContext().home, "file");
  writeFileSync(file, "");
  const context = createTestContext({ env: { DEXDATA_CONFIG_DIR: file } });
  const failure = await failureOf(() => setSetting(context, "color", "never"));
  expect(failure.message).toBe(`${file}/config.json cannot be written (part of the path is not a directory)`);
});

test("a directory that is a file causes one clear error on writing, and a warning on reading", async () => {
  const context = createTestContext({ env: { DEXDATA_CONFIG_DIR: "/dev/null/dexdata" } });
  expect(readSettings(context).warnings).toEqual([
    "/dev/null/dexdata/config.json cannot be read (part of the path is not a directory); ignoring the file",
  ]);
  const failure = await failureOf(() => setSetting(context, "color", "never"));
  expect(failure.message).toBe(
    "/dev/null/dexdata/config.json cannot be written (part of the path is not a directory)",
  );
});

test.each([
  ["base_ur", 'unknown setting "base_ur"', "did you mean base_url?"],
  ["zzz", 'unknown setting "zzz"', "list all settings: dexdata config list"],
  ["api_key", 'unknown setting "api_key": keys are stored separately', "store a key: dexdata auth login"],
  ["api_dev_s3cr3t", 'unknown setting "api_…"', "list all settings: dexdata config list"],
])("setting or unsetting %s is rejected", async (name, message, next) => {
  const context = createTestContext();
  const refusal = { exit: 2, message, next };
  expect(await failureOf(() => setSetting(context, name, "x"))).toEqual(refusal);
  expect(await failureOf(() => unsetSetting(context, name))).toEqual(refusal);
});

test.each(environmentOnly)("%s cannot be saved in config.json", async (name) => {
  expect(await failureOf(() => setSetting(createTestContext(), name, "1"))).toEqual({
    exit: 2,
    message: `${name} cannot be saved in config.json`,
    next: `set DEXDATA_${name.toUpperCase()} in the environment`,
  });
  const context = withConfig(JSON.stringify({ [name]: "pro" }));
  expect(readSettings(context)).toMatchObject({
    [name]: { source: "default" },
    warnings: [expect.anything()],
  });
});

test("the list continues after an invalid value and shows its error", () => {
  const context = withConfig('{"retries": "many", "color": "always"}');
  const listed = listSettings(context);
  expect(listed.map(({ name }) => name)).toEqual(values.map(([name]) => name));
  const refused = listed.flatMap(({ read }) => (read instanceof Failure ? [read.message] : []));
  expect(refused).toEqual([
    `invalid retries in ${configPath(context)} "many": must be a whole number from 0 to 100`,
  ]);
});

import { chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { configPath } from "../../src/cli/settings/read-settings.ts";
import { allSettings } from "../../src/cli/settings/edit-config.ts";
import { dexdata, type Outcome } from "../harness/dexdata.ts";
import { rowsOf } from "../harness/rows.ts";
import { createTestContext, type TestContextOptions } from "../harness/test-context.ts";

/** Creates a home directory that several runs share; no setting comes from outside. */
function atHome(content?: string): {
  readonly file: string;
  readonly run: (words: string | readonly string[], options?: TestContextOptions) => Promise<Outcome>;
  readonly written: () => unknown;
} {
  const context = createTestContext();
  const file = configPath(context);
  if (content !== undefined) {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, content);
  }
  return {
    file,
    run: async (words, options = {}) =>
      await dexdata(words, { ...options, env: { DEXDATA_TIMEOUT: "", HOME: context.home, ...options.env } }),
    written: () => JSON.parse(readFileSync(file, "utf8")),
  };
}

const quiet = { exit: 0, stdout: "", stderr: "" };

describe("config set, get and unset", () => {
  test("save a value, show it, and remove it", async () => {
    const { run, written, file } = atHome();
    expect(await run("config get retries")).toMatchObject({ exit: 0, stdout: "4\n", stderr: "" });
    expect(await run("config set retries 7")).toMatchObject(quiet);
    expect(written()).toEqual({ retries: 7 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await run("config get retries")).toMatchObject({ exit: 0, stdout: "7\n", stderr: "" });
    expect(await run("config unset retries")).toMatchObject(quiet);
    expect(written()).toEqual({});
    expect(await run("config unset retries")).toMatchObject({
      exit: 0,
      stdout: "",
      stderr: "warning: retries was not set\n",
    });
  });

  test("prefer an environment variable to a saved value", async () => {
    const { run } = atHome('{"output":"json"}');
    expect((await run("config get output")).stdout).toBe("json\n");
    expect((await run("config get output", { env: { DEXDATA_OUTPUT: "table" } })).stdout).toBe("table\n");
  });

  test.runIf(process.geteuid?.() === 0)("leave the file to its owner in a run with sudo", async () => {
    const { run, file } = atHome("{}");
    chownSync(file, 12345, 23456);
    expect(await run("config set retries 7")).toMatchObject(quiet);
    const { uid, gid, mode } = statSync(file);
    expect([uid, gid, mode & 0o777]).toEqual([12345, 23456, 0o600]);
  });

  test("save a value that the next command uses", async () => {
    const { run } = atHome();
    await run("config set output json");
    expect((await run("networks --sandbox --limit 1")).stdout).toMatch(/^\[\{"id":/u);
    expect((await run("networks --sandbox --limit 1 -o ndjson")).stdout).toMatch(/^\{"id":/u);
  });

  test("keep an unknown name in the file, suggest the nearest one, and can remove it", async () => {
    const { run, written } = atHome('{"retires":3,"output":"json"}');
    const warning =
      /config\.json: "retires" is not a valid setting in this file; ignoring it; did you mean retries\?\n$/u;
    expect((await run("config get output")).stderr).toMatch(warning);
    await run("config set retries 2");
    expect(written()).toEqual({ retires: 3, output: "json", retries: 2 });
    expect(await run("config unset retires")).toMatchObject(quiet);
    expect(written()).toEqual({ output: "json", retries: 2 });
  });
});

/** Arguments, the first line, the hint if there is one. */
const refused: readonly (readonly [readonly string[], string, string])[] = [
  [["set", "retires", "3"], 'unknown setting "retires"', "did you mean retries?"],
  [["get", "timeuot"], 'unknown setting "timeuot"', "did you mean timeout?"],
  [["unset", "colour"], 'unknown setting "colour"', "did you mean color?"],
  [["get", "zzz"], 'unknown setting "zzz"', "list all settings: dexdata config list"],
  [
    ["set", "api_key", "api_pro_s3cr3tPart"],
    'unknown setting "api_key": keys are stored separately',
    "store a key: dexdata auth login",
  ],
  [
    ["set", "output", "jsn"],
    'invalid output "jsn": must be one of table, wide, ndjson, json, csv, tsv',
    "did you mean json?",
  ],
  [["set", "retries", "-1"], 'invalid retries "-1": must be a whole number from 0 to 100', ""],
  [["set", "page_size", "101"], 'invalid page_size "101": must be a whole number from 1 to 100', ""],
  [
    ["set", "timeout", "soon"],
    'invalid timeout "soon": must be a duration such as 500ms, 30s, 5m or 1h, more than 0 and up to 24h',
    "",
  ],
  [
    ["set", "base_url", "http://192.0.2.1"],
    'invalid base_url "http://192.0.2.1": must use https; http is accepted only for loopback addresses (127.0.0.1, [::1], localhost)',
    "",
  ],
  [
    ["set", "base_url", "https://name:s3cr3tPart@host.invalid"],
    'invalid base_url "https://…@host.invalid": must not contain a user name or password',
    "",
  ],
  [
    ["set", "profile", "api_pro_s3cr3tPart"],
    'invalid profile "api_…": must be the name of a profile, not a key',
    "",
  ],
  [["set", "tier", "pro"], "tier cannot be saved in config.json", "set DEXDATA_TIER in the environment"],
  [["set", "retries"], "missing <value>", "usage: dexdata config set <name> <value>"],
  [["get"], "missing <name>", "usage: dexdata config get <name>"],
  [["list", "output"], 'unexpected argument "output"', "usage: dexdata config list"],
];

describe("an invalid config command", () => {
  test.each(refused)("%j is rejected: %s", async (words, first, next) => {
    const { run, written } = atHome('{"output":"json"}');
    const { exit, stdout, stderr } = await run(["config", "--error-format", "text", ...words]);
    expect({ exit, stdout, stderr }).toEqual({
      exit: 2,
      stdout: "",
      stderr: `error: ${first}\n${next === "" ? "" : `  hint: ${next}\n`}`,
    });
    expect(written()).toEqual({ output: "json" });
  });

  test("`config lst` is an unknown command", async () => {
    const { run } = atHome();
    const { exit, stderr } = await run("config lst --error-format text");
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: 'error: unknown command "config lst"\n  hint: did you mean config list?\n',
    });
  });
});

describe("config list", () => {
  const link = "https://a-host-with-a-name.example";

  test("shows every setting, its value and its source", async () => {
    const { run, file } = atHome('{"retries":7,"output":"json"}');
    const { exit, stdout, stderr } = await run("config list -o ndjson", { env: { DEXDATA_OUTPUT: "table" } });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    const rows = rowsOf(stdout);
    expect(rows.map(({ name }) => name)).toEqual(allSettings.map(({ name }) => name));
    expect(rows.filter(({ source }) => source !== "default")).toEqual([
      { name: "output", value: "table", source: "environment", where: "DEXDATA_OUTPUT" },
      { name: "retries", value: 7, source: "config", where: `retries in ${file}` },
    ]);
  });

  test("prints a table on a terminal, and follows the setting that it shows", async () => {
    const { run } = atHome();
    const onScreen = await run("config list", { isTerminal: { stdout: true } });
    expect(onScreen.stdout.split("\n")[0]).toMatch(/^NAME +VALUE +SOURCE +WHERE$/u);
    await run("config set output json");
    expect((await run("config list")).stdout).toMatch(/^\[\{"name":"base_url",/u);
    expect((await run("config list -o table")).stdout).toMatch(/^NAME /u);
    expect((await run("config list", { env: { DEXDATA_OUTPUT: "ndjson" } })).stdout).toMatch(
      /^\{"name":"base_url",/u,
    );
  });

  test.each([120, 80, 60, 40])("has no line wider than a terminal of %d columns", async (columns) => {
    const { run } = atHome(`{"retries":7,"base_url":"${link}"}`);
    const { stdout } = await run("config list", { isTerminal: { stdout: true }, columns });
    const paths = stdout.split("\n").filter((line) => line.includes("config.json"));
    const others = stdout.split("\n").filter((line) => !line.includes("config.json"));
    expect(others.filter((line) => line.length > columns)).toEqual([]);
    expect(paths.length).toBe(columns > 60 ? 2 : 0);
    for (const value of [link, "page_size "]) expect(stdout).toContain(value);
    expect(stdout).toMatch(/^retries +7/mu);
    const wide = await run("config list -o wide", { isTerminal: { stdout: true }, columns });
    expect(wide.stdout).toMatch(/^NAME +VALUE +SOURCE +WHERE\nbase_url .* {2}config +base_url in /u);
  });

  test("wraps the last column, and puts a link below its name", async () => {
    const { run } = atHome(`{"base_url":"${link}"}`);
    const { stdout } = await run("config list", { isTerminal: { stdout: true }, columns: 40 });
    expect(stdout.split("\n").slice(0, 3)).toEqual(["NAME               VALUE", "base_url", `  ${link}`]);
    expect(stdout).toContain("\npage_size          the smaller of the\n                   limit and 100\n");
  });

  test("shows a rejected value with the reason, and exits 0", async () => {
    const { run, file } = atHome('{"retries":-1}');
    const { exit, stdout } = await run("config list", { env: { DEXDATA_OUTPUT: "xml" } });
    expect(exit).toBe(0);
    expect(rowsOf(stdout).filter(({ source }) => source === "refused")).toEqual([
      {
        name: "output",
        value: "",
        source: "refused",
        where: 'invalid DEXDATA_OUTPUT "xml": must be one of table, wide, ndjson, json, csv, tsv',
      },
      {
        name: "retries",
        value: "",
        source: "refused",
        where: `invalid retries in ${file} "-1": must be a whole number from 0 to 100`,
      },
    ]);
  });

  test("does not show the key", async () => {
    const { run } = atHome();
    const env = { DEXDATA_API_KEY: "api_pro_s3cr3tPart", DEXDATA_TIER: "pro" };
    expect((await run("config list", { env })).stdout).not.toContain("s3cr3tPart");
  });
});

describe("an unreadable config file", () => {
  test("prints one warning, and the defaults apply", async () => {
    const { run, file } = atHome('{"retries": 7,');
    const warning = `warning: ${file} is not valid JSON; ignoring the file\n`;
    for (const words of ["config list", "config get retries", "networks --sandbox --limit 1"]) {
      const { exit, stderr } = await run(words);
      expect({ words, exit, stderr }).toEqual({ words, exit: 0, stderr: warning });
    }
    expect((await run("config get retries")).stdout).toBe("4\n");
  });

  test.each(['{"budget.daily": 1,}', '{"base_url": "http://127.0.0.1:1"', "[]", ""])(
    "could contain a budget or another host, so nothing is sent: %s",
    async (text) => {
      const { run, file } = atHome(text);
      const { exit, stderr } = await run("networks --limit 1 --error-format text");
      expect({ exit, stderr }).toEqual({
        exit: 2,
        stderr: expect.stringMatching(
          /^error: .*config\.json is not .*\n {2}hint: fix or move the file, then try again\n$/u,
        ),
      });
      expect(stderr).toContain(file);
    },
  );

  test.each(["config set retries 3", "config unset retries"])("is not overwritten by `%s`", async (words) => {
    const { run, file } = atHome('{"retries": 7,');
    const { exit, stderr } = await run(`${words} --error-format text`);
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: `error: ${file} is not valid JSON\n  hint: fix or move the file, then try again\n`,
    });
    expect(readFileSync(file, "utf8")).toBe('{"retries": 7,');
  });
});

test("config path prints the path of the file, including one set by DEXDATA_CONFIG_DIR", async () => {
  const { run, file } = atHome();
  expect((await run("config path")).stdout).toBe(`${file}\n`);
  const folder = path.join(path.dirname(file), "other");
  const env = { DEXDATA_CONFIG_DIR: folder };
  expect((await run("config path", { env })).stdout).toBe(`${path.join(folder, "config.json")}\n`);
  await run("config set retries 1", { env });
  expect(JSON.parse(readFileSync(path.join(folder, "config.json"), "utf8"))).toEqual({ retries: 1 });
});

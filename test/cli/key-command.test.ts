import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { anyCharacter, fc } from "../harness/properties.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { configPath } from "../../src/cli/settings/read-settings.ts";
import { saveProfile } from "../../src/cli/settings/edit-credentials.ts";
import { splitCommand } from "../../src/base/split-command.ts";
import { type Outcome, run } from "../harness/dexdata.ts";
import { json, type ScriptedServer } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { createTestContext, type TestContext, type TestContextOptions } from "../harness/test-context.ts";

const key = "api_pro_s3cr3tPart";

let server: ScriptedServer;
beforeEach(async () => {
  server = await serveInTest(() => json('[{"id":"ethereum"}]', { headers: { "x-api-plan": "pro" } }));
});

/**
 * Creates a home directory whose config.json names a shell script; it appends a line to `ran`, then runs
 * `does`.
 */
function withScript(does: string, options: TestContextOptions = {}): TestContext {
  const context = createTestContext({
    speed: 1,
    ...options,
    env: { DEXDATA_TIER: "pro", ...options.env },
  });
  const script = path.join(context.home, "key-script");
  writeFileSync(script, `#!/bin/sh\necho ran >> '${context.home}/ran'\n${does}\n`);
  chmodSync(script, 0o700);
  mkdirSync(path.dirname(configPath(context)), { recursive: true, mode: 0o700 });
  const hosts = { base_url: server.url, pro_base_url: server.url };
  writeFileSync(configPath(context), JSON.stringify({ key_command: script, ...hosts }));
  return context;
}

test("does not wait for a background process that the key command started", async () => {
  const context = withScript(`sleep 20 &\necho ${key}`);
  const startTime = performance.now();
  expect((await runCommand(context)).exit).toBe(0);
  expect(performance.now() - startTime).toBeLessThan(10_000);
});

/** With a terminal, the program stays in the process group that Ctrl-C reaches. */
const hasTerminal = ((): boolean => {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
})();

test.skipIf(hasTerminal)(
  "K11: an interruption ends the programs that the key command started, too",
  async () => {
    const context = withScript(`sleep 300 &\necho $! > "$(dirname "$0")/child"\nwait`);
    const running = runCommand(context);
    const file = path.join(context.home, "child");
    while (!existsSync(file) || readFileSync(file, "utf8") === "")
      await new Promise((resolve) => setTimeout(resolve, 5));
    const child = Number(readFileSync(file, "utf8"));
    context.interrupt({ cause: "SIGINT" });
    expect((await running).exit).toBe(130);
    const isAlive = (): boolean => {
      try {
        // A killed process that its new parent has not collected yet still has a number.
        return !readFileSync(`/proc/${child}/stat`, "utf8").includes(") Z ");
      } catch {
        return false;
      }
    };
    for (let tries = 0; isAlive() && tries < 200; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(isAlive()).toBe(false);
  },
);

const timesRun = ({ home }: TestContext): number =>
  existsSync(path.join(home, "ran")) ? readFileSync(path.join(home, "ran"), "utf8").length / 4 : 0;

const runCommand = async (context: TestContext, words = "networks --error-format text"): Promise<Outcome> =>
  await run(words.split(" "), context);

const sent = (): readonly unknown[] => server.requests.map(({ headers }) => headers.authorization);

describe("key_command", () => {
  test.each([
    ["one line", `echo ${key}`],
    ["a line as Windows ends it", `printf '${key}\\r\\n'`],
    ["no line break", `printf ${key}`],
    ["further lines, as pass keeps notes", `echo ${key}; echo user: me`],
    ["and complains on stderr", `echo ${key}; echo warning ${key} >&2`],
  ])("returns the key: %s", async (_, does) => {
    const context = withScript(does);
    const { exit, stdout, stderr } = await runCommand(context);
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: '{"id":"ethereum"}\n', stderr: "" });
    expect([sent(), timesRun(context)]).toEqual([[key], 1]);
  });

  test.each([
    ["prints nothing", "true", "the program printed no key"],
    ["prints an empty line first", `echo; echo ${key}`, "the program printed no key"],
    ["fails", `echo ${key}; echo ${key} >&2; exit 3`, "the program exited with code 3"],
    ["is killed", `echo ${key}; kill -9 $$`, "the program was killed by SIGKILL"],
    ["prints a book", `head -c 5000 /dev/zero | tr '\\0' k`, "the program printed more than just the key"],
  ])("that %s causes one clear error, and nothing is sent", async (_, does, why) => {
    const context = withScript(does);
    const { exit, stdout, stderr } = await runCommand(context);
    expect({ exit, stdout, stderr, sent: sent() }).toEqual({
      exit: 2,
      stdout: "",
      stderr:
        `error: key_command in ${configPath(context)}: ${why}\n` +
        "  hint: run the command yourself to see its output, which may contain the key: dexdata config get key_command\n",
      sent: [],
    });
  });

  test.each([
    [`echo 'Bearer ${key}'`, 'starts with "Bearer"'],
    [`echo '"${key}"'`, "is enclosed in quotes"],
    [`echo ' ${key}'`, "starts or ends with a space"],
    ["echo Password:", "does not start with api_"],
  ])("reports a malformed key from %s like any other", async (does, problem) => {
    const { exit, stderr } = await runCommand(withScript(does));
    expect([exit, sent()]).toEqual([2, []]);
    expect(stderr).toContain(`the key from key_command ${problem}`);
  });

  test("that does not end times out after a minute", async () => {
    const context = withScript("sleep 20 & wait", { speed: 1000 });
    const { exit, stderr } = await runCommand(context);
    expect(exit).toBe(2);
    expect(stderr).toContain("the program printed no key within 60s");
  });

  test("ends with the run on Ctrl-C", async () => {
    const context = withScript("sleep 20 & wait");
    const running = runCommand(context);
    while (timesRun(context) === 0) await new Promise(setImmediate);
    context.interrupt({ cause: "SIGINT" });
    expect((await running).exit).toBe(130);
  });

  test("is named in the error if it is missing or not executable", async () => {
    const context = withScript("");
    chmodSync(path.join(context.home, "key-script"), 0o600);
    expect((await runCommand(context)).stderr).toContain("cannot be started (permission denied)");
    writeFileSync(configPath(context), JSON.stringify({ key_command: "key-of-nobody show" }));
    expect((await runCommand(context)).stderr).toContain('"key-of-nobody" was not found');
  });

  test.each([
    "--help",
    "networks --help",
    "config list",
    "config get key_command",
    "auth list",
    "auth logout",
    "help environment",
    "completion bash",
    "commands -o json",
    "networks --sandbox --limit 1",
    "networks --fields ?",
    "networks --limit -1",
    "networks --key-file /nonexistent/key",
  ])("is not run by %s", async (words) => {
    const context = withScript(`echo ${key}`);
    await runCommand(context, words);
    expect([timesRun(context), sent()]).toEqual([0, []]);
  });

  test("is run once by doctor, which checks the key and then uses it", async () => {
    const context = withScript(`echo ${key}`);
    const { stdout } = await runCommand(context, "doctor --no-stream -o table");
    expect(stdout).toContain("…Part from key_command, pro");
    expect([timesRun(context), sent()]).toEqual([1, [key]]);
  });

  test("has its tier looked up once by auth status, which saves it with a hash of the key", async () => {
    const context = withScript(`echo ${key}`, { env: { DEXDATA_TIER: "" } });
    expect((await runCommand(context)).stderr).toContain(
      "or store the key with its plan: dexdata auth login",
    );
    expect(sent()).toEqual([]);
    const status = JSON.parse((await runCommand(context, "auth status")).stdout.trim());
    expect(status).toMatchObject({ key: "…Part", source: "key_command", tier: "pro" });
    expect((await runCommand(context)).exit).toBe(0);
  });

  test("takes precedence over stored keys, but not over flags and variables of the run", async () => {
    const stored = { key: "api_pro_s3cr3tStored", tier: "pro", rest: server.url } as const;
    const keyOf = async (env: Record<string, string>, words = "networks"): Promise<unknown> => {
      const context = withScript(`echo ${key}`, { env });
      writeFileSync(path.join(context.home, "key"), "api_pro_s3cr3tFile", { mode: 0o600 });
      await saveProfile(context, "default", stored);
      await runCommand(context, words.replace("HOME", context.home));
      return server.requests.at(-1)?.headers.authorization;
    };
    expect(await keyOf({})).toBe(key);
    expect(await keyOf({ DEXDATA_PROFILE: "default" })).toBe(stored.key);
    expect(await keyOf({ DEXDATA_API_KEY: "api_pro_s3cr3tTyped" })).toBe("api_pro_s3cr3tTyped");
    expect(await keyOf({}, "networks --profile default")).toBe(stored.key);
    expect(await keyOf({}, "networks --key-file HOME/key")).toBe("api_pro_s3cr3tFile");
  });
});

describe("the words of a command", () => {
  test.each([
    ["pass show dexdata", ["pass", "show", "dexdata"]],
    ["  op  read 'op://Private/dex data/key' ", ["op", "read", "op://Private/dex data/key"]],
    [`sh -c "cat ~/k | head -1"`, ["sh", "-c", "cat ~/k | head -1"]],
    [`a"b c"'d'`, ["ab cd"]],
    [`x ''`, ["x", ""]],
    [`["a b","$(c)"]`, ["a b", "$(c)"]],
    ["secret-tool lookup name api_key", ["secret-tool", "lookup", "name", "api_key"]],
  ])("%s", (text, words) => {
    expect(splitCommand(text)).toEqual(words);
  });

  test.each([
    ["", "must name a program"],
    ["   ", "must name a program"],
    ["''", "must name a program"],
    ["[]", "must name a program"],
    ["[1]", 'must be a JSON array of strings, e.g. ["pass","show","dexdata"]'],
    ["[", 'must be a JSON array of strings, e.g. ["pass","show","dexdata"]'],
    ["a 'b", "contains an unclosed '"],
    ["a | b", "must not contain |, because it runs without a shell"],
    ["a $(b)", "must not contain $, because it runs without a shell"],
    ["a\nb", "must not contain a line break, because it runs without a shell"],
    ["~/bin/key", "must contain the full path of the program; ~ is not expanded"],
    [`echo ${key}`, "must not contain a key"],
  ])("rejects %j", (text, problem) => {
    expect(splitCommand(text)).toMatchObject({ problem });
  });

  test("keeps quoted words unchanged", () => {
    const word = fc
      .string({ unit: anyCharacter })
      .filter((text) => !/['\0\r\n]/u.test(text) && !text.startsWith("api_"));
    fc.assert(
      fc.property(fc.array(word), (rest) => {
        const words = ["program", ...rest];
        expect(splitCommand(words.map((each) => `'${each}'`).join(" "))).toEqual(words);
        expect(splitCommand(JSON.stringify(words))).toEqual(words);
      }),
    );
  });
});

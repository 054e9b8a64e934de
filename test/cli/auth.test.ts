import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { credentialsPath } from "../../src/cli/settings/credentials.ts";
import { dexdata, type Outcome } from "../harness/dexdata.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { html, json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { createTestContext, type TestContextOptions } from "../harness/test-context.ts";

const sandbox = useSandbox();
const spent = useSandbox({ credits: 0 });

const keyed = ["free", "dev", "pro", "enterprise"] as const;

/** Creates a home directory that several runs share; they use the sandbox without a key. */
function atHome(): {
  readonly home: string;
  readonly file: string;
  readonly run: (words: string, options?: TestContextOptions) => Promise<Outcome>;
} {
  const context = createTestContext();
  const { home } = context;
  return {
    home,
    file: credentialsPath(context),
    run: async (words, options = {}) =>
      await dexdata(words, { ...options, env: { ...sandbox.env("keyless"), HOME: home, ...options.env } }),
  };
}

const paths = (): readonly string[] => sandbox.takeLog().map(({ url }) => url);

describe("auth login", () => {
  test("sends nothing if the key cannot be stored", async () => {
    const { run } = atHome();
    const stdin = `${sandbox.running().keys.pro}\n`;
    sandbox.takeLog();
    const { exit, stderr } = await run("auth login", {
      stdin,
      env: { DEXDATA_CONFIG_DIR: "/dev/null/inside" },
    });
    expect(exit).toBe(2);
    expect(stderr).toContain("/dev/null/inside/credentials.json cannot be written");
    expect(paths()).toEqual([]);
  });

  test.each([
    ["free", "100,000"],
    ["dev", "500,000"],
    ["pro", "5,000,000"],
  ] as const)("stores a %s key from stdin with the plan that the service returns", async (tier, credits) => {
    const { file, run } = atHome();
    const key = sandbox.running().keys[tier];
    sandbox.takeLog();
    const { exit, stdout, stderr } = await run("auth login", { stdin: `${key}\n` });
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
    const left = /^stored as profile "default": (\w+) plan, ([\d,]+) credits left\n$/u.exec(stderr);
    expect(left?.[1]).toBe(tier);
    expect(Number(left?.[2]?.replaceAll(",", ""))).toBeGreaterThan(
      Number(credits.replaceAll(",", "")) - 1000,
    );
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      version: 1,
      active: "default",
      profiles: {
        default: {
          key,
          tier,
          saved_at: "2026-11-21T08:54:00Z",
          rest_url: tier === "free" ? sandbox.running().restFree : sandbox.running().restPaid,
          streaming_url: tier === "free" ? sandbox.running().streamFree : sandbox.running().streamPaid,
        },
      },
      remembered: {},
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
    expect(paths()).toEqual(tier === "free" ? ["/usage"] : ["/usage", "/usage"]);
  });

  test.each(keyed)("stores a %s key that later commands send to the host of its plan", async (tier) => {
    const { run } = atHome();
    await run("auth login", { stdin: sandbox.running().keys[tier] });
    const { exit, stdout, stderr } = await run("usage -o json");
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ plan: tier });
  });

  test("prompts for the key on a terminal, without showing it", async () => {
    const { run, file } = atHome();
    const key = sandbox.running().keys.pro;
    const { exit, stdout, stderr } = await run("auth login", { isTerminal: true, secret: key });
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
    const { restFree, restPaid } = sandbox.running();
    const warning = `the key will be sent to ${restFree} (DEXDATA_BASE_URL) and ${restPaid} (DEXDATA_PRO_BASE_URL)\n`;
    expect(stderr.startsWith(warning)).toBe(true);
    expect(stderr.slice(warning.length)).toMatch(
      /^key \(not shown\): \nstored as profile "default": pro plan, [\d,]+ credits left\n$/u,
    );
    expect(readFileSync(file, "utf8")).toContain(key);
  });

  test("reads the key from --key-file", async () => {
    const { run, home, file } = atHome();
    const from = path.join(home, "key.txt");
    writeFileSync(from, `${sandbox.running().keys.dev}\n`, { mode: 0o600 });
    expect((await run(`auth login --key-file ${from}`)).exit).toBe(0);
    expect(readFileSync(file, "utf8")).toContain(sandbox.running().keys.dev);
  });

  test.each([
    ["of a wrong form", "Bearer api_pro_s3cr3t_sandbox", 2, /starts with \\"Bearer\\"/],
    ["in quotes", '"api_pro_s3cr3t_sandbox"', 2, /is enclosed in quotes/],
    ["over two lines", "api_pro_\ns3cr3t", 2, /contains a line break/],
    ["with a blank after it", "api_pro_s3cr3t_sandbox \n", 2, /starts or ends with a space/],
    ["with another beginning", "sk_live_s3cr3t", 2, /does not start with api_/],
    ["that is empty", "\n", 2, /is empty/],
  ])("rejects a key %s without sending a request", async (_, stdin, code, why) => {
    const { run, file } = atHome();
    sandbox.takeLog();
    const { exit, stdout, stderr } = await run("auth login", { stdin });
    expect({ exit, stdout, asked: paths(), stored: existsSync(file) }).toEqual({
      exit: code,
      stdout: "",
      asked: [],
      stored: false,
    });
    expect(stderr).toMatch(why);
    expect(stderr).not.toMatch(/s3cr3t|live/u);
  });

  test("does not store a key that neither host accepts", async () => {
    const { run, file } = atHome();
    sandbox.takeLog();
    const { exit, stdout, stderr } = await run("auth login --error-format text", {
      stdin: "api_gold_secret",
    });
    expect({ exit, stdout, stored: existsSync(file), asked: paths() }).toEqual({
      exit: 4,
      stdout: "",
      stored: false,
      asked: ["/usage", "/usage"],
    });
    expect(stderr).toBe(
      "error: neither host of the service accepts the key\n" +
        "  service: invalid API key: send the bare key as the Authorization header\n" +
        "  hint: copy the complete key from the console; it starts with api_\n",
    );
  });

  test.each(keyed)("accepts a %s key that has no credits left", async (tier) => {
    const { run } = atHome();
    const { exit, stderr } = await run("auth login", {
      stdin: spent.running().keys[tier],
      env: spent.env("keyless"),
    });
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: `stored as profile "default": ${tier} plan, 0 credits left\n`,
    });
  });

  test("rejects a key as an argument, because the shell history would contain it", async () => {
    const { run, file } = atHome();
    sandbox.takeLog();
    const { exit, stderr } = await run("auth login api_pro_s3cr3t_sandbox");
    expect({ exit, stored: existsSync(file), asked: paths() }).toEqual({ exit: 2, stored: false, asked: [] });
    expect(stderr).toContain("do not pass the key as an argument");
    expect(stderr).not.toContain("api_pro_s3cr3t_sandbox");
  });

  test.each(["a b", "api_pro_s3cr3t_sandbox", "../x", ""])(
    "rejects the profile name %j before sending anything",
    async (name) => {
      const { home } = atHome();
      sandbox.takeLog();
      const env = { ...sandbox.env("keyless"), HOME: home };
      const options = { env, stdin: sandbox.running().keys.pro };
      const { exit, stderr } = await dexdata(["auth", "login", "--profile", name], options);
      expect({ exit, asked: paths() }).toEqual({ exit: 2, asked: [] });
      expect(stderr).not.toContain("api_pro_s3cr3t_sandbox");
    },
  );

  test("backs up a damaged credentials file, and reports the path of the backup", async () => {
    const { run, file } = atHome();
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, "{ torn", { mode: 0o600 });
    const { exit, stderr } = await run("auth login", { stdin: sandbox.running().keys.free });
    expect(exit).toBe(0);
    expect(stderr).toContain(
      `warning: ${file} is not valid JSON; the old file will be backed up and replaced\n`,
    );
    expect(stderr).toContain(`backup of the old file: ${file}.bak\n`);
    expect(readFileSync(`${file}.bak`, "utf8")).toBe("{ torn");
    expect(readdirSync(path.dirname(file)).toSorted()).toEqual(["credentials.json", "credentials.json.bak"]);
  });

  test("creates no file if the service fails", async () => {
    const { run, file } = atHome();
    const { exit } = await run("auth login", {
      stdin: "api_pro_s3cr3t_sandbox",
      env: {
        DEXDATA_BASE_URL: "http://127.0.0.1:1",
        DEXDATA_PRO_BASE_URL: "http://127.0.0.1:1",
        DEXDATA_RETRIES: "0",
      },
    });
    expect({ exit, stored: existsSync(file) }).toEqual({ exit: 7, stored: false });
  });

  test.each([
    ["pro", "DEXDATA_BASE_URL", 0],
    ["free", "DEXDATA_BASE_URL", 7],
  ] as const)("with a %s key while the free host is down", async (tier, host, expected) => {
    const { run, file } = atHome();
    const env = { [host]: "http://127.0.0.1:1", DEXDATA_RETRIES: "0" };
    const { exit, stderr } = await run("auth login", { stdin: sandbox.running().keys[tier], env });
    expect({ exit, stored: existsSync(file) }).toEqual({ exit: expected, stored: expected === 0 });
    if (expected !== 0) expect(stderr).toContain("connection to 127.0.0.1:1 refused");
  });

  test("reports another key that overrides the one it stored", async () => {
    const { run } = atHome();
    const key = sandbox.running().keys.free;
    const env = { DEXDATA_API_KEY: "api_pro_s3cr3t_sandbox" };
    expect((await run("auth login", { stdin: key, env })).stderr).toContain(
      "\n  DEXDATA_API_KEY is set and overrides stored keys\n",
    );
    expect((await run("auth login --profile work", { stdin: key })).stderr).toContain(
      '\n  profile "default" stays active; to use this one: --profile work, or dexdata auth switch work\n',
    );
  });
});

describe("--profile", () => {
  test("stores, uses, shows and removes one of several keys", async () => {
    const { run, file } = atHome();
    const { keys } = sandbox.running();
    await run("auth login", { stdin: keys.free });
    await run("auth login --profile work", { stdin: keys.pro });
    const planOf = async (words: string, env = {}): Promise<unknown> =>
      JSON.parse((await run(`usage -o json ${words}`, { env })).stdout).plan;
    expect(await planOf("")).toBe("free");
    expect(await planOf("--profile work")).toBe("pro");
    expect(await planOf("", { DEXDATA_PROFILE: "work" })).toBe("pro");
    expect((await run("config set profile work")).exit).toBe(0);
    expect(await planOf("")).toBe("pro");
    expect((await run("config unset profile")).exit).toBe(0);
    expect((await run("auth status --profile work -o json")).stdout).toContain(
      '"source":"profile \\"work\\""',
    );
    expect((await run("auth logout --profile work")).stderr).toBe('removed the key of profile "work"\n');
    const { exit, stderr } = await run("usage --profile work --error-format text");
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr:
        'error: --profile "work": unknown profile; stored: default\n' +
        "  hint: add one: dexdata auth login --profile <name>\n",
    });
    expect(readFileSync(file, "utf8")).not.toContain(keys.pro);
  });
});

describe("auth status", () => {
  test("shows the keyless plan without a key", async () => {
    const { run } = atHome();
    const { restFree } = sandbox.running();
    const { exit, stdout, stderr } = await run("auth status");
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      key: "none",
      tier: "keyless",
      plan: "keyless",
      rest_url: restFree,
    });
  });

  test("shows a stored key: source, last four characters, both tiers and hosts, as a table and as NDJSON", async () => {
    const { run } = atHome();
    const { keys, restPaid } = sandbox.running();
    const env = { DEXDATA_STREAMING_PRO_URL: "http://127.0.0.1:9/stream" };
    await run("auth login", { stdin: keys.pro, env });
    const { exit, stdout, stderr } = await run("auth status", { env });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout.endsWith("}\n")).toBe(true);
    const shown = JSON.parse(stdout);
    expect(shown).toEqual({
      key: "…dbox",
      source: 'profile "default"',
      tier: "pro",
      plan: "pro",
      credits_left: expect.any(Number),
      rest_url: restPaid,
      streaming_url: "http://127.0.0.1:9/stream",
    });
    const table = await run("auth status", { env, isTerminal: { stdout: true } });
    expect(table.stdout.replace(/credits_left .*\n/u, "")).toBe(
      "key            …dbox\n" +
        'source         profile "default"\n' +
        "tier           pro\n" +
        "plan           pro\n" +
        `rest_url       ${restPaid}\n` +
        "streaming_url  http://127.0.0.1:9/stream\n",
    );
    const asked = await run("auth status", { env: { ...env, DEXDATA_OUTPUT: "table" } });
    expect(asked.stdout).toMatch(/^key {12}…dbox\n/u);
  });

  test("looks up a key with an unknown tier on both hosts, and saves the result with a hash of the key", async () => {
    const { file, run } = atHome();
    const env = { DEXDATA_API_KEY: "api_dev_other" };
    expect((await run("usage", { env })).stderr).toContain(
      "or store the key with its plan: dexdata auth login",
    );
    const { exit, stdout } = await run("auth status", { env });
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      key: "…ther",
      source: "DEXDATA_API_KEY",
      tier: "dev",
      plan: "dev",
      credits_left: expect.any(Number),
      note: "the plan is saved under a hash of the key, so DEXDATA_TIER is not required on this machine",
      rest_url: sandbox.running().restPaid,
      streaming_url: sandbox.running().streamPaid,
    });
    expect(readFileSync(file, "utf8")).not.toContain("api_");
    expect(JSON.parse((await run("usage -o json", { env })).stdout).plan).toBe("dev");
  });

  test("names the variable to set if the tier of a key cannot be saved", async () => {
    const { file, run } = atHome();
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, "{ torn", { mode: 0o600 });
    const { exit, stdout } = await run("auth status", { env: { DEXDATA_API_KEY: "api_dev_other" } });
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      tier: "unknown",
      problem: `set DEXDATA_TIER=dev, because the plan was not saved: ${file} is not valid JSON`,
    });
  });

  test("shows the settings of a rejected key, and exits like any command with that key", async () => {
    const { run } = atHome();
    const env = { DEXDATA_API_KEY: "api_gold_other", DEXDATA_TIER: "pro" };
    const { exit, stdout } = await run("auth status", { env });
    expect(exit).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({
      key: "…ther",
      tier: "pro",
      problem: "the service rejected the key from DEXDATA_API_KEY",
    });
  });

  test("reports a key that is used at the wrong host", async () => {
    const { run } = atHome();
    const env = { DEXDATA_API_KEY: "api_free_s3cr3t_sandbox", DEXDATA_TIER: "pro" };
    const { exit, stdout } = await run("auth status", { env });
    expect(exit).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({
      tier: "pro",
      plan: "free",
      problem: "the service applied the free plan, not pro; unset DEXDATA_TIER, or set it to free",
    });
  });

  test("reports a plan that differs from the tier in use", async () => {
    const { run } = atHome();
    const env = { DEXDATA_API_KEY: "api_dev_other", DEXDATA_TIER: "pro" };
    const { exit, stdout } = await run("auth status", { env });
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      tier: "pro",
      plan: "dev",
      problem: "the service applied the dev plan, not pro; unset DEXDATA_TIER, or set it to dev",
    });
  });

  test("warns about a credentials file that other users can read, with the command to fix it", async () => {
    const { run, file } = atHome();
    await run("auth login", { stdin: sandbox.running().keys.pro });
    chmodSync(file, 0o644);
    const { exit, stderr } = await run("auth status");
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: `warning: other users can read the key in ${file}; run: chmod 600 ${file}\n`,
    });
  });
});

describe("auth logout", () => {
  /** Plants files that a killed login, a damaged store and an editor leave behind. */
  const plant = (file: string) => {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const plantOne = (suffix: string): string => {
      writeFileSync(`${file}${suffix}`, '{"key":"api_pro_s3cr3t_sandbox"}', { mode: 0o600 });
      return `${file}${suffix}`;
    };
    return {
      stages: [".0123456789abcdef.new", ".0123456789abcdef.new.tmp-1795251240abcdef"].map(plantOne),
      backups: [".bak", ".bak2"].map(plantOne),
      others: ["~"].map(plantOne),
    };
  };

  const may = (file: string): string => `removed ${file}, which may have contained a key\n`;

  test.each([true, false])(
    "K3, N8: --all removes or names every file with a key (one stored: %s)",
    async (isStored) => {
      const { run, file } = atHome();
      if (isStored) await run("auth login", { stdin: sandbox.running().keys.pro });
      const { stages, backups, others } = plant(file);
      const { exit, stderr } = await run("auth logout --all");
      expect({ exit, stderr }).toEqual({
        exit: 0,
        stderr:
          (isStored ? "removed all stored keys: default\n" : "") +
          [...stages, ...backups].map(may).join("") +
          others
            .map(
              (each) => `warning: ${each} may contain a key; dexdata did not create it or cannot delete it\n`,
            )
            .join(""),
      });
      const left = readdirSync(path.dirname(file)).filter((name) =>
        readFileSync(path.join(path.dirname(file), name), "utf8").includes("api_"),
      );
      expect(left).toEqual(["credentials.json~"]);
      for (const each of others) rmSync(each);
      expect((await run("auth logout --all")).stderr).toBe("no key stored\n");
    },
  );

  test("K3: one profile: removes what a killed login left, and names the backups", async () => {
    const { run, file } = atHome();
    await run("auth login", { stdin: sandbox.running().keys.pro });
    const { stages, backups } = plant(file);
    const { stderr } = await run("auth logout");
    for (const each of stages) expect(stderr).toContain(may(each));
    for (const each of backups)
      expect(stderr).toContain(
        `warning: ${each} may contain a key; to remove all keys and backups: dexdata auth logout --all\n`,
      );
  });

  test("K3: a damaged store is named, and the other files with keys are removed first", async () => {
    const { run, file } = atHome();
    const { stages } = plant(file);
    writeFileSync(file, '{"key":"api_pro_s3cr3t_sandbox"', { mode: 0o600 });
    const { exit, stderr } = await run("auth logout --all --error-format text");
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr:
        `error: ${file} is not valid JSON, and it may contain keys\n` +
        `  hint: to remove it, run: rm ${file}\n`,
    });
    for (const each of stages) expect(existsSync(each)).toBe(false);
  });

  test("removes the key, so later commands are keyless", async () => {
    const { run, file } = atHome();
    await run("auth login", { stdin: sandbox.running().keys.pro });
    const { exit, stdout, stderr } = await run("auth logout");
    expect({ exit, stdout, stderr }).toEqual({
      exit: 0,
      stdout: "",
      stderr: 'removed the key of profile "default"\n',
    });
    expect(readFileSync(file, "utf8")).not.toContain("api_");
    expect(JSON.parse((await run("usage -o json")).stdout).plan).toBe("keyless");
    expect((await run("auth logout")).stderr).toBe('no key stored for profile "default"\n');
  });

  test("of the active profile names the keys that are stored, but not active", async () => {
    const { run } = atHome();
    for (const name of ["home", "work", "third"])
      await run(`auth login --profile ${name}`, { stdin: sandbox.running().keys.pro });
    const inactive = "  no stored key is active; to use another one: dexdata auth switch";
    expect((await run("auth logout --profile third")).stderr).toBe('removed the key of profile "third"\n');
    expect((await run("auth logout")).stderr).toBe(`removed the key of profile "home"\n${inactive} work\n`);
    expect((await run("auth switch")).stderr).toBe('switched to profile "work": pro plan\n');
    expect((await run("auth logout")).stderr).toBe('removed the key of profile "work"\n');
  });

  test("does not repeat a key that was passed as a profile name", async () => {
    const { run } = atHome();
    const { exit, stderr } = await run("auth logout --profile api_pro_s3cr3tPart --error-format text");
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: 'error: invalid --profile "api_…": must be the name of a profile, not a key\n',
    });
  });

  test("sends no request", async () => {
    const { run } = atHome();
    sandbox.takeLog();
    await run("auth logout");
    expect(paths()).toEqual([]);
  });
});

describe("a service that behaves unexpectedly", () => {
  const login = async (reply: Parameters<typeof json>): Promise<Outcome> => {
    const server = await serveInTest(() => json(...reply));
    const env = { DEXDATA_BASE_URL: server.url, DEXDATA_PRO_BASE_URL: server.url };
    return await dexdata("auth login --error-format text", { stdin: "api_pro_s3cr3t_sandbox", env });
  };

  test.each([
    [{ plan: "Pro" }, "pro"],
    [{ plan: " ENTERPRISE" }, "enterprise"],
  ] as const)("K8: compares the plan without case: %j", async (body, plan) => {
    const { exit, stderr } = await login([body]);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: `stored as profile "default": ${plan} plan\n` });
  });

  test.each([
    [{ plan: "platinum" }, 'dexdata does not know its plan "platinum"'],
    [{}, "does not name its plan"],
    [{ plan: "" }, "does not name its plan"],
    [{ plan: 7 }, "does not name its plan"],
  ])("K8: %j: accepted, but unknown, with the variable that makes it usable", async (body, why) => {
    const server = await serveInTest(() => json(body));
    const env = { DEXDATA_BASE_URL: server.url, DEXDATA_PRO_BASE_URL: server.url };
    const words = "auth login --error-format text";
    const options = { stdin: "api_pro_s3cr3t_sandbox", env };
    const { exit, stderr } = await dexdata(words, options);
    expect(exit).toBe(4);
    expect(stderr).toContain("error: the service accepts the key, but ");
    expect(stderr).toContain(why);
    expect(stderr).toContain("hint: set DEXDATA_TIER to free, dev, pro or enterprise, and run it again\n");
    const set = await dexdata(words, { ...options, env: { ...env, DEXDATA_TIER: "pro" } });
    expect({ exit: set.exit, stderr: set.stderr }).toEqual({
      exit: 0,
      stderr: 'stored as profile "default": pro plan\n',
    });
  });

  test("does not store a key that both hosts treat as keyless", async () => {
    const { exit, stderr } = await login([{ plan: "keyless" }, { headers: { "x-api-plan": "keyless" } }]);
    expect(exit).toBe(4);
    expect(stderr).toContain("neither host of the service accepts the key");
  });

  test("reports a web page from the edge of the service, and stores nothing", async () => {
    const server = await serveInTest(() => html(403));
    const env = { DEXDATA_BASE_URL: server.url, DEXDATA_PRO_BASE_URL: server.url };
    const options = { stdin: "api_pro_s3cr3t_sandbox", env };
    const { exit, stderr, context } = await dexdata("auth login --error-format text", options);
    expect({ exit, stderr, stored: existsSync(credentialsPath(context)) }).toEqual({
      exit: 4,
      stderr:
        `error: ${new URL(server.url).host} blocked the request before it reached the service (HTML response)\n` +
        `  hint: check the host URLs (dexdata config list): ${server.url}\n`,
      stored: false,
    });
  });

  test("reports that the paid host does not accept a free key", async () => {
    const { restPaid } = sandbox.running();
    const options = { stdin: sandbox.running().keys.free, env: sandbox.env("keyless") };
    const { exit, stderr } = await dexdata(`auth login --error-format text --base-url ${restPaid}`, options);
    expect(exit).toBe(4);
    expect(stderr).toContain(`error: ${new URL(restPaid).host} does not accept free keys\n`);
    expect(stderr).toContain(`check the host URLs (dexdata config list): ${restPaid}\n`);
  });

  test("accepts a plan that only a header contains", async () => {
    const headers = { "x-api-plan": "enterprise", "x-credits-remaining": "9223372036854775807" };
    const { exit, stderr } = await login([{}, { headers }]);
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: 'stored as profile "default": enterprise plan, 9,223,372,036,854,775,807 credits left\n',
    });
  });

  test("does not show a key that the error message of the service contains", async () => {
    const { exit, stderr } = await login([
      { error: "invalid_api_key", message: "no key api_pro_s3cr3t_sandbox" },
      { status: 401 },
    ]);
    expect(exit).toBe(4);
    expect(stderr).not.toContain("api_pro_s3cr3t_sandbox");
  });
});

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { chooseTarget } from "../../src/client/target.ts";
import { tiers } from "../../src/api/tier.ts";
import { configPath } from "../../src/cli/settings/read-settings.ts";
import { credentialsPath } from "../../src/cli/settings/credentials.ts";
import { settings } from "../../src/client/settings.ts";
import { dexdata, type Outcome, run } from "../harness/dexdata.ts";
import { json, redirect, type Reply, type ScriptedServer } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { createTestContext, type TestContext, type TestContextOptions } from "../harness/test-context.ts";

const secret = "s3cr3tPart";
const keys = {
  free: `api_free_${secret}`,
  dev: `api_dev_${secret}`,
  pro: `api_pro_${secret}`,
  enterprise: `api_enterprise_${secret}`,
} as const;

let free: ScriptedServer;
let paid: ScriptedServer;
let answer: (index: number) => Reply;
beforeEach(async () => {
  answer = () => json('[{"id":"ethereum"}]');
  free = await serveInTest((_request, index) => answer(index));
  paid = await serveInTest((_request, index) => answer(index));
});

const hosts = (): Record<string, string> => ({
  DEXDATA_BASE_URL: free.url,
  DEXDATA_PRO_BASE_URL: paid.url,
});

/** Returns the number of requests that each server received. */
const seen = (): { free: number; paid: number } => ({
  free: free.requests.length,
  paid: paid.requests.length,
});
const nothing = { free: 0, paid: 0 };

async function runCommand(
  env: Record<string, string> = {},
  words = "networks",
  options: TestContextOptions = {},
): Promise<Outcome> {
  return await dexdata(words, { ...options, env: { ...hosts(), ...env } });
}

/** Creates a context whose directory already contains these files. */
function prepared(
  files: { config?: object; credentials?: string },
  env: Record<string, string> = hosts(),
): TestContext {
  const context = createTestContext({ env });
  mkdirSync(path.dirname(configPath(context)), { recursive: true, mode: 0o700 });
  if (files.config !== undefined) writeFileSync(configPath(context), JSON.stringify(files.config));
  if (files.credentials !== undefined)
    writeFileSync(credentialsPath(context), files.credentials, { mode: 0o600 });
  return context;
}

/** Returns the content that `auth login` stores with the servers of this test. */
function stored(key: string, tier: string): string {
  const rest_url = tier === "free" ? free.url : paid.url;
  const profiles = { default: { key, tier, saved_at: "2026-11-01T00:00:00Z", rest_url } };
  return JSON.stringify({ version: 1, active: "default", profiles, remembered: {} });
}

describe("the host", () => {
  test.each(tiers)("rule 44: for %s is the one of its plan", async (tier) => {
    const env = tier === "keyless" ? {} : { DEXDATA_API_KEY: keys[tier], DEXDATA_TIER: tier };
    const { exit, stdout, stderr } = await runCommand(env);
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: '{"id":"ethereum"}\n', stderr: "" });
    const isFree = tier === "keyless" || tier === "free";
    expect(seen()).toEqual(isFree ? { free: 1, paid: 0 } : { free: 0, paid: 1 });
  });

  test.each(tiers)(
    "rule 44: for streams of %s follows the same rule, and the defaults are the public hosts",
    (tier) => {
      const of = (name: string): string => `https://${name}.dexpaprika.com`;
      const target = chooseTarget(
        {
          rest: { free: settings.base_url.fallback, paid: settings.pro_base_url.fallback },
          streaming: { free: settings.streaming_url.fallback, paid: settings.streaming_pro_url.fallback },
        },
        { key: tier === "keyless" ? undefined : keys[tier], keySource: undefined, tier },
        {},
      );
      const isFree = tier === "keyless" || tier === "free";
      expect([target.rest, target.streaming]).toEqual(
        isFree ? [of("api"), of("streaming")] : [of("api-pro"), of("streaming-pro")],
      );
    },
  );

  test("rule 45: receives the same request, free or paid", async () => {
    answer = () => json({ results: [], has_next_page: false, query: {} });
    const words = "pools search --order-by volume_usd_24h --limit 3";
    await runCommand({}, words);
    await runCommand({ DEXDATA_API_KEY: keys.pro, DEXDATA_TIER: "pro" }, words);
    expect(seen()).toEqual({ free: 1, paid: 1 });
    expect(free.requests[0]?.url).toBe(paid.requests[0]?.url);
  });

  test("can have a path, which precedes the path of the service", async () => {
    await runCommand({ DEXDATA_BASE_URL: `${free.url}/v1/` });
    expect(free.requests.map(({ url }) => url)).toEqual(["/v1/networks"]);
  });

  const asPro = { DEXDATA_API_KEY: keys.pro, DEXDATA_TIER: "pro" };

  test("comes from the flag, then the environment, then the file", async () => {
    const nobody = "http://127.0.0.1:1";
    const file = (url: string): object => ({ base_url: nobody, pro_base_url: url });
    const byFile = prepared({ config: file(paid.url) }, asPro);
    expect((await run(["networks"], byFile)).exit).toBe(0);
    const byVariable = prepared({ config: file(nobody) }, { ...asPro, ...hosts() });
    expect((await run(["networks"], byVariable)).exit).toBe(0);
    expect(seen()).toEqual({ free: 0, paid: 2 });
    const byFlag = prepared(
      { config: file(nobody) },
      { ...asPro, DEXDATA_BASE_URL: nobody, DEXDATA_PRO_BASE_URL: nobody },
    );
    expect((await run(["networks", "--base-url", free.url], byFlag)).exit).toBe(0);
    expect(seen()).toEqual({ free: 1, paid: 2 });
    expect(free.requests[0]?.headers.authorization).toBe(keys.pro);
  });

  test.each([
    ["http://192.0.2.1", /must use https/],
    ["https://name:word@host.invalid", /must not contain a user name or password/],
    ["host.invalid", /must start with https/],
  ])("rejects %s and sends nothing", async (url, why) => {
    const { exit, stdout, stderr } = await runCommand({ ...asPro, DEXDATA_PRO_BASE_URL: url });
    expect({ exit, stdout, sent: seen() }).toEqual({ exit: 2, stdout: "", sent: nothing });
    expect(stderr).toMatch(why);
    expect(stderr).not.toMatch(/name:word/u);
  });
});

describe("the key", () => {
  test("rule 144: no key means no Authorization header", async () => {
    await runCommand();
    expect(free.requests.map(({ headers }) => "authorization" in headers)).toEqual([false]);
  });

  test.each(["free", "dev", "pro", "enterprise"] as const)(
    "rule 145: of %s is the complete value of the header",
    async (tier) => {
      await runCommand({ DEXDATA_API_KEY: keys[tier], DEXDATA_TIER: tier });
      const requests = [...free.requests, ...paid.requests];
      expect(requests.map(({ headers }) => headers.authorization)).toEqual([keys[tier]]);
      expect(requests.map(({ url }) => url)).toEqual(["/networks"]);
    },
  );

  test("rule 148: is sent with retries, next pages and lookups too", async () => {
    const page = (next: string | null): Reply =>
      json({
        results: [{ id: `0x${next}`, chain: "ethereum" }],
        has_next_page: next !== null,
        next_cursor: next,
      });
    const replies = [page("two"), json({}, { status: 500 }), json({}, { status: 429 }), page(null)];
    answer = (index) => replies[index] ?? json([]);
    const env = { DEXDATA_API_KEY: keys.pro, DEXDATA_TIER: "pro" };
    expect((await runCommand(env, "pools search ethereum --all --page-size 1")).exit).toBe(0);
    expect(paid.requests.map(({ headers }) => headers.authorization)).toEqual(
      Array.from({ length: 4 }, () => keys.pro),
    );
    answer = (index) => (index === 4 ? json({}, { status: 404 }) : json('[{"id":"ethereum"}]'));
    await runCommand(env, "tokens search eth");
    expect(paid.requests.slice(4).map(({ path: asked, headers }) => [asked, headers.authorization])).toEqual([
      [expect.stringContaining("/networks/eth/"), keys.pro],
      ["/networks", keys.pro],
    ]);
    expect(free.requests).toEqual([]);
  });

  test("is never sent as a cursor", async () => {
    const env = { DEXDATA_API_KEY: keys.pro, DEXDATA_TIER: "pro" };
    const { exit, stderr } = await runCommand(env, `pools search ethereum --cursor ${keys.pro}`);
    expect({ exit, sent: seen() }).toEqual({ exit: 2, sent: nothing });
    expect(stderr).toContain("must not contain an API key");
  });

  test("is never sent as a part of an address of a stream", async () => {
    const service = { DEXDATA_STREAMING_PRO_URL: paid.url };
    const env = { ...service, DEXDATA_API_KEY: keys.pro, DEXDATA_TIER: "pro" };
    const { exit, stderr } = await runCommand(env, `stream newnet:0x${keys.pro} --max-reconnects 0`);
    expect({ exit, sent: seen() }).toEqual({ exit: 2, sent: nothing });
    expect(stderr).toContain("must not contain an API key");
  });

  test("without a tier is not sent: exit 2, naming DEXDATA_TIER", async () => {
    const { exit, stdout, stderr } = await runCommand({ DEXDATA_API_KEY: keys.pro });
    expect({ exit, stdout, sent: seen() }).toEqual({ exit: 2, stdout: "", sent: nothing });
    expect(JSON.parse(stderr)).toEqual({
      code: "usage",
      message: "the plan of the key from DEXDATA_API_KEY is unknown; dexdata needs it to choose the host",
      exit: 2,
      retryable: false,
      next: "set DEXDATA_TIER to free, dev, pro or enterprise, or store the key with its plan: dexdata auth login",
    });
  });

  test("with the tier keyless is not sent, and the request goes without it", async () => {
    const { exit } = await runCommand({ DEXDATA_API_KEY: keys.pro, DEXDATA_TIER: "keyless" });
    expect({ exit, sent: seen() }).toEqual({ exit: 0, sent: { free: 1, paid: 0 } });
  });

  test("is required if a tier is set", async () => {
    const { exit, stdout, stderr } = await runCommand(
      { DEXDATA_TIER: "pro" },
      "networks --error-format text",
    );
    expect({ exit, stdout, stderr, sent: seen() }).toEqual({
      exit: 2,
      stdout: "",
      stderr:
        "error: the plan is set to pro, but no key is set\n" +
        "  hint: set DEXDATA_API_KEY, or store a key: dexdata auth login\n",
      sent: nothing,
    });
  });

  test("rule 8: requires one of the five tiers, and the hint names the closest", async () => {
    const { exit, stderr } = await runCommand({ DEXDATA_TIER: "entreprise" }, "networks --error-format text");
    expect({ exit, stderr, sent: seen() }).toEqual({
      exit: 2,
      stderr:
        'error: invalid DEXDATA_TIER "entreprise": must be one of keyless, free, dev, pro, enterprise\n' +
        "  hint: did you mean enterprise?\n",
      sent: nothing,
    });
  });

  test("can come from a file with a final line break; its tier comes from DEXDATA_TIER", async () => {
    const context = prepared({}, { ...hosts(), DEXDATA_TIER: "dev", DEXDATA_API_KEY: keys.pro });
    const file = path.join(context.home, "key");
    writeFileSync(file, `${keys.dev}\n`, { mode: 0o600 });
    expect((await run(["networks", "--key-file", file], context)).exit).toBe(0);
    expect(paid.requests.map(({ headers }) => headers.authorization)).toEqual([keys.dev]);
  });

  test("has its tier if it is stored; a key in the environment takes precedence", async () => {
    const context = prepared({ credentials: stored(keys.free, "free") });
    expect(await run(["networks"], context)).toMatchObject({ exit: 0, stderr: "" });
    expect(free.requests.map(({ headers }) => headers.authorization)).toEqual([keys.free]);
    const env = { ...hosts(), DEXDATA_API_KEY: keys.dev, DEXDATA_TIER: "dev" };
    expect((await run(["networks"], prepared({ credentials: stored(keys.free, "free") }, env))).exit).toBe(0);
    expect(paid.requests.map(({ headers }) => headers.authorization)).toEqual([keys.dev]);
  });

  test("promise 12: continues without a key if the credentials file cannot be read, with one warning", async () => {
    const context = prepared({ credentials: `{"key": "${keys.pro}` });
    const { exit, stdout, stderr } = await run(["networks"], context);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: '{"id":"ethereum"}\n' });
    expect(stderr).toBe(
      `warning: ${credentialsPath(context)} is not valid JSON; continuing without a stored key\n`,
    );
    expect(free.requests.map(({ headers }) => "authorization" in headers)).toEqual([false]);
  });
});

const key = keys.pro;
const wrongForms: readonly (readonly [string, string])[] = [
  [`Bearer ${key}`, 'starts with "Bearer"'],
  [`Token ${key}`, 'starts with "Token"'],
  [`Authorization: ${key}`, 'starts with "Authorization"'],
  [`"${key}"`, "is enclosed in quotes"],
  [`'${key}'`, "is enclosed in quotes"],
  [` ${key}`, "starts or ends with a space"],
  [`${key}\n`, "contains a line break"],
  [`${key}\r\nX-Other: 1`, "contains a line break"],
  [`${key} two`, "contains a space"],
  [`${key}\u0000`, "contains a control character"],
  [`${key}\u200B`, "contains a non-ASCII character, which may be invisible"],
  [`sk_${secret}`, "does not start with api_"],
  [`API_pro_${secret}`, "does not start with api_"],
  ["api_", "is too short to be a complete key"],
];

/** Verbosity and format of each run; no output may contain the key. */
const verbosities = [
  "",
  "-vv --stats",
  "-vv --error-format text",
  "--error-format json",
  "-o table --error-format json",
];

describe("promise 1: rules 146, 147: a malformed key", () => {
  test.each(wrongForms)("%j is rejected before anything is sent, and not shown", async (text, problem) => {
    for (const verbosity of verbosities) {
      const env = { DEXDATA_API_KEY: text, DEXDATA_TIER: "pro" };
      const { exit, stdout, stderr } = await runCommand(env, `networks ${verbosity}`);
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
      expect(stderr.replaceAll(String.raw`\"`, '"')).toContain(`the key from DEXDATA_API_KEY ${problem}`);
      expect(stderr).not.toContain(secret);
    }
    const context = prepared({ credentials: stored(text, "pro") });
    const { exit, stderr } = await run(["networks", "-vv"], context);
    expect(exit).toBe(2);
    expect(stderr.replaceAll(String.raw`\"`, '"')).toContain(problem);
    expect(stderr).not.toContain(secret);
    expect(seen()).toEqual(nothing);
  });

  test("is not shown if passed instead of a key file", async () => {
    const { exit, stdout, stderr } = await runCommand({}, `networks --key-file ${key}`);
    expect({ exit, stdout, sent: seen() }).toEqual({ exit: 2, stdout: "", sent: nothing });
    expect(stderr).not.toContain(secret);
  });
});

describe("promise 1: a key passed as another value", () => {
  const typed = `api_pro_${secret}_0123456789abcdef`;
  const address = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
  test.each([
    `pool ethereum ${typed}`,
    `pool ${typed} ${address}`,
    `search ${typed}`,
    `txns ethereum ${address} --page ${typed}`,
    `prices ethereum ${address} ${typed}`,
    `api /networks?key=${typed}`,
    `api /networks/${typed}`,
    `stream ethereum:${typed}`,
    `stream ethereum:${address} ethereum:${typed}`,
    `networks --base-url https://host.example/${typed}`,
    `config set base_url https://host.example/${typed}`,
  ])("%s: sends it in no URL and no body", async (words) => {
    for (const env of [{}, { DEXDATA_API_KEY: keys.pro, DEXDATA_TIER: "pro" }]) {
      const { exit, stdout, stderr } = await runCommand(env, `${words} --error-format text`);
      expect({ exit, stdout, sent: seen() }).toEqual({ exit: 2, stdout: "", sent: nothing });
      expect(stderr).not.toContain(secret);
    }
  });

  test("sends a name that only starts like a key", async () => {
    answer = () => json('{"tokens":[],"pools":[],"dexes":[]}');
    await runCommand({}, "search api_coin");
    expect(free.requests.map(({ url }) => url)).toEqual(["/search?query=api_coin"]);
  });
});

describe("promise 1: a key that is sent", () => {
  const replies: readonly (readonly [string, () => Reply])[] = [
    ["an answer", () => json('[{"id":"ethereum"}]')],
    ["an answer whose headers repeat it", () => json("[]", { headers: { "x-seen": `key ${key}` } })],
    [
      "a refusal that repeats it",
      () =>
        json(
          { error: "invalid_api_key", message: `no such key: ${key}`, received: key },
          { status: 401, headers: { "x-seen": key } },
        ),
    ],
    ["a web page that repeats it", () => json(`<html>${key}</html>`, { status: 403 })],
    ["500", () => json({ error: "internal_error", message: key }, { status: 500 })],
    ["a plan of that name", () => json("[]", { headers: { "x-api-plan": key } })],
    ["a redirect", () => redirect(`https://host.invalid/?key=${key}`)],
  ];
  test.each(replies)("is not shown on %s", async (_, reply) => {
    answer = reply;
    for (const verbosity of verbosities) {
      const env = { DEXDATA_API_KEY: key, DEXDATA_TIER: "pro" };
      const { stdout, stderr } = await runCommand(env, `networks ${verbosity}`);
      expect(stdout + stderr).not.toContain(secret);
    }
    expect(
      paid.requests.every(({ url, headers }) => url === "/networks" && headers.authorization === key),
    ).toBe(true);
  });

  test("-vv shows the request and the response headers", async () => {
    answer = () => json("[]", { headers: { "x-credits-remaining": "41" } });
    const { stderr } = await runCommand({ DEXDATA_API_KEY: key, DEXDATA_TIER: "pro" }, "networks -vv");
    expect(stderr).toMatch(/^GET http:\/\/127\.0\.0\.1:\d+\/networks 200 \d+ms, 41 credits left\n/u);
    expect(stderr).toContain("  x-credits-remaining: 41\n");
  });

  test.each([301, 302, 303, 307, 308])(
    "is not sent to another server on a redirect with status %d",
    async (status) => {
      answer = () => redirect(`${free.url}/networks`, status);
      const { exit, stdout, stderr } = await runCommand({ DEXDATA_API_KEY: key, DEXDATA_TIER: "pro" });
      expect({ exit, stdout, sent: seen() }).toEqual({ exit: 1, stdout: "", sent: { free: 0, paid: 1 } });
      expect(stderr).toContain(`redirect (HTTP ${status}), which dexdata does not follow`);
    },
  );
});

describe("rule 155: X-Api-Plan", () => {
  const plan = (name: string): Reply => json('[{"id":"ethereum"}]', { headers: { "x-api-plan": name } });

  test("prints nothing if the header matches the tier in use or is missing", async () => {
    answer = () => plan("pro");
    const env = { DEXDATA_API_KEY: key, DEXDATA_TIER: "pro" };
    expect(await runCommand(env)).toMatchObject({ exit: 0, stderr: "" });
    answer = () => json("[]");
    expect(await runCommand(env)).toMatchObject({ exit: 0, stderr: "" });
  });

  test("warns about another plan on stderr, and prints the rows", async () => {
    answer = () => plan("keyless");
    const outcome = await runCommand({ DEXDATA_API_KEY: key, DEXDATA_TIER: "pro" });
    expect(outcome).toMatchObject({ exit: 0, stdout: '{"id":"ethereum"}\n' });
    expect(outcome.stderr).toBe(
      "warning: the service applied the keyless plan, not pro, so the key had no effect; see: dexdata auth status\n",
    );
  });

  test("warns once for many requests", async () => {
    const page = (next: string | null): Reply =>
      json(
        {
          results: [{ id: `0x${next}`, chain: "ethereum" }],
          has_next_page: next !== null,
          next_cursor: next,
        },
        { headers: { "x-api-plan": "dev" } },
      );
    answer = (index) => page(index < 3 ? String(index) : null);
    const { stderr } = await runCommand(
      { DEXDATA_API_KEY: key, DEXDATA_TIER: "pro" },
      "pools search ethereum --all --page-size 1",
    );
    expect(stderr).toBe("warning: the service applied the dev plan, not pro; see: dexdata auth status\n");
  });
});

describe("--sandbox", () => {
  const given = { DEXDATA_API_KEY: key, DEXDATA_TIER: "pro" };

  test.each([
    ["networks --limit 1 --sandbox", {}],
    ["networks --limit 1", { DEXDATA_SANDBOX: "1" }],
    ["networks --limit 1 --sandbox --tier free", {}],
    ["networks --limit 1 --sandbox --tier keyless", {}],
  ])("%s %j contacts no host, whatever key is set", async (words, env) => {
    const outcome = await runCommand({ ...given, ...env }, `${words} -vv`);
    expect(outcome.exit).toBe(0);
    expect(outcome.stdout).toMatch(/^\{"id":/u);
    expect(outcome.stderr).not.toContain(secret);
    expect(seen()).toEqual(nothing);
  });

  test("uses the plan of --tier, else of DEXDATA_TIER, by default pro", async () => {
    for (const [flags, env, plan] of [
      ["", {}, "pro"],
      ["--tier dev", {}, "dev"],
      ["--tier keyless", given, "keyless"],
      ["", { DEXDATA_TIER: "keyless" }, "keyless"],
      ["", { ...given, DEXDATA_TIER: "dev" }, "dev"],
    ] as const) {
      const { stdout, stderr } = await runCommand(env, `usage --sandbox -o json ${flags}`);
      expect({ plan: JSON.parse(stdout).plan, stderr }).toEqual({ plan, stderr: "" });
    }
  });

  test("does not read the stored key, so a damaged file, a malformed key or a missing profile does not matter", async () => {
    const files = ["{", stored(`Bearer ${key}`, "pro"), stored(key, "pro")];
    for (const credentials of files) {
      const context = prepared(
        { credentials },
        { ...hosts(), DEXDATA_PROFILE: "gone", DEXDATA_API_KEY: "x y" },
      );
      const outcome = await run(["networks", "--limit", "1", "--sandbox"], context);
      expect({ exit: outcome.exit, stderr: outcome.stderr }).toEqual({ exit: 0, stderr: "" });
    }
    expect(seen()).toEqual(nothing);
  });

  test("prevents requests by auth status and auth login too", async () => {
    const status = await runCommand({ ...given, DEXDATA_SANDBOX: "1" }, "auth status -o json");
    expect(JSON.parse(status.stdout)).toMatchObject({ source: "the sandbox", tier: "pro", plan: "pro" });
    const login = await runCommand({ DEXDATA_SANDBOX: "1" }, "auth login", { stdin: key });
    expect(login.exit).toBe(2);
    expect(login.stderr).not.toContain(secret);
    expect(seen()).toEqual(nothing);
  });

  test("rejects --tier and --seed without --sandbox", async () => {
    for (const [flag, value] of [
      ["--tier", "free"],
      ["--seed", "2"],
    ]) {
      const { exit, stderr } = await runCommand(given, `networks ${flag} ${value}`);
      expect(exit).toBe(2);
      expect(stderr).toContain(`${flag} requires --sandbox`);
    }
    expect(seen()).toEqual(nothing);
  });
});

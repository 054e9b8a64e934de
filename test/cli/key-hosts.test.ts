import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { configPath } from "../../src/cli/settings/read-settings.ts";
import { credentialsPath } from "../../src/cli/settings/credentials.ts";
import { type Outcome, run } from "../harness/dexdata.ts";
import { json, type ScriptedServer } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { createTestContext } from "../harness/test-context.ts";

const key = "api_pro_s3cr3tPart";

/** The key was stored for `home`; `other` is a different host. */
let home: ScriptedServer;
let other: ScriptedServer;
beforeEach(async () => {
  home = await serveInTest(() => json('[{"id":"ethereum"}]'));
  other = await serveInTest(() => json('[{"id":"ethereum"}]'));
});

const sources = ["stored for home", "stored", "key_command", "--key-file", "DEXDATA_API_KEY"] as const;
type Source = (typeof sources)[number];

const places = {
  "home, by a variable": () => ({ env: { DEXDATA_PRO_BASE_URL: home.url } }),
  "other, by a variable": () => ({ env: { DEXDATA_PRO_BASE_URL: other.url } }),
  "other, by config.json": () => ({ config: { pro_base_url: other.url } }),
  "other, by --base-url": () => ({ words: ["--base-url", other.url] }),
} satisfies Record<string, () => Place>;

interface Place {
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: object;
  readonly words?: readonly string[];
}

async function runCommand(
  source: Source,
  place: Place,
  words = ["networks", "--error-format", "text"],
): Promise<Outcome> {
  const env = { DEXDATA_TIER: "pro", ...place.env };
  const context = createTestContext({
    env: { ...env, ...(source === "DEXDATA_API_KEY" && { DEXDATA_API_KEY: key }) },
    speed: 1,
  });
  mkdirSync(path.dirname(configPath(context)), { recursive: true, mode: 0o700 });
  const keyFile = path.join(context.home, "key");
  writeFileSync(keyFile, key, { mode: 0o600 });
  const config = source === "key_command" ? { ...place.config, key_command: ["cat", keyFile] } : place.config;
  writeFileSync(configPath(context), JSON.stringify(config ?? {}));
  if (source.startsWith("stored")) {
    const hosts = source === "stored" ? {} : { rest_url: home.url };
    const profiles = { default: { key, tier: "pro", saved_at: "2026-11-01T00:00:00Z", ...hosts } };
    const store = JSON.stringify({ version: 1, active: "default", profiles, remembered: {} });
    writeFileSync(credentialsPath(context), store, { mode: 0o600 });
  }
  const flags = source === "--key-file" ? ["--key-file", keyFile] : [];
  return await run([...words, ...flags, ...(place.words ?? [])], context);
}

const seen = (): readonly unknown[] =>
  [home, other].map(({ requests }) => requests.map(({ headers }) => headers.authorization));

/** Columns: the places above, in the same order. */
const matrix: readonly (readonly [Source, ...(readonly ("sent" | "refused")[])])[] = [
  ["stored for home", "sent", "refused", "sent", "sent"],
  ["stored", "refused", "refused", "sent", "sent"],
  ["key_command", "refused", "refused", "sent", "sent"],
  ["--key-file", "sent", "sent", "sent", "sent"],
  ["DEXDATA_API_KEY", "sent", "sent", "sent", "sent"],
];

const cases = matrix.flatMap(([source, ...results]) =>
  Object.entries(places).map(([name, place], index) => ({ source, name, place, result: results[index] })),
);

describe("promise 1: a key and the configured host", () => {
  test.each(cases)("$source and $name: $result", async ({ source, name, place, result }) => {
    const { exit, stdout, stderr } = await runCommand(source, place());
    const url = name.startsWith("home") ? home.url : other.url;
    if (result === "sent") {
      expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: '{"id":"ethereum"}\n', stderr: "" });
      expect(seen()).toEqual(url === home.url ? [[key], []] : [[], [key]]);
    } else {
      const from = source === "key_command" ? "key_command" : 'profile "default"';
      expect({ exit, stdout, stderr }).toEqual({
        exit: 2,
        stdout: "",
        stderr:
          `error: the key from ${from} was not sent, because it is not stored for ${url} (set by DEXDATA_PRO_BASE_URL)\n` +
          `  hint: to use this host, pass a key with DEXDATA_API_KEY or --key-file, or run: dexdata config set pro_base_url ${url}\n`,
      });
      expect(seen()).toEqual([[], []]);
    }
  });

  test("a streaming host from a variable is rejected too, before any REST request", async () => {
    const env = { DEXDATA_PRO_BASE_URL: home.url, DEXDATA_STREAMING_PRO_URL: other.url };
    const { exit, stderr } = await runCommand("stored for home", { env });
    expect(exit).toBe(2);
    expect(stderr).toContain(`is not stored for ${other.url} (set by DEXDATA_STREAMING_PRO_URL)`);
    expect(seen()).toEqual([[], []]);
  });

  test.each([
    "auth status",
    "doctor --no-stream",
    "stream ethereum:0x0000000000000000000000000000000000000abc --limit 1",
  ])("%s does not send the key to that host either", async (words) => {
    const place = { env: { DEXDATA_PRO_BASE_URL: other.url, DEXDATA_STREAMING_PRO_URL: other.url } };
    const { exit, stdout, stderr } = await runCommand("stored for home", place, words.split(" "));
    expect(exit).toBe(2);
    expect(stdout + stderr).toContain(`is not stored for ${other.url}`);
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([]);
  });

  test("without a stored key, such a host receives requests without a key", async () => {
    const context = createTestContext({ env: { DEXDATA_BASE_URL: other.url } });
    expect((await run(["networks"], context)).exit).toBe(0);
    expect(seen()).toEqual([[], [undefined]]);
  });

  test("auth login stores the hosts it used, so the same variables are accepted later", async () => {
    const service = await serveInTest(() => json({ plan: "pro" }, { headers: { "x-api-plan": "pro" } }));
    const context = createTestContext();
    const { HOME = "" } = context.env;
    const env = {
      HOME,
      DEXDATA_BASE_URL: service.url,
      DEXDATA_PRO_BASE_URL: service.url,
    };
    const login = await run(["auth", "login"], createTestContext({ env, stdin: key }));
    expect(login.exit).toBe(0);
    expect((await run(["usage", "-o", "json"], createTestContext({ env }))).exit).toBe(0);
    const elsewhere = { ...env, DEXDATA_BASE_URL: other.url, DEXDATA_PRO_BASE_URL: other.url };
    expect((await run(["usage"], createTestContext({ env: elsewhere }))).exit).toBe(2);
    expect(seen()).toEqual([[], []]);
  });
});

/** Builds the URL, so that no test contains the name of a public host. */
const publicHost = (name: string): string => `https://${name}.dexpaprika.com`;

describe("public hosts", () => {
  test.each([
    ["free", "api-pro"],
    ["pro", "api"],
    ["dev", "api"],
    ["enterprise", "streaming"],
    ["free", "streaming-pro"],
  ])("a %s key is not sent to %s", async (tier, name) => {
    const url = publicHost(name);
    const variable = tier === "free" ? "DEXDATA_STREAMING_URL" : "DEXDATA_STREAMING_PRO_URL";
    const env = {
      DEXDATA_TIER: tier,
      DEXDATA_API_KEY: key,
      ...(name.startsWith("streaming") && { [variable]: url }),
    };
    const words = name.startsWith("streaming") ? [] : ["--base-url", url];
    const context = createTestContext({ env });
    const { exit, stderr } = await run(["networks", "--error-format", "text", ...words], context);
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr:
        `error: ${url} does not accept ${tier} keys, and the key from DEXDATA_API_KEY is on the ${tier} plan\n` +
        "  hint: use the default host, or look up the plan of the key again: dexdata auth status\n",
    });
  });
});

describe("DEXDATA_TIER=keyless", () => {
  test.each([
    ["stored", 'profile "default"'],
    ["stored for home", 'profile "default"'],
    ["key_command", "key_command"],
    ["--key-file", "--key-file"],
    ["DEXDATA_API_KEY", "DEXDATA_API_KEY"],
  ] as const)("sends the request without the key (%s), and reports it", async (source, named) => {
    const env = { DEXDATA_TIER: "keyless", DEXDATA_BASE_URL: home.url };
    const { exit, stderr } = await runCommand(source, { env });
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: `warning: DEXDATA_TIER is keyless, so the key from ${named} is not sent\n`,
    });
    expect(home.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  test("does not mention a key if there is none", async () => {
    const context = createTestContext({ env: { DEXDATA_TIER: "keyless", DEXDATA_BASE_URL: home.url } });
    expect(await run(["networks"], context)).toMatchObject({ exit: 0, stderr: "" });
  });
});

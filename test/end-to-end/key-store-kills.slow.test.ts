import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { binaryEnv, program } from "../harness/binary.ts";
import { dexdata } from "../harness/dexdata.ts";
import { secretMark } from "../harness/key-search.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { json, type ScriptedServer, startScriptedServer } from "../harness/scripted-server.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const key = `api_pro_${secretMark}Store`;
const hooks = path.resolve("test/harness/kill-at-hook.cjs");
const root = temporaryFolder();

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer(() => json({ plan: "pro" }, { headers: { "x-api-plan": "pro" } }));
});
afterAll(async () => await server.close());

/** What the key store contains before the command that is killed. */
const stores: Readonly<Record<"none" | "one key" | "two keys" | "damaged", string | undefined>> = {
  none: undefined,
  "one key": storeOf(["default"]),
  "two keys": storeOf(["default", "work"]),
  damaged: `{"key":"${key}"`,
};

function storeOf(names: readonly string[]): string {
  const profile = { key, tier: "pro", saved_at: "2026-11-21T08:54:00Z" };
  const profiles = Object.fromEntries(names.map((name) => [name, profile]));
  return JSON.stringify({ version: 1, active: "default", profiles, remembered: {} });
}

const cases: readonly (readonly [store: keyof typeof stores, words: string])[] = [
  ["none", "auth login"],
  ["one key", "auth login --profile work"],
  ["damaged", "auth login"],
  ["two keys", "auth logout"],
  ["one key", "auth logout --all"],
];

/** Returns a directory of settings. Killed processes share it, so that what one of them leaves meets the next one. */
function prepare(name: string, store: keyof typeof stores): Readonly<Record<string, string>> {
  const config = path.join(root, name);
  mkdirSync(config, { recursive: true, mode: 0o700 });
  const content = stores[store];
  if (content !== undefined) writeFileSync(path.join(config, "credentials.json"), content, { mode: 0o600 });
  return {
    DEXDATA_CONFIG_DIR: config,
    DEXDATA_STATE_DIR: `${config}-state`,
    DEXDATA_BASE_URL: server.url,
    DEXDATA_PRO_BASE_URL: server.url,
  };
}

/** Kills the command at one hook, or so many milliseconds after the first one. Returns whether it was killed. */
async function kill(
  words: string,
  env: Readonly<Record<string, string>>,
  at: { readonly hook: number } | { readonly after: number },
): Promise<boolean> {
  const child = spawn(process.execPath, ["--require", hooks, program, ...words.split(" ")], {
    env: binaryEnv({
      ...env,
      DEXDATA_TEST_FOLDER: env["DEXDATA_CONFIG_DIR"] ?? "",
      ...("hook" in at && { DEXDATA_TEST_HOOK: String(at.hook) }),
    }),
    stdio: ["pipe", "pipe", "pipe", "pipe"],
  });
  const [stdin, stdout, stderr, begun] = child.stdio;
  stdin?.on("error", () => undefined);
  stdin?.end(key);
  for (const output of [stdout, stderr]) output?.resume();
  begun?.on("data", () => {
    if ("after" in at) setTimeout(() => child.kill("SIGKILL"), at.after);
  });
  return await new Promise((resolve) => {
    child.once("close", (_, signal) => resolve(signal === "SIGKILL"));
  });
}

/** Logs out, and returns the files with a key or a part of one that remain without being named. */
async function unnamedAfterLogout(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const config = env["DEXDATA_CONFIG_DIR"] ?? "";
  const { exit, stderr } = await dexdata("auth logout --all --error-format text", { env });
  const withKey = readdirSync(config).filter((name) =>
    readFileSync(path.join(config, name), "utf8").includes(secretMark),
  );
  // Only a damaged store remains: the user may still need its keys.
  expect([exit, withKey]).toEqual(exit === 0 ? [0, []] : [2, ["credentials.json"]]);
  return withKey.filter((name) => !stderr.includes(path.join(config, name)));
}

let killed = 0;

test.each(cases)(
  "K3: store with %s, `%s` killed at each hook: auth logout --all removes or names every file with a key",
  async (store, words) => {
    const name = `${store} ${words}`.replaceAll(" ", "-");
    // In the short form, every fourth hook, beginning with another one in each case.
    const step = isLong ? 1 : 4;
    let hook = 1 + (isLong ? 0 : cases.findIndex((each) => each[1] === words) % step);
    for (; ; hook += step) {
      const env = prepare(name, store);
      if (!(await kill(words, env, { hook }))) break;
      killed += 1;
      expect({ hook, unnamed: await unnamedAfterLogout(env) }).toEqual({ hook, unnamed: [] });
    }
    expect(hook).toBeGreaterThan(step);
  },
  1_200_000,
);

test("K3: logins and logouts killed at random: auth logout --all removes or names every file with a key", async () => {
  const random = createRandom(42);
  // In the long form, the kills at hooks and these are 1,000 in all.
  const wanted = isLong ? 1000 : killed + 6;
  for (let round = 0; killed < wanted; round += 1) {
    expect(round).toBeLessThan(3 * wanted);
    const [store, words] = cases[round % cases.length] ?? (["none", "auth login"] as const);
    const env = prepare(`random-${round % 7}`, store);
    if (await kill(words, env, { after: random() * 12 })) killed += 1;
    expect({ round, unnamed: await unnamedAfterLogout(env) }).toEqual({ round, unnamed: [] });
  }
}, 3_600_000);

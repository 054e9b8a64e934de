import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { plans, type Tier } from "../../src/api/tier.ts";
import { findKey } from "../harness/find-key.ts";
import { dexdata, type Outcome } from "../harness/dexdata.ts";
import { isLong } from "../harness/long.ts";
import { json, type SeenRequest } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { createTestContext } from "../harness/test-context.ts";

const key = "api_s3cr3t_any";

/** A service whose key changes its plan. Each host rejects the keys of the other one. */
async function startService(first: Tier, namesPlan: boolean) {
  let plan = first;
  const serve = async (pair: "free" | "paid") =>
    await serveInTest(({ path: asked, headers }: SeenRequest) => {
      if (headers.authorization !== key) return json({ error: "invalid_api_key" }, { status: 401 });
      const named = { headers: namesPlan ? { "x-api-plan": plan } : {} };
      if (plans[plan].hosts !== pair)
        return json(
          { error: "wrong_host", message: "use the other host", ...(namesPlan && { tier: plan }) },
          { status: 403, ...named },
        );
      return json(asked === "/usage" ? { plan } : [{ id: "ethereum", display_name: "Ethereum" }], named);
    });
  const [free, paid] = [await serve("free"), await serve("paid")];
  return {
    env: { DEXDATA_BASE_URL: free.url, DEXDATA_PRO_BASE_URL: paid.url, DEXDATA_RETRIES: "0" },
    change: (to: Tier) => {
      plan = to;
    },
  };
}

/** How the key is passed; `prepare` makes its plan known. */
interface Source {
  readonly name: string;
  readonly env?: (home: string, first: Tier) => Readonly<Record<string, string>>;
  readonly flags?: (home: string) => string;
  readonly prepare: readonly string[];
}

const keyFile = (home: string): string => {
  const file = path.join(home, "key.txt");
  writeFileSync(file, key, { mode: 0o600 });
  return file;
};

const sources: readonly Source[] = [
  { name: "the active profile", prepare: ["auth login"] },
  { name: "--profile", flags: () => "--profile work", prepare: ["auth login --profile work"] },
  {
    name: "--profile, with the key in another profile too",
    flags: () => "--profile work",
    prepare: ["auth login", "auth login --profile work"],
  },
  { name: "the older of two profiles", prepare: ["auth login", "auth login --profile work"] },
  {
    name: "DEXDATA_PROFILE",
    env: () => ({ DEXDATA_PROFILE: "work" }),
    prepare: ["auth login", "auth login --profile work"],
  },
  {
    name: "DEXDATA_API_KEY, looked up before",
    env: () => ({ DEXDATA_API_KEY: key }),
    prepare: ["auth status"],
  },
  {
    name: "DEXDATA_API_KEY, which a profile has too",
    env: () => ({ DEXDATA_API_KEY: key }),
    prepare: ["auth login"],
  },
  {
    name: "DEXDATA_API_KEY and DEXDATA_TIER",
    env: (_, first) => ({ DEXDATA_API_KEY: key, DEXDATA_TIER: first }),
    prepare: [],
  },
  { name: "--key-file", flags: (home) => `--key-file ${keyFile(home)}`, prepare: ["auth status"] },
  {
    name: "key_command",
    env: (home) => {
      const script = path.join(home, "key-command");
      writeFileSync(script, `#!/bin/sh\necho ${key}\n`);
      chmodSync(script, 0o700);
      return {};
    },
    prepare: ["config set key_command HOME/key-command", "auth status"],
  },
];

const all = (["free", "dev", "pro", "enterprise"] as const).flatMap((from, _, tiers) =>
  tiers
    .filter((to) => to !== from)
    .flatMap((to) => [[from, to, "named"] as const, [from, to, "not named"] as const]),
);
/** Whatever the source is, one change to the other host decides; the first ones try all. */
const changesOf = (source: Source) => (isLong ? all : changes.slice(0, sources.indexOf(source) < 2 ? 3 : 2));
const changes = [
  ["free", "pro", "named"],
  ["dev", "free", "not named"],
  ["enterprise", "dev", "named"],
] as const;

/** Returns the command of a hint. */
function commandIn({ stderr }: Outcome): string {
  return /hint: .*dexdata (?<command>auth [^\n]*)/u.exec(stderr)?.groups?.["command"] ?? "";
}

describe.each(sources)("K2: the key from $name", (source) => {
  const { env = () => ({}), flags = () => "", prepare } = source;
  test.each(changesOf(source))(
    "%s → %s, %s in the rejection: after auth status, the next command uses the right host",
    async (from, to, naming) => {
      const { home } = createTestContext();
      const service = await startService(from, naming === "named");
      const environment: Record<string, string> = { HOME: home, ...service.env, ...env(home, from) };
      // A stored key goes to the hosts for which it was stored, or which the config file names.
      const config = path.join(home, ".config", "dexdata");
      mkdirSync(config, { recursive: true });
      writeFileSync(
        path.join(config, "config.json"),
        JSON.stringify({
          base_url: service.env.DEXDATA_BASE_URL,
          pro_base_url: service.env.DEXDATA_PRO_BASE_URL,
        }),
      );
      delete environment["DEXDATA_BASE_URL"];
      delete environment["DEXDATA_PRO_BASE_URL"];
      const given = flags(home);
      const run = async (words: string): Promise<Outcome> =>
        await dexdata(`${words} --error-format text`, { env: environment, stdin: key, speed: 1 });
      for (const words of prepare)
        expect(
          (await run(words === "auth status" ? `${words} ${given}` : words.replace("HOME", home))).exit,
        ).toBe(0);
      expect((await run(`networks ${given}`)).exit).toBe(0);

      service.change(to);
      const isOtherHost = plans[from].hosts !== plans[to].hosts;
      const rejected = await run(`networks ${given}`);
      expect(rejected.exit).toBe(isOtherHost ? 4 : 0);
      if (isOtherHost) {
        // The hint either names the variable and its right value, or the command that looks up the plan.
        const hint = commandIn(rejected);
        if (hint === "") expect(rejected.stderr).toContain(`unset DEXDATA_TIER, or set it to ${to}`);
        else expect(hint).toBe(`auth status ${given}`.trim());
      }
      const status = await run(`auth status ${given} -o json`);
      const { plan, problem } = JSON.parse(status.stdout);
      expect(plan).toBe(to);
      if (environment["DEXDATA_TIER"] !== undefined) {
        expect(problem).toContain(`unset DEXDATA_TIER, or set it to ${to}`);
        environment["DEXDATA_TIER"] = to;
      }
      for (const next of [environment, { ...environment, DEXDATA_TIER: "" }]) {
        const after = await dexdata(`networks ${given}`, { env: next, speed: 1 });
        expect({ exit: after.exit, stderr: after.stderr }).toEqual({ exit: 0, stderr: "" });
      }
    },
  );
});

test("K2: of two records, a profile's own comes first, and otherwise the newest", async () => {
  const context = createTestContext();
  const folder = path.join(context.home, ".config", "dexdata");
  mkdirSync(folder, { recursive: true });
  const profile = (tier: string, at: string): object => ({ key, tier, saved_at: at });
  writeFileSync(
    path.join(folder, "credentials.json"),
    JSON.stringify({
      version: 1,
      active: "old",
      profiles: { old: profile("free", "2026-01-01T00:00:00Z"), new: profile("pro", "2026-06-01T00:00:00Z") },
      remembered: {},
    }),
    { mode: 0o600 },
  );
  const withKey = { ...context, env: { ...context.env, DEXDATA_API_KEY: key } };
  expect((await findKey(withKey, {})).found?.tier).toBe("pro");
  expect((await findKey(context, { profile: "new" })).found?.tier).toBe("pro");
  expect((await findKey(context, { profile: "old" })).found?.tier).toBe("free");
});

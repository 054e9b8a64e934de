import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { configPath } from "../../src/cli/settings/read-settings.ts";
import { credentialsPath } from "../../src/cli/settings/credentials.ts";
import { run } from "../harness/dexdata.ts";
import { rowsOf, toRow } from "../harness/rows.ts";
import { createTestContext } from "../harness/test-context.ts";
import { useSandbox } from "../harness/sandbox.ts";

const sandbox = useSandbox();

async function runCommand(words: string, env: Readonly<Record<string, string>> = {}) {
  const context = createTestContext({ env });
  mkdirSync(path.dirname(configPath(context)), { recursive: true, mode: 0o700 });
  writeFileSync(configPath(context), JSON.stringify({ retries: 3, profile: "123", rpm: "unlimited" }));
  const profile = { key: "api_pro_s3cr3tPart", tier: "pro", saved_at: "2026-11-01T00:00:00Z" };
  const store = { version: 1, active: "123", profiles: { 123: profile, other: profile }, remembered: {} };
  writeFileSync(credentialsPath(context), JSON.stringify(store), { mode: 0o600 });
  return (await run(words.split(" "), context)).stdout;
}

describe("the JSON of local commands has numbers and booleans", () => {
  test("auth list", async () => {
    const rows = rowsOf(await runCommand("auth list -o ndjson"));
    expect(rows.map((row) => [row["profile"], row["in_use"]])).toEqual([
      ["123", true],
      ["other", false],
    ]);
  });

  test("auth status", async () => {
    const status = toRow(await runCommand("auth status -o json", sandbox.env("dev")));
    expect(status).toMatchObject({ plan: "dev", credits_left: expect.any(Number) });
  });

  test("config list: numbers, but not texts of digits", async () => {
    const rows = rowsOf(await runCommand("config list -o ndjson", { DEXDATA_TIMEOUT: "" }));
    const values = new Map(rows.map((row) => [row["name"], row["value"]]));
    expect(["retries", "profile", "rpm", "timeout"].map((name) => values.get(name))).toEqual([
      3,
      "123",
      "unlimited",
      "30s",
    ]);
  });
});

test("tables of local commands have headers with spaces, and yes or no", async () => {
  const [header, first, second] = (await runCommand("auth list -o table")).split("\n");
  expect(header).toMatch(/^PROFILE +IN USE +KEY +TIER +STORED +REST URL$/u);
  expect([first, second]).toEqual([
    expect.stringMatching(/^123 +yes /u),
    expect.stringMatching(/^other +no /u),
  ]);
});

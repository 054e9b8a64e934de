import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { endpoints } from "../../src/api/endpoints/all.ts";
import { dexdata } from "../harness/dexdata.ts";
import { rowsOf } from "../harness/rows.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { createTestContext } from "../harness/test-context.ts";

const sandbox = useSandbox({ requestsPerMinute: 100_000 });

async function runCommand(words: string, env = sandbox.env()) {
  const { exit, stdout, stderr } = await dexdata(`${words} --error-format text`, { env, now: sandboxNow });
  return { exit, stdout, stderr };
}

const searches = endpoints.filter(({ reply }) => reply.kind === "cursor-pages");
const pathOf = (path: string): string => path.replace("{network}", "ethereum");

describe("a parameter that the service ignores (rule 55)", () => {
  test.each([
    ["/networks/ethereum/pools/search", "volume_24h_min=5", "did you mean volume_usd_24h_min?"],
    ["/networks/ethereum/pools/search", "sort_by=liquidity_usd", "did you mean order_by?"],
    ["/networks/ethereum/pools/search", "sort_dir=asc", "did you mean sort?"],
    ["/networks/ethereum/pools/search", "LIMIT=3", "did you mean limit?"],
    ["/networks/ethereum/pools/search", "Sort=asc", "did you mean sort?"],
    ["/networks/ethereum/pools/search", "page=2", "did you mean cursor?"],
    ["/networks/ethereum/tokens/search", "fdv_min=5", "did you mean fdv_usd_min?"],
    ["/tokens/search?chains=fantom", "zzz=base", "to accept them anyway, use --no-strict"],
    ["/pools/search?chains=fantom", "token_address=0x1", "to accept them anyway, use --no-strict"],
  ])(
    "%s?%s ends the command before the first row, and the hint names the intended parameter",
    async (path, field, hint) => {
      const [name = "", value = ""] = field.split("=");
      for (const form of [
        `${path} -f ${field}`,
        `${path}${path.includes("?") ? "&" : "?"}${field}`,
        `${path} -f ${field} -o table`,
      ])
        expect(await runCommand(`api ${form}`)).toEqual({
          exit: 1,
          stdout: "",
          stderr: `error: the service ignored --field ${name} "${value}", so its rows do not match\n  hint: ${hint}\n`,
        });
      // With --paginate, `page` is the first page to fetch.
      if (name === "page") return;
      expect(await runCommand(`api ${path} -f ${field} --paginate --limit 3`)).toMatchObject({
        exit: 1,
        stdout: "",
      });
    },
  );

  test("prints a warning and the unfiltered rows with --no-strict", async () => {
    const path = "/networks/ethereum/pools/search";
    for (const flags of ["", "--paginate --limit 3 -o ndjson", "-o csv"]) {
      const without = await runCommand(`api ${path} ${flags}`);
      const { exit, stdout, stderr } = await runCommand(
        `api ${path} -f volume_24h_min=5 -f zzz=1 --no-strict ${flags}`,
      );
      expect({ exit, stdout }).toEqual({ exit: 0, stdout: without.stdout });
      expect(stderr).toBe(
        'warning: the service ignored --field volume_24h_min "5", --field zzz "1", so its rows do not match; did you mean volume_usd_24h_min?\n',
      );
    }
  });

  test("keeps --no-strict in the command that continues", async () => {
    const { stderr } = await dexdata(
      "api /networks/fantom/pools/search -f zzz=1 --no-strict --paginate --limit 2",
      {
        env: sandbox.env(),
        isTerminal: { stderr: true },
        columns: 400,
      },
    );
    expect(stderr).toMatch(
      /next page: dexdata api \/networks\/fantom\/pools\/search .*--no-strict.* --field zzz=1/u,
    );
  });
});

describe("a parameter that the service applies", () => {
  /** Values in forms that only `api` sends. */
  const values: Readonly<Record<string, readonly string[]>> = {
    order_by: ["liquidity_usd"],
    sort: ["asc", "desc"],
    detailed: ["true", "1"],
    // One small network, because a search over all networks takes long in the sandbox.
    chains: ["fantom", "fantom,fantom"],
    dex_name: ["SPOOKYSWAP"],
    token_address: ["0xC02AAA39B223FE8D0A0E5C4F27EAD9083C756CC2"],
    created_after: ["-24h", "2026-01-01", "2026-01-01T00:00:00+02:00", "1767225600"],
    created_before: ["-1h", "2026-11-21"],
    limit: ["3"],
    cursor: [""],
    txns_24h_min: ["0"],
    txns_24h_max: ["5"],
  };
  const numbers = ["1", "1.0", "1e0"];

  test.each(searches.map((endpoint) => [endpoint.id, endpoint] as const))(
    "%s: all parameters of the endpoint at once",
    async (_, { path, params }) => {
      for (const turn of [0, 1, 2, 3]) {
        const fields = params
          .filter(({ place }) => place === "query")
          .map(({ name }) => [name, values[name] ?? numbers] as const)
          .map(([name, known]) => `-f ${name}=${known[turn % known.length]}`);
        const { exit, stderr } = await runCommand(`api ${pathOf(path)} ${fields.join(" ")} -q`);
        expect({ fields, exit, stderr }).toEqual({ fields, exit: 0, stderr: "" });
      }
    },
  );
});

describe("a known filter that is missing from the echo, or has another value there", () => {
  const rows = [{ id: "0x1", chain: "base" }];

  test.each([
    ["missing", {}, "ignored"],
    ["null", { liquidity_usd_min: null }, "ignored"],
    ["another", { liquidity_usd_min: 6 }, "applied 6 instead of"],
  ])("%s: fails, or prints a warning with --no-strict", async (_, query, how) => {
    const body = { results: rows, has_next_page: false, query: { limit: 10, ...query } };
    const env = { DEXDATA_BASE_URL: (await serveInTest(() => json(body))).url };
    for (const [words, name] of [
      ["api /networks/base/pools/search -f liquidity_usd_min=0", "--field liquidity_usd_min"],
      ["pools search base --liquidity-usd-min 0", "--liquidity-usd-min"],
    ]) {
      const refused = await runCommand(`${words} -o ndjson`, env);
      expect(refused).toMatchObject({ exit: 1, stdout: "" });
      expect(refused.stderr).toContain(`the service ${how} ${name} "0", so its rows do not match`);
      expect(refused.stderr).toContain("\n  hint: to accept them anyway, use --no-strict\n");
      const { exit, stdout, stderr } = await runCommand(`${words} --no-strict -o ndjson`, env);
      expect({ exit, stderr }).toEqual({
        exit: 0,
        stderr: `warning: the service ignored ${name} "0", so its rows do not match\n`,
      });
      expect(rowsOf(stdout)).toHaveLength(1);
    }
  });

  test("prints one warning for a list of several pages", async () => {
    const server = await serveInTest(({ query }) => {
      const page = Number(query.get("cursor") ?? "0");
      const results = [{ id: `0x${page}`, chain: "base" }];
      return json({
        results,
        has_next_page: page < 3,
        next_cursor: page < 3 ? String(page + 1) : "",
        query: {},
      });
    });
    const words = "pools search base --sort asc --all --no-strict -o ndjson --receipt";
    const receipt = join(createTestContext().home, "receipt.json");
    const env = { DEXDATA_BASE_URL: server.url };
    const { stdout, stderr } = await runCommand(`${words} ${receipt}`, env);
    const problem = 'the service ignored --sort "asc", so its rows do not match';
    const saved: unknown = JSON.parse(readFileSync(receipt, "utf8"));
    expect(saved).toMatchObject({ exit: 0, complete: false, why_not: problem, doubts: [problem] });
    expect(rowsOf(stdout)).toHaveLength(4);
    expect(
      stderr.match(/^warning: the service ignored --sort "asc", so its rows do not match$/gmu),
    ).toHaveLength(1);
  });

  test("accepts a response without an echo, and a path that is not a search", async () => {
    const env = { DEXDATA_BASE_URL: (await serveInTest(() => json({ results: rows, query: null }))).url };
    for (const path of ["/pools/search -f zzz=1", "/networks/base/dexes -f zzz=1", "/none -f zzz=1"])
      expect(await runCommand(`api ${path}`, env)).toMatchObject({ exit: 0, stderr: "" });
  });
});

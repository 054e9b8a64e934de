import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { dexdata, type Outcome } from "../harness/dexdata.ts";
import { ledgerInTest, unknownAddresses } from "../harness/ledger.ts";
import { type Row, toRow } from "../harness/rows.ts";
import { hang, json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const folder = temporaryFolder();

function failureOf({ stderr }: Outcome): Row {
  return toRow(stderr.trim().split("\n").at(-1) ?? "");
}

/** Splits the last `dexdata …` into arguments as a shell does. */
function wordsOf(next: unknown): readonly string[] {
  const command = /^(?:.* )?dexdata (.*)$/u.exec(String(next))?.[1] ?? "";
  return [...command.matchAll(/'([^']*)'|(\S+)/gu)].map(([, quoted, bare]) => quoted ?? bare ?? "");
}

let states = 0;
/** Returns a new state directory. */
function stateFolder(): string {
  states += 1;
  return path.join(folder, `state-${states}`);
}

describe("--max-credits", () => {
  test("ends before the request that would exceed it, keeps the rows, and prints the command that continues", async () => {
    const { env, charged, requests } = await ledgerInTest();
    const whole = await dexdata("pools search ethereum --limit 600", { env: env("b") });
    const before = charged();
    const first = await dexdata("pools search ethereum --all --max-credits 3 -o ndjson", { env: env() });
    expect({ exit: first.exit, charged: charged() - before }).toEqual({ exit: 5, charged: 3 });
    expect(failureOf(first)).toMatchObject({ code: "max_credits", exit: 5, retryable: false });
    expect(failureOf(first)["message"]).toContain(
      "--max-credits of 3 reached: 3 spent, next request costs 1",
    );
    const second = await dexdata(wordsOf(failureOf(first)["next"]), { env: env() });
    expect(first.stdout + second.stdout).toBe(whole.stdout);
    expect(second.exit).toBe(5);
    expect({ charged: charged() - before, requests: requests() - before }).toEqual({
      charged: 6,
      requests: 6,
    });
  });

  test("does not end a run that costs exactly the limit, however many requests run in parallel", async () => {
    const { env, charged } = await ledgerInTest();
    const { exit } = await dexdata("prices ethereum - --max-credits 137 --parallel 32", {
      env: env(),
      stdin: unknownAddresses(137),
    });
    expect({ exit, charged: charged() }).toEqual({ exit: 0, charged: 137 });
  });

  test("counts 1 credit per address of a batch", async () => {
    const { env, charged } = await ledgerInTest();
    const outcome = await dexdata("prices ethereum - --max-credits 29", {
      env: env(),
      stdin: unknownAddresses(40),
    });
    expect({ exit: outcome.exit, charged: charged() }).toEqual({ exit: 5, charged: 20 });
    expect(failureOf(outcome)["message"]).toContain("next request costs 10");
    // The third batch would be within the budget, but its rows follow the rows of the second.
    await dexdata("prices ethereum - --max-credits 12", { env: env(), stdin: unknownAddresses(22) });
    expect(charged()).toBe(30);
  });

  test("counts 1 credit for a batch that is rejected, as the service does", async () => {
    const { env, charged } = await ledgerInTest();
    const { exit, stderr } = await dexdata("prices eth - --stats --max-credits 11", {
      env: env(),
      stdin: unknownAddresses(10),
    });
    // The batch, and the list of networks for the hint.
    expect({ exit, charged: charged() }).toEqual({ exit: 3, charged: 2 });
    expect(stderr).toContain("2 requests, 2 credits");
    expect(stderr).toContain("did you mean ethereum?");
  });

  test.each([
    ["400", "api /networks/ethereum/pools/search -f order_by=nosuch", 2],
    ["404", `pool ethereum 0x${"1".padStart(40, "0")}`, 3],
    ["410", "api /pools", 3],
  ])("counts 1 credit for a %s, as the service does", async (_, words, code) => {
    const { env, charged } = await ledgerInTest();
    const { exit, stderr } = await dexdata(`${words} --stats`, { env: env() });
    expect({ exit, charged: charged() }).toEqual({ exit: code, charged: 1 });
    expect(stderr).toContain("1 request, 1 credit ");
  });

  test("sends nothing with 0", async () => {
    const { env, requests } = await ledgerInTest();
    const { exit } = await dexdata("networks --max-credits 0", { env: env() });
    expect({ exit, requests: requests() }).toEqual({ exit: 5, requests: 0 });
  });

  test("accepts 1k as 1000, and rejects values that are not whole numbers before sending anything", async () => {
    const { env, requests } = await ledgerInTest();
    expect((await dexdata("networks --max-credits 1k", { env: env() })).exit).toBe(0);
    for (const typed of ["-1", "1.5", "many", ""]) {
      const outcome = await dexdata(["networks", "--max-credits", typed], { env: env() });
      expect({ typed, exit: outcome.exit }).toEqual({ typed, exit: 2 });
      expect(failureOf(outcome)["message"]).toContain(
        `invalid --max-credits "${typed}": must be a whole number`,
      );
    }
    expect(requests()).toBe(1);
  });

  test("counts the lookup for a hint, and keeps the first error if the budget does not allow the lookup", async () => {
    const { env, requests, charged } = await ledgerInTest();
    const within = await dexdata(`pool eth ${pool} --max-credits 2`, { env: env() });
    expect(failureOf(within)).toMatchObject({ exit: 3, next: "did you mean ethereum?" });
    expect({ requests: requests(), charged: charged() }).toEqual({ requests: 2, charged: 2 });
    const beyond = await dexdata(`pool eth ${pool} --max-credits 1`, { env: env() });
    expect(failureOf(beyond)).toMatchObject({ exit: 3, code: "unsupported_network" });
    expect({ requests: requests(), charged: charged() }).toEqual({ requests: 3, charged: 3 });
  });

  test("spends credits on the first rows even if their requests are retried for a while", async () => {
    const { env, charged } = await ledgerInTest({ faults: "429:40%/pools/0x" });
    const found = await dexdata("pools search ethereum --limit 60 --fields id", { env: env("b") });
    const before = charged();
    const outcome = await dexdata("pool - --max-credits 25 --retries 40 --fields id", {
      env: env(),
      stdin: found.stdout.replaceAll('"id":"', '"chain":"ethereum","id":"'),
    });
    expect({ exit: outcome.exit, charged: charged() - before }).toEqual({ exit: 5, charged: 25 });
    expect(outcome.stdout).toBe(`${found.stdout.split("\n").slice(0, 25).join("\n")}\n`);
  });

  test("treats a request that timed out after it was sent as possibly charged", async () => {
    const server = await serveInTest(() => hang());
    const env = { DEXDATA_BASE_URL: server.url };
    const outcome = await dexdata("networks --max-credits 2 --timeout 1m --stats", { env });
    expect({ exit: outcome.exit, requests: server.requests.length }).toEqual({ exit: 5, requests: 2 });
    expect(outcome.stderr).toContain("2 requests, 0 credits, plus up to 2 for 2 incomplete responses");
  });

  test("does not count an attempt that never reached the service", async () => {
    const env = { DEXDATA_BASE_URL: "http://127.0.0.1:1" };
    const outcome = await dexdata("networks --max-credits 1 --stats", { env });
    expect(failureOf(outcome)).toMatchObject({
      exit: 7,
      message: expect.stringMatching(/^connection to .* refused$/u),
    });
    expect(outcome.stderr).toContain("5 requests, 0 credits, ");
  });
});

describe("budget.daily", () => {
  function filesOf(state: string): readonly string[] {
    return readdirSync(state).filter((name) => name.startsWith("budget-"));
  }

  /** Returns the last day in the file and its credits. */
  function spentIn(state: string): unknown {
    const { day, credits } = JSON.parse(readFileSync(path.join(state, filesOf(state)[0] ?? ""), "utf8"));
    return { day, credits };
  }

  test("limits all runs together until the UTC day ends", async () => {
    const { env, charged } = await ledgerInTest();
    const state = stateFolder();
    const words = "pools search ethereum --limit 200 -o ndjson";
    const run = async (now: string) =>
      await dexdata(words, {
        env: { ...env(), DEXDATA_STATE_DIR: state, DEXDATA_BUDGET_DAILY: "5" },
        now,
      });
    expect((await run("2026-11-21T00:00:00Z")).exit).toBe(0);
    expect((await run("2026-11-21T12:00:00Z")).exit).toBe(0);
    const third = await run("2026-11-21T23:59:59Z");
    expect({ exit: third.exit, charged: charged() }).toEqual({ exit: 5, charged: 5 });
    const { code, message, next } = failureOf(third);
    expect(code).toBe("daily_budget");
    expect(message).toBe(
      "budget.daily of 5 reached: 5 spent today, next request costs 1; " +
        "resets at 2026-11-22T00:00:00Z; 100 rows written",
    );
    expect(next).toContain(
      "change the budget with DEXDATA_BUDGET_DAILY; more rows available; next page: dexdata pools search ethereum",
    );
    expect((await run("2026-11-22T00:00:00Z")).exit).toBe(0);
    expect(spentIn(state)).toEqual({ day: "2026-11-22", credits: 2 });
  });

  test("is saved by config set, and the error shows how to change it", async () => {
    const { env, requests } = await ledgerInTest();
    const all = { ...env(), DEXDATA_CONFIG_DIR: path.join(folder, "config") };
    expect((await dexdata("config set budget.daily 1", { env: all })).exit).toBe(0);
    expect((await dexdata("config get budget.daily", { env: all })).stdout).toBe("1\n");
    const refused = await dexdata("prices ethereum - ", { env: all, stdin: unknownAddresses(2) });
    expect({ exit: refused.exit, requests: requests() }).toEqual({ exit: 5, requests: 0 });
    expect(failureOf(refused)["next"]).toBe(
      "change the budget with dexdata config set budget.daily <credits>",
    );
    const wrong = await dexdata("config set budget.daily lots", { env: all });
    expect(failureOf(wrong)).toMatchObject({ exit: 2 });
  });

  test("a request that it has allowed is retried, and its row and those after it are written", async () => {
    const addresses = Array.from({ length: 7 }, (_, index) => `0x${String(index).padStart(40, "0")}`);
    let rejections = 0;
    const { url } = await serveInTest(({ path: asked }) => {
      const id = path.basename(asked);
      if (id !== addresses[2] || rejections > 0) return json({ id });
      rejections += 1;
      return json({ error: "rate_limited" }, { status: 429 });
    });
    const { exit, stdout } = await dexdata("pool ethereum - --fields id", {
      env: { DEXDATA_BASE_URL: url, DEXDATA_STATE_DIR: stateFolder(), DEXDATA_BUDGET_DAILY: "5" },
      stdin: addresses.join("\n"),
    });
    const rows = addresses.slice(0, 5).map((id) => `{"id":"${id}"}\n`);
    expect({ exit, stdout, rejections }).toEqual({ exit: 5, stdout: rows.join(""), rejections: 1 });
  });

  test("counts each key and each service separately; neither the file nor its name contains the key", async () => {
    const [one, other] = [await ledgerInTest(), await ledgerInTest()];
    const state = stateFolder();
    const bounds = { DEXDATA_STATE_DIR: state, DEXDATA_BUDGET_DAILY: "1" };
    for (const env of [one.env(), one.env("b"), other.env()]) {
      expect((await dexdata("networks", { env: { ...env, ...bounds } })).exit).toBe(0);
      expect((await dexdata("networks", { env: { ...env, ...bounds } })).exit).toBe(5);
    }
    expect([one.charged(), other.charged()]).toEqual([2, 1]);
    expect(filesOf(state)).toHaveLength(3);
    for (const name of filesOf(state)) {
      expect(name + readFileSync(path.join(state, name), "utf8")).not.toContain("api_");
    }
  });

  test("refunds responses that cost nothing, but not those that may have cost a credit", async () => {
    const { env, charged } = await ledgerInTest({ faults: "429x2,truncate@4" });
    const state = stateFolder();
    const outcome = await dexdata("pools search ethereum --limit 300", {
      env: { ...env(), DEXDATA_STATE_DIR: state, DEXDATA_BUDGET_DAILY: "100" },
    });
    expect({ exit: outcome.exit, charged: charged() }).toEqual({ exit: 0, charged: 4 });
    expect(spentIn(state)).toEqual({ day: "2026-11-21", credits: 4 });
    const refused = await ledgerInTest({ faults: "429" });
    const other = stateFolder();
    const { exit } = await dexdata("prices ethereum - --retries 0 --parallel 1", {
      env: { ...refused.env(), DEXDATA_STATE_DIR: other, DEXDATA_BUDGET_DAILY: "100" },
      stdin: unknownAddresses(30),
    });
    expect({ exit, spent: spentIn(other) }).toEqual({ exit: 6, spent: { day: "2026-11-21", credits: 0 } });
  });

  test("writes no file without the setting or with --sandbox", async () => {
    const { env } = await ledgerInTest();
    const state = stateFolder();
    await dexdata("networks", { env: { ...env(), DEXDATA_STATE_DIR: state } });
    const simulated = await dexdata("networks --sandbox", {
      env: { DEXDATA_STATE_DIR: state, DEXDATA_BUDGET_DAILY: "0" },
    });
    expect(simulated.exit).toBe(0);
    mkdirSync(state, { recursive: true });
    expect(filesOf(state)).toEqual([]);
  });

  test("fails before sending anything if the budget file cannot be read or written", async () => {
    const { env, requests } = await ledgerInTest();
    const notAFolder = path.join(folder, "not-a-folder");
    writeFileSync(notAFolder, "");
    const budget = { DEXDATA_BUDGET_DAILY: "100" };
    const blocked = await dexdata("networks", {
      env: { ...env(), ...budget, DEXDATA_STATE_DIR: path.join(notAFolder, "state") },
    });
    expect(failureOf(blocked)).toMatchObject({ exit: 2, code: "budget_not_kept" });
    expect(failureOf(blocked)["message"]).toContain(path.join(notAFolder, "state", "budget-"));
    expect(failureOf(blocked)["next"]).toContain("DEXDATA_STATE_DIR");

    const state = stateFolder();
    const all = { ...env(), ...budget, DEXDATA_STATE_DIR: state };
    await dexdata("networks", { env: all });
    const counts = ['"1"', "-1", "-1000", "1.5", "1e300", "null", "true", "9007199254740993"];
    const days = counts.map((count) => `{"day":"2026-11-21","credits":${count}}`);
    const earlier = '{"day":"2026-11-21","credits":1,"earlier":{"day":"2026-11-20","credits":-5}}';
    for (const damaged of ["{", "[]", "\n", ...days, earlier]) {
      writeFileSync(path.join(state, filesOf(state)[0] ?? ""), damaged);
      const outcome = await dexdata("networks", { env: all });
      expect({ damaged, code: failureOf(outcome)["code"] }).toEqual({ damaged, code: "budget_not_kept" });
    }
    expect(requests()).toBe(1);
  });

  test("treats an empty file, as left by a crash, as no spending, warns once, then counts as usual", async () => {
    const { env, charged } = await ledgerInTest();
    const state = stateFolder();
    const all = { ...env(), DEXDATA_STATE_DIR: state, DEXDATA_BUDGET_DAILY: "3" };
    await dexdata("networks", { env: all });
    const file = path.join(state, filesOf(state)[0] ?? "");
    writeFileSync(file, "");
    const first = await dexdata("networks", { env: all });
    expect({ exit: first.exit, stderr: first.stderr }).toEqual({
      exit: 0,
      stderr: `warning: ignoring ${file}: it is empty, so no spending is recorded for today\n`,
    });
    const second = await dexdata("networks", { env: all });
    expect({ exit: second.exit, stderr: second.stderr }).toEqual({ exit: 0, stderr: "" });
    expect(spentIn(state)).toEqual({ day: "2026-11-21", credits: 2 });
    expect([
      (await dexdata("networks", { env: all })).exit,
      (await dexdata("networks", { env: all })).exit,
    ]).toEqual([0, 5]);
    expect(charged()).toBe(4);
  });

  test("a count never falls while a process runs: the file is removed, emptied or started again by another process", async () => {
    const removals = [
      (file: string) => rmSync(file),
      (file: string) => writeFileSync(file, ""),
      (file: string) => writeFileSync(file, '{"day":"2026-11-21","credits":1,"series":"of another process"}'),
    ];
    for (const remove of removals) {
      const state = stateFolder();
      const server = await serveInTest((_, index) => {
        if (index === 2) remove(path.join(state, filesOf(state)[0] ?? ""));
        return json([]);
      });
      const { exit } = await dexdata("prices ethereum - --parallel 1", {
        env: { DEXDATA_BASE_URL: server.url, DEXDATA_STATE_DIR: state, DEXDATA_BUDGET_DAILY: "50" },
        stdin: unknownAddresses(100),
      });
      expect({ exit, requests: server.requests.length, spent: spentIn(state) }).toEqual({
        exit: 5,
        requests: 5,
        spent: { day: "2026-11-21", credits: 50 },
      });
    }
  });

  test("many processes whose file is removed while they run exceed the budget by few credits", async () => {
    const state = stateFolder();
    let removals = 0;
    const server = await serveInTest((_, index) => {
      // Every tenth request removes the file.
      if (index % 10 === 5) {
        for (const name of filesOf(state)) rmSync(path.join(state, name));
        removals += 1;
      }
      return json([]);
    });
    const runs = Array.from({ length: 4 }, async () =>
      dexdata("prices ethereum - --parallel 1", {
        env: { DEXDATA_BASE_URL: server.url, DEXDATA_STATE_DIR: state, DEXDATA_BUDGET_DAILY: "200" },
        stdin: unknownAddresses(500),
        random: Math.random,
      }),
    );
    for (const { exit } of await Promise.all(runs)) expect(exit).toBe(5);
    expect(removals).toBeGreaterThan(1);
    // At each removal, a credit that another process recorded since this one's last change may be lost.
    expect(server.requests.length).toBeLessThanOrEqual(20 + 3 * removals);
  });

  test("a clock that is set back over midnight, or to another year and back, continues on the day's count", async () => {
    const { env, charged } = await ledgerInTest();
    const state = stateFolder();
    const run = async (now: string) =>
      await dexdata("pools search ethereum --limit 200", {
        env: { ...env(), DEXDATA_STATE_DIR: state, DEXDATA_BUDGET_DAILY: "6" },
        now,
      });
    const times = ["2026-11-21T23:59:00Z", "2026-11-22T00:01:00Z", "2026-11-21T23:59:30Z"];
    for (const now of times) expect((await run(now)).exit).toBe(0);
    expect((await run("2026-11-21T23:59:40Z")).exit).toBe(0);
    expect((await run("2026-11-21T23:59:50Z")).exit).toBe(5);
    expect(charged()).toBe(8);
    expect((await run("2030-01-01T00:00:00Z")).exit).toBe(0);
    expect((await run("2026-11-21T23:59:59Z")).exit).toBe(5);
    expect(charged()).toBe(10);
  });

  test("counts the request of auth status", async () => {
    const { env, charged } = await ledgerInTest();
    const all = { ...env(), DEXDATA_STATE_DIR: stateFolder(), DEXDATA_BUDGET_DAILY: "1" };
    await dexdata("auth status", { env: all });
    expect((await dexdata("networks", { env: all })).exit).toBe(5);
    expect(charged()).toBe(1);
  });
});

describe("the reported cost of a run", () => {
  test("counts a truncated response as possibly charged", async () => {
    const { env } = await ledgerInTest({ faults: "truncate@2" });
    const { stderr } = await dexdata("pools search ethereum --limit 300 --stats", { env: env() });
    expect(stderr).toMatch(
      /^4 requests, 3 credits, plus up to 1 for an incomplete response \(4,999,996 left\), \d/mu,
    );
  });

  test("counts a complete but invalid response as charged", async () => {
    const { env } = await ledgerInTest({ faults: "invalid-json@1" });
    const { stderr } = await dexdata("networks --stats", { env: env() });
    expect(stderr).toMatch(/^1 request, 1 credit \(4,999,999 left\), /mu);
  });
});

describe("--require-plan", () => {
  test("ends before printing rows of a response with another plan", async () => {
    const { env } = await ledgerInTest({ faults: "plan=keyless@2" });
    const outcome = await dexdata("pools search ethereum --limit 300 --require-plan pro", { env: env() });
    expect(failureOf(outcome)).toMatchObject({ exit: 4, code: "other_plan" });
    expect(failureOf(outcome)["message"]).toContain(
      "the service applied the keyless plan, but --require-plan is pro",
    );
    expect(outcome.stdout.split("\n")).toHaveLength(101);
  });

  test("keeps both commands of its hint in the sandbox", async () => {
    const file = path.join(temporaryFolder(), "rows.ndjson");
    const { stderr } = await dexdata(
      `pools search ethereum --limit 300 --require-plan pro --sandbox --faults plan=dev@2 --out ${file} --resume`,
    );
    expect(stderr).toMatch(
      /: dexdata auth status --sandbox; continue: dexdata pools search [^;]* --sandbox /u,
    );
  });

  test("accepts responses with that plan, and those without a plan", async () => {
    const { env } = await ledgerInTest({ faults: "no-plan-header@2" });
    const { exit } = await dexdata("pools search ethereum --limit 300 --require-plan pro", { env: env() });
    expect(exit).toBe(0);
  });

  test("rejects an unknown plan before sending anything", async () => {
    const { env, requests } = await ledgerInTest();
    const outcome = await dexdata("networks --require-plan por", { env: env() });
    expect(failureOf(outcome)).toMatchObject({ exit: 2, next: "did you mean pro?" });
    expect(requests()).toBe(0);
  });
});

describe("402 during a pull", () => {
  test("rule 189: is not retried, even if --retry-on names it", async () => {
    const server = await serveInTest(() => json({ error: "payment_required" }, { status: 402 }));
    const { exit, stderr } = await dexdata("networks --retry-on 402", {
      env: { DEXDATA_BASE_URL: server.url },
    });
    expect({ exit, stderr: stderr.split("\n").length, requests: server.requests.length }).toEqual({
      exit: 5,
      stderr: 2,
      requests: 1,
    });
  });

  test("K11: no request follows the first 402, however many are waiting", async () => {
    const server = await serveInTest(async (_, index) => {
      if (index === 3)
        return json({ error: "payment_required", tier: "keyless", message: "no credits" }, { status: 402 });
      if (index > 3) await sleep(100);
      return json([]);
    });
    const { exit } = await dexdata("prices ethereum - --parallel 32 --rpm 100 --retries 3", {
      env: { DEXDATA_BASE_URL: server.url },
      stdin: unknownAddresses(1000),
      speed: 10,
    });
    expect(exit).toBe(5);
    // Ten requests are sent together; the others wait for the rate limit, and the 402 arrives first.
    expect(server.requests.length).toBeLessThanOrEqual(10);
  });

  test("K7: keeps the service's ways out, and adds the command that continues", async () => {
    const bodies = {
      keyless: [
        { links: { register: "https://console.example/" }, offer: { description: "10% off" } },
        "register for a free key: https://console.example/ (offer: 10% off)",
      ],
      free: [
        { links: { upgrade: "https://pricing.example/" } },
        "upgrade the plan: https://pricing.example/",
      ],
      pro: [
        { links: { portal: "https://portal.example/" } },
        "enable overage or raise the spend cap: https://portal.example/",
      ],
    } as const;
    for (const [tier, [more, advice]] of Object.entries(bodies)) {
      const results = Array.from({ length: 100 }, (_, index) => ({ id: `0x${index}`, chain: "ethereum" }));
      const server = await serveInTest(({ query }) =>
        query.has("cursor")
          ? json({ error: "payment_required", tier, message: "no credits", ...more }, { status: 402 })
          : json({ results, has_next_page: true, next_cursor: "b" }),
      );
      const key = tier === "keyless" ? {} : { DEXDATA_API_KEY: `api_${tier}_s3cr3t`, DEXDATA_TIER: tier };
      const env = { ...key, DEXDATA_BASE_URL: server.url, DEXDATA_PRO_BASE_URL: server.url };
      for (const [words, form] of [
        ["pools search ethereum --all", "more rows available; next page: dexdata pools search ethereum "],
        [
          `pools search ethereum --all --out ${stateFolder()}.ndjson --resume`,
          "continue: dexdata pools search ",
        ],
        [
          `pools search ethereum --all --out ${stateFolder()}.ndjson`,
          "continue: dexdata pools search ethereum ",
        ],
      ] as const) {
        const outcome = await dexdata(words, { env });
        expect(failureOf(outcome)).toMatchObject({ exit: 5, code: "payment_required" });
        expect(failureOf(outcome)["next"]).toContain(`${advice}; ${form}`);
      }
    }
  });

  test.each(["pools search sui --all", `txns ethereum ${pool} --from -3h --all`])(
    "%s: keeps the rows, and prints the command that fetches the others",
    async (words) => {
      const [poor, rich] = [await ledgerInTest({ credits: 3 }), await ledgerInTest()];
      const whole = await dexdata(words, { env: rich.env() });
      const first = await dexdata(words, { env: poor.env() });
      expect({ exit: first.exit, charged: poor.charged() }).toEqual({ exit: 5, charged: 3 });
      expect(failureOf(first)).toMatchObject({ code: "payment_required", status: 402 });
      expect(failureOf(first)["message"]).toContain("300 rows written");
      const second = await dexdata(wordsOf(failureOf(first)["next"]), { env: rich.env() });
      const rows = (first.stdout + second.stdout).trim().split("\n");
      expect(first.stdout.trim().split("\n")).toHaveLength(300);
      expect(rows).toEqual(whole.stdout.trim().split("\n"));
    },
  );
});

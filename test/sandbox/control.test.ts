import { afterEach, describe, expect, test } from "vitest";
import { dexdata, type Outcome, run } from "../harness/dexdata.ts";
import { createTestContext, type TestContext } from "../harness/test-context.ts";
import { type Answer, at, DAY, exchange, list } from "./contract/service.ts";

/** Runs `dexdata sandbox` with flags on the test's clocks, which move only through `advance`. */
interface Served {
  readonly context: TestContext;
  readonly ended: Promise<Outcome>;
  readonly free: string;
  readonly paid: string;
}

const running: Served[] = [];
afterEach(async () => {
  for (const { context, ended } of running.splice(0)) {
    context.interrupt({ cause: "SIGINT" });
    await ended;
  }
});

async function serve(flags: string): Promise<Served> {
  const context = createTestContext();
  const ended = run(["sandbox", "--port", "0", "--env", ...flags.split(" ")], context);
  await Promise.race([expect.poll(context.stdoutText, { timeout: 15_000 }).not.toBe(""), ended]);
  const url = (name: string): string =>
    new RegExp(`${name}=(\\S+)`, "u").exec(context.stdoutText())?.[1] ?? context.stderrText();
  const served = { context, ended, free: url("DEXDATA_BASE_URL"), paid: url("DEXDATA_PRO_BASE_URL") };
  running.push(served);
  return served;
}

const asPro = async ({ paid }: Served, path = "/usage"): Promise<Answer> =>
  await exchange(paid, path, { key: "api_pro_control" });
const keyless = async ({ free }: Served): Promise<Answer> => await exchange(free, "/networks", {});

async function statuses(count: number, ask: () => Promise<Answer>): Promise<readonly number[]> {
  const found: number[] = [];
  for (let asked = 0; asked < count; asked += 1) found.push((await ask()).status);
  return found;
}

describe("rate window", () => {
  test("204: --rpm sets the rate of every tier, --minute the length of its window", async () => {
    const served = await serve("--rpm 2 --minute 6s");
    expect(await statuses(3, () => asPro(served))).toEqual([200, 200, 429]);
    expect(await statuses(3, () => keyless(served))).toEqual([200, 200, 429]);
    const refused = await asPro(served);
    expect([refused.headers["retry-after"], refused.headers["ratelimit-limit"]]).toEqual(["6", "2"]);
    served.context.clock.advance(5999);
    expect((await asPro(served)).status).toBe(429);
    served.context.clock.advance(1);
    expect(await statuses(3, () => asPro(served))).toEqual([200, 200, 429]);
  });

  test("202: --minute alone does not change the rate of a tier", async () => {
    const served = await serve("--minute 500ms");
    expect((await statuses(16, () => keyless(served))).indexOf(429)).toBe(15);
    served.context.clock.advance(500);
    expect((await keyless(served)).status).toBe(200);
  });

  test("--rpm unlimited lifts the rate limit", async () => {
    const served = await serve("--rpm unlimited");
    expect(new Set(await statuses(40, () => keyless(served)))).toEqual(new Set([200]));
  });
});

describe("credits", () => {
  test("188, 207: --credits sets the credits of every tier", async () => {
    const served = await serve("--credits 2");
    expect(await statuses(3, () => asPro(served))).toEqual([200, 200, 402]);
    expect(await statuses(3, () => keyless(served))).toEqual([200, 200, 402]);
    const { body } = await asPro(served);
    expect(at(body, "credits")).toEqual({ plan: 2, packs: 0, limit: 2, used: 2, remaining: 0 });
    expect(at(body, "overage.enabled")).toBe(false);
  });

  test("210: --packs adds credits, for pro only", async () => {
    const served = await serve("--credits 2 --packs 3");
    expect(await statuses(6, () => asPro(served))).toEqual([200, 200, 200, 200, 200, 402]);
    expect(at((await asPro(served)).body, "credits")).toMatchObject({ plan: 2, packs: 3, limit: 5 });
    expect(await statuses(3, () => keyless(served))).toEqual([200, 200, 402]);
  });

  test("211: --overage-cap serves requests beyond the limit until the cap is reached", async () => {
    // At 20 USD per million credits, 0.00006 USD buys three credits.
    const served = await serve("--credits 2 --overage-cap 0.00006");
    expect(await statuses(6, () => asPro(served))).toEqual([200, 200, 200, 200, 200, 402]);
    const refused = await asPro(served);
    expect(at(refused.body, "overage")).toMatchObject({ enabled: true, cap: "0.00006", used: "0.00006" });
    expect(refused.headers["x-credits-remaining"]).toBe("0");
  });

  test("214: credits of a paid plan return at resets_at", async () => {
    const served = await serve("--credits 1 --clock 2026-06-29T23:00:00Z");
    expect(await statuses(2, () => asPro(served))).toEqual([200, 402]);
    expect(at((await asPro(served)).body, "resets_at")).toBe("2026-07-01T00:00:00Z");
    served.context.clock.advance((25 * 3600 - 1) * 1000);
    expect((await asPro(served)).status).toBe(402);
    served.context.clock.advance(1000);
    expect(await statuses(2, () => asPro(served))).toEqual([200, 402]);
  });

  test("215: credits of a keyless caller return one by one, 30 days after each use", async () => {
    const served = await serve("--credits 2");
    await keyless(served);
    served.context.clock.advance(DAY * 1000);
    expect(await statuses(2, () => keyless(served))).toEqual([200, 402]);
    served.context.clock.advance((29 * DAY - 1) * 1000);
    expect((await keyless(served)).status).toBe(402);
    served.context.clock.advance(1000);
    expect(await statuses(2, () => keyless(served))).toEqual([200, 402]);
  });

  test("214: --speed makes credits return sooner and does not change the rate window", async () => {
    const served = await serve("--credits 3 --rpm 3 --speed 86400");
    expect(await statuses(4, () => keyless(served))).toEqual([200, 200, 200, 429]);
    served.context.clock.advance(31_000);
    expect((await keyless(served)).status).toBe(429);
    served.context.clock.advance(29_000);
    expect((await keyless(served)).status).toBe(200);
  });
});

describe("other settings", () => {
  test("has the response forms of the public service, and with --dialect spec those of the specification", async () => {
    const [spec, served] = [await serve("--dialect spec"), await serve("--seed 1")];
    const path = "/networks?limit=1";
    expect(list((await asPro(spec, path)).body).length).toBe(35);
    expect(list((await asPro(served, path)).body).length).toBe(36);
    expect((await asPro(served, "/networks/eth/dexes")).body).toEqual({ message: expect.any(String) });
  });

  test("--faults injects the given faults", async () => {
    const served = await serve("--faults 503x1,429=9@2");
    expect(await statuses(3, () => asPro(served))).toEqual([503, 429, 200]);
  });

  test("--latency delays responses, and shutdown does not wait for them", async () => {
    const quick = await serve("--latency 60ms");
    const started = performance.now();
    expect((await asPro(quick)).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThan(55);
    const slow = await serve("--latency 1h");
    const ended = expect(asPro(slow)).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 50));
    slow.context.interrupt({ cause: "SIGINT" });
    expect((await slow.ended).exit).toBe(130);
    await ended;
  });

  test("--faults applies to a command with --sandbox, whose retries recover", async () => {
    const { exit, stdout } = await dexdata("networks --sandbox --faults 500x2,reset-before@3");
    expect([exit, stdout.split("\n").length]).toEqual([0, 37]);
    expect((await dexdata("networks --sandbox --faults 503")).exit).toBe(7);
    expect((await dexdata("networks --sandbox --faults html")).exit).toBe(4);
  });
});

describe("invalid flags", () => {
  test.each([
    ["--rpm 0", /^error: invalid --rpm "0": must be a whole number from 1 to /u],
    ["--rpm fast", /^error: invalid --rpm "fast": must be a whole number/u],
    ["--minute 6", /^error: invalid --minute "6": must be a duration .*\n {2}hint: did you mean 6s\?\n$/u],
    ["--credits -1", /^error: invalid --credits "-1": must be a whole number/u],
    ["--packs 1.5", /^error: invalid --packs "1.5": must be a whole number/u],
    [
      "--overage-cap much",
      /^error: invalid --overage-cap "much": must be an amount in USD, such as 20 or 0.5\n$/u,
    ],
    ["--latency 80", /^error: invalid --latency "80": must be a duration/u],
    ["--dialect pubic", /^error: invalid --dialect "pubic": .*\n {2}hint: did you mean public\?\n$/u],
    ["--faults 429x", /^error: --faults "429x": /u],
  ])("%s is rejected by name, and no server starts", async (flags, message) => {
    const { exit, stdout, stderr } = await dexdata(`sandbox --error-format text ${flags}`);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toMatch(message);
  });
});

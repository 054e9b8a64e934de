import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Outcome, run } from "../harness/dexdata.ts";
import { json, type Reply } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { createTestContext, type TestContextOptions } from "../harness/test-context.ts";

let state: string;

beforeEach(() => {
  state = mkdtempSync(path.join(tmpdir(), "dexdata-pace-"));
});

afterEach(() => rmSync(state, { recursive: true, force: true }));

interface Paced extends Outcome {
  /** Arrival time of each request, on the clock of the run. */
  readonly arrivals: readonly number[];
}

const pool = json('{"chain":"ethereum"}');
const tooMany = (headers: Record<string, string> = {}): Reply => json({}, { status: 429, headers });

type Answer = (now: number, index: number) => Reply;

/** Runs a command with its own server and a clock that starts at 0. All runs share the state directory. */
async function runCommand(
  words: readonly string[],
  options: TestContextOptions & { answer?: Answer; during?: (context: Outcome["context"]) => void } = {},
): Promise<Paced> {
  const arrivals: number[] = [];
  const { answer = () => pool } = options;
  const server = await serveInTest((_request, index) => {
    arrivals.push(context.clock.elapsed());
    return answer(context.clock.elapsed(), index);
  });
  const env = {
    DEXDATA_BASE_URL: server.url,
    DEXDATA_PRO_BASE_URL: server.url,
    DEXDATA_STATE_DIR: state,
    LANG: "C.UTF-8",
    ...options.env,
  };
  const context = createTestContext({ ...options, env });
  options.during?.(context);
  // The fast clock does not reach this timeout.
  const flags = ["--timeout", "10h", "--error-format", "text", "-o", "ndjson"];
  const outcome = await run([...words, ...flags], context);
  return { ...outcome, arrivals };
}

const addresses = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `0x${String(index + 1).padStart(40, "0")}`);

/** Arguments that cause `count` requests, 1 per address. */
const pools = (count: number, ...flags: readonly string[]): readonly string[] => [
  "pool",
  "ethereum",
  ...addresses(count),
  ...flags,
];

const keyed = { DEXDATA_API_KEY: "api_free_secret_of_mine", DEXDATA_TIER: "free" };

const gaps = ({ arrivals }: Paced): readonly number[] =>
  arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? 0));

/** One server address for several runs: the port is part of the service's name. */
function oneService(): Record<string, string> {
  return { DEXDATA_BASE_URL: "http://127.0.0.1:9/one", DEXDATA_PRO_BASE_URL: "http://127.0.0.1:9/one" };
}

describe("--rpm", () => {
  test.each([["0"], ["100001"], ["1.5"], ["-3"], ["many"], ["1e3"], ["Unlimited"]])(
    "%s is rejected before any request",
    async (rpm) => {
      const { exit, stderr, arrivals } = await runCommand(["networks", `--rpm=${rpm}`]);
      expect({ exit, requests: arrivals.length }).toEqual({ exit: 2, requests: 0 });
      expect(stderr).toContain(
        `invalid --rpm "${rpm}": must be a whole number from 1 to 100000, or unlimited`,
      );
    },
  );

  test("rejects the same values in DEXDATA_RPM and the config file", async () => {
    const env = await runCommand(["networks"], { env: { DEXDATA_RPM: "fast" } });
    expect([env.exit, env.stderr]).toEqual([
      2,
      expect.stringContaining('invalid DEXDATA_RPM "fast": must be'),
    ]);
    const set = await runCommand(["config", "set", "rpm", "0"]);
    expect(set.exit).toBe(2);
  });

  test("spreads N requests: a tenth of them per tenth of a minute", async () => {
    const paced = await runCommand(pools(10, "--rpm", "30"));
    expect(paced.exit).toBe(0);
    // Three per 6.12 s plus 100 ms.
    expect(gaps(paced)).toEqual([0, 0, 6220, 0, 0, 6220, 0, 0, 6220]);
    expect(paced.stderr).toBe("note: waiting 7s for the rate limit of 30 requests/min (set by --rpm)\n");
  });

  test("prefers the flag to the environment and that to config.json, and the message names the source", async () => {
    const env = { DEXDATA_RPM: "20" };
    const config = path.join(state, "config");
    mkdirSync(config);
    writeFileSync(path.join(config, "config.json"), '{"rpm": 10}');
    const inFile = { DEXDATA_CONFIG_DIR: config };
    const flag = await runCommand(pools(2, "--rpm", "9"), { env: { ...env, ...inFile } });
    expect([gaps(flag), flag.stderr]).toEqual([
      [6900],
      expect.stringContaining("of 9 requests/min (set by --rpm)"),
    ]);
    const variable = await runCommand(pools(3), { env: { ...env, ...inFile } });
    expect([gaps(variable), variable.stderr]).toEqual([
      [0, 6220],
      expect.stringContaining("(set by DEXDATA_RPM)"),
    ]);
    const setting = await runCommand(pools(2), { env: inFile });
    expect([gaps(setting), setting.stderr]).toEqual([
      [6220],
      expect.stringContaining(`(set by rpm in ${path.join(config, "config.json")})`),
    ]);
  });

  test("unlimited does not wait, and leaves no file", async () => {
    const free = await runCommand(pools(40, "--rpm", "unlimited"));
    expect([free.exit, free.context.clock.elapsed(), free.stderr]).toEqual([0, 0, ""]);
    expect(readdirSync(state)).toEqual([]);
  });

  test("waits after a 429 even with unlimited", async () => {
    const answer: Answer = (_now, index) => (index === 0 ? tooMany({ "retry-after": "30" }) : pool);
    const delayed = await runCommand(pools(3, "--rpm", "unlimited", "--parallel", "1"), { answer });
    expect(delayed.exit).toBe(0);
    expect(gaps(delayed)[0]).toBeGreaterThanOrEqual(30_000);
  });
});

describe("without --rpm", () => {
  test.each([
    ["keyless", {}, 15],
    ["free", keyed, 30],
    ["dev", { ...keyed, DEXDATA_TIER: "dev" }, 120],
  ] as const)("follows the rate limit of the %s plan, and reports a wait", async (plan, env, perMinute) => {
    const paced = await runCommand(pools(perMinute + 2), { env });
    expect(paced.exit).toBe(0);
    expect(paced.arrivals.slice(0, perMinute).every((at) => at === 0)).toBe(true);
    expect(paced.arrivals.slice(perMinute)).toEqual([61_200, 61_200]);
    expect(paced.stderr).toBe(
      `note: waiting 1m2s for the rate limit of ${perMinute} requests/min (${plan} plan; see --rpm)\n`,
    );
  });

  test("follows it with parallel requests too", async () => {
    const tokens = addresses(200);
    const paced = await runCommand(["prices", "ethereum", ...tokens, "--parallel", "8"], {
      answer: () => json("[]"),
    });
    expect(paced.arrivals.length).toBe(20);
    expect(paced.arrivals.filter((at) => at < 61_200).length).toBe(15);
  });

  test("has no limit for an enterprise plan until the service reports one", async () => {
    const env = { ...keyed, DEXDATA_TIER: "enterprise" };
    const free = await runCommand(pools(121), { env });
    expect([free.exit, free.context.clock.elapsed()]).toEqual([0, 0]);
    const answer = (): Reply => json("{}", { headers: { "ratelimit-limit": "6" } });
    const limited = await runCommand(pools(8, "--parallel", "1"), { env, answer });
    expect(limited.arrivals.slice(5)).toEqual([0, 61_200, 61_200]);
  });
});

describe("processes of one machine", () => {
  /** Sends a request that no server accepts, but that counts against the rate limit. */
  const sendOnce = async (words: readonly string[], env: Record<string, string> = {}): Promise<Paced> =>
    await runCommand([...words, "--retries", "0"], { env: { ...oneService(), ...env } });

  const sentIn = (): readonly number[] =>
    readdirSync(state).map((name) => {
      const { sends }: { sends: readonly { count: number }[] } = JSON.parse(
        readFileSync(path.join(state, name), "utf8"),
      );
      return sends.reduce((sum, { count }) => sum + count, 0);
    });

  test("with the same key count together", async () => {
    for (let process = 0; process < 15; process += 1) await sendOnce(["networks"]);
    expect(sentIn()).toEqual([15]);
    const waiting = await sendOnce(["networks"]);
    expect(waiting.stderr).toContain(
      "note: waiting 1m2s for the rate limit of 15 requests/min (keyless plan; see --rpm)\n",
    );
    expect(waiting.context.clock.elapsed()).toBe(61_200);
  });

  test("with another key, no key or another service do not", async () => {
    await sendOnce(["networks"]);
    await sendOnce(["networks"], keyed);
    await sendOnce(["networks"], { ...keyed, DEXDATA_API_KEY: "api_free_another_one" });
    await sendOnce(["networks"], { DEXDATA_BASE_URL: "http://127.0.0.1:9/other" });
    expect(sentIn()).toEqual([1, 1, 1, 1]);
    await sendOnce(["networks"], { DEXDATA_BASE_URL: "http://127.0.0.1:9/one/" });
    expect(sentIn().toSorted((one, other) => one - other)).toEqual([1, 1, 1, 2]);
    const written = readdirSync(state).map((name) => name + readFileSync(path.join(state, name), "utf8"));
    expect(written.join()).not.toMatch(/secret|another|api_|127/u);
  });

  test("count the plan lookup of auth status too", async () => {
    await sendOnce(["networks"], keyed);
    await runCommand(["auth", "status", "--retries", "0"], { env: { ...oneService(), ...keyed } });
    expect(sentIn()).toEqual([2]);
  });
});

describe("after a 429", () => {
  test("no process sends a request before Retry-After has passed", async () => {
    const origin = await serveInTest(() => tooMany({ "retry-after": "40" }));
    const env = { DEXDATA_BASE_URL: origin.url };
    const first = await runCommand(["networks", "--retries", "0"], { env });
    await origin.close();
    expect([first.exit, first.context.clock.elapsed()]).toEqual([6, 0]);
    const second = await runCommand(["networks", "--retries", "0"], { env });
    expect(second.exit).toBe(7);
    expect(second.context.clock.elapsed()).toBeGreaterThanOrEqual(40_000);
    expect(second.stderr).toContain("note: waiting 40s: the service requested a pause for this key\n");
  });

  test("does not start a wait longer than --retry-max-time; --rpm unlimited sends anyway", async () => {
    const origin = await serveInTest((_request, index) =>
      index === 0 ? tooMany({ "retry-after": "600" }) : json("[]"),
    );
    const env = { DEXDATA_BASE_URL: origin.url };
    await runCommand(["networks"], { env });
    const second = await runCommand(["networks"], { env });
    expect([second.exit, second.context.clock.elapsed(), origin.requests.length]).toEqual([6, 0, 1]);
    const until = new Date(Math.ceil((second.context.clock.now() + 600_000) / 1000) * 1000).toISOString();
    expect(second.stderr).toBe(
      `error: rate limit exceeded: the service requested a pause for this key until ${until.replace(".000", "")}\n` +
        "  hint: waiting 10m1s would exceed --retry-max-time; raise it, use another key (--profile), or add --rpm unlimited\n",
    );
    const third = await runCommand(["networks", "--rpm", "unlimited"], { env });
    expect([third.exit, origin.requests.length]).toEqual([0, 2]);
    const fourth = await runCommand(["networks", "--retry-max-time", "2h"], { env });
    expect(fourth.exit).toBe(0);
    expect(fourth.context.clock.elapsed()).toBeGreaterThanOrEqual(600_000);
  });

  const longWaits: readonly (readonly [string, string, Reply])[] = [
    ["3601 s", "1h1s", tooMany({ "retry-after": "3601" })],
    ["55 years", "20414d9h", tooMany({ "retry-after": "1763800000" })],
    ["more than a number holds", "more than a hundred years", tooMany({ "retry-after": "9".repeat(400) })],
    ["4000 s in the body", "1h6m40s", json({ retry_after: 4000 }, { status: 429 })],
    ["4000 s with status 500", "1h6m40s", json({}, { status: 500, headers: { "retry-after": "4000" } })],
    ["4000 s with status 503", "1h6m40s", json({}, { status: 503, headers: { "retry-after": "4000" } })],
  ];
  test.each(longWaits)(
    "does not wait for a service that requests a wait of %s, whatever --retry-max-time allows",
    async (_, requested, reply) => {
      const words = ["networks", "--retry-max-time", "900d", "--retry-on", "503"];
      const { exit, stdout, stderr, arrivals, context } = await runCommand(words, { answer: () => reply });
      expect({ exit, stdout, requests: arrivals.length, waited: context.clock.elapsed() }).toEqual({
        exit: 6,
        stdout: "",
        requests: 1,
        waited: 0,
      });
      expect(stderr).toBe(
        `error: the service requested a wait of ${requested}, longer than the limit of 1h\n` +
          `  hint: try again in ${requested}, or use another key (--profile)\n`,
      );
    },
  );

  test("waits for an hour", async () => {
    const answer: Answer = (_now, index) => (index === 0 ? tooMany({ "retry-after": "3600" }) : json("[]"));
    const words = ["networks", "--retry-max-time", "2h"];
    const { exit, context } = await runCommand(words, { answer, speed: 10_000 });
    expect(exit).toBe(0);
    expect(context.clock.elapsed()).toBeGreaterThanOrEqual(3_600_000);
  });

  test("other commands with the key wait at most an hour, and --rpm unlimited does not wait", async () => {
    const origin = await serveInTest((_request, index) =>
      index === 0 ? tooMany({ "retry-after": "1763800000" }) : json("[]"),
    );
    const env = { DEXDATA_BASE_URL: origin.url };
    expect((await runCommand(["networks"], { env })).exit).toBe(6);
    expect((await runCommand(["networks", "--rpm", "unlimited"], { env })).exit).toBe(0);
    const blocked = await runCommand(["networks"], { env });
    expect([blocked.exit, origin.requests.length]).toEqual([6, 2]);
    const patient = await runCommand(["networks", "--retry-max-time", "2h"], { env, speed: 10_000 });
    expect(patient.exit).toBe(0);
    expect(patient.context.clock.elapsed()).toBeGreaterThanOrEqual(3_600_000);
    expect(patient.context.clock.elapsed()).toBeLessThan(3_601_000);
  });

  test("a file of an earlier version that blocks the key for a day blocks it for an hour", async () => {
    const env = oneService();
    await runCommand(["networks"], { env });
    const [name = ""] = readdirSync(state);
    const hold = { heard: 0, until: 86_400_000 };
    writeFileSync(path.join(state, name), JSON.stringify({ sends: [], refused: [], hold }));
    const words = ["networks", "--retries", "0"];
    const during = ({ clock }: Outcome["context"]): void => clock.advance(3_600_000);
    const later = await runCommand(words, { env, during });
    // The request was sent: exit 7, because no server listens at that address.
    expect([later.exit, later.context.clock.elapsed()]).toEqual([7, 3_600_000]);
  });

  test("a single 429 does not slow a pull", async () => {
    const answer: Answer = (_now, index) => (index === 20 ? tooMany({ "retry-after": "1" }) : pool);
    const paced = await runCommand(pools(40), { env: { ...keyed, DEXDATA_TIER: "dev" }, answer });
    expect(paced.exit).toBe(0);
    expect(paced.context.clock.elapsed()).toBeLessThan(1500);
  });

  test.each([
    [1, 2],
    // Requests that run in parallel reach the limit together.
    [8, 4 * 8],
  ])(
    "two 429s reveal the limit: no more follow, and no row is lost (%i in parallel)",
    async (parallel, most) => {
      const accepted: number[] = [];
      let refusals = 0;
      const answer: Answer = (now) => {
        const inside = accepted.filter((at) => at > now - 60_000);
        if (inside.length < 10) {
          accepted.push(now);
          return pool;
        }
        refusals += 1;
        return tooMany({ "retry-after": String(Math.ceil(((inside[0] ?? now) + 60_000 - now) / 1000)) });
      };
      const paced = await runCommand(pools(50, "--parallel", String(parallel)), { env: keyed, answer });
      expect([paced.exit, accepted.length]).toEqual([0, 50]);
      expect(refusals).toBeGreaterThanOrEqual(2);
      expect(refusals).toBeLessThanOrEqual(most);
      // Ten per minute require four waits; one more if rejected requests used up some of the limit.
      expect(paced.context.clock.elapsed()).toBeLessThan((parallel === 1 ? 4 : 5) * 61_200 + 3000);
      expect(paced.stderr).toContain(
        "for the rate limit of 10 requests/min (learned from the service; see --rpm)",
      );
    },
  );

  test("keeps an explicit rate all the same", async () => {
    const answer: Answer = (_now, index) =>
      index % 7 === 6 ? tooMany({ "retry-after": "1", "ratelimit-limit": "2" }) : pool;
    const paced = await runCommand(pools(30, "--rpm", "600"), { answer });
    expect(paced.exit).toBe(0);
    expect(paced.context.clock.elapsed()).toBeLessThan(20_000);
  });

  test("RateLimit-Limit lowers the rate for other processes too", async () => {
    const origin = await serveInTest(() => json("[]", { headers: { "ratelimit-limit": "3" } }));
    const env = { DEXDATA_BASE_URL: origin.url };
    const waits: number[] = [];
    for (let process = 0; process < 4; process += 1) {
      waits.push((await runCommand(["networks"], { env })).context.clock.elapsed());
    }
    expect(waits).toEqual([0, 0, 0, 61_200]);
  });
});

describe("if the state cannot be saved", () => {
  test.each([["/dev/null/state"], ["a file"]])(
    "%s: prints one warning, and limits only this process",
    async (folder) => {
      const file = path.join(state, "file");
      writeFileSync(file, "");
      const env = { DEXDATA_STATE_DIR: folder === "a file" ? file : folder };
      const paced = await runCommand(pools(17), { env });
      expect(paced.exit).toBe(0);
      expect(paced.arrivals.slice(14)).toEqual([0, 61_200, 61_200]);
      const lines = paced.stderr.split("\n");
      expect(lines[0]).toMatch(
        /^warning: the request rate cannot be shared with other processes: \/.*: (?:part of the path is not a directory|already exists)$/u,
      );
      expect(lines.slice(1)).toEqual([
        expect.stringMatching(/^note: waiting 1m2s for the rate limit of 15/u),
        "",
      ]);
    },
  );

  test("replaces a damaged file without a message", async () => {
    await runCommand(["networks"], { env: oneService() });
    const [name] = readdirSync(state);
    const file = path.join(state, name ?? "");
    writeFileSync(file, '{"sends":[{"at":12');
    const { stderr } = await runCommand(["networks", "--retries", "0"], { env: oneService() });
    expect(stderr).not.toContain("pace");
    expect(readFileSync(file, "utf8")).toBe('{"sends":[{"at":0,"count":1}],"refused":[],"openings":[]}');
  });
});

test("deletes the state of a service that was not used for a day when another service is used", async () => {
  const old = path.join(state, `pace-${"0f".repeat(16)}.json`);
  const twoDaysAgo = Date.parse("2026-11-19T08:54:00Z") / 1000;
  for (const file of [old, `${old}.0123456789abcdef.new`, path.join(state, "budget.json")]) {
    writeFileSync(file, "{}");
    utimesSync(file, twoDaysAgo, twoDaysAgo);
  }
  await runCommand(["networks"], { env: oneService() });
  expect(readdirSync(state).toSorted()).toEqual(["budget.json", expect.stringMatching(/^pace-/u)]);
  expect(existsSync(old)).toBe(false);
});

describe("a wait for the rate limit ends", () => {
  test("at --deadline, immediately", async () => {
    const late = await runCommand(pools(16, "--deadline", "30s"));
    expect([late.exit, late.arrivals.length, late.context.clock.elapsed()]).toEqual([7, 15, 30_000]);
    expect(late.stderr).toContain("--deadline of 30s reached");
  });

  test("on Ctrl-C, immediately", async () => {
    const stopped = await runCommand(pools(16), {
      speed: 1,
      during: (context) => {
        const look = setInterval(() => {
          if (!context.stderrText().includes("waiting")) return;
          clearInterval(look);
          context.interrupt({ cause: "SIGINT" });
        }, 5);
      },
    });
    expect([stopped.exit, stopped.arrivals.length, stopped.context.clock.elapsed()]).toEqual([130, 15, 0]);
  });
});

describe("--sandbox", () => {
  test("has its own rate limit, which follows the plan without a 429 and without a file", async () => {
    const words = pools(17);
    const flags = ["--sandbox", "--tier", "keyless", "-v"];
    const alone = await runCommand([...words, ...flags], { env: { DEXDATA_BASE_URL: "" } });
    const statuses = alone.stderr.match(/ (?:200|404|429) \d+ms/gu)?.map((text) => text.slice(1, 4));
    expect(statuses).toEqual(Array.from({ length: 17 }, () => "404"));
    expect(alone.context.clock.elapsed()).toBe(61_200);
    expect(readdirSync(state)).toEqual([]);
  });
});

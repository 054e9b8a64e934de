import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RunningSandbox } from "../../src/sandbox/server.ts";
import { binaryEnv, type Ended, ended, program, start } from "../harness/binary.ts";
import { startSandbox } from "../harness/bundled-sandbox.ts";
import { dexdata } from "../harness/dexdata.ts";
import { inTime } from "../harness/in-time.ts";
import { isLong } from "../harness/long.ts";
import { lockOfGone, lockOfRunning } from "../harness/lock-token.ts";
import { fieldOf } from "../harness/rows.ts";
import { sandboxNow } from "../harness/sandbox.ts";

interface Served {
  readonly status: number;
  readonly url: string;
  readonly at: number;
}

let sandbox: RunningSandbox;
let served: Served[];
let state: string;

/** A service whose rate window is six seconds long and that accepts this many requests in it. */
async function open(requestsPerMinute: number): Promise<void> {
  sandbox = await startSandbox({
    now: () => sandboxNow,
    elapsed: () => performance.now(),
    requestsPerMinute,
    minuteMs: 6000,
    log: ({ status, url }) => served.push({ status, url, at: performance.now() }),
  });
}

beforeEach(() => {
  served = [];
  state = mkdtempSync(path.join(tmpdir(), "dexdata-pace-"));
});

afterEach(async () => {
  await sandbox.close();
  rmSync(state, { recursive: true, force: true });
});

const key = (): string => sandbox.keys.pro;

const env = (): Record<string, string> => ({
  DEXDATA_PRO_BASE_URL: sandbox.restPaid,
  DEXDATA_API_KEY: key(),
  DEXDATA_TIER: "pro",
  DEXDATA_STATE_DIR: state,
});

async function poolIds(limit: number): Promise<readonly string[]> {
  const { stdout } = await dexdata(`pools search ethereum --limit ${limit} -o ndjson`, { env: env() });
  return fieldOf(stdout, "id").map(String);
}

/** Runs `xargs -P 8 -n 1 dexdata pool ethereum` on the addresses and measures the time. */
async function xargs(ids: readonly string[], rpm: string): Promise<Ended & { readonly took: number }> {
  const command = `xargs -P 8 -n 1 "$NODE" "$PROGRAM" pool ethereum --rpm ${rpm} -o ndjson --fields id`;
  const shellEnv = { ...binaryEnv(env()), NODE: process.execPath, PROGRAM: program };
  const begun = performance.now();
  const child = spawn("bash", ["-c", command], { env: shellEnv, stdio: "pipe" });
  child.stdin.end(`${ids.join("\n")}\n`);
  const over = await ended(child, 200_000);
  return { ...over, took: performance.now() - begun };
}

describe("many processes with one key", () => {
  // The rate is at least a tenth below the service's rate: a busy machine may delay a request after its turn.
  // `client/pace.test.ts`, whose clock is under the test's control, shows that the exact rate is never
  // exceeded.
  const [pools, accepted, rpm] = isLong ? [60, 30, 270] : [24, 12, 100];
  test(
    `xargs -P 8 over ${pools} pools: all are delivered within 25 s without a 429`,
    { timeout: 300_000 },
    async () => {
      // Without a rate limit, one window accepts a third: this measures the time that the machine needs to start this
      // many programs.
      await open(accepted);
      const ids = await poolIds(pools);
      const { took: startingThird } = await xargs(ids.slice(0, pools / 3), "unlimited");
      // Another service, which has counted none of these requests.
      await sandbox.close();
      await open(accepted);
      served.length = 0;
      const { exit, stdout, stderr, took } = await xargs(ids, String(rpm));
      const statuses = [...new Set(served.map(({ status }) => status))];
      const lines = stderr.split("\n").slice(0, -1);
      const line = /^note: waiting \ds for the rate limit of \d+ requests\/min \(set by --rpm\)$/u;
      const others = lines.filter((each) => !line.test(each));
      expect({ exit, statuses, others }).toEqual({ exit: 0, statuses: [200], others: [] });
      expect(served.length).toBe(pools);
      expect(new Set(fieldOf(stdout.toString("utf8"), "id"))).toEqual(new Set(ids));
      // On a busy machine, starting the programs alone takes longer; the limit then proves less.
      expect(took).toBeLessThan(Math.max(25_000, 14 * startingThird));
      // Two windows must pass, however fast the machine is.
      expect(took).toBeGreaterThan(2 * 6220);
      expect(lines.length).toBeLessThanOrEqual(pools);
    },
  );

  test("the sandbox rejects requests above its --rpm if the client has no rate limit", async () => {
    await open(30);
    const asking = `"${process.execPath}" "${program}" networks --rpm unlimited --retries 0 -o ndjson`;
    const command = `${asking} >/dev/null && ${asking} >/dev/null && ${asking}`;
    const { exit, stderr } = await ended(start(["sandbox", "--rpm", "2", "--", "sh", "-c", command]));
    expect([exit, stderr]).toEqual([6, expect.stringContaining('"status":429')]);
  });

  test("the key is in no name and no content of the shared files", async () => {
    await open(30);
    const { exit } = await ended(start(["networks"], env()));
    expect(exit).toBe(0);
    const names = readdirSync(state);
    expect(names).toEqual([expect.stringMatching(/^pace-[\da-f]{32}\.json$/u)]);
    const content = readFileSync(path.join(state, names[0] ?? ""), "utf8");
    expect(content).toContain('"sends":[{"at":');
    for (const secret of [key(), key().slice(4), "127.0.0.1"]) {
      expect(content).not.toContain(secret);
      expect(names.join()).not.toContain(secret);
    }
  });
});

/** The exit code and the duration in milliseconds. */
async function timed(child: ReturnType<typeof start>): Promise<{ exit: number | null; took: number }> {
  const begun = performance.now();
  const { exit } = await ended(child, 60_000);
  return { exit, took: performance.now() - begun };
}

const networks = ["networks", "--rpm", "60", "-o", "ndjson"];

describe("killed processes", () => {
  test("that wait for a slot or take one do not block the others", async () => {
    await open(6);
    // The kills cover every stage of a run, from loading to the wait for a slot.
    const killed = Array.from({ length: 24 }, async (_, number) => {
      await new Promise((resolve) => setTimeout(resolve, Math.floor(number / 6) * 500));
      const child = start(networks, env());
      setTimeout(() => child.kill("SIGKILL"), 150 + number * 40);
      return await ended(child);
    });
    await Promise.all(killed);
    const { exit, took } = await timed(start(networks, env()));
    expect(exit).toBe(0);
    // A window, the time after which a lock counts as abandoned, and a start on a busy machine.
    expect(took).toBeLessThan(6220 + 2000 + 3000);
    // On a busy machine, one request may arrive so late after its slot that another one is too early.
    expect(served.filter(({ status }) => status !== 200).length).toBeLessThanOrEqual(1);
    expect(readdirSync(state).filter((name) => name.endsWith(".lock"))).toEqual([]);
  }, 60_000);

  test.each([
    ["of an ended process is taken at once", lockOfGone, 1500],
    // As if the process were stopped, or another process had its ID.
    ["of a live process that does not release it is taken after two seconds", lockOfRunning, 4500],
  ])("a lock %s", async (_what, holder, bound) => {
    await open(6);
    await ended(start(networks, env()));
    const [name] = readdirSync(state);
    mkdirSync(state, { recursive: true });
    writeFileSync(path.join(state, `${name ?? ""}.lock`), holder());
    const { exit, took } = await timed(start(networks, env()));
    expect(exit).toBe(0);
    expect(took).toBeLessThan(bound + 1500);
    expect(readdirSync(state)).toEqual([name]);
  });

  test("Ctrl-C ends a wait for the rate limit at once", async () => {
    await open(6);
    const slowly = ["networks", "--rpm", "1"];
    await ended(start(slowly, env()));
    const child = start(slowly, env());
    const said = await new Promise((resolve) => child.stderr.once("data", resolve));
    expect(String(said)).toMatch(
      /^note: waiting (?:1m(?:\ds)?|\d\ds) for the rate limit of 1 request\/min \(set by --rpm\)\n$/u,
    );
    child.kill("SIGINT");
    expect((await inTime(1000, ended(child))).exit).toBe(130);
    expect(served.length).toBe(1);
  });
});

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RunningSandbox } from "../../src/sandbox/server.ts";
import { binaryEnv, type Ended, ended, program, start } from "../harness/binary.ts";
import { startSandbox } from "../harness/bundled-sandbox.ts";
import { inTime } from "../harness/in-time.ts";
import { lockOfGone, lockOfRunning } from "../harness/lock-token.ts";
import { fieldOf, toRow } from "../harness/rows.ts";
import { sandboxNow } from "../harness/sandbox.ts";

interface Served {
  readonly status: number;
  readonly url: string;
  readonly at: number;
}

let sandbox: RunningSandbox;
let served: Served[];
let state: string;

/** A service whose minute is six seconds long, and lets so many through in it. */
async function open(requestsPerMinute: number): Promise<void> {
  sandbox = await startSandbox({
    now: () => sandboxNow,
    elapsed: () => performance.now(),
    requestsPerMinute,
    minuteMs: 6000,
    log: (line) => {
      const { status, url } = toRow(line);
      served.push({ status: Number(status), url: String(url), at: performance.now() });
    },
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
  const words = [
    "pools",
    "search",
    "ethereum",
    "--limit",
    String(limit),
    "--rpm",
    "unlimited",
    "-o",
    "ndjson",
  ];
  const { stdout } = await ended(start(words, env()));
  served.length = 0;
  return fieldOf(stdout.toString("utf8"), "id").map(String);
}

/** `xargs -P 8 -n 1 dexdata pool ethereum` over the ids; and how long it took. */
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
  // A tenth below the service's rate: a busy machine may hold a request up between its turn and its leaving. That the exact
  // rate is never passed is shown in `client/pace.test.ts`, where the clock belongs to the test.
  test(
    "xargs -P 8 over 120 pools: all delivered within 31 s, and not one answer of 429",
    { timeout: 300_000 },
    async () => {
      await open(30);
      const ids = await poolIds(120);
      // Without a pace, as many as one minute allows: what the machine itself needs to start so many programs.
      const { took: startingTwenty } = await xargs(ids.slice(0, 20), "unlimited");
      // The service's minute, which those were counted in.
      await new Promise((resolve) => setTimeout(resolve, 6100));
      served.length = 0;
      const { exit, stdout, stderr, took } = await xargs(ids, "270");
      const statuses = [...new Set(served.map(({ status }) => status))];
      const lines = stderr.split("\n").slice(0, -1);
      const line = /^note: waiting \ds for the rate limit of 270 requests\/min \(set by --rpm\)$/u;
      const others = lines.filter((each) => !line.test(each));
      expect({ exit, statuses, others }).toEqual({ exit: 0, statuses: [200], others: [] });
      expect(served.length).toBe(120);
      expect(new Set(fieldOf(stdout.toString("utf8"), "id"))).toEqual(new Set(ids));
      // On a machine that others keep busy, starting 120 programs alone takes longer: then the bound says less.
      expect(took).toBeLessThan(startingTwenty < 4000 ? 31_000 : 18 * startingTwenty);
      // Three windows have to pass, however fast the machine.
      expect(took).toBeGreaterThan(3 * 6220);
      expect(lines.length).toBeLessThanOrEqual(90);
    },
  );

  test("without a pace there would be: the sandbox's own --rpm is the service's rate", async () => {
    await open(30);
    const asking = `"${process.execPath}" "${program}" networks --rpm unlimited --retries 0 -o ndjson`;
    const command = `${asking} >/dev/null && ${asking} >/dev/null && ${asking}`;
    const { exit, stderr } = await ended(start(["sandbox", "--rpm", "2", "--", "sh", "-c", command]));
    expect([exit, stderr]).toEqual([6, expect.stringContaining('"status":429')]);
  });

  test("the key is in no name and no content of what they share", async () => {
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

/** Exit code, and milliseconds it took. */
async function timed(child: ReturnType<typeof start>): Promise<{ exit: number | null; took: number }> {
  const begun = performance.now();
  const { exit } = await ended(child, 60_000);
  return { exit, took: performance.now() - begun };
}

const networks = ["networks", "--rpm", "60", "-o", "ndjson"];

describe("processes that are killed", () => {
  test("while they wait or take their turn: the others go on", async () => {
    await open(6);
    // At every moment of a run, from loading to the wait for a place.
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
    expect(served.filter(({ status }) => status !== 200)).toEqual([]);
    expect(readdirSync(state).filter((name) => name.endsWith(".lock"))).toEqual([]);
  }, 60_000);

  test.each([
    ["of a process that is gone, at once", lockOfGone, 1500],
    // As if it were stopped, or its number another's by now.
    ["of one that lives and does not let go, after two seconds", lockOfRunning, 4500],
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

  test("Ctrl-C ends a wait at once", async () => {
    await open(6);
    const slowly = ["networks", "--rpm", "1"];
    await ended(start(slowly, env()));
    const child = start(slowly, env());
    const said = await new Promise((resolve) => child.stderr.once("data", resolve));
    expect(String(said)).toMatch(
      /^note: waiting 1m\ds for the rate limit of 1 request\/min \(set by --rpm\)\n$/u,
    );
    child.kill("SIGINT");
    expect((await inTime(1000, ended(child))).exit).toBe(130);
    expect(served.length).toBe(1);
  });
});

import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningSandbox } from "../../src/sandbox/server.ts";
import { binaryEnv, ended, program, start } from "../harness/binary.ts";
import { parseFaults, startSandbox } from "../harness/bundled-sandbox.ts";
import { dataFiles, hashesOf, periodsBelow } from "../harness/lake.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { sandboxNow } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const pools = isLong ? 50 : 4;
const from = isLong ? "2026-11-15" : "2026-11-19";
const kills = isLong ? 100 : 5;
const folder = temporaryFolder();
const list = path.join(folder, "pools.ndjson");
const shortList = path.join(folder, "few-pools.ndjson");
/** What an undisturbed sync makes. */
const whole = path.join(folder, "whole");

let [faulty, sound]: (RunningSandbox | undefined)[] = [];
let [requests, undisturbed] = [0, 0];

beforeAll(async () => {
  const parsed = parseFaults("429=1:3%,500:3%,reset-body:2%,truncate:1%");
  const options = {
    now: () => sandboxNow,
    elapsed: () => performance.now(),
    requestsPerMinute: Number.POSITIVE_INFINITY,
    // A request that meets a fault is repeated, which is not the subject here.
    log: (request: object) => void (requests += "faults" in request ? 0 : 1),
  };
  faulty = await startSandbox({ ...options, faults: parsed });
  sound = await startSandbox(options);
  const search = dexdata(sound, ["pools", "search", "ethereum", "--limit", "50", "-o", "ndjson"]);
  const rows = (await ended(search)).stdout.toString("utf8").trimEnd().split("\n");
  writeFileSync(list, `${rows.slice(-pools).join("\n")}\n`);
  writeFileSync(shortList, `${rows.slice(-4).join("\n")}\n`);
  requests = 0;
  const { exit, stderr } = await ended(sync(sound, whole), 120_000);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  undisturbed = requests;
}, 150_000);
afterAll(async () => {
  await faulty?.close();
  await sound?.close();
});

function dexdata(sandbox: RunningSandbox | undefined, words: readonly string[]) {
  return start([...words, "--rpm", "unlimited", "--now", "2026-11-21T08:54:00Z"], serviceOf(sandbox));
}

function serviceOf(sandbox: RunningSandbox | undefined) {
  if (sandbox === undefined) throw new Error("the sandbox is not running");
  return {
    DEXDATA_API_KEY: sandbox.keys.pro,
    DEXDATA_TIER: "pro",
    DEXDATA_PRO_BASE_URL: sandbox.restPaid,
  };
}

/** Long waits are reported even with --quiet. */
const withoutRetries = (stderr: string): string => stderr.replaceAll(/^note: .+; retrying in \d+s\n/gmu, "");

const sync = (sandbox: RunningSandbox | undefined, root: string) =>
  dexdata(sandbox, ["sync", root, `@${list}`, "--from", from, "-q"]);

test(
  `a sync of ${pools} pools under faults, killed ${kills} times, produces the files of an undisturbed one`,
  async () => {
    const expected = hashesOf(whole);
    const random = createRandom(5);
    const root = path.join(folder, "killed");
    for (let [done, syncs] = [0, 0]; done < kills; syncs += 1) {
      rmSync(root, { recursive: true, force: true });
      requests = 0;
      let killedHere = 0;
      for (;;) {
        const child = sync(faulty, root);
        // Each kill comes later than the one before, so that a run ends on a slow machine, too.
        const timer = setTimeout(() => child.kill("SIGKILL"), 150 + random() * 700 + killedHere * 400);
        const outcome = await ended(child, 120_000);
        clearTimeout(timer);
        if (outcome.signal === "SIGKILL") [done, killedHere] = [done + 1, killedHere + 1];
        else
          expect({ exit: outcome.exit, stderr: withoutRetries(outcome.stderr) }).toEqual({
            exit: 0,
            stderr: "",
          });
        // At no moment does a name stand for a file that is not whole.
        for (const name of dataFiles(root)) expect(Object.keys(expected)).toContain(name);
        if (outcome.exit === 0) break;
      }
      const footers = async (lake: string) =>
        (await periodsBelow(lake)).map(({ name, footer }) => [name, footer]);
      expect(await footers(root)).toEqual(await footers(whole));
      expect(hashesOf(root)).toEqual(expected);
      expect(readdirSync(path.join(root, ".dexdata", "work"))).toEqual([]);
      process.stdout.write(`sync: ${requests} requests with ${killedHere} kills, ${undisturbed} without\n`);
      expect(requests).toBeLessThanOrEqual(undisturbed + 8 * killedHere);
      if (syncs > 4 * kills) throw new Error("no run was killed");
    }
  },
  isLong ? 3_600_000 : 240_000,
);

test("a killed run leaves only complete files, and what it had fetched is not fetched again", async () => {
  const root = path.join(folder, "once");
  requests = 0;
  const child = sync(sound, root);
  const stop = setInterval(() => {
    if (requests > undisturbed / 2) child.kill("SIGKILL");
  }, 1);
  await ended(child, 120_000);
  clearInterval(stop);
  expect((await ended(sync(sound, root), 120_000)).exit).toBe(0);
  expect(requests).toBeLessThanOrEqual(undisturbed + 8);
  expect(hashesOf(root)).toEqual(hashesOf(whole));
});

test("a directory can be moved", async () => {
  const [root, moved] = [path.join(folder, "here"), path.join(folder, "there")];
  cpSync(whole, root, { recursive: true });
  renameSync(root, moved);
  requests = 0;
  expect(await ended(dexdata(sound, ["sync", moved]), 60_000)).toMatchObject({ exit: 0, stderr: "" });
  expect(requests).toBe(0);
});

test("a full disk is exit 1, no file is half, and the next run completes the directory", async () => {
  const root = path.join(folder, "disk");
  // As on a full disk, writes fail in the middle of a file.
  const env = { ...binaryEnv(serviceOf(sound)), NODE: process.execPath, PROGRAM: program };
  const words = `sync ${root} @${list} --from ${from} --rpm unlimited --now 2026-11-21T08:54:00Z --error-format text`;
  const limited = spawn("bash", ["-c", `ulimit -f 16; "$NODE" "$PROGRAM" ${words}`], { env, stdio: "pipe" });
  const outcome = await ended(limited, 120_000);
  expect(outcome.exit).toBe(1);
  expect(outcome.stderr).toContain("cannot be written (file too large)");
  expect(outcome.stderr).toContain("hint: raise the file size limit");
  const expected = hashesOf(whole);
  for (const [name, hash] of Object.entries(hashesOf(root))) expect(hash, name).toBe(expected[name]);
  expect((await ended(sync(sound, root), 120_000)).exit).toBe(0);
  expect(hashesOf(root)).toEqual(expected);
});

test("two syncs and a pull at once share the rate limit and never exceed it", async () => {
  const statuses: number[] = [];
  const limited = await startSandbox({
    now: () => sandboxNow,
    elapsed: () => performance.now(),
    minuteMs: 3000,
    log: ({ status }) => void statuses.push(status),
  });
  const state = path.join(folder, "state");
  mkdirSync(state);
  const run = (words: readonly string[]) =>
    start([...words, "--now", "2026-11-21T08:54:00Z", "-q"], {
      ...serviceOf(limited),
      DEXDATA_STATE_DIR: state,
    });
  try {
    const lakes = ["pace-one", "pace-two"].map((name) => [
      "sync",
      path.join(folder, name),
      `@${shortList}`,
      "--from",
      from,
    ]);
    const pull = ["ohlcv", "ethereum", "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2", "--from", "2026-11-01"];
    const outcomes = await Promise.all(
      [...lakes, pull].map(async (words) => await ended(run(words), 240_000)),
    );
    expect(outcomes.map(({ exit }) => exit)).toEqual([0, 0, 0]);
    expect(statuses.filter((status) => status === 429)).toEqual([]);
    expect(statuses.length).toBeGreaterThan(12);
  } finally {
    await limited.close();
  }
}, 300_000);

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningSandbox } from "../../src/sandbox/server.ts";
import { ended, start } from "../harness/binary.ts";
import { parseFaults, startSandbox } from "../harness/bundled-sandbox.ts";
import { dexdata } from "../harness/dexdata.ts";
import { createRandom } from "../harness/random.ts";
import { isLong } from "../harness/long.ts";
import { linesIn } from "../harness/paged-list.ts";
import { toRow } from "../harness/rows.ts";
import { sandboxNow } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const rows = isLong ? 20_000 : 8000;
const kills = isLong ? 100 : 5;
const faults = "429=1:5%,500:3%,reset-body:2%,truncate:1%";
const folder = temporaryFolder();

let [faulty, sound]: (RunningSandbox | undefined)[] = [];
beforeAll(async () => {
  const parsed = parseFaults(faults);
  const options = {
    now: () => sandboxNow,
    elapsed: () => performance.now(),
    requestsPerMinute: Number.POSITIVE_INFINITY,
  };
  faulty = await startSandbox({ ...options, faults: parsed });
  sound = await startSandbox(options);
});
afterAll(async () => {
  await faulty?.close();
  await sound?.close();
});

function wordsFor(file: string, more: readonly string[], limit = rows): readonly string[] {
  const range = `txns ethereum ${pool} --to 2026-11-21T08:54:00Z --limit ${limit} --rpm unlimited`;
  return [...range.split(" "), "--out", file, ...more];
}

function envOf(sandbox: RunningSandbox | undefined) {
  if (sandbox === undefined) throw new Error("the sandbox is not running");
  return {
    DEXDATA_API_KEY: sandbox.keys.pro,
    DEXDATA_TIER: "pro",
    DEXDATA_PRO_BASE_URL: sandbox.restPaid,
  };
}

const pull = (sandbox: RunningSandbox | undefined, file: string, more: readonly string[]) =>
  start(wordsFor(file, more), envOf(sandbox));

test(
  `promise 11: a pull of ${rows} rows under faults, killed ${kills} times, produces the file of an uninterrupted pull`,
  async () => {
    const whole = path.join(folder, "whole.ndjson");
    const { exit, stderr } = await ended(pull(sound, whole, []), 60_000);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });

    const random = createRandom(7);
    const file = path.join(folder, "killed.ndjson");
    for (let [done, pulls] = [0, 0]; done < kills; pulls += 1) {
      for (const ending of ["", ".part", ".resume"]) rmSync(`${file}${ending}`, { force: true });
      for (let runs = 0; ; runs += 1) {
        // Every second pull starts without --resume, so that its rows are in FILE.part.
        const child = pull(faulty, file, pulls % 2 === 1 && runs === 0 ? [] : ["--resume"]);
        const killed = setTimeout(() => child.kill("SIGKILL"), 150 + random() * (isLong ? 1500 : 700));
        const outcome = await ended(child, 60_000);
        clearTimeout(killed);
        if (outcome.signal === "SIGKILL") done += 1;
        else expect({ exit: outcome.exit, stderr: outcome.stderr }).toEqual({ exit: 0, stderr: "" });
        if (outcome.exit === 0) break;
        if (done >= kills) {
          expect((await ended(pull(faulty, file, ["--resume"]), 60_000)).exit).toBe(0);
          break;
        }
      }
      expect(readFileSync(file).equals(readFileSync(whole))).toBe(true);
      expect(readdirSync(folder).filter((name) => name.startsWith("killed"))).toEqual(["killed.ndjson"]);
    }
  },
  isLong ? 1_200_000 : 120_000,
);

test("the receipt of a killed pull names the credits of requests whose responses were lost", async () => {
  const parsed = parseFaults("slow-headers=40ms");
  let charged = 0;
  const sandbox = await startSandbox({
    now: () => sandboxNow,
    elapsed: () => performance.now(),
    requestsPerMinute: Number.POSITIVE_INFINITY,
    faults: parsed,
    log: ({ status }) => (charged += Number(status === 200)),
  });
  const file = path.join(folder, "charged.ndjson");
  const receipt = `${file}.receipt`;
  const words = ["--resume", "--parallel", "8", "--receipt", receipt];
  for (let lines = 1500; lines <= 4500; lines += 1500) {
    const child = pull(sandbox, file, words);
    await linesIn(file, lines);
    child.kill("SIGKILL");
    await ended(child);
  }
  expect((await ended(pull(sandbox, file, words), 60_000)).exit).toBe(0);
  const { requests, credits } = JSON.parse(readFileSync(receipt, "utf8"));
  expect(credits.spent + credits.in_doubt).toBe(requests);
  expect(credits.in_doubt).toBeGreaterThan(0);
  // A response that came after the last checkpoint of a run is in no count.
  expect(requests).toBeLessThanOrEqual(charged);
  await sandbox.close();
});

test("after a kill at any byte of file and journal, the resumed pull produces the same file", async () => {
  const whole = path.join(folder, "bytes-whole.ndjson");
  const small = (file: string) => wordsFor(file, ["--page-size", "20", "--resume"], 400);
  const resume = async () => await dexdata(small(file), { env: envOf(sound) });
  expect((await dexdata(small(whole), { env: envOf(sound) })).exit).toBe(0);
  const expected = readFileSync(whole);

  const file = path.join(folder, "bytes.ndjson");
  const child = start(small(file), envOf(sound));
  const stop = setInterval(() => {
    try {
      if (readFileSync(file).length > expected.length / 3) child.kill("SIGKILL");
    } catch {
      // The file does not exist yet.
    }
  }, 1);
  await ended(child);
  clearInterval(stop);
  const [rowsThen, journalThen] = [readFileSync(file), readFileSync(`${file}.resume`)];
  const random = createRandom(11);
  for (let trial = 0; trial < 8; trial += 1) {
    writeFileSync(file, rowsThen.subarray(0, Math.floor(random() * (rowsThen.length + 1))));
    writeFileSync(`${file}.resume`, journalThen.subarray(0, Math.floor(random() * (journalThen.length + 1))));
    const [head, first, ...rest] = readFileSync(`${file}.resume`, "utf8").split("\n");
    if (head === undefined || first === undefined) continue;
    const size = readFileSync(file).length;
    // A file shorter than its first page could be an unrelated file, which is rejected.
    if (rest.length > 0 && size > 0 && size < Number(toRow(first)["bytes"])) {
      expect((await resume()).exit).toBe(2);
      continue;
    }
    const { exit, stderr } = await resume();
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(readFileSync(file).equals(expected)).toBe(true);
  }
});

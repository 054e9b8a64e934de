import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { ended, start } from "../harness/binary.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const sandbox = useSandbox({ requestsPerMinute: Number.POSITIVE_INFINITY });
const folder = temporaryFolder();
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const rows = isLong ? 100_000 : 4000;
const kills = isLong ? 100 : 4;

function pull(file: string) {
  const words = `txns ethereum ${pool} --to 2026-11-21T08:54:00Z --limit ${rows} --rpm unlimited`;
  return start([...words.split(" "), "--out", file, "--resume"], sandbox.env());
}

/** All files of a directory and of those below it, by name. */
function filesIn(below: string): ReadonlyMap<string, Buffer> {
  const found = readdirSync(below, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const names = found.map(({ parentPath, name }) => path.relative(below, path.join(parentPath, name)));
  return new Map(names.toSorted().map((name) => [name, readFileSync(path.join(below, name))]));
}

const isTemporary = (name: string): boolean => /\.[\da-f]{16}\.new$/u.test(name);

/** Half of the kills hit the pull while it makes its files, and the others hit it at any time. */
async function killed(file: string, below: string, random: () => number, isPacking: boolean) {
  const child = pull(file);
  const end = ended(child, 120_000);
  if (!isPacking) await Promise.race([end, sleep(100 + random() * (isLong ? 4000 : 800))]);
  else {
    while (child.exitCode === null && !readdirSync(below, { recursive: true }).map(String).some(isTemporary))
      await sleep(2);
    await sleep(random() * (isLong ? 1500 : 30));
  }
  child.kill("SIGKILL");
  return await end;
}

test.each(["rows.ndjson.gz", "rows.parquet", "{network}/{date-hour}.ndjson"])(
  `a pull of ${rows} rows into %s, killed ${kills} times, half of them while it makes its files, ends with the same bytes`,
  async (name) => {
    const below = path.join(folder, `killed-${name.length}`);
    const [whole, file] = [path.join(below, "whole", name), path.join(below, "killed", name)];
    for (const made of ["whole", "killed"]) mkdirSync(path.join(below, made), { recursive: true });
    sandbox.takeLog();
    expect(await ended(pull(whole), 120_000)).toMatchObject({ exit: 0, stderr: "" });
    const pages = sandbox.takeLog().length;
    const expected = filesIn(path.join(below, "whole"));
    const [first = ""] = expected.keys();
    const random = createRandom(3);
    let [done, whilePacking, killsOfPull] = [0, 0, 0];
    for (let attempt = 0; done < kills; attempt += 1) {
      expect(attempt).toBeLessThan(20 * kills);
      const isPacking = done % 2 === 1;
      const outcome = await killed(file, path.join(below, "killed"), random, isPacking);
      const left = filesIn(path.join(below, "killed"));
      const wasKilled = outcome.signal === "SIGKILL";
      // Just before it exits, a pull has removed its checkpoint, so there is nothing to resume.
      const isComplete = ![...left.keys()].some((each) => each.endsWith(".resume")) && left.has(first);
      if (wasKilled) {
        const isHit = [...left.keys()].some(isTemporary);
        if (isHit) whilePacking += 1;
        // The pull may have made its files before the signal arrived. Then the next kill has to hit it.
        if (isHit || !isPacking) done += 1;
        killsOfPull += 1;
        for (const [each, bytes] of expected)
          if (left.has(each)) expect(left.get(each)?.equals(bytes)).toBe(true);
        if (done < kills && !isComplete) continue;
      }
      const last = wasKilled && !isComplete ? await ended(pull(file), 120_000) : outcome;
      if (last !== outcome || !wasKilled) expect(last.exit, last.stderr).toBe(0);
      const made = new Map(
        [...filesIn(path.join(below, "killed"))].filter(([each]) => !each.endsWith(".lock")),
      );
      expect([...made.keys()]).toEqual([...expected.keys()]);
      for (const [each, bytes] of expected) expect(made.get(each)?.equals(bytes)).toBe(true);
      expect(sandbox.takeLog().length).toBeLessThanOrEqual(pages + 8 * killsOfPull);
      killsOfPull = 0;
      for (const each of filesIn(path.join(below, "killed")).keys()) rmSync(path.join(below, "killed", each));
    }
    expect(whilePacking).toBeGreaterThanOrEqual(Math.floor(kills / 2));
  },
  isLong ? 1_800_000 : 120_000,
);

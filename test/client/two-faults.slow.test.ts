import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { dexdata, type Outcome } from "../harness/dexdata.ts";
import { type DisturbedList, disturbedLists, pools } from "../harness/disturbed-lists.ts";
import { randomOf } from "../harness/disturbing/disturbances.ts";
import { drawFaults } from "../harness/disturbing/draw-faults.ts";
import { traceOf } from "../harness/disturbing/draw-strikes.ts";
import { createFaultyService } from "../harness/disturbing/faulty-service.ts";
import { lockOfGone } from "../harness/lock-token.ts";
import { isLong } from "../harness/long.ts";
import { fieldOf, toRow } from "../harness/rows.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

/**
 * Two or three faults at once. Each pull has up to four runs, the last one without faults; some of them are killed.
 * The usual seeds fail if pages are not checked for their size, their cursor or repeated rows.
 * `DEXDATA_TEST_SEED=17` repeats a failure; `DEXDATA_TEST_FIRST=1001 DEXDATA_TEST_PULLS=500` tries other seeds.
 */
const onlySeed = process.env["DEXDATA_TEST_SEED"];
const firstSeed = Number(onlySeed ?? process.env["DEXDATA_TEST_FIRST"] ?? 5);
const usualPulls = Number(process.env["DEXDATA_TEST_PULLS"] ?? (isLong ? 2000 : 60));
const seeds = Array.from({ length: onlySeed === undefined ? usualPulls : 1 }, (_, at) => firstSeed + at);
const lastRun = 4;

const folder = temporaryFolder();
const lists = disturbedLists.filter(
  ({ by, isLong: isDeep, proof }) =>
    by === undefined && isDeep !== true && proof !== "record" && proof !== "atOnce",
);

/** What one run of a pull was expected to do. */
interface Expected {
  /** Those of an undisturbed pull. */
  readonly rows: readonly string[];
  /** False for a pull that does not begin at the first row, unless it has a limit. */
  readonly isComplete: boolean;
  readonly isAnyOrder: boolean;
  readonly isLast: boolean;
}

function problemOf({ exit, stderr }: Outcome, dir: string, expected: Expected): string | undefined {
  const { isComplete, isAnyOrder, isLast } = expected;
  const receipt = toRow(readFileSync(path.join(dir, "receipt"), "utf8"));
  if (/internal error|bug in/u.test(stderr)) return "an internal error";
  if (exit !== 0) {
    if (receipt["complete"] !== false) return "complete, although the exit is not 0";
    if (!/"message":"[^"]{10,}/u.test(stderr)) return "no message";
    return isLast ? "still not complete without faults" : undefined;
  }
  const textOf = (rows: readonly string[]): string => (isAnyOrder ? rows.toSorted() : rows).join("\n");
  if (textOf(rowsIn(dir)) !== textOf(expected.rows))
    return `${rowsIn(dir).length} rows instead of ${expected.rows.length}, or other ones`;
  return receipt["complete"] === isComplete ? undefined : `complete: ${String(receipt["complete"])}`;
}

function rowsIn(dir: string): readonly string[] {
  return readFileSync(path.join(dir, "rows"), "utf8").split("\n").slice(0, -1);
}

/** Leaves on disk what kill -9 would have left at that moment. */
function restore(state: string, dir: string): void {
  rmSync(dir, { recursive: true });
  cpSync(state, dir, { recursive: true });
  for (const name of readdirSync(dir).filter((each) => each.includes("lock")))
    writeFileSync(path.join(dir, name), lockOfGone());
}

describe.each(["spec", "public"] as const)("%s dialect", (dialect) => {
  const sandbox = useSandbox({ requestsPerMinute: Number.POSITIVE_INFINITY, dialect });
  const { script, begin } = createFaultyService(() => sandbox.running().restPaid);
  const input = { cursor: "", tokens: "", url: "" };
  const known = new Map<string, { readonly rows: readonly string[]; readonly trace: readonly string[] }>();
  beforeAll(async () => {
    const env = sandbox.env();
    const found = await dexdata("tokens search ethereum --limit 65 -q -o ndjson", { env });
    const swaps = await dexdata(`txns ethereum ${pools.own} --limit 60 -q -o ndjson`, { env });
    input.tokens = fieldOf(found.stdout, "address").join("\n");
    input.cursor = String(fieldOf(swaps.stdout, "id").at(-1));
  });

  const run = async ({ tokens }: DisturbedList, words: string, dir: string): Promise<Outcome> => {
    const files = `--out ${path.join(dir, "rows")} --receipt ${path.join(dir, "receipt")} --resume`;
    const argv = `${words.replace("{cursor}", input.cursor)} ${files} -o ndjson --rpm unlimited`;
    const env = { ...sandbox.env(), DEXDATA_PRO_BASE_URL: input.url };
    return await dexdata(argv, { env, stdin: tokens === undefined ? "" : input.tokens });
  };

  const undisturbed = async (list: DisturbedList) => {
    const found = known.get(list.name);
    if (found !== undefined) return found;
    const { exchanges } = begin(list.foreign);
    const dir = path.join(folder, `${dialect}-${list.name.replaceAll(/\W/gu, "-")}`);
    mkdirSync(dir);
    expect(await run(list, list.words, dir)).toMatchObject({ exit: 0 });
    const made = { rows: rowsIn(dir), trace: traceOf(exchanges) };
    known.set(list.name, made);
    return made;
  };

  /** Returns what went wrong, with all facts. */
  const pullWithFaults = async (seed: number): Promise<string | undefined> => {
    const list = lists[seed % lists.length];
    if (list === undefined) throw new Error("there is no such list");
    const { rows, trace } = await undisturbed(list);
    const random = randomOf(seed);
    const below = (count: number): number => Math.floor(random() * count);
    const retries = ["", "", " --retries 0", " --retries 1"][below(4)] ?? "";
    const isLimited = random() < 0.2 && list.words.includes("--all");
    const limit = isLimited ? 1 + below(rows.length) : rows.length;
    const words = limit < rows.length ? list.words.replace("--all", `--limit ${limit}`) : list.words;
    const dir = path.join(folder, `${dialect}-${seed}`);
    mkdirSync(dir);
    const facts = [`${dialect}, seed ${seed}: ${words}${retries}`];
    for (let number = 1; number <= lastRun; number += 1) {
      const isLast = number === lastRun;
      const killAt = !isLast && random() < 0.4 ? 1 + below(trace.length) : 0;
      let isKilled = false;
      const pull = { list, dialect, trace, isPatient: retries === "", isLimited: limit < rows.length };
      const planned = drawFaults(pull, seed * 10 + number);
      const { faults } = begin(list.foreign, trace, isLast ? undefined : planned, (requests) => {
        if (requests !== killAt) return;
        rmSync(`${dir}-killed`, { recursive: true, force: true });
        cpSync(dir, `${dir}-killed`, { recursive: true });
        isKilled = true;
      });
      const outcome = await run(list, words + retries, dir);
      facts.push(`${faults.join()} exit ${outcome.exit}${isKilled ? " killed" : ""}`);
      const isAnyOrder = list.isUnordered === true || facts.some((fact) => fact.includes("reordered"));
      const isComplete = limit < rows.length || !/--(?:page|cursor) /u.test(list.words);
      const expected = { rows: rows.slice(0, limit), isComplete, isAnyOrder, isLast };
      const problem = problemOf(outcome, dir, expected);
      if (problem !== undefined) return `${problem}: ${facts.join("; ")}; ${outcome.stderr.slice(0, 400)}`;
      if (isKilled) restore(`${dir}-killed`, dir);
      else if (outcome.exit === 0) return undefined;
    }
    return undefined;
  };

  test(`${seeds.length} pulls are right, or name what is not confirmed`, async () => {
    input.url = (await serveInTest(script)).url;
    const failures: string[] = [];
    for (const seed of seeds) {
      const problem = await pullWithFaults(seed);
      if (problem !== undefined) failures.push(problem);
    }
    expect(failures).toEqual([]);
  }, 7_200_000);
});

import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { listedIn, writeSurvivors } from "./report.ts";
import { serveOrders } from "./runner.ts";
import { drawMutants, type Mutant } from "./sample.ts";
import { subjects } from "./subjects.ts";
import { createWorker, type Worker } from "./worker.ts";
import { words } from "./words.ts";

/**
 * Changes the sources in small ways and checks whether the tests notice: npm run test:mutations [-- --short].
 */
const SEED = 20_261_121;
const PER_SUBJECT = 36;
const SHORT_PER_SUBJECT = 2;
const WORKERS = 2;
const LIMIT = 60_000;
/** The share of mutants that must be noticed. */
const LEAST = 0.9;

const { values } = parseArgs({
  options: {
    runner: { type: "boolean", default: false },
    /** A few mutants of each subject, all of which must be noticed. */
    short: { type: "boolean", default: false },
    /** Only mutants of files with this in their path; no report is written then. */
    only: { type: "string", default: "" },
    /** Only mutants that the full form listed, to see which of them new tests notice. */
    again: { type: "boolean", default: false },
    seed: { type: "string", default: String(SEED) },
  },
});

if (values.runner) await serveOrders();
else await checkMutants();

async function checkMutants(): Promise<void> {
  const seed = Number(values.seed);
  const drawn = drawMutants(seed, PER_SUBJECT).filter(({ file }) => file.includes(values.only));
  const mutants = values.short ? takeShort(drawn) : values.again ? listedIn(drawn) : drawn;
  const survivors: Mutant[] = [];
  // Files left by the tests whose processes are killed; outside the directory in which the tests of a
  // surrounding run look for keys.
  const folder = mkdtempSync(path.resolve("coverage/mutants-"));
  process.env["TMPDIR"] = folder;
  const workers = Array.from({ length: WORKERS }, () => createWorker(fileURLToPath(import.meta.url), LIMIT));
  const end = (): void => {
    for (const worker of workers) worker.end();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      end();
      process.exit(1);
    });
  }
  await share(workers, mutants, async (worker, mutant) => {
    const started = Date.now();
    const { isNoticed, by } = await worker.judge(mutant);
    if (!isNoticed) survivors.push(mutant);
    // Test names may contain keys, and a program started by a test must not write keys.
    if (values.short && isNoticed) return;
    const took = ((Date.now() - started) / 1000).toFixed(1).padStart(5);
    const noticedBy = by[0] === undefined ? "" : `\n                  by ${by[0].slice(0, 100)}`;
    console.log(`${isNoticed ? "noticed " : "SURVIVED"} ${took} s  ${mutant.name}${noticedBy}`);
  });
  await share(workers, controlsOf(mutants), async (worker, tests) => {
    // This runs afterwards, so that effects of earlier changes are noticed as well.
    const { isNoticed, by } = await worker.judge({ file: "", source: "", tests });
    if (isNoticed) throw new Error(`fails without a change: ${tests.join(", ")}: ${by.join(", ")}`);
  }).finally(end);
  const all = values.again ? drawn : mutants;
  const noticed = all.length - survivors.length;
  console.log(`${noticed} of ${all.length} noticed`);
  process.exitCode = noticed >= all.length * (values.short ? 1 : LEAST) ? 0 : 1;
  if (!values.short && values.only === "") writeSurvivors(seed, all, survivors);
}

/** Distributes the items to free workers. */
async function share<T>(
  workers: readonly Worker[],
  items: readonly T[],
  task: (worker: Worker, item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  await Promise.all(
    workers.map(async (worker) => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await task(worker, item);
    }),
  );
}

/** The lists of tests that must pass on unchanged sources; in the short form for each subject separately. */
function controlsOf(mutants: readonly Mutant[]): readonly (readonly string[])[] {
  const lists = new Map(mutants.map(({ tests }) => [tests.join(" "), tests]));
  return values.short ? [["test/render/sanitize.test.ts"]] : [...lists.values()];
}

/** The first mutants drawn for each subject that the full form noticed. */
function takeShort(drawn: readonly Mutant[]): readonly Mutant[] {
  return subjects.flatMap(({ files }) =>
    drawn
      .filter(({ file, name }) => Object.hasOwn(files, file) && !Object.hasOwn(words, name))
      .slice(0, SHORT_PER_SUBJECT),
  );
}

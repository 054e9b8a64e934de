import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { writeSurvivors } from "./report.ts";
import { serveOrders } from "./runner.ts";
import { drawMutants, type Mutant } from "./sample.ts";
import { subjects } from "./subjects.ts";
import { createWorker } from "./worker.ts";
import { words } from "./words.ts";

/** Changes the sources in small ways and asks whether the tests notice: npm run test:mutations [-- --short]. */
const SEED = 20_261_121;
const PER_SUBJECT = 36;
const SHORT_PER_SUBJECT = 2;
const WORKERS = 2;
const LIMIT = 60_000;

const { values } = parseArgs({
  options: {
    runner: { type: "boolean", default: false },
    /** A few mutants of each subject, all of which must be noticed. */
    short: { type: "boolean", default: false },
    /** Only mutants of files with this in their path; nothing is written then. */
    only: { type: "string", default: "" },
    seed: { type: "string", default: String(SEED) },
  },
});

if (values.runner) await serveOrders();
else await checkMutants();

async function checkMutants(): Promise<void> {
  const drawn = drawMutants(Number(values.seed), PER_SUBJECT).filter(({ file }) =>
    file.includes(values.only),
  );
  const mutants = values.short ? takeShort(drawn) : drawn;
  const queue = [...mutants];
  const survivors: Mutant[] = [];
  const workers = Array.from({ length: WORKERS }, () => createWorker(fileURLToPath(import.meta.url), LIMIT));
  await Promise.all(
    workers.map(async (worker) => {
      for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
        const started = Date.now();
        const { isNoticed, by } = await worker.judge(mutant);
        if (!isNoticed) survivors.push(mutant);
        const took = ((Date.now() - started) / 1000).toFixed(1);
        console.log(`${isNoticed ? "noticed " : "SURVIVED"} ${took.padStart(5)} s  ${mutant.name}`);
        if (by[0] !== undefined) console.log(`                  by ${by[0].slice(0, 100)}`);
      }
      worker.end();
    }),
  );
  const noticed = mutants.length - survivors.length;
  console.log(`${noticed} of ${mutants.length} noticed`);
  if (values.short) process.exitCode = survivors.length === 0 ? 0 : 1;
  else process.exitCode = noticed >= mutants.length * 0.9 ? 0 : 1;
  if (!values.short && values.only === "") writeSurvivors(Number(values.seed), mutants, survivors);
}

/** The first ones drawn, of each subject, that the full form noticed. */
function takeShort(drawn: readonly Mutant[]): readonly Mutant[] {
  return subjects.flatMap(({ files }) =>
    drawn
      .filter(({ file, name }) => Object.hasOwn(files, file) && !Object.hasOwn(words, name))
      .slice(0, SHORT_PER_SUBJECT),
  );
}

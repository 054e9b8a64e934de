import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { binaryEnv, ended, type Ended, program } from "../harness/binary.ts";
import { dexdata } from "../harness/dexdata.ts";
import { deepList, faultyService, pagedLists, type PagedList, pageFaults } from "../harness/faulty-lists.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { toRow } from "../harness/rows.ts";
import type { Script } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const folder = temporaryFolder();
const file = path.join(folder, "rows.ndjson");
const receipt = path.join(folder, "receipt.json");

const wordsFor = (list: PagedList): readonly string[] => [
  ...list.words.split(" "),
  "--rpm",
  "unlimited",
  "--out",
  file,
  "--receipt",
  receipt,
  "--resume",
];
const envOf = (url: string) => ({
  DEXDATA_PRO_BASE_URL: url,
  DEXDATA_API_KEY: "api_pro_0123456789",
  DEXDATA_TIER: "pro",
  DEXDATA_NOW: "2026-11-21T08:54:00Z",
});

/** One run of the built program; `started` receives its process. */
async function run(
  list: PagedList,
  url: string,
  started: (kill: () => void) => void = () => undefined,
): Promise<Ended> {
  const child = spawn(
    process.execPath,
    ["--require", path.resolve("test/harness/short-waits.cjs"), program, ...wordsFor(list)],
    { env: binaryEnv(envOf(url)), stdio: "pipe" },
  );
  started(() => child.kill("SIGKILL"));
  return await ended(child, 60_000);
}

function clean(): void {
  for (const each of [file, `${file}.resume`, `${file}.lock`, receipt]) rmSync(each, { force: true });
}

const undisturbed = new Map<string, { readonly rows: string; readonly requests: number }>();
async function soundPull(list: PagedList): Promise<{ readonly rows: string; readonly requests: number }> {
  const known = undisturbed.get(list.name);
  if (known !== undefined) return known;
  clean();
  const server = await serveInTest(faultyService());
  const { exit, stderr } = await dexdata(wordsFor(list), { env: envOf(server.url) });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  const sound = { rows: readFileSync(file, "utf8"), requests: server.requests.length };
  undisturbed.set(list.name, sound);
  return sound;
}

const counts = { pulls: 0, killed: 0, complete: 0, failed: 0, unnoticed: 0 };

/** A pull with a fault, killed as it sends the request with that number, then continued. */
async function judge(list: PagedList, faults: string, killAt: number, delay: number): Promise<void> {
  const sound = await soundPull(list);
  clean();
  let kill = (): void => undefined;
  const service = faultyService(faults);
  const script: Script = (request, index) => {
    if (index === killAt) setTimeout(() => kill(), delay);
    return service(request, index);
  };
  const server = await serveInTest(script);
  const first = await run(list, server.url, (killChild) => (kill = killChild));
  kill = (): void => undefined;
  const isKilled = first.signal === "SIGKILL";
  const { exit, stderr } = isKilled ? await run(list, server.url) : first;
  counts.pulls += 1;
  counts.killed += isKilled ? 1 : 0;
  const said = { list: list.name, faults, killAt, stderr };
  expect([0, 1, 8], JSON.stringify({ ...said, exit })).toContain(exit);
  const { complete, proof } = toRow(readFileSync(receipt, "utf8"));
  expect({ ...said, complete }).toEqual({ ...said, complete: exit === 0 });
  if (exit !== 0) {
    counts.failed += 1;
    return;
  }
  const isWhole = readFileSync(file, "utf8") === sound.rows;
  if (!isWhole)
    expect({ ...said, hasCount: list.hasCount, proof }).toEqual({
      ...said,
      hasCount: false,
      proof: "end of list",
    });
  counts[isWhole ? "complete" : "unnoticed"] += 1;
}

afterAll(() => {
  const { pulls, killed, complete, failed, unnoticed } = counts;
  console.log(
    `${pulls} pulls with a page fault, ${killed} of them killed and continued: ${complete} complete, ${failed} failed, ${unnoticed} short where the service gives no count`,
  );
  expect(complete / pulls).toBeGreaterThanOrEqual(0.95);
});

/** The candles of 20 days take a long time. */
const lists = isLong ? pagedLists : pagedLists.filter(({ words }) => !words.includes("ohlcv"));

test.each([...lists, deepList].map((list) => [list.name, list] as const))(
  "%s survives page faults and a kill -9 at any time",
  async (name, list) => {
    const { requests } = await soundPull(list);
    const random = createRandom(name.length * 7);
    const below = (most: number): number => Math.floor(random() * most);
    const isDeep = list === deepList;
    const runs = isLong ? (isDeep ? 300 : requests * pageFaults.length) : isDeep ? 2 : 1;
    for (let index = 0; index < runs; index += 1) {
      const fault = pageFaults[isLong ? index % pageFaults.length : below(pageFaults.length)];
      const position = isLong && !isDeep ? 1 + Math.floor(index / pageFaults.length) : 1 + below(requests);
      await judge(list, `${fault}@${position}`, below(requests), below(12));
    }
  },
  isLong ? 3_600_000 : 60_000,
);

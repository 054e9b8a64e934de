import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { deepList, faultyService, pagedLists, type PagedList, pageFaults } from "../harness/faulty-lists.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { toRow } from "../harness/rows.ts";
import { empty, type Script } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const folder = temporaryFolder();

const paid = (url: string): Readonly<Record<string, string>> => ({
  DEXDATA_PRO_BASE_URL: url,
  DEXDATA_API_KEY: "api_pro_0123456789",
  DEXDATA_TIER: "pro",
  DEXDATA_NOW: "2026-11-21T08:54:00Z",
});

interface Pull {
  readonly exit: number;
  readonly stdout: string;
  readonly requests: number;
  /** From the receipt. */
  readonly complete: unknown;
  readonly proof: unknown;
  readonly rows: unknown;
}

async function pull({ words }: PagedList, faults?: string): Promise<Pull> {
  const server = await serveInTest(faultyService(faults));
  const receipt = path.join(folder, "receipt.json");
  const env = paid(server.url);
  const { exit, stdout } = await dexdata(`${words} --rpm unlimited -o ndjson --receipt ${receipt}`, { env });
  const { complete, proof, rows } = toRow(readFileSync(receipt, "utf8"));
  return { exit, stdout, requests: server.requests.length, complete, proof, rows };
}

const undisturbed = new Map<string, Pull>();
async function pullWithoutFault(list: PagedList): Promise<Pull> {
  const known = undisturbed.get(list.name) ?? (await pull(list));
  undisturbed.set(list.name, known);
  return known;
}

const counts = { runs: 0, recovered: 0, failed: 0, unnoticed: 0, requests: 0 };

/** Checks one pull with a fault: all rows and exit 0, or exit 1 or 8 with an incomplete receipt. */
async function checkPull(list: PagedList, faults: string): Promise<void> {
  const sound = await pullWithoutFault(list);
  const faulty = await pull(list, faults);
  const lines = faulty.stdout.split("\n").length - 1;
  counts.runs += 1;
  counts.requests += faulty.requests - sound.requests;
  const facts = { list: list.name, faults, rows: faulty.rows, complete: faulty.complete };
  expect(facts).toEqual({ ...facts, rows: lines });
  if (faulty.exit === 0) {
    const isComplete = faulty.stdout === sound.stdout;
    // If the service sends no count, rows may be missing unnoticed: the receipt does not claim a proof.
    if (!isComplete)
      expect({ ...facts, hasCount: list.hasCount, proof: faulty.proof }).toEqual({
        ...facts,
        hasCount: false,
        proof: "end of list",
      });
    if (list.hasCount) expect({ ...facts, proof: faulty.proof }).toEqual({ ...facts, proof: "count" });
    expect(facts.complete).toBe(true);
    counts[isComplete ? "recovered" : "unnoticed"] += 1;
    return;
  }
  counts.failed += 1;
  expect([1, 8]).toContain(faulty.exit);
  expect(facts.complete).toBe(false);
}

afterAll(() => {
  const { runs, recovered, failed, unnoticed, requests } = counts;
  console.log(
    `${runs} pulls with a page fault: ${recovered} complete, ${failed} failed, ${unnoticed} short where the service gives no count; ${(requests / runs).toFixed(2)} requests more on average`,
  );
  expect(recovered / runs).toBeGreaterThanOrEqual(0.95);
});

describe.each(pagedLists.map((list) => [list.name, list] as const))("%s", (_, list) => {
  test("without a fault, each row is printed once, with exit 0 and its proof", async () => {
    const { exit, complete, proof, requests, stdout } = await pullWithoutFault(list);
    expect({ exit, complete, proof }).toEqual({
      exit: 0,
      complete: true,
      proof: list.hasCount ? "count" : "end of list",
    });
    expect(requests).toBeGreaterThan(25);
    const rows = stdout.trimEnd().split("\n");
    expect(new Set(rows).size).toBe(rows.length);
  });

  test.each(pageFaults)("%s at any position", async (fault) => {
    const { requests } = await pullWithoutFault(list);
    const every = Array.from({ length: requests }, (_each, index) => index + 1);
    const random = createRandom(list.name.length * 100 + fault.length);
    const drawn = [1 + Math.floor(random() * requests), requests, 1];
    const positions = isLong ? every : drawn.slice(0, 1);
    for (const position of new Set(positions)) await checkPull(list, `${fault}@${position}`);
  });
});

test("txns beyond page 100: recovers from a fault at any position, or reports it", async () => {
  const { requests } = await pullWithoutFault(deepList);
  expect(requests).toBeGreaterThan(115);
  const random = createRandom(7);
  for (let run = 0; run < (isLong ? 300 : 2); run += 1) {
    const fault = pageFaults[Math.floor(random() * pageFaults.length)];
    await checkPull(deepList, `${fault}@${1 + Math.floor(random() * requests)}`);
  }
});

test.each(Array.from({ length: isLong ? 11 : 1 }, (_, index) => 100 + index))(
  "duplicate-page@%i ends with exit 0 and all rows, with at most 3 extra requests",
  async (position) => {
    const sound = await pullWithoutFault(deepList);
    const { exit, stdout, requests } = await pull(deepList, `duplicate-page@${position}`);
    expect({ exit, isComplete: stdout === sound.stdout }).toEqual({ exit: 0, isComplete: true });
    expect(requests).toBeLessThanOrEqual(sound.requests + 3);
  },
);

test.each(["5%", "20%"])("recovers from page faults at a rate of %s, or reports them", async (rate) => {
  for (const fault of pageFaults) await checkPull(deepList, `${fault}:${rate}`);
});

test.each(["dexes", "txns", "api of transactions"])(
  "%s --resume requests its first page again if the service returns a later one",
  async (name) => {
    const list = pagedLists.find((each) => each.name === name);
    if (list === undefined) throw new Error(name);
    const file = path.join(folder, `resumed-${name.length}.ndjson`);
    const sound = faultyService();
    const { stdout } = await pullWithoutFault(list);
    let answer: Script = (request, index) => (index < 12 ? sound(request, index) : empty(501));
    const server = await serveInTest(async (request, index) => await answer(request, index));
    const env = paid(server.url);
    const words = `${list.words} --rpm unlimited -o ndjson --out ${file} --resume`;
    expect(await dexdata(`${words} --retries 0`, { env })).toMatchObject({ exit: 7 });
    const before = server.requests.length;
    answer = (request, index) => {
      const url = index > before ? request.url : request.url.replace(/page=\d+/u, "page=19");
      return sound({ ...request, url }, index);
    };
    expect(await dexdata(words, { env })).toMatchObject({ exit: 0 });
    expect(readFileSync(file, "utf8")).toBe(stdout);
  },
);

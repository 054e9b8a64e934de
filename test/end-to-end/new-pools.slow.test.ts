import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { createEdgeCache } from "../../src/sandbox/faults/due-faults.ts";
import { ended, start } from "../harness/binary.ts";
import { parseFaults } from "../harness/bundled-sandbox.ts";
import { isLong } from "../harness/long.ts";
import { answerSearch, createNewPools, newPoolsStart } from "../harness/new-pools.ts";
import { rowsOf } from "../harness/rows.ts";
import type { Reply, SeenRequest } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { envOf } from "../tail/following.ts";

const folder = temporaryFolder();
const pools = createNewPools(isLong ? 400 : 100);
const [speed, kills] = isLong ? [10, 50] : [60, 4];

/** The search in real time, behind this cache. */
async function openSearch(spec: string) {
  const faults = spec === "" ? [] : parseFaults(spec);
  const began = performance.now();
  const elapsed = (): number => performance.now() - began;
  const now = (): number => newPoolsStart + (elapsed() * speed) / 1000;
  const cache = createEdgeCache(faults, elapsed);
  let copies = 0;
  const script = (request: SeenRequest): Reply => {
    const reply = answerSearch(pools, now(), request, spec !== "");
    if (reply.mode !== "answer") return reply;
    const headers = { "content-type": "application/json", Date: String(reply.headers["date"]) };
    const passed = cache("", request.url)?.pass({ status: 200, headers, body: String(reply.body) });
    if (passed === undefined) return reply;
    if (passed.body !== reply.body) copies += 1;
    return { mode: "answer", ...passed };
  };
  return { ...(await serveInTest(script)), now, elapsed, copies: () => copies };
}

test.each(["", "edge-cache=60s"])(
  "a search for new pools that is killed again and again writes each pool once, through bursts and late pools: %s",
  async (cache) => {
    const below = path.join(folder, `new${cache}`);
    mkdirSync(below);
    const search = await openSearch(cache && !isLong ? "edge-cache=5s" : cache);
    const since = `--created-after ${newPoolsStart - 3600} --poll 5s -q --rpm 3000`;
    const words = `pools search base --follow ${since} --out ${below}/new-{date}.ndjson`.split(" ");
    const written = (): readonly string[] =>
      readdirSync(below)
        .filter((name) => name.endsWith(".ndjson"))
        .map((name) => readFileSync(path.join(below, name), "utf8"))
        // The last line may not be complete yet.
        .flatMap((text) => rowsOf(text.slice(0, text.lastIndexOf("\n") + 1)).map(({ id }) => String(id)));
    for (let kill = 0; kill < kills; kill += 1) {
      const child = start(words, envOf(search.url));
      const end = ended(child);
      await pause(300 + ((kill * 997) % (isLong ? 8000 : 1500)));
      child.kill("SIGKILL");
      await end;
    }
    const atKills = [written().length, search.requests.length];
    const listed = search.now();
    const wanted = pools.filter(({ listedAt }) => listedAt <= listed);
    const child = start(words, envOf(search.url));
    const end = ended(child, 600_000);
    let [missing, progress] = [wanted, search.elapsed()];
    while (missing.length > 0 && search.elapsed() - progress < (isLong ? 200_000 : 40_000)) {
      await pause(1000);
      const ids = new Set(written());
      const left = missing.filter(({ id }) => !ids.has(id));
      if (left.length < missing.length) progress = search.elapsed();
      missing = left;
    }
    child.kill("SIGTERM");
    const { exit, stderr } = await end;
    expect({ exit, stderr }).toMatchObject({ exit: 143 });
    const ids = written();
    console.log(
      `${cache}: ${kills} kills, ${atKills[0]} of ${wanted.length} pools and ${atKills[1]} requests until the last, ` +
        `${ids.length} pools and ${search.requests.length} requests in all, ${search.copies()} responses older than the list, ` +
        `${Math.round((search.now() - newPoolsStart) / 60)} minutes of the market`,
    );
    expect({ missing, stderr }).toMatchObject({ missing: [] });
    expect(ids.length - new Set(ids).size).toBe(0);
    const known = new Set(pools.map(({ id }) => id));
    expect(ids.filter((id) => !known.has(id))).toEqual([]);
  },
  isLong ? 900_000 : 120_000,
);

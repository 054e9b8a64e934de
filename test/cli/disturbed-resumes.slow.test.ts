import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DisturbedList, disturbedLists } from "../harness/disturbed-lists.ts";
import { type DisturbingProxy, type Plan, startDisturbingProxy } from "../harness/disturbing-proxy.ts";
import { badPages } from "../harness/disturbing/bad-pages.ts";
import { randomOf } from "../harness/disturbing/disturbances.ts";
import { type PlannedStrike, traceOf } from "../harness/disturbing/draw-strikes.ts";
import { dexdata, type Outcome } from "../harness/dexdata.ts";
import { lockOfGone } from "../harness/lock-token.ts";
import { isLong } from "../harness/long.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const folder = temporaryFolder();
const runs = isLong ? 150 : 2;
const names = [
  "pools search of a network",
  "tokens search",
  "dexes",
  "txns",
  "txns that continue by cursor",
  "api of a search",
];
const lists = disturbedLists.filter(({ name }) => names.includes(name));

describe.each(["spec", "public"] as const)("%s dialect", (dialect) => {
  const sandbox = useSandbox({ requestsPerMinute: Number.POSITIVE_INFINITY, dialect });
  let proxy: DisturbingProxy;
  beforeAll(async () => {
    proxy = await startDisturbingProxy(sandbox.running().restPaid);
  });
  afterAll(async () => await proxy.close());

  const pull = async ({ words }: DisturbedList, dir: string): Promise<Outcome> => {
    const argv = `${words} --rpm unlimited -o ndjson --out ${path.join(dir, "rows")} --resume`;
    return await dexdata(argv, { env: { ...sandbox.env(), DEXDATA_PRO_BASE_URL: proxy.url } });
  };
  /** The rows as a set, because a list without a frozen order may continue in another one. */
  const rowsIn = (dir: string): readonly string[] =>
    readFileSync(path.join(dir, "rows"), "utf8").split("\n").toSorted();

  test.each(lists.map((list) => [list.name, list] as const))(
    `%s: ${runs} runs of bad pages; killed at any request, --resume leaves no hole`,
    async (name, list) => {
      const slug = `${dialect}-${name.replaceAll(" ", "-")}`;
      const whole = path.join(folder, slug);
      mkdirSync(whole);
      proxy.begin();
      expect(await pull(list, whole)).toMatchObject({ exit: 0 });
      const trace = traceOf(proxy.exchanges);
      for (let seed = 1; seed <= runs; seed += 1) {
        const strikes = badPages({ list, dialect, trace }, seed);
        const dir = path.join(folder, `${slug}-${seed}`);
        mkdirSync(dir);
        const killed: string[] = [];
        proxy.begin(keepingStates(strikes, dir, killed));
        const disturbed = await pull(list, dir);
        const facts = {
          seed,
          strikes: strikes.map(({ kind, at, times }) => `${kind}@${at} x${times}`).join(),
          stderr: disturbed.stderr.slice(0, 200),
        };
        expect([0, 1, 8], JSON.stringify(facts)).toContain(disturbed.exit);
        // The run's own end, and some of the moments at which it might have been killed.
        const random = randomOf(seed);
        const moments = killed.filter(() => isLong || random() < 0.2);
        for (const state of [dir, ...moments]) {
          if (state !== dir) restore(state, dir);
          proxy.begin();
          // A complete file needs no second run.
          const { exit, stderr } = state === dir && disturbed.exit === 0 ? disturbed : await pull(list, dir);
          const moment = state === dir ? "the end" : path.basename(state);
          expect({ ...facts, moment, exit, said: exit === 0 ? "" : stderr.slice(0, 300) }).toEqual({
            ...facts,
            moment,
            exit: 0,
            said: "",
          });
          expect({ ...facts, moment, rows: rowsIn(dir) }).toEqual({ ...facts, moment, rows: rowsIn(whole) });
        }
        for (const state of killed) rmSync(state, { recursive: true });
      }
    },
    isLong ? 3_600_000 : 120_000,
  );
});

/** Disturbs as planned, and copies what is on disk at each response: what kill -9 would leave there. */
function keepingStates(strikes: readonly PlannedStrike[], dir: string, killed: string[]): Plan {
  const left = new Map(strikes.map((strike) => [strike.url, strike.times]));
  return ({ url }) => {
    const state = `${dir}-killed-${killed.length + 1}`;
    cpSync(dir, state, { recursive: true });
    killed.push(state);
    const times = left.get(url) ?? 0;
    left.set(url, times - 1);
    return times > 0 ? strikes.find((strike) => strike.url === url) : undefined;
  };
}

function restore(state: string, dir: string): void {
  rmSync(dir, { recursive: true });
  cpSync(state, dir, { recursive: true });
  for (const name of readdirSync(dir))
    if (name.includes("lock") && existsSync(path.join(dir, name)))
      writeFileSync(path.join(dir, name), lockOfGone());
}

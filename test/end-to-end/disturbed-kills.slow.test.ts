import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ended, start, type Ended } from "../harness/binary.ts";
import { type DisturbedList, disturbedLists } from "../harness/disturbed-lists.ts";
import { type DisturbingProxy, type Plan, startDisturbingProxy } from "../harness/disturbing-proxy.ts";
import { badPages } from "../harness/disturbing/bad-pages.ts";
import { traceOf } from "../harness/disturbing/draw-strikes.ts";
import { isLong } from "../harness/long.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

/** The clock of the built program is the machine's, so ranges need absolute times. */
const lists: readonly DisturbedList[] = disturbedLists
  .filter(({ name }) => ["txns", "pools search of a network", "dexes"].includes(name))
  .map((list) => ({ ...list, words: list.words.replace("-100m", String(sandboxNow / 1000 - 6000)) }));
const seeds = isLong ? 5 : 1;
const folder = temporaryFolder();
const sandbox = useSandbox({ requestsPerMinute: Number.POSITIVE_INFINITY });
let proxy: DisturbingProxy;
beforeAll(async () => {
  proxy = await startDisturbingProxy(sandbox.running().restPaid);
});
afterAll(async () => await proxy.close());

/** Runs the built program behind the proxy; `plan` gets a function that kills it. */
async function pull(list: DisturbedList, dir: string, plan?: (kill: () => void) => Plan): Promise<Ended> {
  let kill = (): void => undefined;
  proxy.begin(plan?.(() => kill()));
  const words = [...list.words.split(" "), "--rpm", "unlimited", "-o", "ndjson"];
  const env = { ...sandbox.env(), DEXDATA_PRO_BASE_URL: proxy.url };
  const child = start([...words, "--out", path.join(dir, "rows"), "--resume"], env);
  kill = () => void child.kill("SIGKILL");
  return await ended(child, 60_000);
}

const rowsIn = (dir: string): readonly string[] =>
  readFileSync(path.join(dir, "rows"), "utf8").split("\n").toSorted();

/** Disturbs as planned, and kills the program when it has been sent this many responses. */
const killingAfter =
  (strikes: ReturnType<typeof badPages>, responses: number) =>
  (kill: () => void): Plan => {
    const left = new Map(strikes.map((strike) => [strike.url, strike.times]));
    let sent = 0;
    return ({ url }) => {
      if ((sent += 1) === responses) kill();
      const times = left.get(url) ?? 0;
      left.set(url, times - 1);
      return times > 0 ? strikes.find((strike) => strike.url === url) : undefined;
    };
  };

test.each(lists.map((list) => [list.name, list] as const))(
  "%s: the program is killed at any response of a run of bad pages, and --resume leaves no hole",
  async (name, list) => {
    const whole = path.join(folder, name);
    mkdirSync(whole);
    expect(await pull(list, whole)).toMatchObject({ exit: 0, stderr: "" });
    const trace = traceOf(proxy.exchanges);
    let kills = 0;
    for (let seed = 1; seed <= seeds; seed += 1) {
      const strikes = badPages({ list, dialect: "spec", trace }, seed);
      for (let responses = 1; responses <= trace.length + 1; responses += isLong ? 1 : 12) {
        const dir = path.join(folder, `${name}-${seed}-${responses}`);
        mkdirSync(dir);
        const first = await pull(list, dir, killingAfter(strikes, responses));
        if (first.signal === "SIGKILL") kills += 1;
        // A complete file needs no second run, and is refused to it.
        const { exit, stderr } = first.exit === 0 ? first : await pull(list, dir);
        expect({ seed, responses, exit, stderr }).toMatchObject({ exit: 0 });
        expect({ seed, responses, rows: rowsIn(dir) }).toEqual({ seed, responses, rows: rowsIn(whole) });
      }
    }
    expect(kills).toBeGreaterThan(0);
  },
  isLong ? 3_600_000 : 120_000,
);

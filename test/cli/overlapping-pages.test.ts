import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { pools } from "../harness/disturbed-lists.ts";
import { startDisturbingProxy } from "../harness/disturbing-proxy.ts";
import { traceOf } from "../harness/disturbing/draw-strikes.ts";
import { toRow } from "../harness/rows.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const sandbox = useSandbox({ requestsPerMinute: Number.POSITIVE_INFINITY });
const folder = temporaryFolder();
const txns = `txns ethereum ${pools.own}`;

const lists = [
  [`${txns} --from -1h --all --page-size 20`, 3],
  [`${txns} --from -4h --all --page-size 100`, 3],
  [`${txns} --from -1h --all --page-size 20 --parallel 1`, 3],
  ["dexes ethereum --all --page-size 5", 3],
  [`api /networks/ethereum/pools/${pools.own}/transactions --paginate -f from=-1h -f limit=20`, 3],
  ["api /networks/ethereum/dexes --paginate -f limit=5", 3],
  // Numbered pages of a pull that continues by cursor, and the first page by cursor.
  [`${txns} --from -8h --all --page-size 10 --page 97`, 3],
  [`${txns} --from -8h --all --page-size 10 --page 97`, 5],
] as const;
const repetitions = [1, 2, Number.POSITIVE_INFINITY] as const;

/** What the undisturbed pull of these words writes, and its requests in their order. */
const sounds = new Map<string, { readonly stdout: string; readonly trace: readonly string[] }>();

test.each(lists.flatMap(([words, number]) => repetitions.map((times) => [words, number, times] as const)))(
  "%s: response %i begins with the last 3 rows before it, %d times: all rows, or exit 8 with the number",
  async (words, number, times) => {
    const proxy = await startDisturbingProxy(sandbox.running().restPaid);
    try {
      const receipt = path.join(folder, "receipt.json");
      const pull = async () => {
        const env = { ...sandbox.env(), DEXDATA_PRO_BASE_URL: proxy.url };
        return await dexdata(`${words} --rpm unlimited -o ndjson --receipt ${receipt}`, { env });
      };
      const known = sounds.get(words);
      const sound = known ?? { stdout: (await pull()).stdout, trace: traceOf(proxy.exchanges) };
      sounds.set(words, sound);
      const [before = "", url = ""] = sound.trace.slice(number - 2, number);
      proxy.begin([{ url, kind: "overlap", times, before: { url: before }, overlap: 3, seed: 1 }]);
      const { exit, stdout } = await pull();
      expect(proxy.struck.length).toBeGreaterThan(0);
      const { complete, proof, missing_rows: missing } = toRow(readFileSync(receipt, "utf8"));
      const rowsOf = (text: string): readonly string[] => text.split("\n").toSorted();
      if (exit === 0) {
        expect(rowsOf(stdout)).toEqual(rowsOf(sound.stdout));
        const isLate = words.includes(" --page 97");
        expect({ complete, proof }).toEqual({ complete: !isLate, proof: isLate ? null : "count" });
        return;
      }
      expect({ times, exit, complete }).toEqual({
        times: Number.POSITIVE_INFINITY,
        exit: 8,
        complete: false,
      });
      expect(missing).toMatchObject({ rows: 3 });
    } finally {
      await proxy.close();
    }
  },
);

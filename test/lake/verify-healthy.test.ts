import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dexdata, type Outcome } from "../harness/dexdata.ts";
import { dataFiles } from "../harness/lake.ts";
import {
  type MarketPool,
  rowAt,
  rowsOfDays,
  type MarketRow,
  seconds,
  startMarketService,
} from "../harness/market-service.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { verifyLake } from "../../src/lake/verify-lake.ts";
import { secretMark } from "../harness/key-search.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const directories = isLong ? 100 : 2;
const [hour, day] = [3600, 86_400];
const start = seconds("2026-11-10T00:00:00Z");
const addresses = ["a", "b"].map((letter) => `0x${letter.repeat(40)}`);
const folder = temporaryFolder();
const pools = new Map<string, MarketPool>();
let now = start;
let service: Awaited<ReturnType<typeof startMarketService>>;
beforeAll(async () => {
  service = await startMarketService(() => now, pools);
});
afterAll(async () => await service.close());

async function dexdataAt(words: readonly string[], url = service.url): Promise<Outcome> {
  const env = {
    DEXDATA_TIER: "pro",
    DEXDATA_API_KEY: `api_pro_${secretMark}_market`,
    DEXDATA_PRO_BASE_URL: url,
  };
  return await dexdata([...words, "--error-format", "text"], { env, now: now * 1000 });
}

/** Up to 60 rows a day at any times, on some days none. */
function marketOf(address: string, random: () => number): readonly MarketRow[] {
  const rows: MarketRow[] = [];
  for (let date = -9; date < 12; date += 1) {
    const count = random() < 0.1 ? 0 : Math.floor(random() * 60);
    const times = new Set(Array.from({ length: count }, () => Math.floor(random() * day)));
    for (const time of [...times].toSorted((a, b) => a - b))
      rows.push(rowAt(address, start + date * day + time));
  }
  return rows;
}

/** Daily or hourly runs over some days, some of them left out, without a fault. */
async function grow(root: string, random: () => number): Promise<void> {
  pools.clear();
  for (const address of addresses)
    pools.set(address, { rows: marketOf(address, random), created: "2026-01-01T00:00:00Z" });
  const kinds = ["transactions", "ohlcv", "transactions,ohlcv"][Math.floor(random() * 3)] ?? "ohlcv";
  const length = random() < 0.5 ? "1m" : "1h";
  const interval = kinds.includes("ohlcv") ? ["--interval", length] : [];
  const assets = addresses.map((address) => `ethereum:${address}`);
  const by = random() < 0.5 ? "month" : "day";
  const first = [...assets, "--kind", kinds, ...interval, "--from", "2026-11-08", "--by", by];
  now = start + Math.floor(random() * day);
  const runs = 2 + Math.floor(random() * 6);
  for (let run = 0; run < runs; run += 1) {
    const words = ["sync", root, "--rpm", "unlimited", ...(run === 0 ? first : [])];
    const { exit, stderr } = await dexdataAt(words);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    if (run < runs - 1) now += random() < 0.5 ? hour : day + Math.floor(random() * day);
  }
}

async function findings(root: string): Promise<readonly string[]> {
  const { exit, stdout, stderr } = await dexdataAt(["verify", root, "-o", "ndjson"]);
  const lines = stdout.split("\n").filter((line) => line !== "");
  expect({ exit, stderr: exit === 0 ? stderr : "" }).toEqual({
    exit: lines.length === 0 ? 0 : 8,
    stderr: "",
  });
  return lines;
}

/** Absences that need no rule about rows. */
const planted: Readonly<Record<string, (root: string, files: readonly string[]) => void>> = {
  "the first day": (root, files) => rmSync(path.join(root, files[0] ?? "")),
  "a day in the middle": (root, files) => rmSync(path.join(root, files[Math.floor(files.length / 2)] ?? "")),
  "the last day": (root, files) => rmSync(path.join(root, files.at(-1) ?? "")),
  "a dataset": (root, files) =>
    rmSync(path.join(root, path.dirname(path.dirname(files[0] ?? ""))), { recursive: true }),
};

test(
  `${directories} healthy directories have no finding, and each planted absence is found`,
  async () => {
    for (let seed = 1; seed <= directories; seed += 1) {
      const random = createRandom(seed * 7919);
      const place = path.join(folder, String(seed));
      const root = path.join(place, "lake");
      mkdirSync(place);
      await grow(root, random);
      expect(await findings(root), `seed ${seed}`).toEqual([]);
      for (const [what, plant] of Object.entries(planted)) {
        const copy = path.join(place, "copy");
        cpSync(root, copy, { recursive: true });
        const folders = [...new Set(dataFiles(copy).map((name) => path.dirname(path.dirname(name))))];
        const own = dataFiles(copy).filter((name) => name.startsWith(`${folders[0] ?? ""}/`));
        plant(copy, own);
        const found = await findings(copy);
        expect(found.length, `seed ${seed}: ${what} of ${own.length}`).toBeGreaterThan(0);
        rmSync(copy, { recursive: true });
      }
      // A line of the list whose files were never fetched.
      const list = path.join(root, "assets.ndjson");
      const [line = ""] = readFileSync(list, "utf8").split("\n");
      writeFileSync(list, `${line.replace(/0x\w{40}/u, `0x${"c".repeat(40)}`)}\n`, { flag: "a" });
      expect((await findings(root)).length, `seed ${seed}: a dataset without files`).toBeGreaterThan(0);
      rmSync(place, { recursive: true });
    }
  },
  isLong ? 1_800_000 : 60_000,
);

test("a run of sync that replaces files while they are checked has no finding", async () => {
  const address = addresses[0] ?? "";
  const days = Array.from({ length: 6 }, (_, index) => `2026-11-${11 + index}`);
  pools.clear();
  pools.set(address, { rows: rowsOfDays(address, days, 20), created: "2026-01-01T00:00:00Z" });
  const [root, later] = [path.join(folder, "replaced"), path.join(folder, "later")];
  now = seconds("2026-11-15T08:00:00Z");
  expect(await dexdataAt(["sync", root, `ethereum:${address}`, "--from", "2026-11-12"])).toMatchObject({
    exit: 0,
  });
  cpSync(root, later, { recursive: true });
  now += day;
  expect(await dexdataAt(["sync", later])).toMatchObject({ exit: 0 });
  const found: string[] = [];
  let isReplaced = false;
  await verifyLake(root, {
    begin: () => (rule) => found.push(rule),
    flush: async () => await Promise.resolve(),
    // All footers have been read, and no rows.
    end: async () => {
      if (!isReplaced)
        for (const file of dataFiles(later)) cpSync(path.join(later, file), path.join(root, file));
      isReplaced = true;
      await Promise.resolve();
    },
    signal: new AbortController().signal,
    now,
    read: () => undefined,
    listed: [],
  });
  // The list is not given, so H1 is a note.
  expect(found).toEqual(["H1"]);
});

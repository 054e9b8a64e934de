import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { isLong } from "../harness/long.ts";
import { rowsOf, toRow } from "../harness/rows.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createDice, plants, receiptOf, type Sample, type Samples } from "./planting.ts";

const sandbox = useSandbox();
const folder = temporaryFolder();
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
let samples: Samples;

async function pull(name: string, words: string): Promise<Sample> {
  const [file, receipt] = [path.join(folder, `${name}.ndjson`), path.join(folder, `${name}.json`)];
  const argv = [...words.split(" "), "--out", file, "--receipt", receipt];
  const { exit, stderr } = await dexdata(argv, { env: sandbox.env() });
  expect(exit, stderr).toBe(0);
  const rows = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return { rows, receipt: toRow(readFileSync(receipt, "utf8")) };
}

beforeAll(async () => {
  const candles = `ohlcv ethereum ${pool} --pool --to 2026-11-21T08:00:00Z`;
  samples = {
    transactions: await pull("transactions", `txns ethereum ${pool} --from -2h --limit 200 -o ndjson`),
    candles: await pull("candles", `${candles} --from 2026-11-21T05:00:00Z --interval 1m`),
    filled: await pull("filled", `${candles} --from 2026-11-20T20:00:00Z --interval 1m --fill previous`),
    pools: await pull("pools", "pools search ethereum --limit 60"),
  };
  expect(samples.filled.rows.some((row) => row.includes('"filled":true'))).toBe(true);
  // Neighbors must be one interval apart in the base without --fill too, or else removing rows would not matter.
  expect(samples.candles.rows.length).toBeGreaterThan(100);
});

async function verify(bytes: Buffer, receipt: string | undefined, name: string) {
  const place = path.join(folder, name);
  mkdirSync(place, { recursive: true });
  const file = path.join(place, "rows.ndjson");
  writeFileSync(file, bytes);
  const receiptFile = path.join(place, "receipt.json");
  if (receipt !== undefined) writeFileSync(receiptFile, receipt);
  const argv = ["verify", receipt === undefined ? file : receiptFile, "-o", "ndjson"];
  const { exit, stdout, stderr } = await dexdata(argv);
  expect(stderr).toBe("");
  return { exit, findings: rowsOf(stdout) };
}

const faults = isLong ? 60 : 24;
const notes = new Set(["R1", "T3", "T7", "C1", "C2", "H2", "H3"]);

test.each(Object.entries(plants))(
  `${faults} planted faults of %s are found, and no other rule reports them`,
  async (rule, plant) => {
    for (let seed = 0; seed < faults; seed += 1) {
      const { bytes, receipt, line } = plant(samples, createDice(seed), seed);
      const { exit, findings } = await verify(bytes, receipt, `${rule}-${seed % 2}`);
      const about = `${rule}, seed ${seed}: ${JSON.stringify(findings).slice(0, 600)}`;
      expect([...new Set(findings.map((finding) => finding["rule"]))], about).toEqual([rule]);
      if (line !== undefined)
        expect(
          findings.map((finding) => finding["line"]),
          about,
        ).toContain(line);
      expect(findings.length, about).toBeLessThanOrEqual(3);
      expect(
        findings.every(({ level }) => level === (notes.has(rule) ? "note" : "finding")),
        about,
      ).toBe(true);
      expect(exit, about).toBe(notes.has(rule) ? 0 : 8);
    }
  },
);

test("the samples themselves have no findings and no notes, with and without a receipt, also compressed", async () => {
  for (const sample of [samples.transactions, samples.candles, samples.filled, samples.pools]) {
    const bytes = Buffer.from(sample.rows.map((row) => `${row}\n`).join(""));
    const receipt = receiptOf(sample, bytes, sample.rows);
    for (const content of [bytes, gzipSync(bytes)])
      for (const each of [undefined, receipt])
        expect(await verify(content, each, "clean")).toEqual({ exit: 0, findings: [] });
  }
});

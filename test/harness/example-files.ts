import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { dexdata } from "./dexdata.ts";

/** The files that the examples of `verify` and `sync` read or write. */
export const exampleFiles = ["swaps.receipt.json", "swaps.ndjson", "candles.csv.gz", "lake"];

/** Writes them as a user would: by pulls that are complete. */
export async function writeExampleFiles(
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const at = (name: string): string => path.join(folder, name);
  const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
  const pull = async (words: string, ...files: readonly string[]): Promise<void> => {
    const { exit, stderr } = await dexdata([...words.split(" "), ...files], { env });
    if (exit !== 0) throw new Error(stderr);
  };
  const receipt = ["--receipt", at("swaps.receipt.json")];
  await pull(`txns ethereum ${pool} --from -1h --all --out`, at("swaps.ndjson"), ...receipt);
  await pull(`ohlcv ethereum ${pool} --pool --from -6h --to -1h --out`, at("candles.csv"));
  writeFileSync(at("pools.ndjson"), `{"chain":"ethereum","id":"${pool}"}\n`);
  const { exit, stderr } = await dexdata([
    "sync",
    at("lake"),
    `ethereum:${pool}`,
    "--kind",
    "ohlcv",
    "--sandbox",
  ]);
  if (exit !== 0) throw new Error(stderr);
  writeFileSync(at("candles.csv.gz"), gzipSync(readFileSync(at("candles.csv"))));
}

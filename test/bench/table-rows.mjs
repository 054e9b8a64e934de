// Rows as a table compared with the same rows as NDJSON, by the built program, interleaved: node
// test/bench/table-rows.mjs
// Baseline (two cores, Node 20.20): see the last line of each run; at most 2.2 times for twice the rows, 3
// times NDJSON.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { mkdtempSync, openSync, closeSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const rounds = Number(process.argv[2] ?? 5);
const row = (index) => ({
  id: `0x${index.toString(16).padStart(40, "0")}`,
  chain: "ethereum",
  dex_id: "uniswap_v3",
  dex_name: index % 9 === 0 ? "世界 Swap" : "Uniswap V3",
  created_at: "2026-09-28T13:07:35Z",
  volume_usd_24h: 1_000_000 - index / 7,
  liquidity_usd: 11_474.29 + index,
  transactions_24h: index % 999,
  price_usd: 1 / (index + 1),
  price_change_percentage_24h: (index % 200) / 10 - 10,
  fee: 0.3,
  tokens: [
    { id: `0x${"a".repeat(40)}`, symbol: `T${index}` },
    { id: `0x${"b".repeat(40)}`, symbol: "WETH" },
  ],
});
const pages = Array.from({ length: 200 }, (_, page) => {
  const results = Array.from({ length: 100 }, (__, index) => row(page * 100 + index));
  return JSON.stringify({ results, has_next_page: true, next_cursor: String(page + 1) });
});

const server = createServer((request, response) => {
  const page = Number(new URL(request.url, "http://localhost").searchParams.get("cursor") ?? 0);
  response.writeHead(200, { "content-type": "application/json" }).end(pages[page]);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${server.address().port}`;
const folder = mkdtempSync(path.join(tmpdir(), "dexdata-bench-"));

async function pull(rows, format) {
  const output = openSync(path.join(folder, "rows"), "w");
  const words = ["dist/dexdata.cjs", "pools", "search", "ethereum", "--limit", String(rows), "-o", format];
  const env = { PATH: process.env.PATH, HOME: folder, LANG: "C.UTF-8", DEXDATA_BASE_URL: url };
  const started = performance.now();
  const child = spawn(process.execPath, [...words, "--rpm", "unlimited"], {
    env,
    stdio: ["ignore", output, "inherit"],
  });
  const exit = await new Promise((resolve) => child.once("close", resolve));
  closeSync(output);
  if (exit !== 0) throw new Error(`exit ${exit}`);
  return performance.now() - started;
}

const cases = [
  [10_000, "table"],
  [20_000, "table"],
  [20_000, "ndjson"],
];
const best = cases.map(() => Infinity);
for (let round = 0; round < rounds; round += 1)
  for (const [index, [rows, format]] of cases.entries())
    best[index] = Math.min(best[index], await pull(rows, format));
server.close();
rmSync(folder, { recursive: true });
const [half, whole, ndjson] = best;
for (const [index, [rows, format]] of cases.entries())
  console.log(`${rows} rows as ${format}: ${best[index].toFixed(0)} ms`);
console.log(
  `twice the rows: ${(whole / half).toFixed(2)} times; beside NDJSON: ${(whole / ndjson).toFixed(2)} times`,
);

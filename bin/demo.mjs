// The data is simulated, and nothing is sent over the network. `npm run demo` builds the program first.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../dist/dexdata.cjs", import.meta.url));
const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const usdc = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

/** The number is the expected exit code. */
const scenes = [
  ["the busiest pools on a network", `pools search ethereum --limit 5`, 0],
  ["one of them in full", `pool ethereum ${pool}`, 0],
  ["its latest trades", `txns ethereum ${pool} --limit 5`, 0],
  ["prices of any number of tokens, in input order", `prices ethereum ${weth} ${usdc}`, 0],
  ["candles", `ohlcv ethereum ${weth} --interval 1h --count-back 6`, 0],
  [
    "tokens by liquidity, with filters",
    `tokens search solana --order-by liquidity_usd --volume-usd-24h-min 10k --limit 5`,
    0,
  ],
  ["search by name, symbol or address", `search usdc --type tokens`, 0],
  ["supported networks", `networks --limit 5`, 0],
  ["DEXes on a network", `dexes ethereum --limit 5`, 0],
  ["plan and credits used", `usage`, 0],
  [
    "for programs: NDJSON, with every digit as the service sent it",
    `pools search base --limit 3 -o ndjson --fields id,price_usd,volume_usd_24h`,
    0,
  ],
  ["the cost of a long pull, before it starts", `txns ethereum ${pool} --from -7d --all --estimate`, 0],
  ["any API path", `api /networks/ethereum/multi/prices -f tokens=${weth} -o ndjson`, 0],
  [
    "a stream: candles of the last minutes, then each new one",
    `stream ethereum ${weth} --feed ohlcv --interval 60s --since -5m --limit 3 -o ndjson`,
    0,
  ],
  ["a typing error", `pool eth ${pool}`, 3],
];

let failed = 0;
for (const [title, command, exit] of scenes) {
  const words = command.split(" ");
  const format = words.includes("-o") ? [] : ["-o", "table"];
  process.stdout.write(`\n# ${title}\n$ dexdata ${command} --sandbox\n`);
  const ran = spawnSync(
    process.execPath,
    [program, ...words, "--sandbox", "-q", "--error-format", "text", ...format],
    {
      stdio: ["ignore", "inherit", "inherit"],
      // The demo clears the user's settings, so its output is the same on every machine.
      env: {
        ...process.env,
        DEXDATA_CONFIG_DIR: "",
        DEXDATA_API_KEY: "",
        DEXDATA_TIER: "",
        NODE_EXTRA_CA_CERTS: "",
      },
    },
  );
  if (ran.status !== exit) {
    failed += 1;
    process.stdout.write(`expected exit ${exit}, got ${ran.status ?? ran.signal}\n`);
  }
}
process.stdout.write(
  failed === 0
    ? "\nAll data was simulated. Without --sandbox, the same commands query the live API. Next: dexdata --help\n"
    : `\n${failed} of ${scenes.length} commands did not exit as expected\n`,
);
process.exitCode = failed === 0 ? 0 : 1;

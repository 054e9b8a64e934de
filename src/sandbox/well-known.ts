/**
 * Public facts in text tables, because the formatter would spread objects over a thousand lines. `-` means that a fact
 * is not public and the sandbox generates a value in the right format.
 */

export type AddressFamily = "evm" | "solana" | "sui" | "aptos" | "tron" | "ton";

const FAMILIES: readonly AddressFamily[] = ["evm", "solana", "sui", "aptos", "tron", "ton"];

const NETWORKS = `
ethereum|Ethereum|evm|12|4200|28|2023-01-01|WETH USDC USDT WBTC DAI ETH
solana|Solana|solana|0.4|6000|14|2023-01-01|SOL USDC USDT
fantom|Fantom|evm|1|180|8|2023-01-01|WFTM USDC WETH
bsc|BNB Smart Chain|evm|0.75|3000|18|2023-01-01|WBNB USDT USDC BTCB
polygon|Polygon|evm|2|1200|15|2023-01-01|WPOL USDC USDT WETH
arbitrum|Arbitrum|evm|0.25|1500|16|2023-01-01|WETH USDC USD₮0 WBTC
base|Base|evm|2|3500|16|2023-08-09|WETH USDC cbBTC
optimism|Optimism|evm|2|560|12|2023-01-01|WETH USDC USDT OP
avalanche|Avalanche|evm|1|600|12|2023-01-01|WAVAX USDC USDT
sui|Sui|sui|0.25|420|8|2023-05-03|SUI USDC USDT
mantle|Mantle|evm|2|160|6|2023-07-17|WMNT USDC WETH
flow_evm|Flow EVM|evm|1|60|3|2024-09-04|WFLOW USDC
katana|Katana|evm|1|70|3|2025-06-30|WETH USDC
unichain|Unichain|evm|1|240|4|2025-02-11|WETH USDC
ronin|Ronin|evm|3|110|3|2023-01-01|WRON USDC WETH
x_layer|X Layer|evm|1|90|4|2024-04-16|WOKB USDT WETH
linea|Linea|evm|2|210|7|2023-07-11|WETH USDC
sonic|Sonic|evm|1|230|7|2024-12-18|wS USDC WETH
cronos|Cronos|evm|1|150|5|2023-01-01|WCRO USDC USDT
sei|Sei|evm|0.4|130|5|2024-05-27|WSEI USDC
blast|Blast|evm|2|190|7|2024-02-29|WETH USDB
tempo|Tempo|evm|0.5|40|3|2026-01-20|pathUSD USDC
aptos|Aptos|aptos|0.25|180|6|2023-01-01|APT USDC USDT
zksync|zkSync|evm|1|170|6|2023-03-24|WETH USDC
scroll|Scroll|evm|3|120|6|2023-10-17|WETH USDC
tron|Tron|tron|3|400|4|2023-01-01|WTRX USDT
ton|TON|ton|5|300|4|2023-01-01|TON USDT
plasma|Plasma|evm|1|80|4|2025-09-25|WXPL USDT
bob_network|BOB Network|evm|2|50|3|2024-05-01|WETH WBTC USDC
celo|Celo|evm|1|140|5|2023-01-01|CELO USDC USDT
monad|Monad|evm|0.4|260|6|2025-11-24|WMON USDC
megaeth|MegaETH|evm|0.5|90|4|2026-01-15|WETH USDM
berachain|Berachain|evm|2|170|5|2025-02-06|WBERA HONEY
hyperevm|HyperEVM|evm|1|240|6|2025-02-18|WHYPE USDC
robinhood|Robinhood|evm|0.25|130|3|2026-02-10|WETH USDG
arc|Arc|evm|0.5|45|3|2026-06-02|USDC EURC
`;

const TOKENS = `
ethereum|WETH|Wrapped Ether|0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2|18
ethereum|USDC|USD Coin|0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48|6
ethereum|USDT|Tether USD|0xdac17f958d2ee523a2206206994597c13d831ec7|6
ethereum|UNI|Uniswap|0x1f9840a85d5af5bf1d1762f925bdaddc4201f984|18
ethereum|WBTC|Wrapped BTC|0x2260fac5e5542a773aa44fbcfedf7c193bc2c599|8
ethereum|DAI|Dai Stablecoin|0x6b175474e89094c44da98b954eedeac495271d0f|18
ethereum|ETH|Ether|-|18
ethereum|PEPE|Pepe|-|18
ethereum|Tori|Tori|-|18
solana|SOL|Wrapped SOL|So11111111111111111111111111111111111111112|9
solana|USDC|USD Coin|EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v|6
solana|USDT|Tether USD|-|6
solana|JUP|Jupiter|JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN|6
solana|TRUMP|OFFICIAL TRUMP|6p6xgHyF7AeE6TZkSmFsko444wqoP15icUSqi2jfGiPN|6
solana|cbBTC|Coinbase Wrapped BTC|-|8
solana|F2026|F2026|-|6
solana|FIT|FIT|-|6
bsc|USDC|USD Coin|0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d|18
bsc|WBNB|Wrapped BNB|0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c|18
bsc|USDT|Tether USD|-|18
bsc|BTCB|BTCB Token|-|18
bsc|CAKE|PancakeSwap Token|-|18
polygon|USDC|USD Coin (bridged)|0x2791bca1f2de4661ed88a30c99a7a9449aa84174|6
arbitrum|USDC|USD Coin|0xaf88d065e77c8cc2239327c5edb3a432268e5831|6
arbitrum|GENPL|GENPL|-|18
base|USDC|USD Coin|0x833589fcd6edb6e08f4c7c32d4f71b54bda02913|6
base|PLAY|PLAY|-|18
base|INPAY|INPAY|-|18
avalanche|USDC|USD Coin|0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e|6
sui|LBTC|Lombard BTC|-|8
sui|WAL|Walrus|-|9
robinhood|NVDA|NVIDIA|0xd0601ce157db5bdc3162bbac2a2c8af5320d9eec|18
robinhood|TSLA|Tesla|0x322f0929c4625ed5bad873c95208d54e1c003b2d|18
robinhood|CASHCAT|CASHCAT|0x020bfc650a365f8bb26819deaabf3e21291018b4|18
`;

// In rank order. A token's first pool sets its price, so its other token must be a stablecoin or have an earlier row.
const POOLS = `
ethereum|0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640|USDC WETH|Uniswap V3|0.05|2021-05-05|12376729
ethereum|0xc7bbec68d12a0d1830360f8ec58fa599ba1b0e9b|WETH USDT|Uniswap V3|0.01|2021-11-15|-
ethereum|0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc|USDC WETH|Uniswap V2|0.3|2020-05-05|-
ethereum|0x0d4a11d5eeaac28ec3f61d100daf4d40471f1852|WETH USDT|Uniswap V2|0.3|2020-05-19|-
ethereum|-|WBTC WETH|Uniswap V3|0.05|2021-05-06|-
ethereum|0xe0554a476a092703abdb3ef35c80e0d76d32939f|USDC WETH|Uniswap V3|0.01|2021-11-16|-
ethereum|0xa478c2975ab1ea89e8196811f51a7b7ade33eb11|DAI WETH|Uniswap V2|0.3|2020-05-20|-
ethereum|-|ETH USDC|Uniswap V4|0.05|2025-01-31|-
ethereum|0xbebc44782c7db0a1a60cb6fe97d0b483032ff1c7|DAI USDC USDT|Curve|0.01|2020-09-06|-
ethereum|0x4f493b7de8aac7d55f71853688b1f7c8f0243c85|USDC USDT|Curve|-|2021-03-01|-
ethereum|-|UNI WETH|Uniswap V3|0.3|2021-05-06|-
ethereum|0x05fa420e4b205136acee67ba5121abd2f94b6365|WETH PEPE|Uniswap V2|0.3|2023-04-14|-
ethereum|0xe46560b57c19c1ab33dec4d8baf72719a95173e015d5bc50caf8a6fdf098175a|ETH Tori|Uniswap V4|1|2026-03-11|-
solana|Czfq3xZZDmsdGdUyrNLtRhGc47cXcZtLG4crryfu44zE|SOL USDC|Orca|0.04|2022-06-01|-
solana|8sLbNZoA1cfnvMJLPfp98ZLAnFSYCFApfJKMbiXNLwxj|SOL USDC|Raydium CLMM|0.04|2023-11-26T20:25:08Z|232424998
solana|A8nPhpCJqtqHdqUk35Uj9Hy2YsGXFkCZGuNwvkD3k7VC|TRUMP USDC|Meteora|0.2|2025-01-18|-
solana|C1MgLojNLWBKADvu9BHdtgzz1oZX4dZ5zGdGcgvvW8Wz|JUP SOL|Orca|0.3|2024-01-31|-
solana|HxA6SKW5qA4o12fjVgTpXdq2YnZ5Zv1s7SB4FFomsyLM|cbBTC USDC|Orca|0.04|2024-11-07|-
solana|-|USDC USDT|Orca|0.01|2022-06-02|-
solana|H9kEaTaJxS2hnBWP2EL9NKChLKLWUzm6p5x5UCcgh9p9|SOL F2026|PumpSwap|0.25|2026-01-14|-
solana|FEroVA2jgHmkv5TSocxUHR4R5qD1P5M7WiGgtmCuSo15|SOL FIT|Pump.fun|1|2026-05-21|-
bsc|0x172fcd41e0913e95784454622d1c3724f546f849|USDT WBNB|PancakeSwap V3|0.01|2023-04-03|-
bsc|0x46cf1cf8c69595804ba91dfdd8d6b960c9b0a7c4|USDT BTCB|PancakeSwap V3|0.05|2023-04-03|-
bsc|0xf2688fb5b81049dfb7703ada5e770543770612c4|USDC WBNB|PancakeSwap V3|0.01|2023-04-03|-
bsc|0x3df6eefb162ddbf18f8130d5b22124b51c3d986b|CAKE WBNB|PancakeSwap V2|0.25|2022-08-19|-
arbitrum|0xc6962004f452be9203591991d15f6b388e09e8d0|WETH USDC|Uniswap V3|0.05|2022-12-12|-
arbitrum|0x2f5e87c9312fa29aed5c179e456625d79015299c|WBTC WETH|Uniswap V3|0.05|2021-09-01|-
arbitrum|0x0e4831319a50228b9e450861297ab92dee15b44f|WBTC USDC|Uniswap V3|0.05|2023-06-08|-
arbitrum|0x5969efdde3cf5c0d9a88ae51e47d721096a97203|WBTC USD₮0|Uniswap V3|0.05|2022-03-04|-
arbitrum|0xac0ce0ccaacf4121b0e78fe094c67f24bf367f6a|GENPL USD₮0|SushiSwap|0.3|2025-09-02|-
base|0xb2cc224c1c9fee385f8ad6a55b4d94e92359dc59|WETH USDC|Aerodrome SlipStream|0.05|2023-08-28|-
base|0x4e962bb3889bf030368f56810a9c96b83cb3e778|USDC cbBTC|Aerodrome SlipStream|0.05|2024-09-12|-
base|0x70acdf2ad0bf2402c957154f944c19ef4e1cbae1|WETH cbBTC|-|0.05|2024-09-12|-
base|0xf1cacd7e005b9337c58aae77bc88d93c635cdf4d|USDC PLAY|PancakeSwap V3|0.25|2025-11-03|-
base|0x8b470b2d795e5d5730f4a08937a6c924133b12fa9a67c12502e5657dbf99cedf|WETH INPAY|Uniswap V4|1|2026-02-17|-
sui|0xb8d7d9e66a60c239e7a60110efcf8de6c705580ed924d0dde141f4a0e2c90105|USDC SUI|Cetus|0.25|2023-05-10|-
sui|0x7665f3a76ea9bb923556906a4d8ba8d98aa59776b7f098300758fe75d161a42c|LBTC USDC|Momentum|0.05|2025-04-02|-
sui|0x919a34b9df1d7a56fa078ae6ddc6bd203e284974704d85721062d38ee3a6701a|WAL SUI|Momentum|0.25|2025-03-28|-
robinhood|-|WETH USDG|Uniswap V3|0.05|2026-02-10|-
robinhood|-|NVDA USDG|Uniswap V3|0.3|2026-02-11|-
robinhood|-|TSLA USDG|Uniswap V3|0.3|2026-02-11|-
robinhood|-|CASHCAT WETH|Uniswap V2|0.3|2026-07-01|-
`;

/** A network of the simulated market. */
export type NetworkFacts = (typeof NETWORK_ROWS)[number];

export const NETWORK_ROWS = rows(NETWORKS).map(
  ([id = "", displayName = "", family, block, pools, dexes, launch = "", hubs = ""]) => ({
    id,
    displayName,
    addressFamily: FAMILIES.find((each) => each === family) ?? "evm",
    blockSeconds: Number(block),
    /** In November 2026. */
    poolCount: Number(pools),
    dexCount: Number(dexes),
    /** Unix seconds. Nothing is generated before this time. */
    launchedAt: Date.parse(launch) / 1000,
    /** Symbols that most pools use as the quote token, most common first. */
    hubs: hubs.split(" "),
  }),
);

export const TOKEN_ROWS = rows(TOKENS).map(([network = "", symbol = "", name = "", address, decimals]) => ({
  network,
  symbol,
  name,
  address: known(address),
  decimals: Number(decimals),
}));

export type PoolRow = (typeof POOL_ROWS)[number];

export const POOL_ROWS = rows(POOLS).map(
  ([network = "", id, symbols = "", dexName, fee, createdAt = "", block]) => ({
    network,
    id: known(id),
    symbols: symbols.split(" "),
    dexName: known(dexName),
    fee: known(fee) === undefined ? null : Number(fee),
    createdAt: Date.parse(createdAt) / 1000,
    createdAtBlockNumber: known(block) === undefined ? undefined : Number(block),
  }),
);

function rows(table: string): string[][] {
  return table
    .trim()
    .split("\n")
    .map((line) => line.split("|"));
}

function known(cell: string | undefined): string | undefined {
  return cell === "-" ? undefined : cell;
}

/** Sample rows as the service sends them. */

export const poolRows = `[
{"id":"0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640","chain":"ethereum","dex_id":"uniswap_v3","dex_name":"Uniswap V3","created_at":"2021-05-05T21:42:11Z","created_at_block_number":12376729,"volume_usd_24h":412345678.12,"liquidity_usd":184203551.2,"transactions_24h":268772,"price_usd":2981.7723,"price_change_percentage_24h":-1.2345,"fee":0.05,"tokens":[{"id":"0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2","symbol":"WETH"},{"id":"0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48","symbol":"USDC"}]},
{"id":"0xa43fe16908251ee70ef74718545e4fe6c5ccec9f","chain":"ethereum","dex_id":"uniswap_v2","dex_name":"Uniswap V2","created_at":"2026-11-18T16:57:11Z","created_at_block_number":17046105,"volume_usd_24h":12345678.12,"liquidity_usd":28203551.2,"transactions_24h":18772,"price_usd":0.00000734512,"price_change_percentage_24h":12.3456,"fee":0.3,"tokens":[{"id":"0x6982508145454ce325ddbe47a25d4ec3d2311933","symbol":"PEPE"},{"id":"0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2","symbol":"WETH"}]},
{"id":"0x1d283807545a96bd50d0f019d6ca2ef62a9a0be1","chain":"ethereum","dex_id":"sushiswap","dex_name":"SushiSwap","created_at":"2026-11-21T08:50:11Z","created_at_block_number":26076150,"volume_usd_24h":0.0012,"liquidity_usd":0,"transactions_24h":2,"price_usd":1.0002,"price_change_percentage_24h":null,"fee":null,"tokens":[{"id":"0x1111111111111111111111111111111111111111","symbol":"世界コイン and a name that goes on and on"},{"id":"0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2","symbol":"WETH"}]}
]`;

export const transactionRows = `[
{"id":"0x0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9","log_index":437,"sender":"0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640","recipient":7,"token_0":"0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2","token_0_symbol":"WETH","token_1":"0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48","token_1_symbol":"USDC","amount_0":4272800710322643001,"amount_1":-11474290000,"price_0_usd":2684.36,"price_1_usd":0.9997,"created_at_block_number":26076150,"created_at":"2026-11-21T08:53:07Z"}
]`;

const window = (scale: number): string =>
  JSON.stringify({
    last_price_usd_change: -7.99 / scale,
    volume_usd: 808169281.4 / scale,
    buy_usd: 404084640.7 / scale,
    sell_usd: 404084640.7 / scale,
    sells: Math.round(130647 / scale),
    buys: Math.round(138125 / scale),
    txns: Math.round(268772 / scale),
  });

export const poolRecord = `[{"id":"0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640","chain":"ethereum","dex_id":"uniswap_v3","fee":0.05,"created_at":"2021-05-05T21:42:11.000Z",
"tokens":[{"id":"0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2","name":"Wrapped Ether","symbol":"WETH","decimals":18},{"id":"0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48","name":"USD Coin","symbol":"USDC","decimals":6}],
"last_price_usd":2981.2201620378884,"last_updated":"2026-11-21T08:53:59.699686371Z","24h":${window(1)},"1h":${window(24)},"5m":{"last_price_usd_change":null,"volume_usd":0,"buy_usd":0,"sell_usd":0,"sells":0,"buys":0,"txns":0},
"price_stats":{"high":3012.5,"low":2950.123},"token_reserves":null}]`;

import { describe, expect, it } from "vitest";
import { forbiddenIn, render } from "./render.ts";
import { poolRecord } from "./rows.ts";

describe("one record", () => {
  it("is shown as names and values, with windows and tokens as small tables", async () => {
    expect(await render([poolRecord], { endpoint: "pool", columns: 80, isRecord: true })).toBe(
      `id                0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640
chain             ethereum
dex_id            uniswap_v3
fee               0.05%
created_at        2021-05-05T21:42:11Z (5y ago)
last_price_usd    2,981.2202
last_updated      2026-11-21T08:53:59Z (1s ago)
price_stats.high  3012.5
price_stats.low   2950.123
token_reserves    –

TOKENS  SYMBOL  NAME        DECIMALS  ID
     0  WETH    Wrapped E…        18  0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2
     1  USDC    USD Coin           6  0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48

WINDOW   CHANGE  VOLUME USD     TXNS     BUYS    SELLS  BUY USD  SELL USD
24h      -7.99%        808M  268,772  138,125  130,647     404M      404M
1h       -0.33%       33.7M   11,199    5,755    5,444    16.8M     16.8M
5m                        0        0        0        0        0         0
`,
    );
  });

  it("in a pipe keeps times as sent", async () => {
    const text = await render([poolRecord], { endpoint: "pool", isRecord: true, isUnicode: false });
    expect(text).toContain("\nlast_updated      2026-11-21T08:53:59.699686371Z\n");
    expect(text).toContain("\ntoken_reserves    -\n");
  });

  it("is shown with the given fields", async () => {
    const fields = ["24h.volume_usd", "tokens.1.symbol", "1h", "no.such"];
    expect(await render([poolRecord], { endpoint: "pool", columns: 80, isRecord: true, fields })).toBe(
      `24h.volume_usd            808,169,281.40
tokens.1.symbol           USDC
1h.last_price_usd_change  -0.33%
1h.volume_usd             33,673,720.06
1h.buy_usd                16,836,860.03
1h.sell_usd               16,836,860.03
1h.sells                  5,444
1h.buys                   5,755
1h.txns                   11,199
no.such                   –
`,
    );
  });

  it("puts values below their names in a narrow terminal, with wrapped words and complete addresses", async () => {
    const row = `[{"id":"0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2","description":"a token of tokens, in other words"}]`;
    expect(await render([row], { endpoint: "token", columns: 24, isRecord: true })).toBe(
      `id
  0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2
description
  a token of tokens, in
  other words
`,
    );
  });

  it("shows any value without a forbidden byte and to a limited depth", async () => {
    const deep = `${'{"a":['.repeat(5000)}1${"]}".repeat(5000)}`;
    const row = `[{"id":"\\u001b[31m","na\\nme":"a\\nb","x":${deep},"y":[1,"two",null],"z":[[{}]],"__proto__":{"a":1},"list":[{"b":1e-7},{"c":null}]}]`;
    const text = await render([row], { endpoint: "token", columns: 80, isRecord: true });
    expect(forbiddenIn(text)).toEqual([]);
    expect(text).toContain("\\u{1b}[31m\n");
    expect(text).toContain("na\\nme       a\\nb\n");
    expect(text).toContain("__proto__.a  1\n");
    expect(text).toContain("y            1, two, \n");
    expect(text).toContain("LIST          B\n   0  0.0000001\n   1\n");
  });
});

import { hash, hashText, toUnit } from "./hash.ts";

/**
 * What a token represents. WETH is the same asset on every network, so its prices agree. `logBase` is the natural
 * logarithm of the USD price around which the market price fluctuates.
 */
export interface Asset {
  readonly key: number;
  readonly logBase: number;
  /** Maximum change in the price logarithm, up or down, caused by the shortest wave (15 minutes). */
  readonly restlessness: number;
  /** A stablecoin's price does not depend on a pool's other token. */
  readonly isStable: boolean;
  readonly isWellKnown: boolean;
  /** The last part of the price curve that was read, since many rows in a row are on the same part. */
  readonly part: { knot: number; from: number; to: number };
}

/** Seconds. Prices in between are interpolated. */
const KNOT_SECONDS = 900;

// Each wave is four times as long as the previous one (15 minutes to 683 days) and moves twice as far, like a random
// walk. A price takes nine lookups, while a walk since 2023 would take thousands.
const WAVES = 9;

const STABLES = new Set(["USDC", "USDT", "USD₮0", "DAI", "USDB", "USDM", "USDG", "HONEY", "pathUSD", "EURC"]);

const PRICES = parsePrices(`
WETH ETH 2620|ETH ETH 2620|WBTC BTC 91000|cbBTC BTC 91000|BTCB BTC 91000|LBTC BTC 91000|SOL SOL 168
WBNB BNB 690|WFTM FTM 0.42|WPOL POL 0.31|WAVAX AVAX 24|SUI SUI 2.6|WMNT MNT 1.05|WFLOW FLOW 0.36|WRON RON 0.52
WOKB OKB 88|wS S 0.29|WCRO CRO 0.14|WSEI SEI 0.23|APT APT 4.6|WTRX TRX 0.29|TON TON 2.9|WXPL XPL 0.34
CELO CELO 0.31|WMON MON 0.06|WBERA BERA 1.9|WHYPE HYPE 39|OP OP 0.71|UNI UNI 8.7|PEPE PEPE 0.0000098
Tori Tori 0.000031|JUP JUP 0.44|TRUMP TRUMP 7.9|F2026 F2026 0.00042|FIT FIT 0.000061|CAKE CAKE 2.6|GENPL GENPL 0.018
PLAY PLAY 0.043|INPAY INPAY 0.0021|WAL WAL 0.39|NVDA NVDA 186|TSLA TSLA 338|CASHCAT CASHCAT 0.0017|EURC EUR 1.14
`);

export function isStableSymbol(symbol: string): boolean {
  return STABLES.has(symbol);
}

export function makeKnownAsset(seed: number, symbol: string): Asset {
  const price = PRICES.get(symbol);
  if (STABLES.has(symbol)) return makeAsset(hashText(seed, symbol), price?.usd ?? 1, 0.000012, true, true);
  return makeAsset(hashText(seed, price?.asset ?? symbol), price?.usd ?? 1, 0.0013, false, true);
}

/** `usd` is the price around which the market price fluctuates. */
export function makeAsset(
  key: number,
  usd: number,
  restlessness: number,
  isStable: boolean,
  isWellKnown: boolean,
): Asset {
  const part = { knot: Number.NaN, from: 0, to: 0 };
  return { key, logBase: Math.log(usd), restlessness, isStable, isWellKnown, part };
}

/** The natural logarithm of the USD price without noise. */
export function logPriceAt(asset: Asset, time: number): number {
  const knot = Math.floor(time / KNOT_SECONDS);
  const { part } = asset;
  if (part.knot !== knot) {
    part.from = logPriceAtKnot(asset, knot);
    part.to = logPriceAtKnot(asset, knot + 1);
    part.knot = knot;
  }
  return part.from + (part.to - part.from) * (time / KNOT_SECONDS - knot);
}

function logPriceAtKnot(asset: Asset, knot: number): number {
  let height = asset.restlessness;
  let sum = asset.logBase;
  for (let wave = 0; wave < WAVES; wave += 1) {
    const key = asset.key + Math.imul(wave, 0x632be5ab);
    const shift = wave * 2;
    const left = knot >> shift;
    const part = (knot - (left << shift)) / (1 << shift);
    const from = toUnit(hash(key, left));
    const to = part === 0 ? from : toUnit(hash(key, left + 1));
    sum += height * (2 * (from + (to - from) * part) - 1);
    height *= 2;
  }
  return sum;
}

function parsePrices(text: string): Map<string, { asset: string; usd: number }> {
  const prices = new Map<string, { asset: string; usd: number }>();
  for (const entry of text.trim().split(/[\n|]/)) {
    const [symbol = "", asset = "", usd = "1"] = entry.split(" ");
    prices.set(symbol, { asset, usd: Number(usd) });
  }
  return prices;
}

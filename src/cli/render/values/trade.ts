import type { TradePart } from "../../../api/record.ts";
import { member } from "../../../base/json/json-scan.ts";
import { blank, type Cell, type CellStyle, noValue, plain, type Tone } from "./cell.ts";
import { shownText } from "../../../base/text/unsafe-text.ts";
import { readDecimal, showAmount, showPrice } from "./decimal.ts";
import { type ExactDecimal, widthOf, writeDecimal } from "../../../base/json/exact-decimal.ts";
import { cutText, ellipsis } from "./width.ts";
import { type TradeType, tradeSize, typeOfTrade } from "../../../api/endpoints/pool-transactions.ts";

/** Symbols can have any length. */
const longestSymbol = 12;

/** Above this many digits before the decimal point, an amount is abbreviated, as in `26.4M`. */
const maxDigits = 7;

/**
 * Shows a part of a transaction row or event: `-4,612.28 USDC`, `swap`, or the size in USD. The service does not document the
 * meaning of the sign, so it is shown as sent. Without known decimals, the amount stays as sent and is marked `raw`.
 */
export function showTrade(row: unknown, part: TradePart, style: CellStyle): Cell {
  if (typeof row !== "object" || row === null) return blank;
  if (part === "size") return showSize(row, style);
  if (part === "type") return plain(typeOf(row));
  const side = part === "amount 0" ? 0 : 1;
  const raw = decimalAt(row, `amount_${side}`);
  if (raw === undefined) return blank;
  const amount = tokensOf(row, side, style);
  const symbol = symbolOf(row, side, style);
  if (amount === undefined) return plain(`${String(member(row, `amount_${side}`))} raw${symbol}`);
  const size = { ...amount, isNegative: false };
  const text = widthOf(size) > maxDigits ? showAmount(size) : showPrice(size, undefined, style.countsZeros);
  const sign = amount.digits === "" ? "" : amount.isNegative ? "-" : "+";
  return plain(`${sign}${text}${symbol}`);
}

/** The service does not document which sign is a buy, so the color only tells the two signs apart. */
export function tradeTone(row: unknown): Tone {
  const sign = signOf(row, 0);
  return sign > 0 ? "up" : sign < 0 ? "down" : "plain";
}

function signOf(row: unknown, side: 0 | 1): number {
  const amount = decimalAt(row, `amount_${side}`);
  if (amount === undefined) return Number.NaN;
  return amount.digits === "" ? 0 : amount.isNegative ? -1 : 1;
}

const typeOf = (row: object): TradeType => typeOfTrade(signOf(row, 0), signOf(row, 1));

function showSize(row: object, style: CellStyle): Cell {
  const made = tradeSize(typeOf(row), valueOf(row, 0, style), valueOf(row, 1, style));
  const size = decimalAt(row, "volume_usd") ?? readDecimal(made);
  return size === undefined ? noValue(style) : plain(showAmount(size));
}

/** In USD, without a sign. */
function valueOf(row: object, side: 0 | 1, style: CellStyle): number | undefined {
  const [amount, price] = [tokensOf(row, side, style), decimalAt(row, `price_${side}_usd`)];
  return amount && price && Math.abs(Number(writeDecimal(amount)) * Number(writeDecimal(price)));
}

/** In whole tokens; undefined if the decimals are unknown. The public service also sends the scaled size. */
function tokensOf(row: object, side: 0 | 1, style: CellStyle): ExactDecimal | undefined {
  const raw = decimalAt(row, `amount_${side}`);
  if (raw === undefined || raw.digits === "") return raw;
  const scaled = decimalAt(row, `volume_${side}`);
  if (scaled !== undefined) return { ...scaled, isNegative: raw.isNegative };
  const decimals = tokenOf(row, side, style)?.decimals;
  return decimals === undefined ? undefined : { ...raw, exponent: raw.exponent - decimals };
}

function tokenOf(row: object, side: 0 | 1, { findAsset }: CellStyle) {
  const address = member(row, `token_${side}`);
  return typeof address === "string" ? findAsset?.(address) : undefined;
}

/** Starts with a space unless it is empty. */
function symbolOf(row: object, side: 0 | 1, style: CellStyle): string {
  const sent = member(row, `token_${side}_symbol`);
  const symbol = typeof sent === "string" && sent !== "" ? sent : tokenOf(row, side, style)?.label;
  if (symbol === undefined || symbol === "") return "";
  return ` ${cutText(shownText(symbol, style), longestSymbol, ellipsis(style.isUnicode))}`;
}

const decimalAt = (row: unknown, name: string): ExactDecimal | undefined => readDecimal(member(row, name));

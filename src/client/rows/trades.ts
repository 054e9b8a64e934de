import { shiftDecimal } from "../../base/json/exact-decimal.ts";
import { createPathReader } from "../../base/json/path-reader.ts";
import { type ByteStore, createByteStore } from "../streams/byte-store.ts";
import { type LocatedRows, parseRow, type Rows } from "./rows.ts";

/**
 * The amounts of a swap have opposite signs, and those of a liquidity add or remove the same sign. `?` if an amount is
 * missing or 0: an add of only one token is not a swap.
 */
export type TradeType = "swap" | "liquidity" | "?";

/** Takes the signs of the two amounts; NaN if an amount is missing. */
export function tradeType(sign0: number, sign1: number): TradeType {
  const product = sign0 * sign1;
  if (product < 0) return "swap";
  return product > 0 ? "liquidity" : "?";
}

/** In USD, from the unsigned values of both sides. Both sides of a swap are worth the same, as in `volume_usd` of events. */
export function tradeSize(
  type: TradeType,
  value0: number | undefined,
  value1: number | undefined,
): number | undefined {
  if (value0 === undefined || value1 === undefined) return undefined;
  const sum = value0 + value1;
  return type === "swap" ? sum / 2 : sum;
}

/** The fields of a transaction to locate, so that amounts in tokens can be added. */
export const tradeFields = [
  ...["token_0", "amount_0", "price_0_usd", "volume_0"],
  ...["token_1", "amount_1", "price_1_usd", "volume_1"],
];
const [token, amount, price, volume, side1] = [0, 1, 2, 3, 4];

/** Undefined if the token's decimals are unknown. */
type DecimalsOf = (token: unknown) => number | undefined;

/** Returns the JSON text of one of `tradeFields` in a row; undefined if it is missing. */
type ReadField = (row: number, field: number) => string | undefined;

/** A page of 100 rows has about 100 kB. */
const maxOfPage = 1024 * 1024;

/**
 * Adds `amount_0_tokens`, `amount_1_tokens`, `size_usd` and `type` after the service's fields. Amounts are exact. What is
 * unknown is null.
 */
export function createTokenAmounts(decimalsOf: DecimalsOf): (rows: Rows) => Rows {
  const store = createByteStore(maxOfPage);
  return (rows) => {
    const located = rows.locate(tradeFields);
    const read = located === undefined ? fieldsInRows(rows) : fieldsInBytes(located);
    const decimals = [token, side1 + token].map((field) => {
      const tokens = rows.distinct(tradeFields[field] ?? "");
      const only = decimalsOf(tokens[0]);
      if (tokens.length < 2) return () => only;
      return (row: number) => decimalsOf(JSON.parse(read(row, field) ?? "null"));
    });
    const endings: string[] = [];
    for (let row = 0; row < rows.length; row += 1)
      endings.push(endingOf(read, row, decimals[0]?.(row), decimals[1]?.(row)));
    return withEndings(rows, endings, store);
  };
}

function fieldsInRows(rows: Rows): ReadField {
  const read = createPathReader(tradeFields.map((field) => [field]));
  const texts = rows.texts().map(read);
  return (row, field) => texts[row]?.[field];
}

function fieldsInBytes({ bytes, spans, stride, places }: LocatedRows): ReadField {
  return (row, field) => {
    const at = row * stride + (places[field] ?? 0);
    const from = spans[at] ?? -1;
    return from < 0 ? undefined : bytes.toString("latin1", from, spans[at + 1]);
  };
}

function endingOf(
  read: ReadField,
  row: number,
  decimals0: number | undefined,
  decimals1: number | undefined,
): string {
  const raw0 = numberText(read(row, amount));
  const raw1 = numberText(read(row, side1 + amount));
  // Such a row is not a transaction, and may even be empty.
  if (raw0 === undefined && raw1 === undefined) return "}";
  const tokens0 = tokensText(raw0, decimals0);
  const tokens1 = tokensText(raw1, decimals1);
  const type = tradeType(signOf(raw0), signOf(raw1));
  const value0 = valueOf(tokens0 ?? read(row, volume), read(row, price));
  const value1 = valueOf(tokens1 ?? read(row, side1 + volume), read(row, side1 + price));
  const size = tradeSize(type, value0, value1) ?? "null";
  return `,"amount_0_tokens":${quoted(tokens0)},"amount_1_tokens":${quoted(tokens1)},"size_usd":${size},"type":"${type}"}`;
}

const [QUOTE, ONE, NINE] = [34, 49, 57];

/** The service sends amounts as numbers or as strings. */
function numberText(json: string | undefined): string | undefined {
  return json?.charCodeAt(0) === QUOTE ? json.slice(1, -1) : json;
}

function tokensText(raw: string | undefined, decimals: number | undefined): string | undefined {
  return raw === undefined || decimals === undefined ? undefined : shiftDecimal(raw, -decimals);
}

function signOf(raw: string | undefined): number {
  if (raw === undefined || raw === "null") return Number.NaN;
  const first = raw.charCodeAt(0);
  if (first >= ONE && first <= NINE) return 1;
  return Math.sign(Number(raw));
}

function valueOf(tokens: string | undefined, usd: string | undefined): number | undefined {
  if (tokens === undefined || usd === undefined || tokens === "null" || usd === "null") return undefined;
  const value = Math.abs(Number(tokens) * Number(usd));
  return Number.isFinite(value) ? value : undefined;
}

function quoted(text: string | undefined): string {
  return text === undefined ? "null" : `"${text}"`;
}

/** Each ending replaces the brace that closes its row. It contains only ASCII characters. */
function withEndings(rows: Rows, endings: readonly string[], store: ByteStore): Rows {
  const text = (index: number): string => rows.text(index).trimEnd().slice(0, -1) + (endings[index] ?? "}");
  const texts = (): readonly string[] => endings.map((_, index) => text(index));
  return {
    ...rows,
    text,
    texts,
    values: () => texts().map(parseRow),
    keep: (kept) =>
      withEndings(
        rows.keep(kept),
        endings.filter((_, index) => kept[index]),
        store,
      ),
    lines: () => {
      // Only compact rows without terminal control characters are copied as bytes.
      const located = rows.lines() && rows.locate([]);
      return located && joinLines(located, endings, store);
    },
    locate: () => undefined,
  };
}

/** The lines are valid until those of another page are read. */
function joinLines(
  { bytes, spans, stride }: LocatedRows,
  endings: readonly string[],
  store: ByteStore,
): Uint8Array {
  const ends = Buffer.from(`${endings.join("\n")}\n`, "latin1");
  let from = 0;
  for (const [index, ending] of endings.entries()) {
    const row = index * stride;
    store.addPart(bytes, spans[row] ?? 0, (spans[row + 1] ?? 0) - 1);
    store.addPart(ends, from, (from += ending.length + 1));
  }
  return store.lend();
}

import { shiftDecimal } from "../../../base/json/exact-decimal.ts";
import { createPathReader } from "../../../base/json/path-reader.ts";
import { type LocatedRows, parseRow, type Rows } from "../../../client/rows.ts";
import { tradeSize, typeOfTrade } from "../../../api/endpoints/pool-transactions.ts";

/** The fields of a transaction to locate, so that amounts in tokens can be added. */
export const tradeFields = "token_0 amount_0 price_0_usd token_1 amount_1 price_1_usd".split(" ");
const [token, amount, price, side1] = [0, 1, 2, 3];
/** Only events have them, whose fields are not located. */
const eventFields = ["amount_0_usd", "amount_1_usd"];
const usd = tradeFields.length;

/** Undefined if the token's decimals are unknown. */
type DecimalsOf = (token: unknown) => number | undefined;

/** Returns the JSON text of one of `tradeFields` in a row; undefined if it is missing. */
type ReadField = (row: number, field: number) => string | undefined;

/**
 * Adds `amount_0_tokens`, `amount_1_tokens`, `size_usd` and `type` after the service's fields. Amounts are exact. What is
 * unknown is null.
 */
export function createTokenAmounts(decimalsOf: DecimalsOf): (rows: Rows) => Rows {
  return (rows) => {
    const located = rows.locate(tradeFields);
    const read = located === undefined ? fieldsInRows(rows) : fieldsInBytes(located);
    const units = [token, side1 + token].map((field) => {
      const tokens = rows.distinct(tradeFields[field] ?? "");
      const only = unitOf(decimalsOf(tokens[0]));
      if (tokens.length < 2) return () => only;
      return (row: number) => unitOf(decimalsOf(JSON.parse(read(row, field) ?? "null")));
    });
    const endings: string[] = [];
    for (let row = 0; row < rows.length; row += 1)
      endings.push(endingOf(read, row, units[0]?.(row), units[1]?.(row)));
    return withEndings(rows, endings);
  };
}

/** Computed once for each page, and not for each row. */
interface Unit {
  readonly decimals: number;
  readonly perToken: number;
}

const unitOf = (decimals: number | undefined): Unit | undefined =>
  decimals === undefined ? undefined : { decimals, perToken: 10 ** decimals };

function fieldsInRows(rows: Rows): ReadField {
  const read = createPathReader([...tradeFields, ...eventFields].map((field) => [field]));
  const texts = rows.texts().map(read);
  return (row, field) => texts[row]?.[field];
}

function fieldsInBytes({ bytes, spans, stride, places }: LocatedRows): ReadField {
  // Slices of one text take a tenth of the time of decoding each value.
  const text = bytes.toString("latin1");
  return (row, field) => {
    const at = row * stride + (places[field] ?? Number.NaN);
    const from = spans[at] ?? -1;
    return from < 0 ? undefined : text.slice(from, spans[at + 1]);
  };
}

function endingOf(read: ReadField, row: number, unit0: Unit | undefined, unit1: Unit | undefined): string {
  const raw0 = numberText(read(row, amount));
  const raw1 = numberText(read(row, side1 + amount));
  // Such a row is not a transaction, and may even be empty.
  if (raw0 === undefined && raw1 === undefined) return "}";
  const tokens0 = tokensText(raw0, unit0);
  const tokens1 = tokensText(raw1, unit1);
  // A text that is not a decimal has no value either.
  const units0 = unit0 !== undefined && tokens0 === undefined ? Number.NaN : numberOf(raw0);
  const units1 = unit1 !== undefined && tokens1 === undefined ? Number.NaN : numberOf(raw1);
  const type = typeOfTrade(Math.sign(units0), Math.sign(units1));
  const value0 = sizeOf(read(row, usd)) ?? valueOf(units0, unit0, numberOf(read(row, price)));
  const value1 = sizeOf(read(row, usd + 1)) ?? valueOf(units1, unit1, numberOf(read(row, side1 + price)));
  const size = tradeSize(type, value0, value1) ?? "null";
  return `,"amount_0_tokens":${quoted(tokens0)},"amount_1_tokens":${quoted(tokens1)},"size_usd":${size},"type":"${type}"}`;
}

const QUOTE = 34;

/** The service sends amounts as numbers or as strings. */
function numberText(json: string | undefined): string | undefined {
  return json?.charCodeAt(0) === QUOTE ? json.slice(1, -1) : json;
}

function tokensText(raw: string | undefined, unit: Unit | undefined): string | undefined {
  return raw === undefined || unit === undefined ? undefined : shiftDecimal(raw, -unit.decimals);
}

const numberOf = (json: string | undefined): number =>
  json === undefined || json === "null" ? Number.NaN : Number(json);

const sizeOf = (json: string | undefined): number | undefined => valueOf(numberOf(json), unitOf(0), 1);

function valueOf(units: number, unit: Unit | undefined, usdPerToken: number): number | undefined {
  const value = Math.abs((units / (unit?.perToken ?? Number.NaN)) * usdPerToken);
  return Number.isFinite(value) ? value : undefined;
}

function quoted(text: string | undefined): string {
  return text === undefined ? "null" : `"${text}"`;
}

/** Each ending replaces the brace that closes its row. It contains only ASCII characters. */
function withEndings(rows: Rows, endings: readonly string[]): Rows {
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
      ),
    lines: () => {
      // Only compact rows without terminal control characters are copied as bytes.
      const located = rows.lines() && rows.locate([]);
      return located && joinLines(located, endings);
    },
    locate: () => undefined,
  };
}

/** Reused, because a new buffer for each page would take more time to collect than to fill. */
let lines = Buffer.alloc(0);

/** The lines are valid until those of another page are read. */
function joinLines({ bytes, spans, stride }: LocatedRows, endings: readonly string[]): Uint8Array {
  const most = endings.reduce((sum, ending) => sum + ending.length + 1, bytes.length);
  if (lines.length < most) lines = Buffer.allocUnsafe(2 * most);
  let length = 0;
  let at = 0;
  for (const ending of endings) {
    // Bytes are copied, because a text of the page would be more garbage than the rows themselves.
    length += bytes.copy(lines, length, spans[at], (spans[at + 1] ?? 0) - 1);
    length += lines.write(`${ending}\n`, length, "latin1");
    at += stride;
  }
  return lines.subarray(0, length);
}

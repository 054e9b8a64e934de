import { shiftDecimal } from "../../../base/json/exact-decimal.ts";
import { createPathReader } from "../../../base/json/path-reader.ts";
import { parseRow, type Rows, textRows } from "../../../client/rows.ts";
import { tradeSize, typeOfTrade } from "../../../api/endpoints/pool-transactions.ts";

/** Undefined if the token's decimals are unknown. */
type DecimalsOf = (token: unknown) => number | undefined;

/** Events have the value of a side in USD, and rows have the price of its token. */
const fieldsOf = (side: 0 | 1): readonly string[] => [
  `token_${side}`,
  `amount_${side}`,
  `price_${side}_usd`,
  `amount_${side}_usd`,
];

const readSides = [fieldsOf(0), fieldsOf(1)].map((fields) => createPathReader(fields.map((name) => [name])));

/**
 * Adds `amount_0_tokens`, `amount_1_tokens`, `size_usd` and `type` after the service's fields. Amounts are exact. What is
 * unknown is null.
 */
export function createTokenAmounts(decimalsOf: DecimalsOf): (rows: Rows) => Rows {
  return (rows) =>
    textRows(
      rows.texts().map((text) => {
        const row = text.trimEnd().slice(0, -1) + endingOf(text, decimalsOf);
        return { row, value: parseRow(row) };
      }),
    );
}

/** Replaces the brace that closes the row. */
function endingOf(text: string, decimalsOf: DecimalsOf): string {
  const [one, other] = readSides.map((read) => sideOf(read(text), decimalsOf));
  // Such a row is not a transaction, and may even be empty.
  if (one?.isSent !== true && other?.isSent !== true) return "}";
  const type = typeOfTrade(Math.sign(one?.units ?? Number.NaN), Math.sign(other?.units ?? Number.NaN));
  const size = tradeSize(type, one?.value, other?.value) ?? "null";
  return `,"amount_0_tokens":${quoted(one?.tokens)},"amount_1_tokens":${quoted(other?.tokens)},"size_usd":${size},"type":"${type}"}`;
}

/** What a row says of one of its two tokens. All numbers but the amount in tokens are doubles. */
function sideOf(
  [token = "null", amount, price, usd]: ReturnType<(typeof readSides)[number]>,
  decimalsOf: DecimalsOf,
) {
  const decimals = decimalsOf(JSON.parse(token));
  const raw = unquoted(amount);
  const tokens = raw === undefined || decimals === undefined ? undefined : shiftDecimal(raw, -decimals);
  // A text that is not a decimal has no value either.
  const units = decimals !== undefined && tokens === undefined ? Number.NaN : numberOf(raw);
  const ofPrice = (units / 10 ** (decimals ?? Number.NaN)) * numberOf(price);
  return { isSent: raw !== undefined, tokens, units, value: sizeOf(numberOf(usd)) ?? sizeOf(ofPrice) };
}

/** The service sends amounts as numbers or as strings, and tables also read prices in both forms. */
const unquoted = (json: string | undefined): string | undefined =>
  json?.startsWith('"') === true ? json.slice(1, -1) : json;

/** An empty text is not 0. */
const numberOf = (json: string | undefined): number =>
  json === undefined || json === "null" ? Number.NaN : Number(unquoted(json) || Number.NaN);

const sizeOf = (usd: number): number | undefined => (Number.isFinite(usd) ? Math.abs(usd) : undefined);

const quoted = (text: string | undefined): string => (text === undefined ? "null" : `"${text}"`);

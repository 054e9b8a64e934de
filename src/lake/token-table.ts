import path from "node:path";
import type { Client } from "../client/client.ts";
import { token as tokenEndpoint } from "../contract/endpoints/token.ts";
import { affectsOneInput, Failure } from "../contract/failure.ts";
import { address, position, text } from "../contract/record.ts";
import { renameStored } from "../files/stored-file.ts";
import { isObject, member } from "../json/raw-json.ts";
import { columnOf } from "../parquet/parquet-columns.ts";
import { UnreadableParquet } from "../parquet/parquet-file.ts";
import { readRows, writeParquet } from "./lake-file.ts";

/** The tokens of all transactions and token candles, with what is needed to read raw amounts. */
export const tokensName = "tokens.parquet";

export interface TokenKey {
  readonly network: string;
  readonly token: string;
}

interface TokenRow extends TokenKey {
  /** Null if the service does not know them. */
  readonly symbol: string | null;
  readonly decimals: number | null;
}

const columns = Object.entries({ network: text, token: address, symbol: text, decimals: position }).map(
  ([name, field]) => columnOf(name, field),
);

const keyOf = ({ network, token }: TokenKey): string => `${network}:${token}`;

/**
 * Requests the tokens that the table lacks, one request each, and saves them after every few requests. Returns how many
 * could not be fetched; the next run requests them again.
 */
export async function completeTokens(
  root: string,
  work: string,
  client: Client,
  wanted: Iterable<TokenKey>,
): Promise<number> {
  const file = path.join(root, tokensName);
  const rows = await readTokens(file);
  const missing = [...new Map([...wanted].map((key) => [keyOf(key), key])).values()].filter(
    (key) => !rows.has(keyOf(key)),
  );
  let failed = 0;
  for (let at = 0; at < missing.length; at += client.width) {
    const batch = missing.slice(at, at + client.width);
    const fetched = await Promise.allSettled(batch.map(async (key) => await fetchToken(client, key)));
    const found = fetched.flatMap((each) => (each.status === "fulfilled" ? (each.value ?? []) : []));
    for (const row of found) rows.set(keyOf(row), row);
    // These tokens are paid for, even if the budget does not suffice for the others.
    if (found.length > 0) await writeTokens(file, work, rows);
    const refused = fetched.find((each) => each.status === "rejected");
    if (refused !== undefined) throw refused.reason;
    failed += batch.length - found.length;
  }
  return failed;
}

async function writeTokens(file: string, work: string, rows: ReadonlyMap<string, TokenRow>): Promise<void> {
  const sorted = [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const part = path.join(work, `${tokensName}.part`);
  const lines = sorted.map(([, row]) => JSON.stringify(row));
  await writeParquet(part, columns, lines, ({ rows: count, rows_sha256 }) =>
    JSON.stringify({ v: 1, kind: "tokens", rows: count, rows_sha256 }),
  );
  renameStored(part, file);
}

/** A damaged table is written again. */
async function readTokens(file: string): Promise<Map<string, TokenRow>> {
  const lines = await readRows(file).catch((cause: unknown) => {
    if (cause instanceof UnreadableParquet) return [];
    throw cause;
  });
  return new Map(
    lines.map((line) => {
      const row = rowOf(JSON.parse(line));
      return [keyOf(row), row];
    }),
  );
}

/** Undefined if the request failed. A token that the service does not know has no symbol and no decimals. */
async function fetchToken(client: Client, { network, token }: TokenKey): Promise<TokenRow | undefined> {
  const args = new Map([
    ["network", network],
    ["token_address", token],
  ]);
  try {
    const { value } = (await client.ask(tokenEndpoint, args)).read();
    return rowOf({ ...(isObject(value) && value), network, token });
  } catch (cause) {
    if (!(cause instanceof Failure) || client.signal.aborted) throw cause;
    if (affectsOneInput(cause)) return rowOf({ network, token });
    if (cause.exit === 1 || cause.exit === 7) return undefined;
    throw cause;
  }
}

function rowOf(value: unknown): TokenRow {
  const [symbol, decimals] = [member(value, "symbol"), member(value, "decimals")];
  return {
    network: String(member(value, "network")),
    token: String(member(value, "token")),
    symbol: typeof symbol === "string" ? symbol : null,
    decimals: typeof decimals === "number" && Number.isSafeInteger(decimals) ? decimals : null,
  };
}

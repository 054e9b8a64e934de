import path from "node:path";
import * as z from "zod";
import type { Client } from "../../client/client.ts";
import { readRecord } from "../../client/read-pages.ts";
import { token as tokenEndpoint } from "../../api/endpoints/pool-and-token.ts";
import { affectsOneInput, Failure } from "../../base/failure.ts";
import { address, position, text, time } from "../../api/record.ts";
import { isOneFile } from "../../base/files/file-errors.ts";
import { identityOf, publish } from "../../base/files/synced-file.ts";
import { isObject, member, parseJson } from "../../base/json/json-scan.ts";
import { columnOf, UnreadableParquet } from "../../rows/parquet-format.ts";
import { parseRfc3339, showSeconds } from "../../base/time/time.ts";
import { readRows, writeParquet } from "./lake-file.ts";
import { withParquet } from "../../rows/parquet-file.ts";
import { tokensName } from "../layout.ts";
import { type Keeper, partIn } from "./place-period.ts";

const tokenSchema = z.object({
  network: z.string(),
  token: z.string(),
  /** Null if the service does not know them. */
  symbol: z.catch(z.nullable(z.string()), null),
  decimals: z.catch(z.nullable(z.int()), null),
  /** When the service was last asked and did not know the token; null if it does. */
  absent_at: z.catch(z.nullable(z.string()), null),
});

type TokenRow = z.output<typeof tokenSchema>;

export type TokenKey = Pick<TokenRow, "network" | "token">;

/** In seconds. The service may learn of a token later, so it is asked again once a day. */
const absenceTime = 86_400;

const columns = Object.entries({
  network: text,
  token: address,
  symbol: text,
  decimals: position,
  absent_at: time,
}).map(([name, field]) => columnOf(name, field));

const keyOf = ({ network, token }: TokenKey): string => `${network}:${token}`;

/**
 * Requests the tokens that the table lacks, one request each, and saves them after every few requests. Returns how many
 * could not be fetched; the next run requests them again. `present` is in Unix seconds.
 */
export async function completeTokens(
  keeper: Pick<Keeper, "root" | "lock"> & { readonly client: Client },
  wanted: Iterable<TokenKey>,
  present: number,
): Promise<number> {
  const { client, root } = keeper;
  const { rows, missing } = await findMissing(root, wanted, present);
  let failed = 0;
  for (let at = 0; at < missing.length; at += client.width) {
    const batch = missing.slice(at, at + client.width);
    const fetched = await Promise.allSettled(
      batch.map(async (key) => await fetchToken(client, key, present)),
    );
    const found = fetched.flatMap((each) => (each.status === "fulfilled" ? (each.value ?? []) : []));
    for (const row of found) rows.set(keyOf(row), row);
    // These tokens are paid for, even if the budget does not suffice for the others.
    if (found.length > 0) await writeTokens(keeper, rows);
    const refused = fetched.find((each) => each.status === "rejected");
    if (refused !== undefined) throw refused.reason;
    failed += batch.length - found.length;
  }
  return failed;
}

/** The table, and the tokens that it lacks. */
export async function findMissing(root: string, wanted: Iterable<TokenKey>, present: number) {
  const rows = await readTokens(path.join(root, tokensName));
  const known = new Map([...wanted].map((key) => [keyOf(key), key]));
  const missing = [...known].flatMap(([name, key]) => (isMissing(rows.get(name), present) ? key : []));
  return { rows, missing };
}

function isMissing(row: TokenRow | undefined, present: number): boolean {
  if (row === undefined || row.absent_at === null) return row === undefined;
  const asked = parseRfc3339(row.absent_at)?.seconds;
  return asked === undefined || asked > present || present - asked >= absenceTime;
}

async function writeTokens(
  keeper: Pick<Keeper, "root" | "lock">,
  rows: ReadonlyMap<string, TokenRow>,
): Promise<void> {
  const file = path.join(keeper.root, tokensName);
  const before = identityOf(file);
  const sorted = [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const part = partIn(keeper, tokensName);
  const lines = sorted.map(([, row]) => JSON.stringify(row));
  await writeParquet(part, columns, lines, ({ rows: count, rows_sha256 }) =>
    JSON.stringify({ v: 1, kind: "tokens", rows: count, rows_sha256 }),
  );
  publish(keeper.lock, part, file, before);
}

/** Whether the file with this receipt is a table of tokens. */
export const isOfTokens = (receipt: string): boolean => member(parseJson(receipt), "kind") === "tokens";

/** A damaged table is written again, and so is another file in its place. */
async function readTokens(file: string): Promise<Map<string, TokenRow>> {
  const read = async (): Promise<readonly string[]> => {
    const receipt = await withParquet(file, (parquet) => parquet.receipt);
    return isOfTokens(receipt) ? await readRows(file) : [];
  };
  const lines = await read().catch((cause: unknown) => {
    if (cause instanceof UnreadableParquet || isOneFile(cause)) return [];
    throw cause;
  });
  return new Map(
    lines.map((line) => {
      const row = tokenSchema.parse(JSON.parse(line));
      return [keyOf(row), row];
    }),
  );
}

/** Undefined if the request failed. A token that the service does not know has no symbol and no decimals. */
async function fetchToken(
  client: Client,
  { network, token }: TokenKey,
  present: number,
): Promise<TokenRow | undefined> {
  const args = new Map(Object.entries({ network, token_address: token }));
  try {
    const value = await readRecord(client, tokenEndpoint, args);
    const row = tokenSchema.parse({ ...(isObject(value) && value), network, token, absent_at: null });
    return row.symbol === null && row.decimals === null ? { ...row, absent_at: showSeconds(present) } : row;
  } catch (cause) {
    if (!(cause instanceof Failure) || client.signal.aborted) throw cause;
    if (affectsOneInput(cause)) return tokenSchema.parse({ network, token, absent_at: showSeconds(present) });
    if (cause.exit === 1 || cause.exit === 7 || cause.status === 403) return undefined;
    throw cause;
  }
}

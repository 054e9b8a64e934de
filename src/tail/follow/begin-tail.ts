import type { Client } from "../../client/client.ts";
import { walkPages } from "../../client/pages/pages.ts";
import type { Clock } from "../../context/context.ts";
import type { Question } from "../../contract/args.ts";
import { rowShape } from "../../contract/endpoint.ts";
import { type Instant, toWire } from "../../time/time.ts";
import { catchUp } from "./catch-up.ts";
import type { Tailing } from "./follow.ts";
import { createKnownRows } from "./known-rows.ts";
import { createLook } from "./look.ts";
import { readTailRow } from "./tail-row.ts";
import { continuationOf, type WrittenRows } from "./written-rows.ts";

export interface Beginning {
  readonly client: Client;
  readonly question: Question;
  readonly pageSize: number;
  /** Where it was told to begin. */
  readonly from: Instant | undefined;
  /** What earlier runs wrote; undefined where there is nothing. */
  readonly readWritten: () => Promise<WrittenRows | undefined>;
  /** Unix seconds that no sound row is later than. */
  readonly latest: () => number;
  readonly clock: Pick<Clock, "elapsed">;
}

/**
 * From an instant on; without one from behind what earlier runs wrote, and without those from the service's present on,
 * whose rows are known and not written.
 */
export async function beginTail({
  client,
  question,
  pageSize,
  from,
  readWritten,
  latest,
  clock,
}: Beginning): Promise<Tailing> {
  const present = from ?? (await findPresent(client, question, latest));
  // Now that the service has said what time it is: a clock that was set would hide rows, or take wrong ones for the last.
  const written = await readWritten();
  const earlier = from === undefined && written !== undefined ? continuationOf(written, latest()) : undefined;
  const known = createKnownRows(earlier?.from ?? present, latest);
  if (earlier !== undefined) known.add(earlier.rows);
  const take = createLook(client, question, pageSize, known, clock);
  if (from === undefined && earlier === undefined)
    for await (const { rows } of catchUp(take, known, latest)) known.add(rows);
  return { take, known };
}

/**
 * The second of the newest row that is not dated ahead of the service's present. By the service's clock: by one of ours
 * that is ahead of it rows would be left out. Of a pool without any row, the beginning of time.
 */
async function findPresent(
  client: Client,
  { endpoint, args }: Question,
  latest: () => number,
): Promise<Instant> {
  const newest = await findNewest(client, { endpoint, args });
  if (newest.seconds <= latest()) return newest;
  const to = toWire({ seconds: latest(), fraction: "" });
  return await findNewest(client, { endpoint, args: new Map([...args, ["to", to]]) });
}

async function findNewest(client: Client, { endpoint, args }: Question): Promise<Instant> {
  const shape = rowShape(endpoint);
  for await (const { rows } of walkPages(client, endpoint, args, { pageSize: 1, isStrict: true })) {
    const [value] = rows.values();
    if (value === undefined) break;
    return { seconds: readTailRow(shape, rows.text(0), value).at.seconds, fraction: "" };
  }
  return { seconds: 0, fraction: "" };
}

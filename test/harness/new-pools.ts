import { json, type Reply, type SeenRequest } from "./scripted-server.ts";

/** In Unix seconds. */
export const newPoolsStart = 1_795_251_600;

interface NewPool {
  readonly id: string;
  readonly createdAt: number;
  readonly listedAt: number;
}

/** A quiet market with a burst of 400 pools a minute in every tenth minute; every fifth pool is listed 10 minutes late. */
export function createNewPools(minutes: number): readonly NewPool[] {
  const pools: NewPool[] = [];
  for (let minute = -60; minute < minutes; minute += 1) {
    const count = (minute + 60) % 10 === 3 ? 400 : 3;
    for (let index = 0; index < count; index += 1) {
      const createdAt = newPoolsStart + minute * 60 + Math.floor((index * 60) / count);
      const late = (minute * 7 + index) % 5 === 0 ? 600 : 0;
      pools.push({
        id: `0x${(pools.length + 1).toString(16).padStart(40, "0")}`,
        createdAt,
        listedAt: createdAt + late,
      });
    }
  }
  return pools;
}

const figures = "volume_usd_24h volume_usd_7d volume_usd_30d liquidity_usd transactions_24h price_usd fee";
const changes = ["5m", "1h", "6h", "24h"].map((window) => `price_change_percentage_${window}`);
const unknownFigures = Object.fromEntries([...figures.split(" "), ...changes].map((name) => [name, null]));

/**
 * The search on Base, newest first. Its cursors are numbers of rows, so that late pools move the pages; if they have a
 * time as well, they keep the list of that time, as those of the service do.
 */
export function answerSearch(
  pools: readonly NewPool[],
  now: number,
  { query }: SeenRequest,
  haveTime = false,
): Reply {
  const after = Number(query.get("created_after") ?? 0);
  const before = Number(query.get("created_before") ?? Number.POSITIVE_INFINITY);
  const limit = Number(query.get("limit") ?? 10);
  const [offset = 0, at = now] = query.get("cursor")?.split("@").map(Number) ?? [];
  const listed = pools
    .filter(({ createdAt, listedAt }) => listedAt <= at && createdAt >= after && createdAt <= before)
    .toSorted((a, b) => b.createdAt - a.createdAt);
  const results = listed.slice(offset, offset + limit).map(({ id, createdAt }) => ({
    id,
    chain: "base",
    created_at: new Date(createdAt * 1000).toISOString(),
    ...unknownFigures,
    tokens: [],
  }));
  const hasNext = offset + limit < listed.length;
  const next = haveTime ? `${offset + limit}@${at}` : String(offset + limit);
  const echo = {
    network: "base",
    limit,
    order_by: query.get("order_by"),
    sort: query.get("sort"),
    ...(query.has("created_after") && { created_after: after }),
    ...(query.has("created_before") && { created_before: before }),
  };
  return json(
    { results, has_next_page: hasNext, next_cursor: hasNext ? next : "", query: echo },
    { headers: { date: new Date(now * 1000).toUTCString() } },
  );
}

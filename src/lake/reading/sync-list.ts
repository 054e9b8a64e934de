import type { Args } from "../../api/endpoint.ts";
import { fail, usageFailure, Failure } from "../../base/failure.ts";
import { member } from "../../base/json/json-scan.ts";
import { counted } from "../../base/text/words.ts";
import { SECONDS_PER_DAY, parseRfc3339, showSeconds } from "../../base/time/time.ts";
import { addressKey } from "../../client/subject.ts";
import { joinRanges } from "../coverage.ts";
import { nameOfDataset, periodOf, type PoolList } from "../dataset.ts";
import { describeRows, type LostRange } from "../footer.ts";
import type { LakeFileState } from "../files/stored-periods.ts";
import { type LakeRun, rangeText } from "./lake-run.ts";
import { type Period, periodsBetween, folderOf } from "../layout.ts";
import { replacePeriod } from "../periods/publish-period.ts";
import { plainList } from "../../client/list-plan.ts";
import { networkPoolsSearch } from "../../api/endpoints/searches.ts";
import { removeFile } from "../../base/files/paths.ts";
import { createPart, textOfFile } from "../../base/files/synced-file.ts";
import { compactJson } from "../../base/json/json-text.ts";
import type { Client } from "../../client/client.ts";
import { createDocument } from "../../client/document.ts";
import { everyRow } from "../../client/page.ts";
import { createSeenKeys } from "../../client/seen-keys.ts";
import { readPages } from "../../client/read-pages.ts";
import { creationOf } from "./lake-reach.ts";
import { workFile } from "../files/place-period.ts";

/** A pool that leaves a search is read for this long, in seconds. */
const followedTime = SECONDS_PER_DAY;

/** The days of a list. */
type Held = ReadonlyMap<string, LakeFileState>;

/** Whether no run has read the period that begins at this time, or a later one. */
export const isDue = (held: Held, at: number): boolean =>
  [...held.values()].every(({ footer }) => (footer?.settled_to ?? 0) <= at);

/**
 * Reads the current period of a list. A period is written as a whole or not at all, and never changes, so its file
 * is `rows.parquet` from the start. Periods that no run has read are lost: the footer of their day says so.
 */
export async function syncList(
  run: LakeRun,
  list: PoolList,
  held: Held = new Map(),
): Promise<readonly never[]> {
  checkClock(run);
  const [at, isHeard] = [periodOf(list, run.present()), run.clock.isHeard()];
  if (!isDue(held, at)) return [];
  const { rows, absent, drop } = await readPools(run, list, held, at);
  // The first response may show that the clock of this machine is ahead.
  if (!isHeard && periodOf(list, run.present()) !== at) {
    drop();
    return await syncList(run, list, held);
  }
  if (rows.length === 0) {
    drop();
    const next = "text" in list.source ? `try: dexdata pools search ${list.source.text}` : undefined;
    const problem = "the service returned no pool, so nothing was written";
    throw held.size === 0 ? usageFailure(problem, next) : fail("incomplete", problem, { next });
  }
  if (absent > 0)
    run.events.info(`${nameOfDataset(list)}: the service did not return ${counted(absent, "pool")}`);
  run.events.read(rows.length);
  const begin = Math.min(list.from, at);
  const days = periodsBetween(list, begin, at + 1);
  const due = days.filter(({ name, to }) => (held.get(name)?.footer?.settled_to ?? 0) < to);
  const lost: LostRange[] = [];
  try {
    for (const day of due) {
      const range = await record(run, list, day, held.get(day.name), { begin, at, rows });
      if (range !== undefined) lost.push(range);
      // Writing to the file has shown that other days of it are damaged, so all days are checked again.
      if (run.incomplete.delete(list)) due.push(...days);
    }
  } finally {
    for (const range of joinRanges(lost)) run.complain(`${nameOfDataset(list)}: ${rangeText(range)}`);
  }
  drop();
  run.events.done();
  return [];
}

/** A period never changes, so no later run could correct a wrong one. */
function checkClock({ clock }: LakeRun): void {
  const problem = "the time of the responses is unknown, or more than 6h from that of this machine";
  const next = "check the clock of this machine: dexdata doctor";
  if (clock.isWrong()) throw fail("incomplete", `${problem}, so nothing was written`, { next });
}

/** The pools of the last day, with the time of their creation in Unix seconds; of a search, those that it returned. */
async function recentPools(run: LakeRun, list: PoolList, at: number) {
  const pools = new Map<string, number | undefined>();
  for (const day of periodsBetween(list, at - followedTime, at + 1)) {
    const held = await run.look(list, day);
    if (held?.footer === undefined) continue;
    for (const text of held.rows) {
      const row: unknown = JSON.parse(text);
      const [period = 0, created] = ["period", "created_at"].map(
        (field) => parseRfc3339(String(member(row, field)))?.seconds,
      );
      const isOwn = "pools" in list.source || typeof member(row, "rank") === "number";
      if (isOwn && period >= at - followedTime) pools.set(addressKey(String(member(row, "id"))), created);
    }
  }
  return pools;
}

/** What rows of pools do not have. */
const noFacts = { total: null, total_at: null, first: null, last: null, unsettled: 0, tokens: [] };

/**
 * Adds the period at `at`, which has `rows`, to its day. Earlier periods that no run has read are recorded as lost, also in
 * days before it. Returns what is lost in addition to what the file said; `known` is what the plan found.
 */
async function record(
  run: LakeRun,
  list: PoolList,
  day: Period,
  known: LakeFileState | undefined,
  { begin, at, rows }: { readonly begin: number; readonly at: number; readonly rows: readonly string[] },
): Promise<LostRange | undefined> {
  const held = await run.look(list, day);
  const kept = held?.footer === undefined ? undefined : held;
  const from = kept?.footer.period.from ?? Math.max(begin, day.from);
  const isOwn = at < day.to;
  const [read, end] = [kept?.footer.settled_to ?? from, isOwn ? at : day.to];
  if (read > at || (!isOwn && read >= end)) return undefined;
  const present = run.present();
  const why = kept === undefined && (held ?? known) !== undefined ? "damaged" : "missed";
  const lost = read < end ? [{ from: read, to: end, why, seen_at: present }] : [];
  const earlier = kept?.rows ?? [];
  const all = isOwn ? [...earlier, ...rows] : earlier;
  const published = await replacePeriod(run, { dataset: list, period: day, held }, all, (summary) => ({
    ...describeRows(list, summary, run.service),
    period: { from, to: day.to },
    state: "rows",
    settled_to: isOwn ? at + list.every : end,
    read_at: isOwn ? present : (kept?.footer.read_at ?? null),
    lost: [...(kept?.footer.lost ?? []), ...lost],
    ...noFacts,
  }));
  await run.events.published(published);
  return lost[0];
}

/**
 * Reads a list: its search, or each of its pools. Pools of the last day that the search no longer has are read one by one.
 * Only rows of searches have the liquidity, so a pool is found by the second of its creation. `at` is the start of the
 * period. Call `drop` when the rows are in a file.
 */
async function readPools(run: LakeRun, list: PoolList, held: Held, at: number) {
  const { source, network } = list;
  const recent = await recentPools(run, list, at);
  const { ask, drop } = stageResponses(run, `${folderOf(list)} ${at}`);
  const rows = new Map<string, string>();
  const read = async (args: Args, limit: number | undefined, only: string | undefined): Promise<void> => {
    // A cursor can continue the list as it was at the first page.
    let asOf: number | undefined;
    const client: Client = {
      ...run.client,
      ask: async (...request) => {
        const document = await ask(...request);
        asOf ??= document.asOf;
        return document;
      },
    };
    const firstPages = plainList(Math.min(limit ?? 100, 100));
    const reading = { ...everyRow(createSeenKeys("all", false)), wanted: limit };
    for await (const page of readPages(client, networkPoolsSearch, args, firstPages, reading)) {
      const time = new Date(asOf ?? run.context.clock.now()).toISOString();
      for (const [index, value] of page.rows.values().entries()) {
        const id = addressKey(String(member(value, "id")));
        if (rows.has(id) || (only === undefined ? rows.size === limit : id !== only)) continue;
        const rank = only === undefined ? rows.size + 1 : null;
        const text = compactJson(page.rows.text(index)).slice(0, -1);
        rows.set(id, `${text},"period":"${showSeconds(at)}","as_of":"${time}","rank":${rank}}`);
      }
      if (only === undefined && rows.size === limit) break;
    }
  };
  try {
    if ("text" in source) {
      const args = source.argsAt(at * 1000);
      await read(args, source.limit, undefined);
      // A new search may be mistyped, but pools of an earlier one do not all disappear.
      if (rows.size === 0 && held.size > 0 && (await run.client.again(1, "the search returned no pool")))
        await read(args, source.limit, undefined);
    }
    const pools =
      "text" in source ? recent : new Map(source.pools.map((pool) => [pool.address, pool.created]));
    const single = [...pools.keys()].filter((id) => !rows.has(id));
    for (const address of single) {
      const known = pools.get(address) ?? recent.get(address);
      const created = known ?? (await creationOf({ ...run.client, ask }, { ...list, address }));
      if (created === undefined) continue;
      const range = { network, created_after: String(created), created_before: String(created + 1) };
      const only = new Map(Object.entries(range));
      await read(only, undefined, address);
      // No later run reads this period.
      if (!rows.has(address) && (await run.client.again(1, `the service did not return ${address}`)))
        await read(only, undefined, address);
    }
    return { rows: [...rows.values()], absent: single.filter((id) => !rows.has(id)).length, drop };
  } catch (cause) {
    // A list that contradicts itself has to be read from its start, and a response without rows again.
    if (cause instanceof Failure && ["incomplete", "untrusted_answer"].includes(cause.code)) drop();
    throw cause;
  }
}

/** Keeps each response until the rows are in a file, so that the run after a killed one requests only the others. */
function stageResponses(run: LakeRun, name: string) {
  const { root, client } = run;
  const files = new Set<string>();
  const ask: Client["ask"] = async (endpoint, args, until) => {
    const file = workFile(root, JSON.stringify([name, endpoint.path, ...args]), "ndjson");
    // A page that is requested again must not be the same one. The end is missing if the process was killed.
    const staged = files.has(file) ? undefined : textOfFile(file);
    files.add(file);
    const [, asOf, body] = /^(\d+) (.*) end$/su.exec(staged ?? "") ?? [];
    if (body !== undefined)
      return {
        ...createDocument({ status: 200, body: Buffer.from(body), asOf: Number(asOf) }),
        age: undefined,
      };
    const document = await client.ask(endpoint, args, until);
    checkClock(run);
    const part = createPart(file);
    await part.write(Buffer.concat([Buffer.from(`${document.asOf} `), document.bytes, Buffer.from(" end")]));
    part.close();
    return document;
  };
  return { ask, drop: () => files.forEach(removeFile) };
}

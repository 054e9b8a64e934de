import { createDocument } from "../../client/document.ts";
import { plainList } from "../../client/list-plan.ts";
import { showSeconds } from "../../base/time/time.ts";
import type { Args } from "../../api/args.ts";
import { networkPoolsSearch } from "../../api/endpoints/searches.ts";
import { Failure } from "../../base/failure.ts";
import { removeFile } from "../../base/files/paths.ts";
import { createPart, textOfFile } from "../../base/files/synced-file.ts";
import { compactJson } from "../../base/json/json-text.ts";
import { member } from "../../base/json/json-scan.ts";
import type { Client } from "../../client/client.ts";
import { everyRow } from "../../client/page.ts";
import { createSeenKeys } from "../../client/seen-keys.ts";
import { addressKey } from "../../client/subject.ts";
import { readPages } from "../../client/read-pages.ts";
import type { PoolList } from "../dataset.ts";
import { creationOf } from "./lake-reach.ts";
import type { LakeRun } from "./lake-run.ts";
import { folderOf } from "../layout.ts";
import { nameOfWork, workFolder } from "../files/place-file.ts";

/**
 * Reads a list: its search, or each of its pools. `recent` are pools of the last day with the time of their creation in
 * Unix seconds: those that the search no longer has are read one by one. Only rows of searches have the liquidity, so a
 * pool is found by the second of its creation. `at` is the start of the period. Call `drop` when the rows are in a file.
 */
export async function readPools(
  run: LakeRun,
  list: PoolList,
  recent: ReadonlyMap<string, number | undefined>,
  at: number,
) {
  const { source, network } = list;
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
    if ("text" in source) await read(source.argsAt(at * 1000), source.limit, undefined);
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
    // A list that contradicts itself has to be read from its start.
    if (cause instanceof Failure && cause.code === "incomplete") drop();
    throw cause;
  }
}

/** Keeps each response until the rows are in a file, so that the run after a killed one requests only the others. */
function stageResponses({ root, client }: LakeRun, name: string) {
  const files = new Set<string>();
  const ask: Client["ask"] = async (endpoint, args, until) => {
    const file = `${workFolder(root)}/${nameOfWork(JSON.stringify([name, endpoint.path, ...args]))}.ndjson`;
    // A page that is requested again must not be the same one. The end is missing if the process was killed.
    const staged = files.has(file) ? undefined : textOfFile(file);
    files.add(file);
    const [, asOf, body] = /^(\d+) (.*) end$/su.exec(staged ?? "") ?? [];
    if (body !== undefined)
      return createDocument({ status: 200, body: Buffer.from(body), asOf: Number(asOf) });
    const document = await client.ask(endpoint, args, until);
    const part = createPart(file);
    await part.write(Buffer.concat([Buffer.from(`${document.asOf} `), document.bytes, Buffer.from(" end")]));
    part.close();
    return document;
  };
  return { ask, drop: () => files.forEach(removeFile) };
}

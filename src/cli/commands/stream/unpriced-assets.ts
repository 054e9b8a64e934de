import { multiPrices } from "../../../api/endpoints/prices.ts";
import { Failure } from "../../../base/failure.ts";
import { member } from "../../../base/json/json-scan.ts";
import type { Client } from "../../../client/client.ts";
import { type ListPlan, plainList } from "../../../client/list-plan.ts";
import { readPages } from "../../../client/read-pages.ts";
import type { LiveOptions } from "../../../client/stream-options.ts";
import { subjectKey } from "../../../client/subject.ts";

/**
 * Finds tokens without a price in REST, at one credit per token: nonexistent tokens and a few others. Returns none if
 * the request fails.
 */
export function unpricedAssets(client: Client): NonNullable<LiveOptions["suspects"]> {
  return async (subjects) => {
    const priced = new Set<string>();
    try {
      for (const network of new Set(subjects.map((subject) => subject.network))) {
        const own = subjects.filter((each) => each.network === network);
        const list: ListPlan = { ...plainList(1, false), kind: "batch", subjects: own, fillMissing: false };
        for await (const { rows } of readPages(client, multiPrices, new Map(), list))
          for (const row of rows.values())
            priced.add(subjectKey({ network, address: String(member(row, "id")) }));
      }
    } catch (cause) {
      if (cause instanceof Failure) return [];
      throw cause;
    }
    return subjects.filter((subject) => !priced.has(subjectKey(subject)));
  };
}

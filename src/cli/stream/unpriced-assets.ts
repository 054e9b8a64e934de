import type { Client } from "../../client/client.ts";
import { walkPages } from "../../client/pages/pages.ts";
import { multiPrices } from "../../contract/endpoints/multi-prices.ts";
import { Failure } from "../../contract/failure.ts";
import { member } from "../../json/own-member.ts";
import type { Suspects } from "../../tail/find-invalid.ts";
import { subjectKey } from "../../tail/shards.ts";

/**
 * The tokens that REST has no price of: one that does not exist has none, and few others. A credit a token. Where it
 * cannot be asked nobody is suspected.
 *
 * @param charged so many credits were spent
 */
export function unpricedAssets(client: Client, charged: (credits: number) => void): Suspects {
  return async (subjects) => {
    const before = client.meter.credits;
    const priced = new Set<string>();
    try {
      for (const network of new Set(subjects.map((subject) => subject.network))) {
        const walk = {
          pageSize: 1,
          isStrict: false,
          subjects: subjects.filter((each) => each.network === network),
        };
        for await (const { rows } of walkPages(client, multiPrices, new Map(), walk))
          for (const value of rows.values()) priced.add(keyOf(network, value));
      }
    } catch (cause) {
      if (cause instanceof Failure) return [];
      throw cause;
    } finally {
      charged(client.meter.credits - before);
    }
    return subjects.filter((subject) => !priced.has(subjectKey(subject)));
  };
}

function keyOf(network: string, row: object): string {
  return subjectKey({ network, address: String(member(row, "id")) });
}

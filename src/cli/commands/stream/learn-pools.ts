import type { Client } from "../../../client/client.ts";
import type { Subject } from "../../../client/subject.ts";
import type { KnownAssets } from "../../run/asset-names.ts";

/** Each request costs a credit. With more pools, only those that are already known show amounts in tokens. */
const maxLearned = 25;

/** Without the decimals of their tokens, the board would show trades as raw numbers. They are cached for a day. */
export async function learnPools(
  client: Client,
  known: KnownAssets,
  subjects: readonly Subject[],
  signal: AbortSignal,
): Promise<void> {
  const unknown = subjects.filter((subject) => !known.knowsPool(subject)).slice(0, maxLearned);
  for (const { network, address } of unknown) {
    if (signal.aborted) return;
    // A failure is not an error: the amounts stay raw.
    await known.requestPool(client, network, address).catch(() => undefined);
  }
  known.save();
}

import type { Subject } from "../client/batches.ts";
import { Failure } from "../contract/failure.ts";
import { nameOf, someOf } from "./shards.ts";

/** Names the assets that a refusal is for; its status decides the exit code. */
export function invalidAssets(invalid: readonly Subject[], refused: Failure): Failure {
  const names = invalid.map(nameOf);
  const which = names.length === 1 ? `${names[0]}` : `${names.length} assets: ${someOf(names)}`;
  return new Failure(`the service does not stream ${which}`, {
    ...refused.details,
    next: "look the address up with dexdata search <address>, or go on without: --on-invalid drop",
    body: new Map([...(refused.details.body ?? []), ["assets_invalid", JSON.stringify(names)]]),
  });
}

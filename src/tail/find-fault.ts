import type { Subject } from "../client/batches.ts";
import type { Context } from "../context/context.ts";
import type { Failure } from "../contract/failure.ts";
import { findInvalid, mayBeOfOneAsset } from "./find-invalid.ts";
import { invalidAssets } from "./invalid-assets.ts";
import { type Probing, probeOf } from "./probe.ts";
import type { Opening } from "./subscription.ts";
import type { TailOptions } from "./tail-options.ts";

/** The assets that a connection is refused for. Throws where none can be found, or where they are not to be left out. */
export async function findFault(
  context: Pick<Context, "clock" | "random">,
  asking: Opening & Omit<Probing, "isSaidInStream">,
  { onInvalid, suspects }: Pick<TailOptions, "onInvalid" | "suspects">,
  subjects: readonly Subject[],
  refused: Failure,
): Promise<{ readonly invalid: readonly Subject[]; readonly failure: Failure }> {
  if (!mayBeOfOneAsset(refused)) throw refused;
  const isSaidInStream = refused.details.status === undefined;
  const probe = probeOf(context, asking, { ...asking, isSaidInStream });
  const invalid = await findInvalid(subjects, refused, probe, suspects);
  if (invalid.length === 0) throw refused;
  const failure = invalidAssets(invalid, refused);
  if (onInvalid === "fail") throw failure;
  return { invalid, failure };
}

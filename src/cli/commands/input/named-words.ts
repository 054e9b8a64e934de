import { wellKnownNetworks } from "../../../api/network-aliases.ts";
import type { Context } from "../../../base/context/context.ts";
import { isAssetName } from "../../../client/settings/asset-names.ts";
import type { AssetPlaces, NamedInput } from "./asset-places.ts";

/**
 * Replaces names by addresses before anything else reads the command line, so that checkpoints, receipts and printed
 * commands contain addresses. `places` is read only if a word can be a name.
 */
export async function withoutNames<I extends NamedInput>(
  input: I,
  context: Context,
  places: () => AssetPlaces,
): Promise<I> {
  if (!input.words.some(canBeName) && !hasNameInFlag(input)) return input;
  const { replaceNames } = await import("./replace-names.ts");
  return { ...input, ...(await replaceNames(input, context, places())) };
}

const hasNameInFlag = ({ typed }: NamedInput): boolean => typed.has("token") || typed.has("in");

function canBeName(word: string, index: number): boolean {
  return isAssetName(word) && (index > 0 || !wellKnownNetworks.has(word));
}

import type { Answer } from "./answer.ts";
import { supportedNetworks } from "./answer.ts";

/**
 * Wire-facts 4.1. The three counts, which the service was seen to leave out, are left out here too: they would
 * make the market of every network for one short list.
 */
export const answerNetworks: Answer = (asked) =>
  supportedNetworks(asked).map(({ id, displayName }) => ({ id, display_name: displayName }));

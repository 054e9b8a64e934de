import { createQueue } from "../../base/concurrent.ts";
import { Failure } from "../../base/failure.ts";
import type { Ending } from "../../client/ending.ts";

/** One at a time, so that the list that was read last is the one that counts. An invalid list changes nothing. */
export function createReload(
  { signal, end }: Pick<Ending, "signal" | "end">,
  reload: () => Promise<void>,
  refused: (failure: Failure) => void,
): () => void {
  const inTurn = createQueue();
  const work = async (): Promise<void> => {
    try {
      await reload();
    } catch (cause) {
      // The run ended while the list was being read, for example from a pipe without a writer.
      if (signal.aborted) return;
      if (cause instanceof Failure) refused(cause);
      else end(cause);
    }
  };
  return () => void inTurn(work);
}

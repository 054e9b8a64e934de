/**
 * undici uses a connection again in the second turn of the event loop after the answer before, once it is sure that the
 * connection is still open. Work that is begun at once would hold a request up for as long as it takes.
 */
export async function letLeave(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A SIGHUP that comes before anybody listens for it. */
export interface EarlyReload {
  /** Whether one came; from now on the signal is left to others. */
  readonly take: () => boolean;
}

/**
 * A stream of `@file` takes SIGHUP for a wish to read the file again, also while the program is still being loaded: by
 * default the signal would end it. Every other run is ended by it, as any process is.
 */
export function awaitEarlyReload(argv: readonly string[]): EarlyReload {
  let hasCome = false;
  const remember = (): void => {
    hasCome = true;
  };
  if (argv.includes("stream") && argv.some((word) => word.startsWith("@"))) process.on("SIGHUP", remember);
  return {
    take: () => {
      process.off("SIGHUP", remember);
      return hasCome;
    },
  };
}

/** A SIGHUP that comes before anybody listens for it. */
export interface EarlyReload {
  /** Whether one came; from now on the signal is left to others. */
  readonly take: () => boolean;
  /** Whether one that comes now would be remembered. */
  readonly isAwaited: () => boolean;
}

/**
 * A stream of `@file` takes SIGHUP for a wish to read the file again, also while the program is still being loaded: by
 * default the signal would end it. Every other run is ended by it.
 */
export function awaitEarlyReload(argv: readonly string[]): EarlyReload {
  let hasCome = false;
  const remember = (): void => {
    hasCome = true;
  };
  let isAwaited =
    process.platform !== "win32" && argv.includes("stream") && argv.some((word) => word.startsWith("@"));
  if (isAwaited) process.on("SIGHUP", remember);
  return {
    isAwaited: () => isAwaited,
    take: () => {
      isAwaited = false;
      process.off("SIGHUP", remember);
      return hasCome;
    },
  };
}

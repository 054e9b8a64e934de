/** A SIGHUP that arrives before the run handles it. */
export interface EarlyReload {
  /** Whether one arrived; from now on others handle the signal. */
  readonly take: () => boolean;
  /** Whether one that arrives now would be remembered. */
  readonly isAwaited: () => boolean;
}

/**
 * SIGHUP makes a stream of `@file` read the file again, even while the program is still loading, when the signal would end
 * the process by default. It ends every other run.
 */
export function awaitEarlyReload(argv: readonly string[]): EarlyReload {
  let hasArrived = false;
  const remember = (): void => {
    hasArrived = true;
  };
  const [command, ...words] = argv;
  let isAwaited =
    process.platform !== "win32" && command === "stream" && words.some((word) => word.startsWith("@"));
  if (isAwaited) process.on("SIGHUP", remember);
  return {
    isAwaited: () => isAwaited,
    take: () => {
      isAwaited = false;
      process.off("SIGHUP", remember);
      return hasArrived;
    },
  };
}

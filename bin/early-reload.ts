/** Remembers a SIGHUP that arrives before the run can handle it. */
export interface EarlyReload {
  /** Returns whether a SIGHUP arrived. After this call, other listeners handle the signal. */
  readonly take: () => boolean;
  /** Whether a SIGHUP that arrives now would be remembered. */
  readonly isAwaited: () => boolean;
}

/**
 * For a stream of `@file`, SIGHUP means that the file should be read again. The signal can arrive while the program is
 * still loading, and by default it would then end the process. In every other run, SIGHUP ends the run.
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

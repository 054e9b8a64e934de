/** Remembers a SIGHUP that arrives before the run can handle it. */
export interface EarlyReload {
  /** Returns whether a SIGHUP arrived. After this call, other listeners handle the signal. */
  readonly take: () => boolean;
  readonly isAwaited: () => boolean;
}

/** Only streams from an `@file` reload on SIGHUP. While the program is loading, the signal would end the process. */
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

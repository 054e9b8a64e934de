export type EarlyReload = ReturnType<typeof awaitEarlyReload>;

/**
 * Remembers a SIGHUP that arrives before the run can handle it, because it would end the process while the program is
 * loading. Only streams from an `@file` reload on SIGHUP.
 */
export function awaitEarlyReload(argv: readonly string[]) {
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
    /** Returns whether a SIGHUP arrived. After this call, other listeners handle the signal. */
    take: (): boolean => {
      isAwaited = false;
      process.off("SIGHUP", remember);
      return hasArrived;
    },
  };
}

import { fail } from "../../contract/failure.ts";

/** The lock of a file that a run writes. */
export interface HeldLock {
  readonly isHeld: () => boolean;
}

/**
 * Call it before a run changes the file that the lock is for, or reports success: another process may have taken the
 * lock while this one was suspended.
 */
export function checkHeld(lock: HeldLock, path: string): void {
  if (lock.isHeld()) return;
  throw fail("output", `${path} was removed or taken over by another process during the run`, {
    next: undefined,
    retryable: true,
  });
}

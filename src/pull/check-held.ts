import { Failure } from "../model/failure.ts";

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
  throw new Failure(`${path} was removed or taken over by another process during the run`, {
    exit: 1,
    code: "output",
    retryable: true,
  });
}

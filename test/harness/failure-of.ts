import { Failure } from "../../src/base/failure.ts";

/** The message and the exit code of a failure, to compare at once. */
export interface Told {
  readonly exit: number;
  readonly message: string;
  readonly next: string | undefined;
}

/** Returns the failure of a call that must fail. */
export async function failureOf(call: () => unknown): Promise<Told> {
  try {
    await call();
  } catch (error) {
    if (error instanceof Failure)
      return { exit: error.exit, message: error.message, next: error.details.next };
    throw error;
  }
  throw new Error("it did not fail");
}

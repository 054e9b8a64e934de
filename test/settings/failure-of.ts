import { Failure } from "../../src/contract/failure.ts";

/** What a person reads of a failure, and the exit code: the whole of it, to be compared at once. */
export interface Told {
  readonly exit: number;
  readonly message: string;
  readonly next: string | undefined;
}

/** The failure of a call that must fail. */
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

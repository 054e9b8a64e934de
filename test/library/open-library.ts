import { createLibraryClient, type LibraryClient } from "../../src/library/create-library-client.ts";
import type { ClientOptions, Listing } from "../../src/library/public-types.ts";
import type { Failure } from "../../src/base/failure.ts";
import type { Row } from "../harness/rows.ts";
import { createTestClock } from "../harness/test-clock.ts";
import { sandboxNow } from "../harness/sandbox.ts";

type Call<T> = (params?: object, options?: object) => T;

/** The package's types as far as the tests need them; test/end-to-end/package.slow.test.ts compiles the real ones. */
export interface Library extends LibraryClient {
  readonly pool: Call<Promise<Row>>;
  readonly search: Call<Promise<Readonly<Record<string, readonly Row[]>>>>;
  readonly networks: Call<Listing<Row>>;
  readonly dexes: Call<Listing<Row>>;
  readonly networkPoolsSearch: Call<Listing<Row>>;
  readonly poolTransactions: Call<Listing<Row>>;
  readonly multiPrices: Call<Listing<Row>>;
  readonly tokenOhlcv: Call<Listing<Row>>;
}

/** Returns a client whose clock sleeps a thousand times faster. */
export function openLibrary(
  options: ClientOptions = {},
  warn: (text: string) => void = () => undefined,
): Library {
  const clock = createTestClock(sandboxNow, 1000, true);
  const client = createLibraryClient({ clock, random: () => 0, warn }, { timeout: 86_400_000, ...options });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return client as Library;
}

/** Returns the failure of a call, as a program sees it. */
export async function failureOf(
  call: () => unknown,
): Promise<Pick<Failure, "message" | "status" | "code" | "param" | "retryAfter">> {
  try {
    await call();
  } catch (cause) {
    const { message, status, code, param, retryAfter } = Object(cause);
    return { message, status, code, param, retryAfter };
  }
  throw new Error("it did not fail");
}

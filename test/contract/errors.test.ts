import { describe, expect, test } from "vitest";
import {
  errorCodes,
  factsOf,
  failAsService,
  isErrorCode,
  isServiceCode,
} from "../../src/api/service-errors.ts";
import { exitCodes } from "../../src/base/exit-codes.ts";
import { fail, type Failure } from "../../src/base/failure.ts";

describe("the table of error codes", () => {
  test("no code of dexdata is also a code of the service", () => {
    expect(new Set(errorCodes).size).toBe(errorCodes.length);
    expect(errorCodes.filter(isServiceCode)).toHaveLength(17);
  });

  test.each(errorCodes)("%s has a meaning, a next step and the exit code of an error", (code) => {
    const { exit, meaning, next } = factsOf(code);
    expect(code).toMatch(/^[a-z]+(?:_[a-z]+)*$/u);
    expect(exitCodes).toHaveProperty(String(exit));
    expect([1, 2, 3, 4, 5, 6, 7, 8]).toContain(exit);
    expect(meaning).toMatch(/^\S.*[^.\s]$/u);
    expect(next).toMatch(/^\S.*[^.\s]$/u);
  });

  test.each(["", "other", "toString", "USAGE"])("%j is not a code", (word) => {
    expect(isErrorCode(word)).toBe(false);
  });
});

describe("fail", () => {
  test("the code alone determines the exit code, whether to retry, and the next step", () => {
    expect(fail("incomplete", "3 rows are missing")).toMatchObject({
      message: "3 rows are missing",
      details: { code: "incomplete", exit: 8, retryable: true, next: factsOf("incomplete").next },
    });
    expect(failAsService("not_found", "no pool", {}).details).toMatchObject({ exit: 3, retryable: false });
  });

  test("details passed by the caller override the table", () => {
    const cause = new Error("ENOTFOUND");
    const { details } = fail("network", "no such name", { retryable: false, next: undefined, cause });
    expect(details).toEqual({ code: "network", exit: 7, retryable: false, next: undefined, cause });
    expect(fail("proxy", "wrong password", { exit: 4 }).exit).toBe(4);
  });

  test("an unknown code, or the exit code of another code, does not compile", () => {
    // @ts-expect-error: not a code of the table
    const unknown = (): Failure => fail("no_such_code", "never");
    // @ts-expect-error: the table has 7 and 4
    const otherExit = (): Failure => fail("proxy", "never", { exit: 2 });
    // @ts-expect-error: the table has only 2
    const anyExit = (): Failure => fail("usage", "never", { exit: 1 });
    expect([unknown, otherExit, anyExit]).toHaveLength(3);
  });
});

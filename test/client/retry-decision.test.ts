import { fc } from "../harness/properties.ts";
import { describe, expect, test } from "vitest";
import type { ErrorBody } from "../../src/client/response/refusal.ts";
import { defaultRetryPolicy, waitBeforeRetry } from "../../src/client/retry.ts";
import { parseHttpDate, retryAfterMilliseconds } from "../../src/client/http-times.ts";
import { meaningOf } from "../../src/api/service-errors.ts";
import { Failure, affectsOneInput } from "../../src/base/failure.ts";

const failure = (details: {
  status?: number;
  retryable?: boolean;
  isOutage?: boolean;
  retryAfter?: number;
}): Failure => new Failure("refused", { exit: 7, code: "internal_error", ...details });
const first = { attempt: 1, waited: 0, hasAnswered: false, random: 0 };
const outOfTime = expect.objectContaining({
  details: expect.objectContaining({ next: expect.stringContaining("would exceed --retry-max-time") }),
});

describe("status codes", () => {
  test.each([
    [400, 2, false, "invalid_param"],
    [401, 4, false, "unauthorized"],
    [402, 5, false, "payment_required"],
    [403, 4, false, "forbidden"],
    [404, 3, false, "not_found"],
    [405, 2, false, "method_not_allowed"],
    [410, 3, false, "endpoint_removed"],
    [429, 6, true, "rate_limited"],
    [500, 7, true, "internal_error"],
    [399, 1, false, "internal_error"],
    [499, 2, false, "invalid_param"],
    [501, 7, false, "unavailable"],
    [502, 7, true, "unavailable"],
    [503, 7, true, "unavailable"],
    [504, 7, true, "unavailable"],
    [505, 7, false, "unavailable"],
    [599, 7, false, "unavailable"],
    [100, 1, false, "internal_error"],
  ] as const)("%d: exit %d, retryable: %s, %s", (status, exit, retryable, code) => {
    expect(meaningOf(status)).toEqual({ exit, retryable, code });
  });

  test("no other three-digit status is retryable", () => {
    const all = Array.from({ length: 900 }, (_, index) => 100 + index);
    expect(all.filter((status) => meaningOf(status).retryable)).toEqual([429, 500, 502, 503, 504]);
    expect(all.filter((status) => affectsOneInput(failure({ status })))).toEqual([400, 404]);
  });
});

describe("retry decisions", () => {
  test("default: four retries within three minutes, and only for the statuses of the specification", () => {
    expect(defaultRetryPolicy).toEqual({
      retries: 4,
      retryOn: new Set(),
      outlastsOutages: false,
      maxTime: 180_000,
    });
  });

  test("match the reference table for any numbers", () => {
    const details = fc.record(
      {
        status: fc.constantFrom(400, 429, 500, 503),
        retryable: fc.boolean(),
        isOutage: fc.boolean(),
        retryAfter: fc.nat(200_000),
      },
      { requiredKeys: [] },
    );
    const policies = fc.record({
      retries: fc.nat(9),
      retryOn: fc.uniqueArray(fc.constantFrom(400, 503)).map((list) => new Set<number>(list)),
      outlastsOutages: fc.boolean(),
      maxTime: fc.nat(200_000),
    });
    const progress = fc.record({
      attempt: fc.integer({ min: 1, max: 10 }),
      waited: fc.nat(100_000),
      hasAnswered: fc.boolean(),
      random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    });
    fc.assert(
      fc.property(details, policies, progress, (what, policy, at) => {
        const refused = failure(what);
        const decide = (): number => waitBeforeRetry(refused, policy, at);
        const isChosen = [...policy.retryOn].some((status) => status === what.status);
        const isKnown = what.isOutage !== true || at.hasAnswered || policy.outlastsOutages;
        const mayBe = isChosen || (what.retryable === true && isKnown);
        if (!mayBe || policy.retries < at.attempt) {
          expect(decide).toThrow(
            // A failure that is too early for a retry gets the hint to use --retry-on.
            isKnown || isChosen
              ? expect.toSatisfy((thrown) => thrown === refused)
              : expect.objectContaining({ message: refused.message }),
          );
          return;
        }
        const doubled = [1000, 2000, 4000, 8000, 16_000, 32_000, 64_000][at.attempt - 1] ?? 64_000;
        const least = Math.max(doubled, (what.retryAfter ?? -20) + 20);
        const most = Math.max(doubled * 1.5, (what.retryAfter ?? -270) + 270);
        const wait = waitBeforeRetry(refused, { ...policy, maxTime: Number.POSITIVE_INFINITY }, at);
        expect(wait).toBeGreaterThanOrEqual(least);
        expect(wait).toBeLessThanOrEqual(Math.ceil(most));
        expect(Number.isInteger(wait)).toBe(true);
        if (at.waited + wait <= policy.maxTime) expect(decide()).toBe(wait);
        else expect(decide).toThrow(outOfTime);
      }),
      { numRuns: 700 },
    );
  });

  test.each([
    [1, undefined, 0, 1000],
    [1, undefined, 0.5, 1250],
    [4, undefined, 0, 8000],
    [7, undefined, 0, 64_000],
    [9, undefined, 0, 64_000],
    [1, 7000, 0, 7020],
    [1, 7000, 0.5, 7145],
    [4, 7000, 0, 8000],
    [1, 0, 0, 1000],
  ])("attempt %d, Retry-After %s ms, chance %d: after %d ms", (attempt, retryAfter, random, wait) => {
    const details = { retryable: true, ...(retryAfter === undefined ? {} : { retryAfter }) };
    const policy = { ...defaultRetryPolicy, retries: 9 };
    expect(waitBeforeRetry(failure(details), policy, { ...first, attempt, random })).toBe(wait);
  });

  test("a wait that uses the remaining time exactly is accepted", () => {
    const policy = { ...defaultRetryPolicy, maxTime: 3000 };
    const at = { ...first, waited: 2000 };
    expect(waitBeforeRetry(failure({ retryable: true }), policy, at)).toBe(1000);
    const late = { ...at, waited: 2001 };
    expect(() => waitBeforeRetry(failure({ retryable: true }), policy, late)).toThrow(outOfTime);
  });
});

describe("the wait that the service requests", () => {
  const nothing: ErrorBody = { code: undefined, message: undefined, isHtml: false, fields: new Map() };
  const inBody = (text: string): ErrorBody => ({ ...nothing, fields: new Map([["retry_after", text]]) });
  const date = "Sat, 21 Nov 2026 08:54:00 GMT";
  test.each([
    [{}, nothing, undefined],
    [{ "retry-after": "7" }, nothing, 7000],
    [{ "retry-after": "0" }, inBody("9"), 0],
    [{ "retry-after": "" }, nothing, undefined],
    [{ "retry-after": "" }, inBody("9"), 9000],
    [{ "retry-after": "-7" }, nothing, undefined],
    // The header has one value. Two values are invalid, which leaves the client's own wait.
    [{ "retry-after": "1, 100,7" }, nothing, undefined],
    [{ "retry-after": "7s" }, inBody("9"), 9000],
    [{ "retry-after": "1.5" }, inBody("12"), 12_000],
    [{ "retry-after": "Sat, 21 Nov 2026 08:55:00 GMT", date }, nothing, 60_000],
    [{ "retry-after": "Sat, 21 Nov 2026 08:53:00 GMT", date }, inBody("9"), 0],
    [{ "retry-after": "Sat, 21 Nov 2026 08:55:00 GMT" }, inBody("9"), 9000],
    // Without a Date header, the local clock decides, which is at 08:54:30 here.
    [{ "retry-after": "Sat, 21 Nov 2026 08:55:00 GMT" }, nothing, 30_000],
    [{ "retry-after": "Sat, 21 Nov 2026 08:53:00 GMT" }, nothing, 0],
    [{ "retry-after": "soon", date }, nothing, undefined],
    [{}, inBody("9"), 9000],
    [{}, inBody("9.5"), undefined],
    [{}, inBody("x9"), undefined],
    [{}, inBody('"9"'), undefined],
    [{}, inBody(""), undefined],
  ])("%j with %j: %s ms", (headers, body, milliseconds) => {
    const received = Date.parse("2026-11-21T08:54:30Z");
    expect(retryAfterMilliseconds(new Map(Object.entries(headers)), body, received)).toBe(milliseconds);
  });
});

describe("an HTTP date", () => {
  const days = ["Sun", "Mon", "Tues", "Wednes", "Thurs", "Fri", "Satur"];
  const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  const two = (number: number): string => String(number).padStart(2, "0");

  /** Returns a time in the three formats of RFC 9110. */
  function write(milliseconds: number): readonly string[] {
    const at = new Date(milliseconds);
    const long = days[at.getUTCDay()] ?? "";
    const [short, month] = [long.slice(0, 3), months[at.getUTCMonth()] ?? ""];
    const [year, time] = [at.toISOString().slice(0, 4), at.toISOString().slice(11, 19)];
    const day = at.getUTCDate();
    return [
      `${short}, ${two(day)} ${month} ${year} ${time} GMT`,
      `${long}day, ${two(day)}-${month}-${year.slice(2)} ${time} GMT`,
      `${short} ${month} ${String(day).padStart(2)} ${time} ${year}`,
    ];
  }

  const seconds = fc.integer({ min: 0, max: Date.UTC(2069, 11, 31, 23, 59, 59) / 1000 });

  test("is parsed in each of its three formats", () => {
    fc.assert(
      fc.property(seconds, (at) => {
        expect(write(at * 1000).map(parseHttpDate)).toEqual([at * 1000, at * 1000, at * 1000]);
      }),
      { numRuns: 1000 },
    );
  });

  test("with one character changed is another date or invalid", () => {
    const edits = fc.tuple(
      seconds,
      fc.nat(2),
      fc.nat(40),
      fc.nat(1),
      fc.constantFrom("", "0", "3", "9", " ", "x"),
    );
    fc.assert(
      fc.property(edits, ([at, form, place, gone, put]) => {
        const text = write(at * 1000)[form] ?? "";
        const edited = text.slice(0, place) + put + text.slice(place + gone);
        const read = parseHttpDate(edited);
        // A leap second is read as the first second of the next minute, so it is written as that.
        if (read === undefined || edited.includes(":60")) return;
        // The weekday is not checked against the date, and a year of four digits can be any year.
        const shape = (written: string): string =>
          written.replace(/^[A-Z][a-z]+/u, "").replace(/(?<= )0(?=\d )/u, " ");
        expect(write(read).map(shape)).toContain(shape(edited));
      }),
      { numRuns: 700 },
    );
  });

  test.each([
    ["Thu, 31 Dec 1998 23:59:60 GMT", Date.UTC(1999, 0, 1)],
    ["Sunday, 06-Nov-69 08:49:37 GMT", Date.UTC(2069, 10, 6, 8, 49, 37)],
    ["Friday, 06-Nov-70 08:49:37 GMT", Date.UTC(1970, 10, 6, 8, 49, 37)],
    ["Sun, 06 Nov 1994 08:49:37 GMT", Date.UTC(1994, 10, 6, 8, 49, 37)],
    ["Sun, 06 Nov 1968 08:49:37 GMT", Date.UTC(1968, 10, 6, 8, 49, 37)],
    ["Sun Nov  6 08:49:37 1800", Date.UTC(1800, 10, 6, 8, 49, 37)],
    ["Thu, 29 Feb 2024 00:00:00 GMT", Date.UTC(2024, 1, 29)],
    ["Wed, 01 Jan 2025 23:59:59 GMT", Date.UTC(2025, 0, 1, 23, 59, 59)],
    ["Sat, 21 Nov 0026 08:54:00 GMT", undefined],
    ["Wed, 29 Feb 2023 00:00:00 GMT", undefined],
    ["Wed, 00 Jan 2025 00:00:00 GMT", undefined],
    ["Wed, 32 Jan 2025 00:00:00 GMT", undefined],
    ["Wed, 31 Jan 2025 24:00:00 GMT", undefined],
    ["Wed, 31 Jan 2025 23:60:00 GMT", undefined],
    ["Wed, 31 Jan 2025 23:59:61 GMT", undefined],
    ["Wed, 31 Foo 2025 23:59:59 GMT", undefined],
    ["Wed, 31 Jan 2025 23:59:59", undefined],
    ["Wed, 31 Jan 2025 23:59:59 CET", undefined],
    ["", undefined],
  ])("%j is %s", (text, milliseconds) => {
    expect(parseHttpDate(text)).toBe(milliseconds);
  });
});

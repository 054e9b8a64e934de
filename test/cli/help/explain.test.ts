import { describe, expect, test } from "vitest";
import { noPriceReasons } from "../../../src/api/record.ts";
import { errorCodes, factsOf } from "../../../src/api/service-errors.ts";
import { dexdata } from "../../harness/dexdata.ts";

/**
 * Specification, Errors: every value of `error`, its status, and the exit code for that status in the
 * README.
 */
const serviceCodes: readonly (readonly [string, number, number])[] = [
  ["invalid_param", 400, 2],
  ["missing_param", 400, 2],
  ["unauthorized", 401, 4],
  ["invalid_api_key", 401, 4],
  ["forbidden", 403, 4],
  ["not_found", 404, 3],
  ["unsupported_network", 404, 3],
  ["route_not_found", 404, 3],
  ["method_not_allowed", 405, 2],
  ["endpoint_removed", 410, 3],
  ["rate_limited", 429, 6],
  ["internal_error", 500, 7],
  ["unavailable", 503, 7],
  ["payment_required", 402, 5],
  ["plan_required", 403, 4],
  ["wrong_host", 403, 4],
  ["preview_only", 403, 4],
];

describe("dexdata explain", () => {
  test.each(serviceCodes)(
    "%s: status %i, exit %i, with an example of its body",
    async (code, status, exit) => {
      const { stdout, stderr, ...run } = await dexdata(`explain ${code} -o json`);
      expect({ exit: run.exit, stderr }).toEqual({ exit: 0, stderr: "" });
      expect(JSON.parse(stdout)).toMatchObject({
        word: code,
        kind: "service error code",
        status,
        exit,
        retryable: [429, 500, 502, 503, 504].includes(status),
        example: { error: code },
      });
      expect((await dexdata(`explain ${code}`)).stdout).toMatch(/meaning +\S[^]*next +\S/u);
    },
  );

  test.each(Object.keys(noPriceReasons))("%s, why an asset has no price at a time", async (reason) => {
    const { exit, stdout } = await dexdata(`explain ${reason}`);
    expect(exit).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^${reason}, a reason for no price:\n[^]*meaning +\\S[^]*next +\\S`, "u"),
    );
  });

  test("the example of payment_required has the fields of a pro plan's body, and consistent numbers", async () => {
    const { example } = JSON.parse((await dexdata("explain payment_required -o json")).stdout);
    const { stderr } = await dexdata("networks --sandbox --tier pro --faults 402x1 --error-format json");
    const body = JSON.parse(stderr);
    for (const member of ["tier", "overage", "resets_at", "links"]) expect(body).toHaveProperty(member);
    expect({ ...example, message: "", resets_at: "", links: {} }).toEqual({
      error: "payment_required",
      message: "",
      tier: "pro",
      credits: { ...body.credits, used: body.credits.limit, remaining: 0 },
      overage: body.overage,
      resets_at: "",
      links: {},
    });
    expect(example.credits.plan + example.credits.packs).toBe(example.credits.limit);
  });

  test.each(errorCodes)("%s is explained with the facts in the table", async (code) => {
    const { stdout } = await dexdata(`explain ${code} -o json`);
    const { exit, retryable, meaning, next } = factsOf(code);
    expect(JSON.parse(stdout)).toMatchObject({ word: code, exit, retryable, meaning, next });
  });

  test.each([
    ["HTTP 429", "429"],
    ["(HTTP 503)", "503"],
    ["HTTP/1.1 402 Payment Required", "402"],
    ["HTTP/2 429", "429"],
    ["429 Too Many Requests", "429"],
    ["status: 429", "429"],
    ["exit code 8", "8"],
    ["Exit 130", "130"],
    ["curl: (22) The requested URL returned error: 503", "503"],
    ["429 Client Error: Too Many Requests for url: https://api.example/networks", "429"],
    ["Payment Required", "payment_required"],
    ["Too Many Requests", "429"],
    ["502 Bad Gateway", "502"],
    ["bad gateway", "502"],
    ["plan_required: txns requires a dev plan (HTTP 403)", "plan_required"],
    ['{"error":"rate_limited","message":"slow down","retry_after":12}', "rate_limited"],
    ['{"message": "no", "error": "forbidden"}', "forbidden"],
    ['{"code":"network","message":"cannot resolve api.example","exit":7}', "network"],
    ['{"code":410,"message":"gone","replacement":"/networks/{network}/pools/search"}', "410"],
  ])("%s, as it is pasted, is explained", async (pasted, word) => {
    const { exit, stdout, stderr } = await dexdata(["explain", pasted, "-o", "json"]);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ word });
  });

  test.each(["2.3.4.5/networks", "https://api.example/networks?error=503"])("%s is a URL", async (url) => {
    expect(await dexdata(["explain", url])).toMatchObject({ exit: 0, stdout: "dexdata networks\n" });
  });

  test.each(["1000 rows", "unknown network foo"])("%s names no code", async (text) => {
    expect(await dexdata(["explain", text])).toMatchObject({ exit: 2 });
  });

  test("prints the same text for -o wide, and text in a pipe, as its help states", async () => {
    for (const word of ["402", "/networks/ethereum/pools?limit=5"]) {
      const { stdout } = await dexdata(`explain ${word}`);
      expect(await dexdata(`explain ${word} -o table`)).toMatchObject({ exit: 0, stdout });
      expect(await dexdata(`explain ${word} -o wide`)).toMatchObject({ exit: 0, stdout });
    }
    const { stdout } = await dexdata("help explain");
    expect(stdout.replaceAll(/\s+/gu, " ")).toContain("table (default; also in a pipe), wide, ndjson, json");
  });

  test("a status lists its codes, an exit code its causes", async () => {
    expect(JSON.parse((await dexdata("explain 404 -o json")).stdout)).toMatchObject({
      kind: "HTTP status",
      exit: 3,
      codes: ["not_found", "unsupported_network", "route_not_found"],
    });
    expect(JSON.parse((await dexdata("explain 5 -o json")).stdout)).toMatchObject({
      kind: "exit code",
      codes: ["payment_required", "max_credits", "daily_budget"],
    });
    for (const [exit, code] of [
      [2, "output"],
      [4, "proxy"],
    ] as const) {
      const { codes } = JSON.parse((await dexdata(`explain ${exit} -o json`)).stdout);
      expect(codes).toContain(code);
    }
    expect(JSON.parse((await dexdata("explain 130 -o json")).stdout)).toMatchObject({
      kind: "exit code",
      exit: 130,
    });
    expect(JSON.parse((await dexdata("explain 503 -o json")).stdout)).toMatchObject({
      exit: 7,
      retryable: true,
    });
    expect(JSON.parse((await dexdata("explain 301 -o json")).stdout)).toMatchObject({ exit: 1 });
  });

  const unknown: readonly (readonly [string, string])[] = [
    ["plan_requierd", "did you mean plan_required?"],
    ["rate-limit", "did you mean rate_limited?"],
    ["max credit", "did you mean max_credits?"],
  ];
  test.each(unknown)("%s gets the closest suggestion", async (words, next) => {
    const { exit, stdout, stderr } = await dexdata(["explain", words, "--error-format", "text"]);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr.split("\n")[1]).toBe(`  hint: ${next}`);
  });

  test.each(["999", "9", "1000", "-1", "what", "foo", "R3"])(
    "%s is unknown, and gets no suggestion",
    async (word) => {
      const { exit, stderr } = await dexdata(["explain", "--", word]);
      expect(exit).toBe(2);
      expect(stderr).not.toContain("did you mean");
    },
  );
});

import { describe, expect, test } from "vitest";
import { isStreamLimitFailure, streamRefusal } from "../../../src/client/streams/stream-refusal.ts";
import type { Target } from "../../../src/client/target.ts";
import type { Failure } from "../../../src/base/failure.ts";

const target: Target = {
  rest: "https://rest.example",
  streaming: "https://streams.example",
  tier: "free",
  key: "api_free_1",
  keySource: "DEXDATA_API_KEY",
  isSimulated: false,
};
const keyless: Target = { ...target, tier: "keyless", key: undefined };
const weth = { network: "ethereum", address: "0xabc" };
const question = {
  command: "stream",
  path: "/sse/prices",
  subjects: [weth],
  by: "token",
  plan: "keyless",
} as const;

function refused(
  status: number,
  body: unknown,
  {
    who = target,
    asked = {},
    headers = {},
  }: { who?: Target; asked?: object; headers?: Readonly<Record<string, string>> } = {},
): Failure {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = { status, headers: new Map(Object.entries(headers)), body: Buffer.from(text), received: 0 };
  const { command, subjects, path, plan, by } = { ...question, ...asked };
  return streamRefusal(answer, { command, subjects, feed: { path, plan }, kind: { by } }, who);
}

const html = "<!DOCTYPE html><html><body>blocked</body></html>";

describe("each rejection before a stream: exit code and message (wire-facts 5.7)", () => {
  test.each([
    [
      400,
      { message: "token not found: ethereum/0xabc" },
      2,
      "the service rejected the stream for ethereum:0xabc (HTTP 400)",
    ],
    [
      400,
      { error: "invalid_param", param: "interval", message: "no" },
      2,
      "the service rejected --interval (HTTP 400)",
    ],
    [
      400,
      { error: "invalid_param", param: "since", message: "no" },
      2,
      "the service rejected --since (HTTP 400)",
    ],
    [400, {}, 2, "the service rejected the stream for ethereum:0xabc (HTTP 400)"],
    [400, "", 2, "the service rejected the stream for ethereum:0xabc (HTTP 400)"],
    [400, html, 7, "streams.example responded with an HTML page (HTTP 400) instead of JSON"],
    [
      401,
      { message: "api key verification has failed" },
      4,
      "the service rejected the key from DEXDATA_API_KEY",
    ],
    [401, "", 4, "the service rejected the key from DEXDATA_API_KEY"],
    [402, { error: "payment_required", tier: "free", message: "no" }, 5, "out of credits on the free plan"],
    [402, "", 5, "out of credits on the free plan"],
    [
      403,
      { error: "wrong_host", tier: "free", message: "no" },
      4,
      "streams.example does not accept free keys",
    ],
    [403, html, 4, "streams.example blocked the request before it reached the service (HTML response)"],
    [403, { message: "no" }, 4, "the free plan does not allow this request"],
    [404, { message: "token not found: ethereum/0xabc" }, 3, "invalid asset ethereum:0xabc"],
    [404, { error: "not_found", resource: "pool", message: "x" }, 3, "invalid asset ethereum:0xabc"],
    [404, { message: "Not Found" }, 3, "/sse/prices not found on https://streams.example"],
    [
      404,
      { error: "route_not_found", message: "no such path" },
      3,
      "/sse/prices not found on https://streams.example",
    ],
    [404, "", 3, "/sse/prices not found on https://streams.example"],
    [
      410,
      { error: "endpoint_removed", replacement: "/sse/other" },
      3,
      "/sse/prices was removed from the API",
    ],
    [410, "", 3, "/sse/prices was removed from the API"],
    [
      429,
      { error: "rate_limited", tier: "free", message: "slow down" },
      6,
      "rate limit of the free plan exceeded",
    ],
    [429, "", 6, "rate limit of the free plan exceeded"],
    [500, "", 7, "the streaming host failed (HTTP 500)"],
    [502, html, 7, "the streaming host failed (HTTP 502)"],
    [302, "", 1, "the streaming host returned a redirect (HTTP 302), which dexdata does not follow"],
    [418, "", 2, "the service rejected the stream (HTTP 418)"],
  ])("%i %j", (status, body, exit, message) => {
    const failure = refused(status, body);
    expect([failure.exit, failure.message]).toEqual([exit, message]);
    expect(failure.details.status).toBe(status);
  });

  test("plan_required names the plan, and preview_only the asset", () => {
    const asked = { command: "stream --feed ohlcv", plan: "dev" };
    const links = { register: "https://console.example/register" };
    const plan = { error: "plan_required", tier: "keyless", message: "no", required_tier: "dev", links };
    const failure = refused(403, plan, { who: keyless, asked });
    expect([failure.exit, failure.message]).toEqual([
      4,
      "stream --feed ohlcv requires a dev plan or higher; no key is set",
    ]);
    expect(failure.details.next).toBe(
      "register and upgrade at https://console.example/register; alternative without a paid plan: dexdata prices ethereum:0xabc --watch 10s",
    );
    const preview = refused(
      403,
      { error: "preview_only", tier: "keyless", message: "— no" },
      { who: keyless },
    );
    expect(preview.message).toBe(
      "without a key, stream is limited to preview assets; ethereum:0xabc is not one of them",
    );
    expect(preview.details.why).toBe("— no");
    expect(preview.details.next).toBe(
      "register for a free key; alternative without a key: dexdata prices ethereum:0xabc --watch 10s",
    );
    const several = refused(
      403,
      { error: "preview_only", message: "no" },
      { asked: { subjects: [weth, weth] } },
    );
    expect(several.message).toBe(
      "without a key, stream is limited to preview assets; some of the requested assets are not among them",
    );
    expect(several.details.next).toContain(": dexdata prices ethereum:0xabc … --watch 10s");
    const reserves = refused(403, plan, { who: keyless, asked: { by: "pool", plan: "free" } });
    expect(reserves.details.next).toContain(
      "alternative without a key: dexdata pool ethereum:0xabc --watch 10s",
    );
  });

  test("a rejection without a key requires a key", () => {
    expect(refused(401, "", { who: keyless }).message).toBe("streams.example requires a key");
  });

  test.each([
    "ip stream limit exceeded",
    "global stream limit exceeded",
    "Concurrent stream limit reached for your plan. Close an open stream before starting another.",
  ])("rules 162 and 163: `%s` is a stream limit, not a rate limit", (message) => {
    const failure = refused(429, { error: "rate_limited", tier: "free", message });
    expect(isStreamLimitFailure(failure)).toBe(true);
    expect([failure.exit, failure.details.retryable]).toEqual([6, true]);
  });

  test("429 and every 5xx are retryable, nothing else; Retry-After is read", () => {
    const retried = [400, 401, 402, 403, 404, 405, 410, 429, 500, 502, 503].filter(
      (status) => refused(status, "").details.retryable,
    );
    expect(retried).toEqual([429, 500, 502, 503]);
    expect(refused(429, "", { headers: { "retry-after": "9" } }).details.retryAfter).toBe(9000);
  });
});

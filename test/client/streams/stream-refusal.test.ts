import { describe, expect, test } from "vitest";
import { isStreamLimitFailure, streamRefusal } from "../../../src/client/streams/stream-refusal.ts";
import type { Target } from "../../../src/client/connection/target.ts";
import type { Failure } from "../../../src/contract/failure.ts";

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
const question = { command: "stream", path: "/sse/prices", subjects: [weth], plan: "keyless" };

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
  const answer = { status, headers: new Map(Object.entries(headers)), body: Buffer.from(text) };
  return streamRefusal(answer, { ...question, ...asked }, who);
}

const html = "<!DOCTYPE html><html><body>blocked</body></html>";

describe("each refusal before a stream: exit code and what is said (wire-facts 5.7)", () => {
  test.each([
    [
      400,
      { message: "token not found: ethereum/0xabc" },
      2,
      "the service refused the stream of ethereum:0xabc",
    ],
    [
      400,
      { error: "invalid_param", param: "interval", message: "no" },
      2,
      "--interval: refused by the service",
    ],
    [400, { error: "invalid_param", param: "since", message: "no" }, 2, "--since: refused by the service"],
    [400, {}, 2, "the service refused the stream of ethereum:0xabc"],
    [400, "", 2, "the service refused the stream of ethereum:0xabc"],
    [400, html, 2, "the service refused the stream of ethereum:0xabc"],
    [
      401,
      { message: "api key verification has failed" },
      4,
      "the service does not accept the key from DEXDATA_API_KEY",
    ],
    [401, "", 4, "the service does not accept the key from DEXDATA_API_KEY"],
    [
      402,
      { error: "payment_required", tier: "free", message: "no" },
      5,
      "the credits of the free plan are used up",
    ],
    [402, "", 5, "the credits of the free plan are used up"],
    [
      403,
      { error: "wrong_host", tier: "free", message: "no" },
      4,
      "a free key does not belong to streams.example",
    ],
    [
      403,
      html,
      4,
      "streams.example refused the request before the service saw it (it answered with a web page)",
    ],
    [403, { message: "no" }, 4, "the free plan may not do this"],
    [404, { message: "token not found: ethereum/0xabc" }, 3, "the service does not stream ethereum:0xabc"],
    [
      404,
      { error: "not_found", resource: "pool", message: "x" },
      3,
      "the service does not stream ethereum:0xabc",
    ],
    [404, { message: "Not Found" }, 3, "https://streams.example has no /sse/prices"],
    [
      404,
      { error: "route_not_found", message: "no such path" },
      3,
      "https://streams.example has no /sse/prices",
    ],
    [404, "", 3, "https://streams.example has no /sse/prices"],
    [
      410,
      { error: "endpoint_removed", replacement: "/sse/other" },
      3,
      "the service has removed /sse/prices for good",
    ],
    [410, "", 3, "the service has removed /sse/prices for good"],
    [
      429,
      { error: "rate_limited", tier: "free", message: "slow down" },
      6,
      "too many requests for the free plan",
    ],
    [429, "", 6, "too many requests for the free plan"],
    [500, "", 7, "the streaming host failed (status 500)"],
    [502, html, 7, "the streaming host failed (status 502)"],
    [302, "", 1, "the streaming host answered with a redirect (status 302), which is not followed"],
    [418, "", 2, "the service refused the stream (status 418)"],
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
      "stream --feed ohlcv needs a dev plan or higher; no key is set",
    ]);
    expect(failure.details.next).toBe("register and upgrade: https://console.example/register");
    const preview = refused(
      403,
      { error: "preview_only", tier: "keyless", message: "— no" },
      { who: keyless },
    );
    expect(preview.message).toBe(
      "without a key, stream shows a few preview assets only, and ethereum:0xabc is none",
    );
    expect(preview.details.why).toBe("— no");
    expect(preview.details.next).toBe("register for a free key");
    const several = refused(
      403,
      { error: "preview_only", message: "no" },
      { asked: { subjects: [weth, weth] } },
    );
    expect(several.message).toBe(
      "without a key, stream shows a few preview assets only, and not all of these are",
    );
  });

  test("the key is asked for where none was sent", () => {
    expect(refused(401, "", { who: keyless }).message).toBe("streams.example wants a key, and none was sent");
  });

  test.each([
    "ip stream limit exceeded",
    "global stream limit exceeded",
    "Concurrent stream limit reached for your plan. Close an open stream before starting another.",
  ])("rules 162 and 163: `%s` wants a place, not patience", (message) => {
    const failure = refused(429, { error: "rate_limited", tier: "free", message });
    expect(isStreamLimitFailure(failure)).toBe(true);
    expect([failure.exit, failure.details.retryable]).toEqual([6, true]);
  });

  test("429 and every 5xx may be tried again, nothing else; Retry-After is read", () => {
    const retried = [400, 401, 402, 403, 404, 405, 410, 429, 500, 502, 503].filter(
      (status) => refused(status, "").details.retryable,
    );
    expect(retried).toEqual([429, 500, 502, 503]);
    expect(refused(429, "", { headers: { "retry-after": "9" } }).details.retryAfter).toBe(9000);
  });
});

import { expect, test } from "vitest";
import { at, contract, DEV, ENTERPRISE, FREE, keysOf, PRO, refusal, USDC_WETH, WETH } from "./service.ts";

const TRANSACTIONS = `/networks/ethereum/pools/${USDC_WETH}/transactions`;
const TOKEN_CANDLES = `/networks/ethereum/tokens/${WETH}/ohlcv?start=-1h&interval=1h`;
const POOL_CANDLES = `/networks/ethereum/pools/${USDC_WETH}/ohlcv`;
const KEYLESS = { host: "free" } as const;
const WITH_FREE = { host: "free", key: FREE } as const;

contract("plans", {}, (service) => {
  test.each([
    ["57, 77", TRANSACTIONS, "keyless", KEYLESS],
    ["57, 77", TRANSACTIONS, "free", WITH_FREE],
    ["116, 176", TOKEN_CANDLES, "keyless", KEYLESS],
    ["116, 176", TOKEN_CANDLES, "free", WITH_FREE],
  ])("%s: %s is not available to %s callers", async (_rule, path, tier, asking) => {
    const answer = await service.ask(path, asking);
    expect([answer.status, answer.body]).toEqual([
      403,
      {
        error: "plan_required",
        tier,
        message: expect.any(String),
        required_tier: "dev",
        links: expect.any(Object),
      },
    ]);
  });

  test.each([DEV, PRO, ENTERPRISE])("57, 116: the %s plan can read both", async (key) => {
    const answers = [await service.ask(TRANSACTIONS, { key }), await service.ask(TOKEN_CANDLES, { key })];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  test("57: the plan is checked before the address is looked up", async () => {
    const answer = await service.ask("/networks/eth/pools/0x0/transactions?limit=999", KEYLESS);
    expect(refusal(answer)).toBe("403 plan_required");
  });

  test.each([
    ["interval=1h&start=-24h", KEYLESS],
    ["interval=24h&start=-24h&end=-1h", KEYLESS],
    ["interval=10m&start=-7d", WITH_FREE],
    ["interval=1m&start=-30d", { key: DEV }],
    ["interval=1h&start=-30d&count_back=720", { key: DEV }],
    ["interval=1m&start=2023-01-01", { key: PRO }],
    ["interval=1m&start=2023-01-01", { key: ENTERPRISE }],
  ])("121: %s is within the plan", async (query, asking) => {
    expect((await service.ask(`${POOL_CANDLES}?${query}`, asking)).status).toBe(200);
  });

  test.each([
    ["interval=30m&start=-1h", KEYLESS, "interval", "free"],
    ["interval=5m&start=-1h", KEYLESS, "interval", "dev"],
    ["interval=5m&start=-1h", WITH_FREE, "interval", "dev"],
    ["interval=1h&start=-25h", KEYLESS, "start", "free"],
    ["interval=1h&start=-8d", KEYLESS, "start", "dev"],
    ["interval=1h&start=2023-01-01", KEYLESS, "start", "pro"],
    ["interval=1h&start=-8d", WITH_FREE, "start", "dev"],
    ["interval=1h&start=-31d", { key: DEV }, "start", "pro"],
    ["interval=1h&end=-25h", KEYLESS, "end", "free"],
    ["interval=1h&start=-24h&count_back=25", KEYLESS, "count_back", "free"],
    ["interval=24h&start=-31d&count_back=31", { key: DEV }, "count_back", "pro"],
  ])("121, 175, 176: %s requires a higher plan", async (query, asking, param, requiredTier) => {
    const answer = await service.ask(`${POOL_CANDLES}?${query}`, asking);
    expect([refusal(answer), at(answer.body, "required_tier")]).toEqual([
      `403 plan_required ${param}`,
      requiredTier,
    ]);
  });

  test("121: token candles of dev reach back 30 days", async () => {
    const path = `/networks/ethereum/tokens/${WETH}/ohlcv?interval=24h`;
    const near = await service.ask(`${path}&start=-30d`, { key: DEV });
    const far = await service.ask(`${path}&start=-31d`, { key: DEV });
    expect([near.status, refusal(far)]).toEqual([200, "403 plan_required start"]);
  });

  test("77, 121, 192: a rejection because of the plan costs no credits", async () => {
    const key = "api_free_refused";
    await service.ask("/usage", { key, host: "free" });
    await service.ask(TRANSACTIONS, { key, host: "free" });
    const last = await service.ask(`${POOL_CANDLES}?interval=1m&start=-1h`, { key, host: "free" });
    expect([last.status, last.headers["x-credits-remaining"]]).toEqual([403, "99999"]);
  });

  test("158: a keyless rejection contains the registration link", async () => {
    const answer = await service.ask(TRANSACTIONS, KEYLESS);
    expect(at(answer.body, "links.register")).toMatch(/^https:/);
  });

  test("175: required_tier appears in plan_required only", async () => {
    const wrongHost = await service.ask("/networks", { key: FREE });
    expect(keysOf(wrongHost.body)).toEqual(["error", "tier", "message", "links"]);
  });
});

contract("a plan without credits", { credits: 1 }, (service) => {
  test("154: an exhausted free key gets the plan error rather than the credit error", async () => {
    await service.ask("/usage", WITH_FREE);
    expect((await service.ask("/usage", WITH_FREE)).status).toBe(402);
    expect(refusal(await service.ask(TRANSACTIONS, WITH_FREE))).toBe("403 plan_required");
  });
});

import { expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { sandboxNow } from "../harness/sandbox.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";

const pool = "ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

/** The sandbox's time is 2026-11-21T08:54:00Z. */
const cases = [
  [`txns ${pool} --from -40d`, "from", '--from "-40d" (2026-10-12T08:54:00Z)'],
  [`txns ${pool} --from -1h --to now`, "to", '--to "now" (2026-11-21T08:54:00Z)'],
  [`ohlcv ${pool} --pool --from 2026-11-20`, "start", '--from "2026-11-20" (2026-11-20T00:00:00Z)'],
  [`pools search --created-after -1d`, "created_after", '--created-after "-1d" (2026-11-20T08:54:00Z)'],
  [`pools search --order-by price_usd`, "order_by", '--order-by "price_usd"'],
] as const;

test.each(cases)(
  "%s: an error shows the value as typed, then the time that was sent",
  async (words, param, shown) => {
    for (const [status, body, message] of [
      [400, { error: "invalid_param", message: "no", param }, `the service rejected ${shown} (HTTP 400)`],
      [
        403,
        { error: "plan_required", message: "no", param, required_tier: "pro" },
        `${shown} requires a pro plan`,
      ],
    ] as const) {
      const server = await serveInTest(() => json(body, { status }));
      const env = {
        DEXDATA_PRO_BASE_URL: server.url,
        DEXDATA_API_KEY: "api_dev_0123456789",
        DEXDATA_TIER: "dev",
      };
      const { stderr } = await dexdata(`${words} --error-format text`, { env, now: sandboxNow });
      expect(stderr).toContain(`error: ${message}`);
    }
  },
);

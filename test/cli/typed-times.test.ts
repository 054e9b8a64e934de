import { expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { rowsOf } from "../harness/rows.ts";
import { sandboxNow } from "../harness/sandbox.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";

const pool = "ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

/** The sandbox's time is 2026-11-21T08:54:00Z. */
const cases = [
  [`txns ${pool} --from -40d`, "from", '--from "-40d" (2026-10-12T08:54:00Z)'],
  [`txns ${pool} --from -1h --to now`, "to", '--to "now" (2026-11-21T08:54:00Z)'],
  [`ohlcv ${pool} --pool --from 2026-11-20`, "start", '--from "2026-11-20" (2026-11-20T00:00:00Z)'],
  [`ohlcv ${pool} --pool --day yesterday`, "start", '--day "yesterday" (2026-11-20T00:00:00Z)'],
  [`txns ${pool} --day yesterday`, "to", '--day "yesterday" (2026-11-21T00:00:00Z)'],
  [`ohlcv ${pool} --pool --from -30d --interval 1w`, "start", '--from "-30d" (2026-10-22T08:54:00Z)'],
  [`ohlcv ${pool} --pool --count-back 50`, "start", '--count-back "50"'],
  [`pools search --created-after -1d`, "created_after", '--created-after "-1d" (2026-11-20T08:54:00Z)'],
  [`pools search --order-by price_usd`, "order_by", '--order-by "price_usd"'],
] as const;

test.each(cases)("%s: an error shows the value as typed, then its time", async (words, param, shown) => {
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
});

const token = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

/** The parameters of each request, and what the run printed. */
async function asked(words: string) {
  const server = await serveInTest(({ path }) =>
    json(path.endsWith("/transactions") ? { transactions: [], page_info: {} } : []),
  );
  const env = {
    DEXDATA_PRO_BASE_URL: server.url,
    DEXDATA_API_KEY: "api_pro_0123456789",
    DEXDATA_TIER: "pro",
  };
  const outcome = await dexdata(`${words} --error-format text`, { env, now: sandboxNow });
  return { ...outcome, queries: server.requests.map(({ query }) => query) };
}

test("candles of the future are not requested: an end there is cut, and a start there is rejected", async () => {
  const { queries } = await asked(`ohlcv ethereum ${token} --interval 1m --from -1h --to 2030-01-01`);
  // The empty answer to the first of two parts is requested again.
  expect(queries.map((query) => query.get("end")).slice(1)).toEqual(["1795307640", "1795337640"]);
  const back = await asked(`ohlcv ethereum ${token} --count-back 5 --to 2030-01-01`);
  expect(back.queries[0]?.get("end")).toBe("1795337640");
  const late = await asked(`ohlcv ethereum ${token} --from 2030-01-01 --to 2031-01-01`);
  expect([late.exit, late.queries.length]).toEqual([2, 0]);
  expect(late.stderr).toContain('--from "2030-01-01": must not be in the future');
});

test("two ranges that meet within a second have all rows", async () => {
  const seen = new Set<unknown>();
  const rows = async (words: string): Promise<readonly unknown[]> => {
    const { exit, stdout } = await dexdata(`txns ${pool} ${words} --all --sandbox -q`, { now: sandboxNow });
    expect(exit).toBe(0);
    return rowsOf(stdout).map(({ id, log_index: index }) => `${String(id)} ${String(index)}`);
  };
  const middle = "2026-11-21T08:53:12.5Z";
  for (const words of [
    `--from 2026-11-21T08:53:00Z --to ${middle}`,
    `--from ${middle} --to 2026-11-21T08:54:00Z`,
  ])
    for (const row of await rows(words)) seen.add(row);
  expect(seen).toEqual(new Set(await rows("--from 2026-11-21T08:53:00Z --to 2026-11-21T08:54:00Z")));
});

test("rule 96: a filter by creation is sent in whole seconds, because it is a number", async () => {
  const { queries } = await asked(
    "tokens search ethereum --created-after 2026-11-20T00:00:00.5Z --created-before 2026-11-21T00:00:00.5Z",
  );
  const [query] = queries;
  expect([query?.get("created_after"), query?.get("created_before")]).toEqual(["1795132801", "1795219200"]);
});

test("what is said about a range knows times with fractions, and those of a raw call", async () => {
  const path = `/networks/ethereum/pools/${pool.slice("ethereum ".length)}/transactions`;
  const old = "the service returned no rows that old";
  for (const words of [`txns ${pool} --from 2026-11-21T08:00:00.5Z`, `api ${path} -f from=-1h --paginate`])
    expect((await asked(words)).stderr, words).not.toContain(old);
  for (const words of [`txns ${pool} --from 2026-10-21T08:00:00.5Z`, `api ${path} -f from=-8d --paginate`])
    expect((await asked(words)).stderr, words).toContain(old);
  const between = "--from 2026-11-21T08:00:00.5Z --to 2026-11-21T08:00:00.7Z";
  expect((await asked(`ohlcv ethereum ${token} ${between}`)).stderr).toContain(
    "no 1h candle starts between 2026-11-21T08:00:00.5Z and 2026-11-21T08:00:00.7Z",
  );
});

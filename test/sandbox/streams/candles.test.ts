import { describe, expect, test } from "vitest";
import { at, list, NOON } from "../contract/service.ts";
import { type Frame, serve, settled, type StreamService, WETH, wethCandles } from "./stream-client.ts";

const stamp = ({ data }: Frame): number => Number(data["timestamp"]);

/** The last candle sent for each timestamp, as stored by a client that keys candles by timestamp. */
function stored(events: readonly Frame[]): ReadonlyMap<number, Frame["data"]> {
  return new Map(events.map((event) => [stamp(event), event.data]));
}

test("165: a candle has the public fields, and its ID equals its timestamp", async () => {
  const service = await serve();
  const stream = await service.open(`${wethCandles}&interval=60s&request_id=3`);
  service.pass(200);
  const [candle] = await stream.until(1);
  expect([candle?.event, candle?.requestId, candle?.id]).toEqual([
    "token_ohlcv",
    "3",
    String(candle?.data["timestamp"]),
  ]);
  expect(candle?.data).toEqual({
    chain: "ethereum",
    token_id: WETH,
    interval: "60s",
    // The minute that ended when the stream opened; it is sealed 3 s later.
    timestamp: NOON - 60,
    open: expect.any(Number),
    high: expect.any(Number),
    low: expect.any(Number),
    close: expect.any(Number),
    avg: expect.any(Number),
    volume_usd: expect.any(Number),
    txns: expect.any(Number),
  });
  const { high, low, avg } = candle?.data ?? {};
  expect(Number(low) <= Number(avg) && Number(avg) <= Number(high)).toBe(true);
});

test("without an interval, candles are 1s long; a second without a swap has none", async () => {
  const service = await serve();
  const stream = await service.open(wethCandles);
  service.pass(300);
  const events = await settled(service, stream);
  expect(new Set(events.map(({ data }) => data["interval"]))).toEqual(new Set(["1s"]));
  expect(events.length).toBeGreaterThan(5);
  // Ethereum blocks are 12 s apart.
  expect(new Set(events.map((event) => stamp(event) % 12)).size).toBe(1);
});

test("a candle is sent only after it ends and is sealed", async () => {
  const service = await serve();
  const candles = await Promise.all(
    (
      [
        ["1s", 1, 1],
        ["5s", 5, 2],
        ["60s", 60, 3],
      ] as const
    ).map(async ([interval, seconds, sealing]) => {
      const stream = await service.open(`${wethCandles}&interval=${interval}`);
      return { stream, seen: new Map<number, number>(), length: seconds + sealing };
    }),
  );
  for (let passed = 1; passed <= 70; passed++) {
    service.pass(1);
    await Promise.all(
      candles.map(async ({ stream, seen }) => {
        for (const event of await settled(service, stream))
          if (!seen.has(stamp(event))) seen.set(stamp(event), NOON + passed);
      }),
    );
  }
  for (const { seen, length } of candles) {
    expect(seen.size).toBeGreaterThan(1);
    for (const [timestamp, sent] of seen) expect(sent - timestamp).toBe(length);
  }
}, 60_000);

test.each([
  ["60s", 4000],
  ["5s", 2000],
])(
  "some candles of %s are resent under their timestamp, and the last version is complete",
  async (interval, passed) => {
    const service = await serve();
    const stream = await service.open(`${wethCandles}&interval=${interval}`);
    service.pass(passed);
    const events = await settled(service, stream);
    const last = stored(events);
    const again = events.length - last.size;
    expect(again).toBeGreaterThan(0);
    expect(again).toBeLessThan(last.size / 2);
    for (const event of events) {
      const whole = last.get(stamp(event));
      const isWhole = event.data === whole;
      expect(Number(whole?.["txns"]) - Number(event.data["txns"])).toBe(isWhole ? 0 : 1);
    }
    // The same in another process: late candles follow from the seed.
    const other = await serve();
    const twin = await other.open(`${wethCandles}&interval=${interval}`);
    other.pass(passed);
    await settled(other, twin);
    expect(twin.events()).toEqual(events);
  },
);

describe("since and Last-Event-ID", () => {
  const path = `${wethCandles}&interval=60s`;
  // Ten minutes of a stream that was open from the start.
  async function prepare(): Promise<{ service: StreamService; whole: ReadonlyMap<number, Frame["data"]> }> {
    const service = await serve();
    service.clock.now -= 1800_000;
    const stream = await service.open(path);
    service.pass(1800);
    return { service, whole: stored(await settled(service, stream)) };
  }
  const lastId = (id: string) => ({ headers: { "Last-Event-ID": id } });
  const stamps = (events: readonly Frame[]): readonly number[] => events.map(stamp);

  test("without since and Last-Event-ID, there is no backfill", async () => {
    const { service } = await prepare();
    const stream = await service.open(path);
    expect(await settled(service, stream)).toEqual([]);
  });

  test("since starts with the candle at that time and sends each candle once, in its final version", async () => {
    const { service, whole } = await prepare();
    const since = NOON - 600;
    const events = await settled(service, await service.open(`${path}&since=${since}`));
    expect(stamps(events)).toEqual([...whole.keys()].filter((each) => each >= since));
    expect(stamps(events)[0]).toBe(since);
    for (const event of events)
      expect([event.id, event.data]).toEqual([String(stamp(event)), whole.get(stamp(event))]);
  });

  test.each([
    ["is inclusive: the last candle is sent again", NOON - 300, NOON - 300],
    ["older than 15 minutes is clamped", NOON - 1500, NOON - 900],
    ["0 is clamped", 0, NOON - 900],
  ])("Last-Event-ID %s", async (_what, id, first) => {
    const { service, whole } = await prepare();
    const events = await settled(service, await service.open(path, lastId(String(id))));
    expect(stamps(events)).toEqual([...whole.keys()].filter((each) => each >= first));
  });

  test.each([
    ["in the future", String(NOON + 60)],
    ["that is not a number", "abc"],
    ["that is negative", "-5"],
    ["that is empty", ""],
  ])("Last-Event-ID %s is ignored", async (_what, id) => {
    const { service } = await prepare();
    const stream = await service.open(path, lastId(id));
    expect([stream.status, await settled(service, stream)]).toEqual([200, []]);
  });

  test("since takes precedence over Last-Event-ID", async () => {
    const { service } = await prepare();
    const stream = await service.open(`${path}&since=${NOON - 120}`, lastId(String(NOON - 600)));
    expect(stamps(await settled(service, stream))[0]).toBe(NOON - 120);
  });

  test("since is at most 15 minutes ago", async () => {
    const { service } = await prepare();
    expect((await service.open(`${path}&since=${NOON - 900}`)).status).toBe(200);
    const refused = await service.open(`${path}&since=${NOON - 901}`);
    expect([refused.status, at(JSON.parse(refused.text()), "param")]).toEqual([400, "since"]);
  });

  test("backfill counts toward limit and costs one credit per candle", async () => {
    const { service } = await prepare();
    const key = "api_pro_backfill";
    const before = await service.remaining(key);
    const stream = await service.open(`${path}&since=${NOON - 600}&limit=4`, { key });
    await stream.ended;
    expect(stamps(stream.events())).toEqual([0, 60, 120, 180].map((each) => NOON - 600 + each));
    // The request itself costs one credit.
    expect(before - (await service.remaining(key))).toBe(4 + 1);
  });

  test("a reconnect with the last ID loses no candles", async () => {
    const { service } = await prepare();
    const reference = await service.open(path);
    const events: Frame[] = [];
    let id = String(NOON);
    for (let round = 0; round < 12; round++) {
      const stream = await service.open(path, lastId(id));
      service.pass(77);
      events.push(...(await settled(service, stream)));
      id = events.at(-1)?.id ?? id;
      stream.close();
    }
    const [got, want] = [stored(events), stored(await settled(service, reference))];
    expect([...got.keys()].toSorted((a, b) => a - b)).toEqual([...want.keys()].toSorted((a, b) => a - b));
    expect(want.size).toBeGreaterThan(12);
  });
});

test("a 60s candle equals the 1m candle of REST, digit for digit", async () => {
  const service = await serve();
  const stream = await service.open(`${wethCandles}&interval=60s`);
  service.pass(3700);
  const whole = stored(await settled(service, stream));
  const rows = list(
    await service.rest(
      `/networks/ethereum/tokens/${WETH}/ohlcv?start=${NOON}&end=${NOON + 3600}&interval=1m&limit=100`,
    ),
  );
  const streamed = [...whole].filter(([timestamp]) => timestamp >= NOON && timestamp < NOON + 3600);
  expect(rows.length).toBeGreaterThan(50);
  expect(
    streamed
      .toSorted(([a], [b]) => a - b)
      .map(([timestamp, { open, high, low, close, volume_usd: volume }]) => ({
        time_open: new Date(timestamp * 1000).toISOString().replace(".000", ""),
        open,
        high,
        low,
        close,
        volume: Math.round(Number(volume)),
      })),
  ).toEqual(
    rows.map((row) => ({
      time_open: at(row, "time_open"),
      open: at(row, "open"),
      high: at(row, "high"),
      low: at(row, "low"),
      close: at(row, "close"),
      volume: at(row, "volume") ?? 0,
    })),
  );
});

import http from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningSandbox } from "../../../src/sandbox/server.ts";
import { parseFaults, startSandbox } from "../../harness/bundled-sandbox.ts";
import { dexdata } from "../../harness/dexdata.ts";
import { type Row, rowsOf, toRow } from "../../harness/rows.ts";

const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const start = Date.parse("2026-10-02T12:00:00Z");
const hour = 3_600_000;
/** An hour passes in six seconds. */
const speed = 600;

let sandbox: RunningSandbox;
let begin = Number.POSITIVE_INFINITY;
beforeAll(async () => {
  const faults = parseFaults("429=0:5%,500:3%,reset-before:2%,truncate:1%");
  sandbox = await startSandbox({
    now: () => start + Math.min(hour, Math.max(0, performance.now() - begin) * speed),
    elapsed: () => performance.now(),
    requestsPerMinute: 1_000_000,
    faults,
  });
});
afterAll(async () => await sandbox.close());

/** The data of every event except pings received so far. Deliberate rejections are retried. */
function open(path: string) {
  let text = "";
  let isOpen = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    isOpen = resolve;
  });
  let request: http.ClientRequest;
  const ask = (): void => {
    request = http.get(
      `${sandbox.streamPaid}${path}`,
      { headers: { authorization: "api_pro_load" } },
      (response) => {
        if (response.statusCode !== 200) return ask();
        isOpen();
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        return undefined;
      },
    );
    request.on("error", () => (text === "" ? ask() : undefined));
  };
  ask();
  const completeText = (): string => text.slice(0, text.lastIndexOf("\n\n"));
  const isData = (frame: string): boolean => !frame.includes("event: ping");
  return {
    opened,
    rows: (): readonly Row[] =>
      completeText()
        .split("\n\n")
        .filter(isData)
        .map((frame) => toRow(/^data: ?(.*)$/mu.exec(frame)?.[1] ?? "{}")),
    close: (): void => void request.destroy(),
  };
}

const env = (): Record<string, string> => ({
  DEXDATA_PRO_BASE_URL: sandbox.restPaid,
  DEXDATA_API_KEY: "api_pro_load",
  DEXDATA_TIER: "pro",
});

const ask = async (words: string): Promise<readonly Row[]> => {
  const { exit, stdout, stderr } = await dexdata(`${words} --retries 20 --retry-max-time 1d -o ndjson`, {
    env: env(),
    now: start + hour,
  });
  expect({ words, exit, stderr: exit === 0 ? "" : stderr }).toEqual({ words, exit: 0, stderr: "" });
  return rowsOf(stdout);
};

test("after an hour at speed, under load and faults, streams, pages and candles match exactly", async () => {
  const streams = Array.from({ length: 8 }, () =>
    open(`/sse/transactions?method=pool&chain=ethereum&address=${pool}`),
  );
  const candles = open(`/sse/ohlcv?method=token_ohlcv&chain=ethereum&address=${weth}&interval=60s`);
  // The hour starts once all streams are open: on a busy machine, a good part of it would pass before.
  await Promise.all([...streams, candles].map(async ({ opened }) => await opened));
  begin = performance.now();
  while (performance.now() - begin < hour / speed) {
    await Promise.all([
      ask(`txns ethereum ${pool} --limit 300`),
      ask("pools search ethereum --limit 100"),
      ask(`token ethereum ${weth}`),
    ]);
  }
  // The ticker sends the rest of the hour and the late versions of its candles.
  await new Promise((resolve) => setTimeout(resolve, 1500));

  const pages = (
    await ask(`txns ethereum ${pool} --from 2026-10-02T12:00:00Z --to 2026-10-02T13:00:00Z --all`)
  ).toReversed();
  for (const stream of streams) {
    const events = stream.rows();
    const first = Date.parse(String(events[0]?.["block_timestamp"]));
    expect(first).toBeLessThan(start + hour / 4);
    // A part of the first second may have passed before the stream was open.
    const told = events.filter((event) => Date.parse(String(event["block_timestamp"])) > first);
    const paged = pages.filter((row) => Date.parse(String(row["created_at"])) > first);
    expect(told.length).toBeGreaterThan(50);
    expect(
      told.map((event) => [event["tx_hash"], Number(event["amount_0"]), Number(event["amount_1"])]),
    ).toEqual(paged.map((row) => [row["id"], Number(row["amount_0"]), Number(row["amount_1"])]));
    stream.close();
  }

  const byMinute = new Map(
    (
      await ask(`ohlcv ethereum ${weth} --interval 1m --from 2026-10-02T12:00:00Z --to 2026-10-02T13:00:00Z`)
    ).map((row) => [Date.parse(String(row["time_open"])) / 1000, row]),
  );
  // A later version of a minute replaces the earlier one.
  const latest = new Map(candles.rows().map((row) => [Number(row["timestamp"]), row]));
  // The first candle is of the minute before the hour; versions of the last minutes may follow it.
  const settled = [...latest].filter(([time]) => time >= start / 1000 && time < (start + hour) / 1000 - 120);
  expect(settled.length).toBeGreaterThan(30);
  for (const [time, row] of settled) {
    const { open: opened, high, low, close } = byMinute.get(time) ?? {};
    expect([time, row["open"], row["high"], row["low"], row["close"]]).toEqual([
      time,
      opened,
      high,
      low,
      close,
    ]);
  }
  candles.close();
});

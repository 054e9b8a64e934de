import { describe, expect, test } from "vitest";
import { type Board, createBoard } from "../../src/cli/render/board/board.ts";
import type { BoardOptions } from "../../src/cli/render/board/board-table.ts";
import type { Subject } from "../../src/client/subject.ts";
import { textWidth } from "../../src/cli/render/values/width.ts";

const weth = "ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const shib = "ethereum:0x95ad61b0a150d79219dcf64e1e6cc01f0b64c4ce";
const sol = "solana:So11111111111111111111111111111111111111112";
const fine = { wanted: 2, open: 2, retrying: 0, events: 1234, credits: 1234, gaps: 0 };
const wide = { columns: 100, rows: 30 };

function subjectOf(asset: string): Subject {
  const [network = "", address = ""] = asset.split(/:(.*)/su);
  return { network, address };
}

function boardOf({
  assets = [weth, shib, sol],
  ...options
}: Partial<Omit<BoardOptions, "assets"> & { assets: readonly string[] }> = {}): Board {
  return createBoard({
    feed: "prices",
    by: options.feed === "transactions" ? "pool" : "token",
    assets: assets.map(subjectOf),
    isSimulated: false,
    isUnicode: true,
    paint: (text) => text,
    start: 0,
    findAsset: () => undefined,
    isOn: undefined,
    ...options,
  });
}

function price(
  asset: string,
  value: string,
  names = ["chain", "address", "price"],
): { data: Buffer; asset: Subject } {
  const [chain, address] = asset.split(":");
  const [c, a, p] = names;
  const row = { [c ?? ""]: chain, [a ?? ""]: address, [p ?? ""]: value };
  return { data: Buffer.from(JSON.stringify(row)), asset: subjectOf(asset) };
}

/** Prices one second apart, starting at 0. */
function feed(board: Board, asset: string, values: readonly string[]): void {
  for (const [second, value] of values.entries()) board.events([price(asset, value)], second * 1000);
}

test("each asset has its latest price, its change, its updates per minute and a chart", () => {
  const board = boardOf();
  feed(board, weth, ["2000", "2100", "1950", "2145.78"]);
  feed(board, shib, ["0.0000123456", "0.0000123456"]);
  expect(board.frame(wide, fine, 4000)).toEqual([
    "dexdata stream prices · 3 assets · running for 4s",
    "",
    "ASSET                                                PRICE USD  SINCE START  /MIN  TREND",
    "ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2   2,145.78       +7.29%     4  ▃▆▁▇▇",
    "ethereum:0x95ad61b0a150d79219dcf64e1e6cc01f0b64c4ce  0.0₄12346        0.00%     2  ▁▁▁▁▁",
    "solana:So11111111111111111111111111111111111111112           –",
    "",
    "● 2 connections open · 1,234 events · no gaps · 1,234 credits",
  ]);
});

test("a price keeps its digits, even those that do not fit in a double", () => {
  const board = boardOf({ assets: [weth] });
  feed(board, weth, ["90071992547409931234567.985"]);
  expect(board.frame(wide, fine, 1000)[3]).toContain("90,071,992,547,409,931,234,567.99");
});

test("both names of the price field count, in any letter case of the address", () => {
  const board = boardOf();
  board.events([price(weth.replace("c02a", "C02A"), "7.5", ["c", "a", "p"])], 0);
  expect(board.frame(wide, fine, 0)[3]).toMatch(/ 7\.5000 /u);
});

test("an event belongs to the asset at its index in the batch", () => {
  const board = boardOf();
  board.events([{ data: Buffer.from('{"price":"3"}'), asset: subjectOf(sol) }], 0);
  expect(board.frame(wide, fine, 0)[5]).toMatch(/^solana.* 3\.00/u);
});

test("invalid JSON and an asset that is not shown change nothing", () => {
  const board = boardOf({ assets: [weth] });
  const before = board.frame(wide, fine, 0);
  for (const data of ["{", "[]", "null"])
    board.events([{ data: Buffer.from(data), asset: subjectOf(weth) }], 0);
  board.events([price(sol, "1")], 0);
  expect(board.frame(wide, fine, 0)).toEqual(before);
});

test("updates of the last minute are counted, older ones dropped", () => {
  const board = boardOf({ assets: [weth] });
  feed(
    board,
    weth,
    Array.from({ length: 100 }, () => "1"),
  );
  const perMinute = (elapsed: number): string | undefined =>
    /%\s+(\d+)/u.exec(board.frame(wide, fine, elapsed)[3] ?? "")?.[1];
  expect(perMinute(99_000)).toBe("60");
  expect(perMinute(129_000)).toBe("30");
  expect(perMinute(300_000)).toBe("0");
});

describe("fits any terminal", () => {
  const assets = Array.from({ length: 40 }, (_, n) => `ethereum:0x${String(n).padStart(40, "c0")}`);
  const board = boardOf({ assets, isSimulated: true });
  for (const [n, asset] of assets.entries()) feed(board, asset, ["1", `${10 ** (n - 20)}`]);
  board.say("connection 1 (25 assets): no data for 45s, not even a ping; reconnecting in 1s", 0);
  const retrying = { ...fine, open: 1, retrying: 1, gaps: 3 };

  test.each([200, 120, 100, 80, 60, 40, 24, 10, 3, 1])("%d columns", (columns) => {
    for (const rows of [1, 2, 3, 4, 5, 6, 7, 8, 20, 43, 44, 45, 46, 47, 60]) {
      for (const state of [fine, retrying]) {
        const frame = board.frame({ columns, rows }, state, 5000);
        expect(frame.length).toBeLessThanOrEqual(rows);
        for (const line of frame) expect(textWidth(line), line).toBeLessThanOrEqual(columns);
        expect(frame.at(-1)).toMatch(state === fine ? /^●/u : /^○/u);
      }
    }
  });

  test("rows that do not fit are counted", () => {
    const frame = board.frame({ columns: 100, rows: 20 }, fine, 5000);
    const shown = frame.filter((line) => line.startsWith("ethereum:")).length;
    expect(frame).toContain(`… ${40 - shown} more lines`);
    expect(frame).toHaveLength(20);
  });

  test("columns are dropped one after another, the price last", () => {
    const heads = (columns: number): string | undefined =>
      board
        .frame({ columns, rows: 30 }, fine, 5000)
        .find((line) => line.startsWith("ASSET"))
        ?.replaceAll(/\s+/gu, " ");
    expect(heads(120)).toBe("ASSET PRICE USD SINCE START /MIN TREND");
    expect(heads(85)).toBe("ASSET PRICE USD SINCE START TREND");
    expect(heads(34)).toBe("ASSET PRICE USD");
  });
});

test("each feed has its own column title", () => {
  const pool = "ethereum:0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
  const [, address] = pool.split(":");
  const rowOf = (name: BoardOptions["feed"], row: object): readonly string[] => {
    const board = boardOf({ feed: name, assets: [pool] });
    const data = Buffer.from(JSON.stringify({ chain: "ethereum", ...row }));
    board.events([{ data, asset: subjectOf(pool) }], 0);
    return board
      .frame(wide, fine, 0)
      .slice(2, 4)
      .map((line) => line.replaceAll(/\s+/gu, " "));
  };
  const trade = { amount_0: "-4612276137", amount_1: "1360537411909158955" };
  expect(
    rowOf("transactions", { pool_id: address, price_0_usd: 1.0002, volume_usd: 4613.2, ...trade }),
  ).toEqual([
    "ASSET PRICE 0 USD SIZE USD TOKEN 0 TOKEN 1",
    "ethereum:0x88e6a0c2ddd26fe…cb3f5640 1.0002 4.61K -4612276137 raw 1360537411909158955 raw",
  ]);
  expect(rowOf("ohlcv", { token_id: address, close: 3.5, volume_usd: 900 })).toEqual([
    "ASSET CLOSE VOLUME SINCE START /MIN TREND",
    `${pool} 3.5000 900 0.00% 1 ▁`,
  ]);
  expect(rowOf("reserves", { pool_id: address, total_reserve_usd: 5e9, total_delta_usd: -1e-9 })).toEqual([
    "ASSET RESERVE DELTA SINCE START /MIN TREND",
    `${pool} 5.00B -<0.01 0.00% 1 ▁`,
  ]);
});

test("trades of a token show the price of that token, on either side of any pair", () => {
  const [, address = ""] = weth.split(":");
  const board = boardOf({ feed: "transactions", by: "token", assets: [weth] });
  const trade = (second: number, tokens: object, prices: object): void => {
    const amounts = { amount_0: "-35352596869", amount_1: 10_838_872_903 };
    const event = { chain: "ethereum", pool_id: "0x1", ...tokens, ...amounts, ...prices, volume_usd: 10 };
    board.events([{ data: Buffer.from(JSON.stringify(event)), asset: subjectOf(weth) }], second * 1000);
  };
  const shown = (second: number): string => {
    const [heads = "", row = ""] = board.frame({ columns: 200, rows: 30 }, fine, second * 1000).slice(2, 4);
    // Amounts of one pair after the other, in the smallest units of tokens without a name, would say nothing.
    expect(heads).toMatch(/PRICE USD +SIZE USD +SINCE START/u);
    return row.replaceAll(/\s+/gu, " ");
  };
  trade(0, { token_0: "0xuni", token_1: address }, { price_0_usd: 9.39, price_1_usd: 3270 });
  expect(shown(0)).toContain(" 3,270.00 10 0.00%");
  trade(
    1,
    { token_0: "0xusdc", token_1: address.toUpperCase().replace("X", "x") },
    { price_0_usd: 0.998, price_1_usd: 3273.27 },
  );
  expect(shown(1)).toContain(" 3,273.27 10 +0.10%");
  trade(2, { token_0: address, token_1: "0xuni" }, { price_0_usd: 3266.73, price_1_usd: 9.4 });
  expect(shown(2)).toContain(" 3,266.73 10 -0.10%");
  // Without its price, no other token's is shown, and the change stays.
  trade(3, { token_0: "0xuni", token_1: address }, { price_0_usd: 9.39 });
  expect(shown(3)).toMatch(/cc2 10 -0\.10%/u);
});

test("text from the service cannot control the terminal", () => {
  const board = boardOf({ assets: ["x:\u001b[2J\u202e"] });
  board.events(
    [{ data: Buffer.from('{"price":"\\u001b]0;x\\u0007"}'), asset: subjectOf("x:\u001b[2J\u202e") }],
    0,
  );
  board.say("warning from the service: \u001b[31m\n\u200b", 0);
  // oxlint-disable-next-line no-control-regex -- these must not occur
  expect(board.frame(wide, fine, 0).join("")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b\u202e]/u);
});

test("without Unicode all output is ASCII", () => {
  const board = boardOf({ isUnicode: false });
  feed(board, weth, ["1", "2", "3", "4"]);
  const text = board.frame({ columns: 60, rows: 5 }, { ...fine, open: 1, retrying: 1 }, 4000).join("\n");
  expect(text).toMatch(/^[\n -~]*$/u);
  expect(text).toContain("_.-''");
});

test("without Unicode, labels, addresses and messages are ASCII as well", () => {
  const board = boardOf({
    isUnicode: false,
    assets: [weth, "x:é…"],
    findAsset: () => ({ name: undefined, label: "Ünï💧/WETH", decimals: undefined }),
  });
  board.say("warning from the service: „café“", 0);
  for (const columns of [30, 40, 60, 100])
    expect(board.frame({ columns, rows: 9 }, fine, 0).join("\n")).toMatch(/^[\n -~]*$/u);
});

test("adding and removing assets keeps the data of the others", () => {
  const board = boardOf({ assets: [weth, shib] });
  feed(board, weth, ["1", "2"]);
  board.watch([sol, weth].map(subjectOf), 2000);
  const [, , , first, second, third] = board.frame(wide, fine, 2000);
  expect(first).toMatch(/^solana.*–$/u);
  expect(second).toMatch(/^ethereum:0xc02a.*\+100\.00%/u);
  expect(third).toBe("");
});

test("a change from zero is not shown, and a very large one fits its column", () => {
  const board = boardOf({ assets: [weth] });
  feed(board, weth, ["0", "5"]);
  expect(board.frame(wide, fine, 1000)[3]).toMatch(/5\.0000\s+2\s/u);
});

test("a message is shown for a minute", () => {
  const board = boardOf();
  board.say("connection 1: cut", 0);
  expect(board.frame(wide, fine, 59_000)).toContain("connection 1: cut");
  expect(board.frame(wide, fine, 61_000)).not.toContain("connection 1: cut");
});

test("the last frame shows the data, not the state of the connections", () => {
  const board = boardOf();
  feed(board, weth, ["1"]);
  expect(board.frame(wide, undefined, 1000).at(-1)).toMatch(/^solana/u);
});

test("a day of updates needs no more memory than a minute", () => {
  const board = boardOf({ assets: [weth] });
  for (let second = 0; second < 90_000; second += 7)
    board.events([price(weth, String(1000 + Math.sin(second / 9000) * 100))], second * 1000);
  const [line = ""] = board.frame(wide, fine, 90_000_000).filter((each) => each.startsWith("ethereum"));
  expect(line).toMatch(/[▁▂▃▄▅▆▇█]{16,30}$/u);
  // All of the last hour: a part of one wave, so it only rises or only falls except at its turn.
  expect(new Set(line.split("  ").at(-1)).size).toBeGreaterThan(3);
});

describe("labels and keys", () => {
  const labels = new Map([
    [weth, "WETH"],
    [shib, "SHIB"],
  ]);
  const findAsset = (address: string, network = "") => ({
    name: undefined,
    label: labels.get(`${network}:${address}`),
    decimals: undefined,
  });
  const assetsOf = (board: Board, rows = 30): readonly string[] =>
    board
      .frame({ columns: 100, rows }, fine, 5000)
      .filter((line) => /(?:ethereum|solana):/u.test(line))
      .map((line) => /^\S*/u.exec(line)?.[0] ?? "");

  test("a label precedes the address, which is then shortened", () => {
    const board = boardOf({ findAsset });
    feed(board, weth, ["2000"]);
    const lines = board.frame({ columns: 70, rows: 30 }, fine, 1000);
    expect(lines[2]).toMatch(/^LABEL {2}ASSET /u);
    expect(lines[3]).toMatch(/^WETH {3}ethereum:0xc02a…6cc2 +2,000\.00/u);
    expect(board.frame({ columns: 36, rows: 30 }, fine, 1000)[3]).toMatch(/^WETH {3}0xc02a…6cc2 +2,000\.00/u);
  });

  test("s sorts by label, value, change and rate, and then returns to the order of the list", () => {
    const board = boardOf({ findAsset });
    feed(board, weth, ["2000", "1990"]);
    feed(board, shib, ["1", "2"]);
    feed(board, sol, ["150", "150", "150"]);
    const orders = Array.from({ length: 6 }, () => {
      const shown = assetsOf(board).join(" ");
      const heading = board.frame(wide, fine, 5000)[2] ?? "";
      board.key("s");
      return [/(\S+)▼/u.exec(heading)?.[1], shown];
    });
    const solana = "solana:So11111111111111111111111111111111111111112";
    expect(orders).toEqual([
      [undefined, "WETH SHIB "],
      ["LABEL", "SHIB WETH "],
      ["USD", "WETH  SHIB"],
      ["START", "SHIB  WETH"],
      ["/MIN", " WETH SHIB"],
      [undefined, "WETH SHIB "],
    ]);
    expect(board.frame({ columns: 120, rows: 30 }, fine, 5000).join("\n")).toContain(solana);
  });

  test("arrows scroll to every row, and not beyond", () => {
    const many = Array.from({ length: 40 }, (_, index) => `ethereum:0x${String(index).padStart(40, "0")}`);
    const board = boardOf({ assets: many });
    const first = (): string =>
      /0x0*(\d+)/u.exec(board.frame({ columns: 100, rows: 12 }, fine, 0)[2] ?? "")?.[1] ?? "";
    const shown = (): string => board.frame({ columns: 100, rows: 12 }, fine, 0).join("\n");
    expect(shown()).toContain("more lines");
    board.key("down");
    board.key("down");
    expect(shown()).toMatch(/lines 3–\d+ of 40/u);
    board.key("up");
    expect(first()).toBe("1");
    board.key("end");
    expect(shown()).toContain(`${"0".repeat(38)}39`);
    board.key("down");
    expect(shown()).toMatch(/lines \d+–40 of 40/u);
    board.key("page-up");
    board.key("home");
    expect(shown()).toContain("more lines");
  });

  test("columns stay in place while the list scrolls", () => {
    const many = Array.from({ length: 40 }, (_, index) => `ethereum:0x${String(index).padStart(40, "0")}`);
    const last = many.at(-1);
    const labeled: BoardOptions["findAsset"] = (address) => ({
      name: undefined,
      decimals: undefined,
      label: last?.endsWith(address) === true ? "LONG NAME" : "A",
    });
    for (const columns of [60, 80, 88, 100]) {
      const board = boardOf({ assets: many, findAsset: labeled });
      for (const asset of many) feed(board, asset, [asset === last ? "0.0000123456" : "1"]);
      const heads = (): string | undefined => board.frame({ columns, rows: 12 }, fine, 0)[1];
      const before = heads();
      board.key("end");
      expect(heads()).toBe(before);
    }
  });

  test("? shows the keys until it is pressed again", () => {
    const board = boardOf();
    const keys = "q quit · s sort · ↑ ↓ PgUp PgDn scroll · ? hide keys";
    expect(board.frame({ ...wide, hasKeys: true }, fine, 0)[0]).toContain("? for keys");
    expect(board.frame(wide, fine, 0)[0]).not.toContain("? for keys");
    board.key("?");
    expect(board.frame(wide, fine, 0)).toContain(keys);
    board.key("?");
    expect(board.frame(wide, fine, 0)).not.toContain(keys);
  });
});

describe("assets with an alert that is on", () => {
  test("have a mark, with or without Unicode, and the status line explains it", () => {
    for (const [isUnicode, mark] of [
      [true, "◆"],
      [false, "#"],
    ] as const) {
      const on = new Set([weth]);
      const board = boardOf({ isUnicode, isOn: (asset) => on.has(asset) });
      feed(board, weth, ["2000"]);
      const frame = (width: number) => board.frame({ columns: width, rows: 30 }, fine, 1000);
      expect(frame(80).map((line) => line.slice(0, 4))).toContain(`${mark} et`);
      expect(frame(80).filter((line) => line.startsWith("  "))).toHaveLength(3);
      expect(frame(80).at(-1)).toContain(`${mark} alert on: 1 asset`);
      for (const width of [10, 20, 40, 80, 120])
        for (const line of frame(width)) expect(textWidth(line)).toBeLessThanOrEqual(width);
      on.clear();
      expect(frame(80).at(-1)).toContain(`${mark} alert on: 0 assets`);
    }
  });

  test("have no mark in the last frame, which has no status line", () => {
    const board = boardOf({ isOn: () => true });
    feed(board, weth, ["2000"]);
    expect(board.frame(wide, undefined, 1000).join("\n")).not.toContain("◆");
  });
});

import { fc } from "../../harness/properties.ts";
import { describe, expect, test } from "vitest";
import { createCandles } from "../../../src/cli/render/chart/candle-columns.ts";
import { drawChart } from "../../../src/cli/render/chart/draw-chart.ts";
import { textWidth } from "../../../src/cli/render/values/width.ts";
import { forbiddenIn } from "../render.ts";

// 2026-11-21T08:00:00Z
const eight = 1_795_248_000;
const hour = 3600;

interface Drawn {
  readonly columns?: number;
  readonly rows?: number;
  readonly isUnicode?: boolean;
  readonly isColored?: boolean;
  readonly interval?: number;
  /** Intervals in the range; by default as many as there are candles. */
  readonly length?: number;
}

type Candle = Readonly<Record<string, unknown>>;

const candle = (
  open: number,
  high: number,
  low: number,
  close: number,
  volume = 1000,
  more: Candle = {},
): Candle => ({ open, high, low, close, volume, ...more });

/** The chart of candles one interval apart; an interval without a trade is undefined. */
function draw(candles: readonly (Candle | undefined)[], drawn: Drawn = {}): readonly string[] {
  const { columns = 40, rows = 14, isUnicode = true, isColored = false, interval = hour } = drawn;
  const { length = candles.length } = drawn;
  const from = Math.ceil(eight / interval) * interval;
  const store = createCandles(from, from + length * interval, interval);
  for (const [index, each] of candles.entries())
    if (each !== undefined) store.add(from + index * interval, each);
  const subject = {
    name: "ethereum:0x1",
    interval: "1h",
    unit: interval,
    quote: "in USD",
    window: "a window",
  };
  const paint = (text: string, tone: string): string =>
    isColored && text.trim() !== "" && tone !== "plain" ? `<${tone}>${text}</>` : text;
  return drawChart(subject, store, { columns, rows }, { isUnicode, isColored, paint });
}

/** The text to the left of the axis, from the highest row down to the ruler. */
function plotOf(lines: readonly string[]): readonly string[] {
  const ruler = lines.findIndex((line) => /^[─┬*+-]+[┘+]$/u.test(line));
  const width = (lines[ruler]?.length ?? 0) - 1;
  const above = lines.slice(0, ruler);
  const first = above.findLastIndex((line) => !/^[│┤◂|+<](?: |$)/u.test(line.slice(width))) + 1;
  return above.slice(first).map((line) => line.slice(0, width));
}

const mixed = [
  candle(10, 14, 9, 13),
  candle(13, 13.5, 11, 11.5, 2000),
  undefined,
  undefined,
  candle(11.5, 11.5, 11.5, 11.5, 0, { filled: true }),
  candle(11.5, 12, 11, 11.5, 100),
  candle(11.5, 16, 11.5, 15.5, 4000, { partial: true }),
];

describe("a chart of candles", () => {
  test("without color: rising candles are hollow, gaps are empty, and an interval filled by dexdata is a dash", () => {
    expect(draw(mixed).join("\n")).toMatchInlineSnapshot(`
      "ethereum:0x1 · 1h candles · in USD
      a window · * partial · ║ up ┃ down
      last 15.5000 · +55.00% · high 16.0000
      low 9.0000 · volume 7.10K USD
                        ║  ◂  15.5
      ╷                 ║  │
      ║  ╽              ║  │
      ║  ┃           ╷  ║  │
      ║  ╿        ╌  ┼  ║  │
      ║                    ┤  10.0
      │                    │
      ▂  ▄           ▁  █  ┤ 4.00K
      ───┬────────┬─────*──┘
       09:00    12:00"
    `);
  });

  test("with color: wicks and bodies to half a row", () => {
    expect(draw(mixed, { isColored: true }).join("\n")).toMatchInlineSnapshot(`
      "<heading>ethereum:0x1</> · 1h candles · in USD
      a window · * partial
      <heading>last 15.5000</> · <up>+55.00%</> · high 16.0000
      low 9.0000 · volume 7.10K USD
                        <up>┃  </><up>◂</> <up> 15.5</>
      <up>╷                 ┃  </><faint>│</>
      <up>╽  </><down>╽              </><up>┃  </><faint>│</>
      <up>┃  </><down>┃           </>╷  <up>┃  </><faint>│</>
      <up>┃  </><down>╿        </><faint>╌  </>┼  <up>╹  </><faint>│</>
      <up>┃                    </><faint>┤</>  10.0
      <up>│                    </><faint>│</>
      <faint>▂  ▄           ▁  █  </><faint>┤</> <faint>4.00K</>
      <faint>───┬────────┬─────*──┘</>
       09:00    12:00"
    `);
  });

  test("in ASCII", () => {
    expect(draw(mixed, { isUnicode: false }).join("\n")).toMatchInlineSnapshot(`
      "ethereum:0x1, 1h candles, in USD
      a window, * partial, O up # down
      last 15.5000, +55.00%, high 16.0000
      low 9.0000, volume 7.10K USD
                        O  <  15.5
      |                 O  |
      O  #              O  |
      O  #           |  O  |
      O  #        -  +  O  |
      O                    +  10.0
      |                    |
      .  :           .  #  + 4.00K
      ---+--------+-----*--+
       09:00    12:00"
    `);
  });

  test("more candles than columns: each column has the first open, the last close, the extremes and the sum", () => {
    const two = [candle(1, 3, 1, 2, 10), candle(2, 9, 2, 8, 20)];
    const merged = draw([...two, ...two, ...two], { columns: 13, length: 24 });
    const one = draw(
      [1, 2, 3].map(() => candle(1, 9, 1, 8, 30)),
      {
        columns: 13,
        interval: 2 * hour,
        length: 12,
      },
    );
    expect(plotOf(merged)).toEqual(plotOf(one));
    expect(merged.join("\n")).toContain("1h candles, 2");
  });

  test("forty days of minutes keep extremes and sums, and share their columns evenly", () => {
    const minutes = 57_600;
    const store = createCandles(eight, eight + minutes * 60, 60);
    for (let index = 0; index < minutes; index++)
      store.add(eight + index * 60, candle(5, index === 12_345 ? 99 : 6, index === 54_321 ? 1 : 4, 5, 2));
    const { columns, span } = store.merged(100);
    expect(span).toBe(12 * hour);
    expect(columns).toHaveLength(80);
    expect(columns.map((column) => column?.volume)).toEqual(columns.map(() => (2 * span) / 60));
    expect(columns.findIndex((column) => column?.high === 99)).toBe(Math.floor(12_345 / 720));
    expect(columns.findIndex((column) => column?.low === 1)).toBe(Math.floor(54_321 / 720));
    expect(store.whole()).toMatchObject({ open: 5, high: 99, low: 1, close: 5, volume: 2 * minutes });
  });

  test("the last column of merged candles has a mark if the range ends within it", () => {
    const many = Array.from({ length: 61 }, () => candle(1, 2, 1, 2));
    expect(draw(many).join("\n")).toMatchInlineSnapshot(`
      "ethereum:0x1 · 1h candles, 2 per column
      in USD · a window
      * cut off by time range · ║ up ┃ down
      last 2.0000 · +100.00% · high 2.0000
      low 1.0000 · volume 61.0K USD
      ║║║║║║║║║║║║║║║║║║║║║║║║║║║║║║║◂  2.00
      ║║║║║║║║║║║║║║║║║║║║║║║║║║║║║║║│
      ║║║║║║║║║║║║║║║║║║║║║║║║║║║║║║║┤  1.50
      ║║║║║║║║║║║║║║║║║║║║║║║║║║║║║║║│
      ║║║║║║║║║║║║║║║║║║║║║║║║║║║║║║║│
      ║║║║║║║║║║║║║║║║║║║║║║║║║║║║║║║┤  1.00
      ██████████████████████████████▄┤ 2.00K
      ────────┬───────────┬─────────*┘
           Nov 22      Nov 23"
    `);
  });

  test("a tiny price keeps its digits, with its zeros counted or, in ASCII, all zeros shown", () => {
    const tiny = [
      candle(1.234e-12, 1.3e-12, 1.2e-12, 1.25e-12),
      candle(1.25e-12, 1.29e-12, 1.1e-12, 1.1e-12),
    ];
    expect(draw(tiny).join("\n")).toMatchInlineSnapshot(`
      "ethereum:0x1 · 1h candles · in USD
      a window · ║ up ┃ down
      last 0.0₁₁11000 · -10.86%
      high 0.0₁₁13000 · low 0.0₁₁11000
      volume 2.00K USD
      │  │  │
      ║  ┃  │
      │  ┃  ┤ 0.0₁₁1200
         ┃  │
         ┃  │
         ┃  ◂ 0.0₁₁1100
      █  █  ┤     1.00K
      ┬─────┘
      08:00"
    `);
    expect(draw(tiny, { isUnicode: false, columns: 60 }).join("\n")).toMatchInlineSnapshot(`
      "ethereum:0x1, 1h candles, in USD, a window, O up # down
      last 0.0000000000011000, -10.86%, high 0.0000000000013000
      low 0.0000000000011000, volume 2.00K USD
      |  |  |
      O  #  |
      O  #  |
      |  #  + 0.000000000001200
         #  |
         #  |
         #  < 0.000000000001100
      #  #  +             1.00K
      #  #  |               USD
      +-----+
      08:00"
    `);
  });

  test("a huge price", () => {
    expect(
      draw([candle(1e12, 1.2e12, 0.9e12, 1.1e12), candle(1.1e12, 1.1e12, 1e12, 1e12)], { columns: 60 }).join(
        "\n",
      ),
    ).toMatchInlineSnapshot(`
      "ethereum:0x1 · 1h candles · in USD · a window · ║ up ┃ down
      last 1,000,000,000,000.00 · 0.00%
      high 1,200,000,000,000.00 · low 900,000,000,000.00
      volume 2.00K USD
      │     ┤ 1,200,000,000,000
      │     │
      ║  ┃  ┤ 1,100,000,000,000
      ║  ┃  │
      ║  ┃  ◂ 1,000,000,000,000
      │     │
      │     ┤   900,000,000,000
      █  █  ┤             1.00K
      ┬─────┘
      08:00"
    `);
  });

  test.each([
    ["one flat candle", [candle(5, 5, 5, 5)]],
    ["a price of nothing", [candle(0, 0, 0, 0, 0)]],
    ["a price that a double cannot tell from its neighbour", [candle(1, 1 + 2 ** -52, 1, 1)]],
  ])("%s stands in the middle of a scale, or at its foot", (_, candles) => {
    expect(draw(candles).join("\n")).toMatchSnapshot();
  });

  test("rows without a price draw no candles, and the header reports it", () => {
    const nothing = { open: null, high: null, low: null, close: null, volume: 0, filled: true };
    expect(draw([nothing, nothing])).toEqual(["ethereum:0x1 · 1h candles · in USD", "a window · no trades"]);
  });

  test("labels are omitted in a terminal too narrow for labels and candles", () => {
    expect(draw(mixed, { columns: 20, isUnicode: false }).join("\n")).toMatchInlineSnapshot(`
      "ethereum:0x1
      1h candles, in USD
      a window, * partial
      O up # down
      last 15.5000
      +55.00%
      high 16.0000
            O<  15.5
      O#    O|
      O#  -+O|
      O      +  10.0
      .:   .#+ 4.00K
      ----+-*+
        12:00"
    `);
  });
});

const price = fc.oneof(
  fc.double({ min: 0, max: 1e13, noNaN: true }),
  fc.double({ min: 0, max: 1e-9, noNaN: true }),
  fc.integer({ min: 0, max: 20 }),
);
const anyCandle = fc
  .tuple(price, price, price, price, fc.double({ min: 0, max: 1e15, noNaN: true }))
  .map(([a, b, c, d, volume]) => candle(a, Math.max(a, b, c, d), Math.min(a, b, c, d), b, volume));
const anyCandles = fc.array(fc.option(anyCandle, { nil: undefined, freq: 3 }), {
  minLength: 1,
  maxLength: 260,
});
const anyDrawing = fc.record({
  columns: fc.integer({ min: 20, max: 200 }),
  rows: fc.integer({ min: 8, max: 40 }),
  isUnicode: fc.boolean(),
  isColored: fc.constant(false),
  interval: fc.constantFrom(60, 300, 3600, 86_400),
});

describe("any chart", () => {
  test("fits its terminal, and contains no byte that controls it", () => {
    fc.assert(
      fc.property(anyCandles, anyDrawing, (candles, drawing) => {
        const lines = draw(candles, drawing);
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(drawing.columns);
        expect(forbiddenIn(lines.join("\n"))).toEqual([]);
        if (!drawing.isUnicode) expect(lines.join("\n")).toMatch(/^[ -~\n]*$/u);
        if (drawing.rows >= 14 && drawing.columns >= 40)
          expect(lines.length).toBeLessThanOrEqual(drawing.rows);
      }),
    );
  });

  test("draws each candle in one piece from its low to its high, and nothing for intervals without trades", () => {
    fc.assert(
      fc.property(anyCandles, anyDrawing, (candles, drawing) => {
        // Few enough that each has its own column.
        const few = candles.slice(0, 10);
        fc.pre(few.some((each) => each !== undefined));
        const drawn = draw(few, { ...drawing, columns: 60 });
        const plot = plotOf(drawn);
        const pitch = (plot[0]?.length ?? 0) / few.length;
        const shape = /^ *[│┃╽╿╻╹╷╵║┼|#O+]+ *[ .:#▁▂▃▄▅▆▇█]*$/u;
        for (const [index, each] of few.entries()) {
          const cells = plot.map((line) => line.charAt(index * pitch)).join("");
          if (each === undefined) expect(cells.trim()).toBe("");
          else expect(cells).toMatch(shape);
          for (const line of plot) expect(line.slice(index * pitch + 1, (index + 1) * pitch).trim()).toBe("");
        }
      }),
    );
  });

  test("invalid prices from the service are skipped, and the chart shows the rest", () => {
    const anything = fc.record({
      open: fc.anything(),
      high: fc.oneof(fc.double(), fc.anything()),
      low: fc.double(),
      close: fc.double(),
      volume: fc.anything(),
    });
    fc.assert(
      fc.property(
        fc.array(fc.oneof(anything, anyCandle), { minLength: 1, maxLength: 40 }),
        anyDrawing,
        (candles, drawing) => {
          for (const line of draw(candles, drawing))
            expect(textWidth(line)).toBeLessThanOrEqual(drawing.columns);
        },
      ),
    );
  });

  test("time labels do not overlap, whatever the interval", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3000 }), anyDrawing, (length, drawing) => {
        const lines = draw([candle(1, 2, 1, 2)], { ...drawing, length });
        const labels = lines.at(-1) ?? "";
        expect(labels.trim()).toMatch(
          /^(?:(?:\d\d:\d\d|[A-Z][a-z]{2} \d\d|[A-Z][a-z]{2}|\d{4})(?: {3,}|$))+$/u,
        );
      }),
    );
  });
});

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { drawSvgChart } from "../../src/cli/render/chart/svg-chart.ts";
import { createCandles } from "../../src/cli/render/chart/candle-columns.ts";
import { dexdata } from "../harness/dexdata.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const sandbox = useSandbox();
const folder = temporaryFolder();
const token = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const hour = 3600;

/** Fails unless every element is closed in order, and every attribute is quoted. */
function tagsOf(svg: string): readonly string[] {
  const open: string[] = [];
  const names: string[] = [];
  for (const [, close = "", name = "", rest = ""] of svg.matchAll(
    /<(\/?)(\w+)((?:\s+[\w:]+="[^"<]*")*\s*\/?)>/gu,
  )) {
    if (close !== "") expect(open.pop()).toBe(name);
    else names.push(name);
    if (close === "" && !rest.endsWith("/")) open.push(name);
  }
  expect(open).toEqual([]);
  expect(svg.split("<").length - 1).toBe([...svg.matchAll(/<\/?\w/gu)].length);
  return names;
}

test("--chart --out x.svg writes an image with title, candles, volumes and axes", async () => {
  const file = path.join(folder, "chart.svg");
  const words = `ohlcv ethereum ${token} --interval 4h --from -10d --chart -q --out`;
  const shown = await dexdata([...words.split(" "), file], { env: sandbox.env() });
  expect([shown.exit, shown.stdout]).toEqual([0, ""]);
  const svg = readFileSync(file, "utf8");
  const tags = tagsOf(svg);
  expect(tags.filter((name) => name === "path").length).toBeGreaterThanOrEqual(6);
  expect(svg).toContain("@media (prefers-color-scheme:dark)");
  expect(svg).toContain(`>ethereum:${token} · 4h candles · `);
  const wicks = ["up", "down", "flat"].map(
    (name) => new RegExp(`class="${name}" d="([^"]*)"`, "u").exec(svg)?.[1],
  );
  // One wick and one body for each candle.
  expect(wicks.join("").match(/V/gu)).toHaveLength(60);
  expect(wicks.join("").match(/z/gu)).toHaveLength(60);
  expect(/class="volume" d="([^"]*)"/u.exec(svg)?.[1]?.match(/z/gu)).toHaveLength(60);
  expect(svg.match(/class="mid"[^>]*>Nov \d\d</gu)?.length).toBeGreaterThan(2);
  expect(svg).not.toMatch(/NaN|undefined|Infinity/u);
});

test("text is escaped", () => {
  const candles = createCandles(0, 4 * hour, hour);
  candles.add(0, { open: 1, high: 2, low: 1, close: 2, volume: 5 });
  const hostile = '</text><script>alert("x")</script>&amp;';
  const subject = { name: hostile, interval: "1h", unit: hour, quote: `A&B in <C>`, window: "" };
  const svg = drawSvgChart(subject, candles);
  tagsOf(svg);
  expect(svg).not.toContain("<script");
  expect(svg).toContain("A&amp;B in &lt;C&gt;");
});

test("one price, one candle or none are drawn as well", () => {
  const subject = { name: "x", interval: "1h", unit: hour, quote: "", window: "" };
  for (const count of [0, 1, 2]) {
    const candles = createCandles(0, 3 * hour, hour);
    for (let index = 0; index < count; index += 1)
      candles.add(index * hour, { open: 5, high: 5, low: 5, close: 5 });
    const svg = drawSvgChart(subject, candles);
    tagsOf(svg);
    expect(svg).not.toMatch(/NaN|undefined|Infinity/u);
    expect(svg.includes("no trades")).toBe(count === 0);
  }
});

test("a year of minutes is an image of some kilobytes", () => {
  const candles = createCandles(0, 525_600 * 60, 60);
  for (let index = 0; index < 525_600; index += 7)
    candles.add(index * 60, { open: 1 + (index % 9), high: 12, low: 1, close: 5, volume: 1 });
  const svg = drawSvgChart({ name: "x", interval: "1m", unit: 60, quote: "", window: "" }, candles);
  expect(svg.length).toBeLessThan(60_000);
});

test("only a chart can have such a file", async () => {
  const file = path.join(folder, "rows.svg");
  sandbox.takeLog();
  const shown = await dexdata(["ohlcv", "ethereum", token, "--out", file], { env: sandbox.env() });
  expect([shown.exit, shown.stderr]).toEqual([
    2,
    expect.stringContaining("only a chart can be an SVG image"),
  ]);
  expect(sandbox.takeLog()).toEqual([]);
  expect(existsSync(file)).toBe(false);
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { disturbedLists, provable } from "./disturbed-lists.ts";
import { type DisturbingProxy, startDisturbingProxy } from "./disturbing-proxy.ts";
import { disturb, disturbanceKinds, type Material } from "./disturbing/disturbances.ts";
import { drawStrikes, strikeAt, traceOf } from "./disturbing/draw-strikes.ts";
import { openDesk, pullDisturbed } from "./disturbing/pull-disturbed.ts";
import { useSandbox } from "./sandbox.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const folder = temporaryFolder();

describe("disturb", () => {
  const ids = (first: number, last: number): string =>
    Array.from(
      { length: last - first + 1 },
      (_, index) => `{"id":"0x${first + index}","log_index":0}`,
    ).join();
  const page = (number: number, total = 12): string =>
    `{"transactions":[${ids(number * 4 - 3, number * 4)}],"page_info":{"limit":4,"page":${number},"total_items":${total},"total_pages":3}}`;
  const search =
    '{"results":[{"id":"0xa1"},{"id":"0xa2"}],"has_next_page":true,"next_cursor":"b","query":{}}';
  // This seed draws the first row.
  const material: Material = { before: page(1), stale: page(1), foreign: undefined, overlap: 3, seed: -1 };

  test.each([
    ["empty", page(2).replace(ids(5, 8), "")],
    ["truncated", page(2).replace(ids(5, 8), ids(5, 5))],
    ["overlap", page(2).replace(ids(5, 8), `${ids(2, 4)},${ids(8, 8)}`)],
    ["overlap-front", page(2).replace(ids(5, 8), `${ids(2, 4)},${ids(5, 8)}`)],
    ["twice", page(2).replace(ids(5, 8), `${ids(5, 5)},${ids(5, 8)}`)],
    ["twice-in-place", page(2).replace(ids(5, 8), `${ids(5, 5)},${ids(5, 5)},${ids(7, 8)}`)],
    ["stale", page(1)],
    ["early-end", page(2).replace('"total_pages":3', '"total_pages":2')],
    ["changed-id", page(2).replace("0x5", "0x0")],
  ] as const)("%s", (kind, expected) => {
    expect(disturb(kind, page(2), material)).toBe(expected);
  });

  test("keeps the numbers of its own page, but a cursor comes with the rows", () => {
    const foreign = page(1, 7).replace(/0x/gu, "0xf");
    expect(disturb("foreign", page(2), { ...material, foreign })).toBe(
      page(2).replace(ids(5, 8), ids(1, 4).replace(/0x/gu, "0xf")),
    );
    const byCursor = (ending: string): string =>
      `{"transactions":[{"id":"0x${ending}"}],"page_info":{"limit":1,"next_cursor":"0x${ending}"}}`;
    expect(disturb("foreign", byCursor("1"), { ...material, foreign: byCursor("2") })).toBe(byCursor("2"));
  });

  test("no-cursor and early-end of a search, and of its last page", () => {
    expect(disturb("no-cursor", search, material)).toBe(search.replace('"next_cursor":"b",', ""));
    const end = search.replace("true", "false").replace('"b"', '""');
    expect(disturb("early-end", search, material)).toBe(end);
    expect(disturb("early-end", end, material)).toBeUndefined();
    expect(disturb("no-cursor", end, material)).toBeUndefined();
  });

  test("early-end may agree with its own totals, but not on the first page", () => {
    const agreeing = page(2, 8).replace('"total_pages":3', '"total_pages":2');
    expect(disturb("early-end", page(2), { ...material, seed: 2 })).toBe(agreeing);
    expect(disturb("early-end", page(1), { ...material, seed: 2 })).toContain(
      '"total_items":12,"total_pages":1',
    );
  });

  test("other-totals never make the page the last one", () => {
    for (let seed = 1; seed < 200; seed += 1) {
      const info: unknown = JSON.parse(disturb("other-totals", page(3), { ...material, seed }) ?? "{}");
      expect(info).toMatchObject({ page_info: { page: 3 } });
      expect(Object(info).page_info.total_pages).toBeGreaterThan(3);
    }
  });
});

test.each(Object.entries(provable))("%s: each verdict has a reason", (_, cells) => {
  expect(Object.keys(cells)).toEqual(disturbanceKinds);
  for (const { why } of Object.values(cells)) expect(why.length).toBeGreaterThan(15);
});

describe("the proxy", () => {
  const sandbox = useSandbox();
  let proxy: DisturbingProxy;
  beforeAll(async () => {
    proxy = await startDisturbingProxy(sandbox.running().restPaid);
  });
  afterAll(async () => await proxy.close());

  test("once is once, other responses are not touched, and the same seed draws the same", async () => {
    const list = disturbedLists.find(({ name }) => name === "api of a search");
    if (list === undefined) throw new Error("the list exists");
    await pullDisturbed(await openDesk(proxy, sandbox, folder), list);
    const drawing = { list, dialect: "spec", trace: traceOf(proxy.exchanges) } as const;
    expect(drawing.trace.length).toBe(10);
    expect(drawStrikes(drawing, 7)).toEqual(drawStrikes(drawing, 7));
    expect(drawStrikes(drawing, 8)).not.toEqual(drawStrikes(drawing, 7));
    const strike = strikeAt(drawing, 3, { kind: "foreign", times: 1, seed: 5 });
    if (strike === undefined) throw new Error("a page in the middle can be foreign");
    proxy.begin([strike]);
    const headers = { authorization: sandbox.running().keys.pro };
    const get = async (url = ""): Promise<string> =>
      await (await fetch(`${proxy.url}${url}`, { headers })).text();
    const [before, first, second] = [
      await get(drawing.trace[2]),
      await get(strike.url),
      await get(strike.url),
    ];
    expect([before, first, second].map((text) => text.includes('"network":"base"'))).toEqual([
      false,
      true,
      false,
    ]);
    expect(proxy.struck).toEqual([strike]);
    expect(proxy.requested).toEqual([drawing.trace[2], strike.url, strike.url]);
    proxy.begin();
    expect([await get(drawing.trace[2]), await get(strike.url)]).toEqual([before, second]);
  });
});

import { afterEach, describe, expect, test } from "vitest";
import { parseFaults, startSandbox } from "../harness/bundled-sandbox.ts";
import { sandboxNow } from "../harness/sandbox.ts";

let close: () => Promise<void> = () => Promise.resolve();
afterEach(async () => await close());

const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const list = `/networks/ethereum/pools/${pool}/transactions`;

/** Its clock and the real time of its cache advance together. */
async function serve(spec: string) {
  const faults = parseFaults(spec);
  let elapsed = 0;
  const sandbox = await startSandbox({ now: () => sandboxNow + elapsed, elapsed: () => elapsed, faults });
  ({ close } = sandbox);
  const get = async (path: string) => {
    const response = await fetch(sandbox.restPaid + path, { headers: { authorization: sandbox.keys.pro } });
    const { status, headers } = response;
    const { age, date, "x-credits-remaining": left } = Object.fromEntries(headers);
    return { status, age, date, left: Number(left), body: await response.text() };
  };
  return { get, wait: (seconds: number) => (elapsed += seconds * 1000), setFaults: sandbox.setFaults };
}

describe("edge-cache", () => {
  test("returns copies with Age and the first Date until they expire, and counts their credits", async () => {
    const { get, wait } = await serve("edge-cache=60s");
    const first = await get(list);
    wait(59);
    const copy = await get(list);
    expect([first.age, copy.age, copy.date, copy.body]).toEqual(["0", "59", first.date, first.body]);
    expect(copy.left).toBe(first.left - 1);
    wait(1);
    const second = await get(list);
    expect([second.age, second.date === first.date]).toEqual(["0", false]);
  });

  test("has a copy for each URL, or for each path", async () => {
    const { get } = await serve("edge-cache=60s");
    expect((await get(`${list}?limit=1`)).body).not.toBe((await get(`${list}?limit=2`)).body);
    await close();
    const other = await serve("edge-cache:path");
    expect((await other.get(`${list}?limit=1`)).body).toBe((await other.get(`${list}?limit=2`)).body);
  });

  test("with :free, copies cost nothing", async () => {
    const { get } = await serve("edge-cache=60s:free");
    const [, copy] = [await get(list), await get(list)];
    const { left } = await get("/networks");
    expect([copy.age, copy.left - left]).toEqual(["0", 1]);
  });

  test("returns a copy for 10 minutes if the service fails", async () => {
    const { get, wait } = await serve("edge-cache=60s,503@2-");
    await get(list);
    wait(599);
    expect(await get(list)).toMatchObject({ status: 200, age: "599" });
    wait(2);
    expect((await get(list)).status).toBe(503);
  });

  test("does not keep rejections or /usage, and can be limited to a path", async () => {
    const { get } = await serve("edge-cache=60s/networks");
    expect((await get("/usage")).age).toBeUndefined();
    const missing = "/networks/ethereum/pools/0x0000000000000000000000000000000000000000";
    expect([(await get(missing)).status, (await get(missing)).age]).toEqual([404, undefined]);
    expect((await get("/networks")).age).toBe("0");
  });

  test.each([
    ["edge-cache=60s:fre", '":fre" in "edge-cache=60s:fre": edge-cache takes :free, :path, or both'],
    ["edge-cache=x", '"x" in "edge-cache=x": edge-cache takes a duration such as 300ms, 2s, 1m, 3h or 7d'],
    ["edge-cache@3", '"@3" in "edge-cache@3": edge-cache takes :free, :path, or both'],
  ])("%s is rejected", (text, problem) => {
    expect(() => parseFaults(text)).toThrow(problem);
  });
});

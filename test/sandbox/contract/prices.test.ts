import { expect, test } from "vitest";
import { at, column, contract, keysOf, list, refusal, USDC, WETH } from "./service.ts";

const PATH = "/networks/ethereum/multi/prices";
const USDT = "0xdac17f958d2ee523a2206206994597c13d831ec7";

contract("batched prices", {}, (service) => {
  test("35, 82: the response is a plain array of id, chain and price_usd", async () => {
    const { body } = await service.ask(`${PATH}?tokens=${WETH}`);
    expect(list(body).map(keysOf)).toEqual([["id", "chain", "price_usd"]]);
    expect(body).toEqual([{ id: WETH, chain: "ethereum", price_usd: expect.any(Number) }]);
  });

  test("78: tokens is required", async () => {
    expect(refusal(await service.ask(PATH))).toBe("400 missing_param tokens");
  });

  test.each(["tokens=", "tokens=,", "tokens=,,,", "tokens=&tokens="])("87: %s is 400", async (query) => {
    expect(refusal(await service.ask(`${PATH}?${query}`))).toBe("400 invalid_param tokens");
  });

  test("79, 218: ten addresses are accepted, eleven are 400", async () => {
    const ten = Array.from({ length: 10 }, () => WETH).join(",");
    expect(list((await service.ask(`${PATH}?tokens=${ten}`)).body)).toHaveLength(10);
    expect(refusal(await service.ask(`${PATH}?tokens=${ten},${WETH}`))).toBe("400 invalid_param tokens");
  });

  test("80, 218: 2,000 characters are accepted, 2,001 are 400", async () => {
    expect((await service.ask(`${PATH}?tokens=${"x".repeat(2000)}`)).status).toBe(200);
    expect(refusal(await service.ask(`${PATH}?tokens=${"x".repeat(2001)}`))).toBe("400 invalid_param tokens");
  });

  test("81: tokens may be repeated, alone or with commas, and the limits apply to the sum", async () => {
    const comma = await service.ask(`${PATH}?tokens=${WETH},${USDC},${USDT}`);
    const repeated = await service.ask(`${PATH}?tokens=${WETH}&tokens=${USDC}&tokens=${USDT}`);
    const mixed = await service.ask(`${PATH}?tokens=${WETH}&tokens=${USDC},${USDT}`);
    expect([repeated.text, mixed.text]).toEqual([comma.text, comma.text]);
    const eleven = `${PATH}?${`tokens=${WETH}&`.repeat(11)}`;
    expect(refusal(await service.ask(eleven))).toBe("400 invalid_param tokens");
    const long = `${PATH}?tokens=${"x".repeat(1000)}&tokens=${"y".repeat(1000)}`;
    expect(refusal(await service.ask(long))).toBe("400 invalid_param tokens");
  });

  test("83, 85, 183: unknown addresses are omitted; the array may be empty", async () => {
    const some = await service.ask(`${PATH}?tokens=0x0,${WETH},nothing`);
    expect(column(some.body, "", "id")).toEqual([WETH]);
    const none = await service.ask(`${PATH}?tokens=0x0,nothing`);
    expect([none.status, none.text]).toEqual([200, "[]"]);
  });

  test("83: a token without a price is omitted", async () => {
    const { body } = await service.ask("/networks/ethereum/tokens/search?order_by=created_at&limit=100");
    const unpriced = list(body, "results").filter((row) => at(row, "price_usd") === null);
    expect(unpriced.length).toBeGreaterThan(0);
    const address = String(at(unpriced[0], "address"));
    expect((await service.ask(`/networks/ethereum/tokens/${address}`)).status).toBe(200);
    expect((await service.ask(`${PATH}?tokens=${address}`)).text).toBe("[]");
  });

  test("84: the order differs from the input and is always the same", async () => {
    for (const order of [
      [WETH, USDC],
      [USDC, WETH],
      [WETH, USDC, USDT],
      [USDT, USDC, WETH],
    ]) {
      const path = `${PATH}?tokens=${order.join(",")}`;
      const answer = await service.ask(path);
      const ids = column(answer.body, "", "id");
      expect(ids).not.toEqual(order);
      expect(new Set(ids)).toEqual(new Set(order));
      expect((await service.ask(path)).text).toBe(answer.text);
    }
  });

  test("84: an EVM address is matched in any letter case and returned in lower case", async () => {
    const { body } = await service.ask(`${PATH}?tokens=0x${WETH.slice(2).toUpperCase()}`);
    expect(column(body, "", "id")).toEqual([WETH]);
  });

  test("84: a Solana address is matched in its exact case only", async () => {
    const sol = "So11111111111111111111111111111111111111112";
    const path = "/networks/solana/multi/prices?tokens=";
    expect(column((await service.ask(path + sol)).body, "", "id")).toEqual([sol]);
    expect((await service.ask(path + sol.toLowerCase())).text).toBe("[]");
  });

  test("86: repeated addresses return repeated items", async () => {
    const { body } = await service.ask(`${PATH}?tokens=${WETH},${USDC},${WETH}`);
    expect(column(body, "", "id").map(String).toSorted()).toEqual([USDC, WETH, WETH]);
  });
});

contract("prices of the public service", { dialect: "public" }, (service) => {
  test("35: items have last_updated as well", async () => {
    const { body } = await service.ask(`${PATH}?tokens=${WETH}`);
    expect(list(body).map(keysOf)).toEqual([["id", "chain", "price_usd", "last_updated"]]);
  });
});

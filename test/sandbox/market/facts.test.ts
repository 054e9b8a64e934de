import { describe, expect, test } from "vitest";
import { createMarket } from "../../harness/bundled-sandbox.ts";
import { mix, unmix } from "../../../src/sandbox/market/hash.ts";
import type { Market } from "../../../src/sandbox/market/market.ts";
import type { AddressFamily, NetworkFacts } from "../../../src/sandbox/well-known.ts";

const NOW = Date.parse("2026-11-01T00:00:00Z") / 1000;
const DAY = 86_400;
const market = createMarket({ seed: 1 });

function networkOf(slug: string, of: Market = market): NetworkFacts {
  const network = of.network(slug);
  if (network === undefined) throw new Error(`no ${slug}`);
  return network;
}

describe("networks", () => {
  test("36 networks exist, the doubtful ones last, without the removed one", () => {
    const slugs = market.networks.map((network) => network.id);
    expect(slugs).toHaveLength(36);
    expect(slugs.slice(0, 4)).toEqual(["ethereum", "solana", "fantom", "bsc"]);
    expect(slugs.slice(-2)).toEqual(["robinhood", "arc"]);
    expect(slugs).not.toContain("botanix");
    expect(market.network("eth")).toBeUndefined();
    expect(market.network("Ethereum")).toBeUndefined();
  });

  test.each([
    ["ethereum", 4200],
    ["solana", 6000],
    ["base", 3500],
    ["bsc", 3000],
    ["arbitrum", 1500],
    ["polygon", 1200],
    ["arc", 45],
  ])("%s has about %d pools, and half as many tokens", (slug, count) => {
    const pools = market.pools(networkOf(slug), NOW).length;
    expect(pools).toBeGreaterThan(count * 0.85);
    expect(pools).toBeLessThan(count * 1.15);
    const tokens = market.tokens(networkOf(slug), NOW).length;
    expect(tokens / pools).toBeGreaterThan(0.4);
    expect(tokens / pools).toBeLessThan(0.65);
  });

  test("a network has 3 to 30 DEXes with unique IDs, and ethereum has enough for three pages", () => {
    for (const network of market.networks) {
      const dexes = market.dexes(network);
      expect(dexes.length).toBeGreaterThanOrEqual(3);
      expect(dexes.length).toBeLessThanOrEqual(30);
      expect(new Set(dexes.map((dex) => dex.dexId)).size).toBe(dexes.length);
      for (const dex of dexes) expect(dex.dexId).toMatch(/^[a-z0-9_]+$/);
    }
    expect(market.dexes(networkOf("ethereum")).length).toBeGreaterThanOrEqual(25);
  });
});

describe("well-known pools", () => {
  test.each([
    ["ethereum", "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640", "USDC/WETH", "uniswap_v3"],
    ["ethereum", "0xbebc44782c7db0a1a60cb6fe97d0b483032ff1c7", "DAI/USDC/USDT", "curve"],
    [
      "ethereum",
      "0xe46560b57c19c1ab33dec4d8baf72719a95173e015d5bc50caf8a6fdf098175a",
      "ETH/Tori",
      "uniswap_v4",
    ],
    ["solana", "8sLbNZoA1cfnvMJLPfp98ZLAnFSYCFApfJKMbiXNLwxj", "SOL/USDC", "raydium_clmm"],
    ["solana", "FEroVA2jgHmkv5TSocxUHR4R5qD1P5M7WiGgtmCuSo15", "SOL/FIT", "pump_fun"],
    ["bsc", "0x172fcd41e0913e95784454622d1c3724f546f849", "USDT/WBNB", "pancakeswap_v3"],
    ["arbitrum", "0xac0ce0ccaacf4121b0e78fe094c67f24bf367f6a", "GENPL/USD₮0", "sushiswap"],
    ["base", "0xb2cc224c1c9fee385f8ad6a55b4d94e92359dc59", "WETH/USDC", "aerodrome_slipstream"],
    ["sui", "0x919a34b9df1d7a56fa078ae6ddc6bd203e284974704d85721062d38ee3a6701a", "WAL/SUI", "momentum"],
  ])("%s %s is %s on %s", (slug, id, symbols, dexId) => {
    const pool = market.pool(networkOf(slug), id, NOW);
    expect(pool?.tokens.map((token) => token.symbol).join("/")).toBe(symbols);
    expect(pool?.dex.dexId).toBe(dexId);
  });

  test("well-known pools match in any letter case on EVM networks, and only exactly on others", () => {
    const ethereum = networkOf("ethereum");
    const solana = networkOf("solana");
    const sol = "So11111111111111111111111111111111111111112";
    expect(market.pool(ethereum, "0x88E6A0C2DDD26FEEB64F039A2C41296FCB3F5640", NOW)?.rank).toBe(1);
    expect(market.token(ethereum, "0xC02AAA39b223FE8D0A0e5C4F27eAD9083C756Cc2", NOW)?.symbol).toBe("WETH");
    expect(market.token(solana, sol, NOW)?.symbol).toBe("SOL");
    expect(market.token(solana, sol.toLowerCase(), NOW)).toBeUndefined();
  });

  test("well-known pools exist from their creation day", () => {
    const pool = "8sLbNZoA1cfnvMJLPfp98ZLAnFSYCFApfJKMbiXNLwxj";
    const born = Date.parse("2023-11-26T20:25:08Z") / 1000;
    expect(market.pool(networkOf("solana"), pool, born - 1)).toBeUndefined();
    expect(market.pool(networkOf("solana"), pool, born)?.createdAtBlockNumber).toBe(232_424_998);
  });

  test("well-known pools have a null fee where the service sends one", () => {
    const pool = market.pool(networkOf("ethereum"), "0x4f493b7de8aac7d55f71853688b1f7c8f0243c85", NOW);
    expect(pool?.fee).toBeNull();
  });
});

const POOL_IDS: Readonly<Record<AddressFamily, RegExp>> = {
  evm: /^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/,
  solana: /^[1-9A-HJ-NP-Za-km-z]{43,44}$/,
  sui: /^0x[0-9a-f]{64}$/,
  aptos: /^0x[0-9a-f]{64}$/,
  tron: /^T[1-9A-HJ-NP-Za-km-z]{33}$/,
  ton: /^EQ[A-Za-z0-9_-]{46}$/,
};

const TOKEN_IDS: Readonly<Record<AddressFamily, RegExp>> = {
  ...POOL_IDS,
  evm: /^0x[0-9a-f]{40}$/,
  aptos: /^0x[0-9a-f]{64}(?:::[a-z]+::Coin)?$/,
};

const TRANSACTION_IDS: Readonly<Record<AddressFamily, RegExp>> = {
  evm: /^0x[0-9a-f]{64}$/,
  solana: /^[1-9A-HJ-NP-Za-km-z]{88}$/,
  sui: /^[1-9A-HJ-NP-Za-km-z]{44}$/,
  aptos: /^0x[0-9a-f]{64}$/,
  tron: /^[0-9a-f]{64}$/,
  ton: /^[0-9a-f]{64}$/,
};

describe("addresses", () => {
  test("addresses have the form of their family and are unique", () => {
    for (const network of market.networks) {
      const pools = market.pools(network, NOW);
      const tokens = market.tokens(network, NOW);
      expect(pools.filter(({ id }) => !POOL_IDS[network.addressFamily].test(id))).toEqual([]);
      expect(tokens.filter(({ address }) => !TOKEN_IDS[network.addressFamily].test(address))).toEqual([]);
      expect(new Set(pools.map((pool) => pool.id)).size).toBe(pools.length);
      expect(new Set(tokens.map((token) => token.address)).size).toBe(tokens.length);
      const [busiest] = pools;
      if (busiest === undefined) throw new Error(`${network.id} has no pools`);
      for (const transaction of market.transactions(busiest, { to: NOW, limit: 20 })) {
        expect(transaction.id).toMatch(TRANSACTION_IDS[network.addressFamily]);
        expect(transaction.sender).toMatch(POOL_IDS[network.addressFamily]);
      }
    }
  });

  test("some EVM pools have 32-byte addresses", () => {
    expect(market.pools(networkOf("base"), NOW).some((pool) => pool.id.length === 66)).toBe(true);
  });
});

describe("pools", () => {
  test("pools are sorted by rank, and new pools do not change the order of old ones", () => {
    const network = networkOf("ethereum");
    const now = market.pools(network, NOW);
    expect(now.map((pool) => pool.rank)).toEqual(now.map((pool) => pool.rank).toSorted((a, b) => a - b));
    expect(now.every((pool) => pool.createdAt <= NOW)).toBe(true);
    const later = market.pools(network, NOW + 30 * DAY);
    expect(later.filter((pool) => pool.createdAt <= NOW)).toEqual(now);
    expect(market.pools(network, NOW)).toEqual(now);
  });

  test("large networks get new pools every day, at least until 2030", () => {
    for (const slug of ["ethereum", "solana", "base"]) {
      for (const from of ["2023-09-01", "2025-06-01", "2026-11-01", "2030-11-01"]) {
        const at = Date.parse(from) / 1000;
        const born =
          market.pools(networkOf(slug), at + 30 * DAY).length - market.pools(networkOf(slug), at).length;
        expect(born).toBeGreaterThan(20);
      }
    }
  });

  test("pools are never older than their tokens", () => {
    const network = networkOf("ethereum");
    for (const pool of market.pools(network, NOW)) {
      for (const token of pool.tokens) {
        expect(token.createdAt).toBeLessThanOrEqual(Math.max(pool.createdAt, Date.UTC(2023, 0, 1) / 1000));
        expect(market.token(network, token.address, Math.max(pool.createdAt, NOW - 1000 * DAY))).toBe(token);
      }
    }
  });

  test("tokens have known decimals and a supply, sometimes above 2^53 and not exact as a double", () => {
    const tokens = market.tokens(networkOf("ethereum"), NOW);
    for (const token of tokens) {
      expect(token.decimals).toBeGreaterThanOrEqual(6);
      expect(token.totalSupply > 0n).toBe(true);
    }
    expect(tokens.some((token) => BigInt(Number(token.totalSupply)) !== token.totalSupply)).toBe(true);
    expect(tokens.some((token) => token.description === "" && token.website === "")).toBe(true);
    expect(tokens.some((token) => token.description !== "")).toBe(true);
  });
});

describe("names", () => {
  test("names of ethereum tokens include hostile text", () => {
    const text = market
      .tokens(networkOf("ethereum"), NOW)
      .map((token) => `${token.name} ${token.symbol}`)
      .join("|");
    for (const part of ["\u001b[", "\u202e", "\n", "=HYPERLINK(", "🚀", "狗币", "CAFÉ"])
      expect(text).toContain(part);
  });

  test("names vary", () => {
    const names = market.tokens(networkOf("solana"), NOW).map((token) => token.name);
    expect(new Set(names).size).toBeGreaterThan(names.length * 0.6);
  });
});

test("a different seed is a different market with the same well-known names", () => {
  const other = createMarket({ seed: 8 });
  const mine = market.pools(networkOf("ethereum"), NOW);
  const theirs = other.pools(networkOf("ethereum", other), NOW);
  expect(theirs[0]?.id).toBe(mine[0]?.id);
  expect(theirs[50]?.id).not.toBe(mine[50]?.id);
});

test("unmix reverses mix", () => {
  for (const value of [0, 1, -1, 0x7fffffff, -0x80000000, 123_456_789, 0x00ff00ff]) {
    expect(unmix(mix(value))).toBe(value);
  }
});

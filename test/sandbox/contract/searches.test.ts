import { expect, test } from "vitest";
import { allPages, at, column, contract, DAY, keysOf, list, NOON, numbers, refusal } from "./service.ts";

/** Rules that apply to all four searches. Small networks, so that the test can check every row. */
const searches = [
  ["pools of a network", "/networks/tempo/pools/search", "id"],
  ["pools across networks", "/pools/search?chains=tempo,plasma", "id"],
  ["tokens of a network", "/networks/tempo/tokens/search", "address"],
  ["tokens across networks", "/tokens/search?chains=tempo,plasma", "address"],
] as const;

const withQuery = (path: string, query: string): string => `${path}${path.includes("?") ? "&" : "?"}${query}`;

contract("searches", {}, (service) => {
  test.each(searches)("48, 50, 222: %s use cursors", async (_name, path) => {
    const { body } = await service.ask(path);
    expect(keysOf(body)).toEqual(["results", "has_next_page", "next_cursor", "query"]);
    expect(at(body, "has_next_page")).toBe(true);
    expect(at(body, "next_cursor")).toMatch(/^[\w-]+$/);
  });

  test.each(searches)("49: the pages of %s contain every row once", async (_name, path, identity) => {
    const rows = await allPages(service, withQuery(path, "limit=7"));
    const ids = rows.map((row) => `${String(at(row, "chain"))}:${String(at(row, identity))}`);
    expect(new Set(ids).size).toBe(ids.length);
    const whole = await allPages(service, withQuery(path, "limit=100"));
    expect(rows).toEqual(whole);
  });

  test.each(searches)(
    "49: the pages of %s contain every row once while the market changes",
    async (_name, path, identity) => {
      const still = await allPages(service, withQuery(path, "limit=100"));
      const moving = await allPages(service, withQuery(path, "limit=15"), () => {
        service.clock.now += 600_000;
      });
      service.clock.now = NOON * 1000;
      expect(moving.map((row) => at(row, identity))).toEqual(still.map((row) => at(row, identity)));
    },
  );

  test.each(searches)(
    "98: the last page of %s has has_next_page false and no cursor",
    async (_name, path) => {
      const { body } = await service.ask(withQuery(path, "created_after=2030-01-01"));
      expect(body).toMatchObject({ results: [], has_next_page: false, next_cursor: "" });
    },
  );

  test.each(searches)("51: %s ignore page and do not echo it", async (_name, path) => {
    const answer = await service.ask(withQuery(path, "page=3"));
    expect(answer.text).toBe((await service.ask(path)).text);
  });

  test.each(searches)("55: %s ignore unknown parameters", async (_name, path) => {
    const answer = await service.ask(withQuery(path, "fdv_min=1e30&volume_usd_24h=5&order=asc&token=0x0"));
    expect(answer.text).toBe((await service.ask(path)).text);
  });

  test.each(searches)("54, 89: %s reject a limit outside the allowed range", async (_name, path) => {
    for (const limit of ["0", "101", "-1", "ten", "", "1.0"]) {
      expect(refusal(await service.ask(withQuery(path, `limit=${limit}`)))).toBe("400 invalid_param limit");
    }
    for (const limit of [1, 100]) {
      expect(
        list((await service.ask(withQuery(path, `limit=${limit}`))).body, "results").length,
      ).toBeLessThanOrEqual(limit);
    }
  });

  test.each(searches)("89: an invalid cursor of %s is 400", async (_name, path) => {
    const good = String(at((await service.ask(path)).body, "next_cursor"));
    const future = Buffer.from(`{"t":${NOON + DAY},"o":10}`).toString("base64url");
    const broken = ["x", `${good}x`, good.slice(0, -2), `${good}%3D%3D`, "bnVsbA", "e30", future];
    for (const cursor of broken) {
      expect(refusal(await service.ask(withQuery(path, `cursor=${cursor}`)))).toBe(
        "400 invalid_param cursor",
      );
    }
  });

  test.each(searches)("65: an empty cursor of %s is the first page", async (_name, path) => {
    expect((await service.ask(withQuery(path, "cursor="))).text).toBe((await service.ask(path)).text);
  });

  test.each(searches)("93: sort of %s is asc or desc", async (_name, path) => {
    const answer = await service.ask(withQuery(path, "sort=down"));
    expect(refusal(answer)).toBe("400 invalid_param sort");
    expect(at(answer.body, "message")).toContain("[asc desc]");
    expect(refusal(await service.ask(withQuery(path, "sort=ASC")))).toBe("400 invalid_param sort");
  });

  test.each(searches)(
    "93, 99: %s sort both ways, by 24h volume, desc and 10 rows by default",
    async (_name, path) => {
      const plain = (await service.ask(path)).body;
      expect(list(plain, "results")).toHaveLength(10);
      const volumes = numbers(plain, "results", "volume_usd_24h");
      expect(volumes).toEqual(volumes.toSorted((a, b) => b - a));
      expect(at(plain, "query")).toMatchObject({ limit: 10, order_by: "volume_usd_24h", sort: "desc" });
      const upwards = numbers(
        (await service.ask(withQuery(path, "sort=asc"))).body,
        "results",
        "volume_usd_24h",
      );
      expect(upwards).toEqual(upwards.toSorted((a, b) => a - b));
    },
  );

  test.each(searches)("94: detailed of %s is a boolean", async (_name, path) => {
    for (const value of ["maybe", "", "yes"]) {
      const answer = await service.ask(withQuery(path, `detailed=${value}`));
      expect(refusal(answer)).toBe("400 invalid_param detailed");
    }
  });

  test.each(searches)("34, 94: detailed rows of %s have more fields than plain ones", async (_name, path) => {
    const plain = (await service.ask(path)).text.length;
    expect((await service.ask(withQuery(path, "detailed=true"))).text.length).toBeGreaterThan(plain * 1.5);
  });

  test.each(searches)("56: the echo of %s contains the applied parameters only", async (_name, path) => {
    const first = (await service.ask(withQuery(path, "limit=5&liquidity_usd_min=1"))).body;
    const cursor = String(at(first, "next_cursor"));
    const query =
      "limit=5&order_by=liquidity_usd&sort=asc&detailed=true&volume_usd_24h_min=1e2&txns_24h_max=500" +
      `&created_after=2023-01-01&price_usd_max=100.5&page=2&nothing=1&cursor=${cursor}`;
    const { body } = await service.ask(withQuery(path, query));
    const networks = keysOf(at(body, "query")).filter((name) => name === "chains" || name === "network");
    expect(networks).toHaveLength(1);
    expect(at(body, "query")).toEqual({
      [networks[0] ?? ""]: at(body, `query.${networks[0]}`),
      limit: 5,
      cursor,
      order_by: "liquidity_usd",
      sort: "asc",
      detailed: true,
      volume_usd_24h_min: 100,
      txns_24h_max: 500,
      price_usd_max: 100.5,
      created_after: Date.UTC(2023, 0, 1) / 1000,
    });
  });

  test.each(searches)("96, 186: invalid times of %s are 400", async (_name, path) => {
    for (const name of ["created_after", "created_before"]) {
      for (const value of ["soon", "", "2026-02-30", "1789646400000", "-5y"]) {
        const answer = await service.ask(withQuery(path, `${name}=${value}`));
        expect(refusal(answer)).toBe(`400 invalid_param ${name}`);
      }
    }
  });

  test.each(searches)(
    "96: created_after and created_before of %s filter inclusively",
    async (_name, path) => {
      const rows = await allPages(service, withQuery(path, "limit=100"));
      const times = rows.map((row) => Date.parse(String(at(row, "created_at"))) / 1000);
      const middle = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
      const after = await allPages(service, withQuery(path, `limit=100&created_after=${middle}`));
      const before = await allPages(service, withQuery(path, `limit=100&created_before=${middle}`));
      expect(after).toHaveLength(times.filter((time) => time >= middle).length);
      expect(before).toHaveLength(times.filter((time) => time <= middle).length);
    },
  );

  test("113: a search across networks returns rows of several chains in one order", async () => {
    for (const kind of ["pools", "tokens"]) {
      const { body } = await service.ask(`/${kind}/search?chains=bob_network,tempo&chains=plasma&limit=100`);
      expect(new Set(column(body, "results", "chain"))).toEqual(new Set(["bob_network", "tempo", "plasma"]));
      const volumes = numbers(body, "results", "volume_usd_24h");
      expect(volumes).toEqual(volumes.toSorted((a, b) => b - a));
      expect(at(body, "query.chains")).toEqual(["bob_network", "tempo", "plasma"]);
    }
  });

  test("97: chains of a token search is an array, even for one network", async () => {
    expect(at((await service.ask("/networks/tempo/tokens/search")).body, "query.chains")).toEqual(["tempo"]);
  });

  test("every number filter accepts decimals, signs and exponents, and rejects text", async () => {
    for (const value of ["0", "-5", "2.5", "1e3", "1E-3"]) {
      expect((await service.ask(`/networks/tempo/pools/search?price_usd_min=${value}`)).status).toBe(200);
    }
    for (const value of ["many", "", "1,5", "250k", "0x10", "Infinity", "NaN", "1e999", " 1"]) {
      const answer = await service.ask(
        `/networks/tempo/pools/search?price_usd_min=${encodeURIComponent(value)}`,
      );
      expect(refusal(answer)).toBe("400 invalid_param price_usd_min");
    }
  });
});

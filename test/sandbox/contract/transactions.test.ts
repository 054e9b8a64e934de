import { expect, test } from "vitest";
import {
  at,
  column,
  contract,
  keysOf,
  list,
  NOON,
  numbers,
  refusal,
  type Service,
  USDC_WETH,
  words,
} from "./service.ts";

const PATH = `/networks/ethereum/pools/${USDC_WETH}/transactions`;
const FIELDS = words(
  "id log_index transaction_index pool_id sender recipient token_0 token_0_symbol token_1 token_1_symbol amount_0 amount_1 price_0 price_1 price_0_usd price_1_usd created_at_block_number created_at",
);

/** The identity and position of a row. */
const placeOf = (row: unknown): string =>
  [at(row, "created_at_block_number"), at(row, "transaction_index"), at(row, "log_index")].join(":");

async function places(service: Service, query: string): Promise<readonly string[]> {
  return list((await service.ask(`${PATH}?${query}`)).body, "transactions").map(placeOf);
}

async function timesOf(service: Service, query: string): Promise<readonly number[]> {
  const { body } = await service.ask(`${PATH}?${query}`);
  return column(body, "transactions", "created_at").map((time) => Date.parse(String(time)) / 1000);
}

contract("pool transactions", {}, (service) => {
  test("11, 12, 13, 14, 15, 16, 17: rows have the 18 fields with their types", async () => {
    const rows = list((await service.ask(`${PATH}?limit=100`)).body, "transactions");
    expect(rows).toHaveLength(100);
    for (const row of rows) {
      const missing = FIELDS.filter((field) => !keysOf(row).includes(field));
      expect(missing.every((field) => field.endsWith("_usd"))).toBe(true);
      expect(keysOf(row).filter((field) => !FIELDS.includes(field))).toEqual([]);
      expect(row).toMatchObject({
        id: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        pool_id: USDC_WETH,
        sender: expect.stringMatching(/^0x/),
        recipient: expect.any(Number),
        token_0: expect.stringMatching(/^0x/),
        token_0_symbol: "USDC",
        token_1: expect.stringMatching(/^0x/),
        token_1_symbol: "WETH",
        amount_0: expect.stringMatching(/^-?\d+$/),
        amount_1: expect.stringMatching(/^-?\d+$/),
        price_0: expect.any(Number),
        price_1: expect.any(Number),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      });
      const counts = ["log_index", "transaction_index", "created_at_block_number"].map((name) =>
        at(row, name),
      );
      expect(counts.every(Number.isSafeInteger)).toBe(true);
    }
  });

  test("18, 19: swaps, adds and removes all occur, and some rows have no USD value", async () => {
    const signs = new Set<string>();
    let withoutUsd = 0;
    for (let page = 1; page <= 20; page++) {
      const rows = list((await service.ask(`${PATH}?limit=100&page=${page}`)).body, "transactions");
      for (const row of rows) {
        const [first, second] = ["amount_0", "amount_1"].map((name) => String(at(row, name)).startsWith("-"));
        signs.add(first === second ? (first === true ? "remove" : "add") : "swap");
        if (at(row, "price_0_usd") === undefined) withoutUsd += 1;
      }
    }
    expect([...signs].toSorted()).toEqual(["add", "remove", "swap"]);
    expect(withoutUsd).toBeGreaterThan(0);
  });

  test("58: rows are newest first, strictly descending by block, position and log index", async () => {
    const rows = list((await service.ask(`${PATH}?limit=100`)).body, "transactions");
    const keys = rows.map((row) => placeOf(row).split(":").map(Number));
    for (const [index, key] of keys.slice(1).entries()) expect(isBefore(key, keys[index] ?? [])).toBe(true);
  });

  test("62, 73: the default is the ten newest rows, and limit alone returns the latest batch", async () => {
    const plain = await service.ask(PATH);
    expect(list(plain.body, "transactions")).toHaveLength(10);
    expect(await places(service, "limit=30")).toEqual(
      expect.arrayContaining(list(plain.body, "transactions").map(placeOf)),
    );
    expect((await places(service, "limit=30")).slice(0, 10)).toEqual(
      list(plain.body, "transactions").map(placeOf),
    );
  });

  test("52, 74, 76: the page envelope has four integers that match the rows", async () => {
    const { body } = await service.ask(`${PATH}?from=-1h&limit=7&page=2`);
    expect(keysOf(body)).toEqual(["transactions", "page_info"]);
    const info = at(body, "page_info");
    expect(keysOf(info)).toEqual(["limit", "page", "total_items", "total_pages"]);
    const total = Number(at(info, "total_items"));
    expect(info).toMatchObject({ limit: 7, page: 2, total_pages: Math.ceil(total / 7) });
    const seen = new Set<string>();
    for (let page = 1; page <= Math.ceil(total / 100); page++) {
      for (const place of await places(service, `from=-1h&limit=100&page=${page}`)) seen.add(place);
    }
    expect(seen.size).toBe(total);
  });

  test("53: page 0 is served as page 1", async () => {
    const [zero, one] = [await service.ask(`${PATH}?page=0`), await service.ask(`${PATH}?page=1`)];
    expect(zero.text).toBe(one.text);
    expect(at(zero.body, "page_info.page")).toBe(1);
  });

  test("a page beyond the last is empty, not an error", async () => {
    const { status, body } = await service.ask(`${PATH}?from=-1h&page=100&limit=100`);
    expect([status, list(body, "transactions")]).toEqual([200, []]);
  });

  test.each(["-1", "1001", "abc", "1.5", "", "+1", "0x1"])("60: page=%s is 400", async (page) => {
    expect(refusal(await service.ask(`${PATH}?page=${page}`))).toBe("400 invalid_param page");
  });

  test.each(["101", "500", "1000"])("61: page %s is 400 and names cursor", async (page) => {
    const answer = await service.ask(`${PATH}?page=${page}`);
    expect(refusal(answer)).toBe("400 invalid_param page");
    expect(at(answer.body, "message")).toContain("cursor");
  });

  test.each(["0", "101", "-1", "abc", "", "1e1", "99999999999999999999"])(
    "63, 54: limit=%s is 400",
    async (limit) => {
      expect(refusal(await service.ask(`${PATH}?limit=${limit}`))).toBe("400 invalid_param limit");
    },
  );

  test("61, 64, 75: the cursor continues after page 100", async () => {
    const last = (await service.ask(`${PATH}?page=100&limit=20`)).body;
    const cursor = String(at(last, "transactions.19.id"));
    const next = (await service.ask(`${PATH}?cursor=${cursor}&limit=20`)).body;
    const around = await places(service, "page=21&limit=100");
    expect(list(next, "transactions").map(placeOf)).toEqual(around.slice(0, 20));
    expect(keysOf(at(next, "page_info"))).toEqual(["next_cursor", "limit"]);
    expect(at(next, "page_info.limit")).toBe(20);
  });

  test("64, 75: following next_cursor returns every row of the range and then stops", async () => {
    const seen = new Set<string>();
    let cursor = "";
    let pages = 0;
    do {
      const { body } = await service.ask(`${PATH}?from=-2h&limit=50&cursor=${cursor}`);
      for (const row of list(body, "transactions")) seen.add(placeOf(row));
      cursor = String(at(body, "page_info.next_cursor"));
      pages += 1;
    } while (cursor !== "" && pages < 50);
    const total = at((await service.ask(`${PATH}?from=-2h&limit=1`)).body, "page_info.total_items");
    expect([seen.size, cursor]).toEqual([total, ""]);
  });

  test("64: a transaction with several events loses none at the edge of a page", async () => {
    let ids: readonly string[] = [];
    let first = -1;
    for (let page = 1; first === -1 && page <= 50; page++) {
      const { body } = await service.ask(`${PATH}?limit=100&page=${page}`);
      ids = column(body, "transactions", "id").map(String);
      first = ids.findIndex((id, index) => index > 1 && id === ids[index + 1] && id !== ids[index - 1]);
    }
    expect(first).toBeGreaterThan(0);
    // The second row of this page is the first of several events of one transaction.
    const page = (await service.ask(`${PATH}?limit=2&cursor=${ids[first - 2]}`)).body;
    const events = ids.filter((id) => id === ids[first]);
    expect(column(page, "transactions", "id")).toEqual([ids[first - 1], ...events]);
    expect(at(page, "page_info.next_cursor")).toBe(ids[first]);
  });

  test.each([1, 2, 3, 7, 50])("64: pages of %i return every row once, in order", async (limit) => {
    const from = NOON - 3600;
    const { body } = await service.ask(`${PATH}?from=${from}&limit=100`);
    const total = Number(at(body, "page_info.total_items"));
    const expected: string[] = [];
    for (let page = 1; expected.length < total; page += 1)
      expected.push(...(await places(service, `from=${from}&limit=100&page=${page}`)));
    const walked: string[] = [];
    let cursor = "";
    for (let pages = 0; pages <= total; pages += 1) {
      const answer = (await service.ask(`${PATH}?from=${from}&limit=${limit}&cursor=${cursor}`)).body;
      walked.push(...list(answer, "transactions").map(placeOf));
      cursor = String(at(answer, "page_info.next_cursor"));
      if (cursor === "") break;
    }
    expect(walked).toEqual(expected);
  });

  test("65: an empty cursor returns the first page, in the cursor envelope", async () => {
    const { body } = await service.ask(`${PATH}?cursor=`);
    expect(list(body, "transactions").map(placeOf)).toEqual(await places(service, ""));
    expect(keysOf(at(body, "page_info"))).toEqual(["next_cursor", "limit"]);
  });

  test.each(["0x1", "nothing", `0x${"f".repeat(64)}`])(
    "64: cursor %s is not a transaction: 400",
    async (cursor) => {
      expect(refusal(await service.ask(`${PATH}?cursor=${cursor}`))).toBe("400 invalid_param cursor");
    },
  );

  test("66, 67: rows exactly at from and at to are included", async () => {
    const [newest = 0] = await timesOf(service, "limit=1");
    const [older = 0] = (await timesOf(service, "limit=10")).slice(-1);
    const all = await timesOf(service, `from=${older}&to=${newest}&limit=100`);
    expect([all.at(0), all.at(-1)]).toEqual([newest, older]);
    expect(await timesOf(service, `from=${newest + 1}`)).toEqual([]);
    expect((await timesOf(service, `to=${newest - 1}&limit=1`))[0]).toBeLessThan(newest);
  });

  test.each([
    ["68: Unix seconds", `${NOON - 3600}`],
    ["69: seconds back", "-3600s"],
    ["69: minutes back", "-60m"],
    ["69: hours back", "-1h"],
    ["70: RFC 3339 in UTC", "2026-10-02T11:00:00Z"],
    ["70: RFC 3339 with an offset", "2026-10-02T13:30:00%2B02:30"],
    ["70: RFC 3339 behind UTC", "2026-10-02t07:00:00.000-04:00"],
  ])("%s", async (_rule, from) => {
    // The text contains the totals, which differ between two ranges even if their newest rows are the same.
    const [one, other] = [from, NOON - 3600].map((bound) => service.ask(`${PATH}?limit=1&from=${bound}`));
    expect((await one)?.text).toBe((await other)?.text);
  });

  test.each([
    ["69: a day back", "-1d", NOON - 86_400],
    ["71: a date is 00:00 UTC", "2026-10-02", NOON - 43_200],
    ["66: a fraction of a second is after its second", "2026-10-02T00:00:00.5Z", NOON - 43_200 + 1],
  ])("%s", async (_rule, from, meant) => {
    const [one, other] = [from, meant].map((bound) => service.ask(`${PATH}?limit=1&from=${bound}`));
    expect((await one)?.text).toBe((await other)?.text);
  });

  test.each([
    ...words("abc  1789646400000 -5 -5w 5m -1.5h +1h 2026-02-30 2026-13-01 26-10-02"),
    ...words("2026-10-02T25:00:00Z 2026-10-02T12:00Z 2026-10-02T12:00:00 2026-10-02%2012:00:00Z now"),
    // An unencoded plus sign is a space.
    "2026-10-02T12:00:00+02:00",
  ])("69, 70, 72, 186: from=%s and to=%s are 400", async (value) => {
    for (const name of ["from", "to"]) {
      expect(refusal(await service.ask(`${PATH}?${name}=${value}`))).toBe(`400 invalid_param ${name}`);
    }
  });

  test("no row is later than the time of the request", async () => {
    const [newest = 0] = await timesOf(service, `to=${NOON + 86_400}&limit=1`);
    expect(newest).toBeLessThanOrEqual(NOON);
  });
});

contract("transactions of the public service", { dialect: "public" }, (service) => {
  test("13, 14: rows have 24 keys, integer amounts of any length and the recipient as an address", async () => {
    const answer = await service.ask(`${PATH}?limit=100`);
    const row = at(answer.body, "transactions.0");
    expect(keysOf(row)).toHaveLength(24);
    expect(at(row, "recipient")).toMatch(/^0x/);
    expect(answer.text).toMatch(/"amount_1":-?\d{17,}[,}]/);
  });

  test("67: a row exactly at to is excluded", async () => {
    const [newest = 0] = await timesOf(service, "limit=1");
    expect((await timesOf(service, `to=${newest}&limit=1`))[0]).toBeLessThan(newest);
  });

  test("the time range reaches back seven days", async () => {
    const oldest = await service.ask(`${PATH}?from=2023-01-01&limit=1`);
    const week = await service.ask(`${PATH}?from=-7d&limit=1`);
    expect(oldest.text).toBe(week.text);
  });
});

function isBefore(key: readonly number[], other: readonly number[]): boolean {
  for (const [index, value] of key.entries()) {
    const against = other[index] ?? 0;
    if (value !== against) return value < against;
  }
  return false;
}

// This is next to the suite that uses it: `numbers` checks the type of each value.
contract("prices of transactions", {}, (service) => {
  test("15: both prices are numbers above 0", async () => {
    const { body } = await service.ask(`${PATH}?limit=100`);
    for (const name of ["price_0", "price_1"]) {
      expect(numbers(body, "transactions", name).every((value) => value > 0)).toBe(true);
    }
  });
});

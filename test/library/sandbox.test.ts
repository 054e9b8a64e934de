import net from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createClock } from "../../bin/process-clock.ts";
import { createLibraryClient } from "../../src/library/create-library-client.ts";
import type { ClientOptions } from "../../src/library/public-types.ts";
import type { Sandbox, SandboxOptions } from "../../src/library/sandbox-types.ts";
import type { Tier } from "../../src/api/tier.ts";
import { dexdata } from "../harness/dexdata.ts";
import { startLibrarySandbox } from "../harness/bundled-sandbox.ts";
import { failureOf, type Library } from "./open-library.ts";

const noon = "2026-11-21T12:00:00Z";
const network = "ethereum";
const pool_address = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const weth = { network, address: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2" };

const open: Sandbox[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(async (each) => await each.close()));
});

/** Starts a sandbox whose clock stands still at noon. */
async function start(options: SandboxOptions = {}, clock = createClock()): Promise<Sandbox> {
  const sandbox = await startLibrarySandbox(clock, { clock: noon, speed: 0, ...options });
  open.push(sandbox);
  return sandbox;
}

function connect(options: ClientOptions): Library {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return createLibraryClient(
    { clock: createClock(), random: () => 0, warn: () => undefined },
    options,
  ) as Library;
}

const usage = async (client: Library): Promise<unknown> => {
  await client.networks(undefined, { limit: 1 }).toArray();
  return client.meter.plan;
};

const statusOf = async (url: string, key: string): Promise<number> =>
  (await fetch(`${url}/networks`, { headers: { authorization: key } })).status;

describe("L5: hosts, plans and accounts", () => {
  test("four hosts on the loopback interface, and several sandboxes at once that share nothing", async () => {
    const [first, second, third] = [await start({ seed: 1 }), await start({ seed: 2 }), await start()];
    const urls = [first, second, third].flatMap((each) => Object.values(each.urls));
    expect(new Set(urls).size).toBe(12);
    for (const url of urls) expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/u);
    const poolsOf = async (sandbox: Sandbox) =>
      await connect(sandbox.clientOptions())
        .networkPoolsSearch({ network: "fantom" }, { limit: 3 })
        .toArray();
    expect(await poolsOf(first)).toEqual(await poolsOf(third));
    expect(await poolsOf(first)).not.toEqual(await poolsOf(second));
    expect([first, second, third].map((each) => each.takeRequests().length)).toEqual([2, 1, 1]);
  });

  const plans: readonly Tier[] = ["keyless", "free", "dev", "pro", "enterprise"];
  test.each(plans)("clientOptions and environment connect as a caller on the %s plan", async (tier) => {
    const sandbox = await start();
    expect(await usage(connect(sandbox.clientOptions(tier)))).toBe(tier);
    expect(await usage(connect({ environment: sandbox.environment(tier) }))).toBe(tier);
    const host = ["keyless", "free"].includes(tier) ? "rest_free" : "rest_paid";
    expect(sandbox.takeRequests().map((each) => each.host)).toEqual([host, host]);
  });

  test("another key on the same plan is another account with separate credits", async () => {
    const sandbox = await start({ credits: 1 });
    const statuses = [];
    for (const key of [sandbox.keys.pro, sandbox.keys.pro, "api_pro_second"])
      statuses.push(await statusOf(sandbox.urls.restPaid, key));
    expect(statuses).toEqual([200, 402, 200]);
  });

  test("close refuses connections and can be repeated", async () => {
    const sandbox = await start();
    await sandbox.close();
    await sandbox.close();
    await expect(fetch(sandbox.urls.restFree)).rejects.toThrow("fetch failed");
  });
});

test("an unknown network has the code and the hint of the command line", async () => {
  const sandbox = await start();
  const client = connect(sandbox.clientOptions());
  const calls: readonly (() => Promise<unknown>)[] = [
    async () => await client.pool({ network: "eth", pool_address }),
    async () => await client.networkPoolsSearch({ network: "eth" }).toArray(),
    async () => await client.multiPrices({ network: "eth", tokens: [weth.address] }).toArray(),
  ];
  for (const call of calls) {
    const cause = await call().catch((each: unknown) => each);
    expect(cause).toMatchObject({
      message: 'unknown network "eth"',
      status: 404,
      code: "unsupported_network",
      why: "unsupported network: eth",
      next: "did you mean ethereum?",
    });
  }
  const printed = await dexdata(`pool eth ${pool_address} -o json`, { env: sandbox.environment() });
  expect(JSON.parse(printed.stderr)).toMatchObject({
    message: 'unknown network "eth"',
    code: "unsupported_network",
    next: "did you mean ethereum?",
  });
});

test("the next step for an invalid asset of a stream names the option of the stream", async () => {
  const sandbox = await start();
  const client = connect(sandbox.clientOptions());
  const assets = [weth, { network, address: "0x0000000000000000000000000000000000000001" }];
  const events = client.stream({ feed: "prices", assets })[Symbol.asyncIterator]();
  const cause = await events.next().catch((each: unknown) => each);
  expect(cause).toMatchObject({ next: expect.stringContaining("skip invalid assets: onInvalid drop") });
});

describe("L5: the clock", () => {
  test("runs at the given speed from the given time, and advance moves it", async () => {
    let elapsed = 5000;
    const clock = { ...createClock(), elapsed: () => elapsed };
    const sandbox = await start({ speed: 60, clock: new Date("2026-11-21T12:00:00.250Z") }, clock);
    expect(sandbox.now()).toEqual(new Date("2026-11-21T12:00:00.250Z"));
    elapsed += 1000;
    expect(sandbox.now()).toEqual(new Date("2026-11-21T12:01:00.250Z"));
    sandbox.advance(3_600_000);
    expect(sandbox.now()).toEqual(new Date("2026-11-21T13:01:00.250Z"));
  });

  test("starts at the current time by default, and stands still at speed 0", async () => {
    const before = Date.now();
    const sandbox = await startLibrarySandbox(createClock(), { speed: 0 });
    open.push(sandbox);
    const time = sandbox.now().getTime();
    expect(time).toBeGreaterThanOrEqual(before);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(sandbox.now().getTime()).toBe(time);
  });

  test("relative times of a connected client start from it", async () => {
    const sandbox = await start();
    const client = connect(sandbox.clientOptions());
    const rows = await client.poolTransactions({ network, pool_address, from: "-10m" }).toArray();
    expect(rows.length).toBeGreaterThan(5);
    for (const { created_at } of rows) expect(created_at).toMatch(/^2026-11-21T(?:11:5|12:00:00Z)/u);
    const from = String(Date.parse(noon) / 1000 - 600);
    const urls = sandbox.takeRequests().map(({ url }) => new URL(url, "http://127.0.0.1"));
    expect(urls.map((url) => url.searchParams.get("from"))).toEqual(urls.map(() => from));
  });

  test("relative times of a client with its environment start from it too", async () => {
    const sandbox = await start();
    sandbox.advance(60_250);
    const environment = sandbox.environment();
    expect(environment["DEXDATA_NOW"]).toBe("2026-11-21T12:01:00.250Z");
    const client = connect({ environment });
    const rows = await client.poolTransactions({ network, pool_address, from: "-10m" }).toArray();
    expect(rows.length).toBeGreaterThan(5);
    const from = String(Date.parse(noon) / 1000 + 60 - 600);
    const urls = sandbox.takeRequests().map(({ url }) => new URL(url, "http://127.0.0.1"));
    expect(urls.map((url) => url.searchParams.get("from"))).toEqual(urls.map(() => from));
  });

  test("the environment leaves the real time in use while the clock is the real one", async () => {
    const clock = { ...createClock(), now: () => Date.parse(noon), elapsed: () => 0 };
    const sandbox = await startLibrarySandbox(clock);
    open.push(sandbox);
    expect(sandbox.environment()["DEXDATA_NOW"]).toBe("");
    sandbox.advance(1000);
    expect(sandbox.environment()["DEXDATA_NOW"]).toBe("2026-11-21T12:00:01.000Z");
  });

  test("an invalid time of a client is rejected", async () => {
    const client = connect({ now: () => new Date(Number.NaN) });
    const call = () => client.poolTransactions({ network, pool_address, from: "-10m" });
    expect((await failureOf(call)).message).toBe("invalid now: must return a valid Date");
  });

  test("advance ends the minute of a rate limit", async () => {
    const sandbox = await start({ rpm: 1 });
    const status = async () => await statusOf(sandbox.urls.restPaid, sandbox.keys.pro);
    expect([await status(), await status()]).toEqual([200, 429]);
    sandbox.advance(60_000);
    expect(await status()).toBe(200);
  });

  test("advance makes open streams send the events of that time", async () => {
    const sandbox = await start();
    const client = connect(sandbox.clientOptions());
    const onNotice = ({ kind }: { readonly kind: string }): void => {
      if (kind === "open") sandbox.advance(600_000);
    };
    for await (const { data } of client.stream({ feed: "prices", assets: [weth], onNotice })) {
      const { timestamp } = Object(data);
      expect(timestamp).toBeGreaterThan(Date.parse(noon) / 1000);
      expect(timestamp).toBeLessThanOrEqual(Date.parse(noon) / 1000 + 600);
      break;
    }
    await client.close();
  });

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e15])(
    "advance(%d) is rejected",
    async (time) => {
      const sandbox = await start();
      expect((await failureOf(() => sandbox.advance(time))).message).toMatch(
        /^invalid milliseconds: must be a whole number from 0 to \d+$/u,
      );
      expect(sandbox.now()).toEqual(new Date(noon));
    },
  );
});

describe("L5: faults and requests", () => {
  test("faults are injected, replaced and removed, and counted from 1 again", async () => {
    const sandbox = await start({ faults: ["500@2", "404@1"] });
    const status = async () => await statusOf(sandbox.urls.restPaid, sandbox.keys.pro);
    expect([await status(), await status(), await status()]).toEqual([404, 500, 200]);
    sandbox.setFaults("503x1");
    expect([await status(), await status()]).toEqual([503, 200]);
    sandbox.setFaults("503x1");
    expect(await status()).toBe(503);
    sandbox.setFaults("503");
    sandbox.setFaults();
    expect(await status()).toBe(200);
    expect((await failureOf(() => sandbox.setFaults("503y"))).message).toMatch(/^faults "503y"/u);
  });

  test("takeRequests returns each request once, and never a key", async () => {
    const sandbox = await start({ faults: "429=7x1" });
    await statusOf(sandbox.urls.restPaid, sandbox.keys.pro);
    await statusOf(sandbox.urls.restPaid, "api_dev_second");
    const common = { time: "2026-11-21T12:00:00.000Z", host: "rest_paid", method: "GET", url: "/networks" };
    expect(sandbox.takeRequests()).toEqual([
      {
        ...common,
        status: 429,
        plan: "pro",
        credits: 0,
        key: "pro",
        faults: ["429=7x1"],
        ms: expect.any(Number),
      },
      { ...common, status: 200, plan: "dev", credits: 1, key: "dev", ms: expect.any(Number) },
    ]);
    expect(sandbox.takeRequests()).toEqual([]);
  });

  test("latency, dialect, packs and overageCap reach the service", async () => {
    const sandbox = await start({
      latency: 60,
      dialect: "public",
      credits: 1,
      packs: 2,
      overageCap: 0.00002,
    });
    const statuses = [];
    const started = performance.now();
    for (let count = 0; count < 5; count += 1)
      statuses.push(await statusOf(sandbox.urls.restPaid, sandbox.keys.pro));
    expect(performance.now() - started).toBeGreaterThan(290);
    expect(statuses).toEqual([200, 200, 200, 200, 402]);
    expect((await fetch(`${sandbox.urls.restFree}/stats`)).status).toBe(200);
  });

  test("minute is the length of the rate limit's minute", async () => {
    const sandbox = await start({ rpm: 1, minute: 100 }, { ...createClock(), elapsed: () => 0 });
    const status = async () => await statusOf(sandbox.urls.restPaid, sandbox.keys.pro);
    expect([await status(), await status()]).toEqual([200, 429]);
    sandbox.advance(100);
    expect(await status()).toBe(200);
  });
});

describe("L5: invalid options", () => {
  const invalid: readonly (readonly [object, string])[] = [
    [{ clok: 0 }, "unknown option clok for startSandbox"],
    [{ clock: "2026-02-30" }, 'invalid clock "2026-02-30": '],
    [{ clock: new Date(Number.NaN) }, "invalid clock: must be a valid Date"],
    [{ speed: -1 }, "invalid speed: must be a number such as 0, 1 or 60"],
    [{ seed: 1.5 }, "invalid seed: must be a whole number from 0 to 4294967295"],
    [{ faults: "429y" }, 'faults "429y"'],
    [{ faults: 5 }, 'faults "5"'],
    [{ dialect: "x" }, 'invalid dialect "x": must be one of spec, public'],
    [{ rpm: 0 }, "invalid rpm: must be a whole number from 1 to 1000000000000"],
    [{ minute: 0 }, "invalid minute: must be a whole number from 1 to 86400000"],
    [{ credits: -1 }, "invalid credits: must be a whole number from 0 to 1000000000000"],
    [{ packs: "1" }, "invalid packs: must be a whole number from 0 to 1000000000000"],
    [{ overageCap: -1 }, "invalid overageCap: must be an amount in USD, such as 20 or 0.5"],
    [{ latency: 1e9 }, "invalid latency: must be a whole number from 0 to 86400000"],
    [{ port: 65_533 }, "invalid port: must be a whole number from 0 to 65532"],
  ];
  test.each(invalid)("%o is rejected", async (options, message) => {
    const failure = await failureOf(async () => await start(options));
    expect(failure).toMatchObject({ code: "usage", message: expect.stringContaining(message) });
  });

  test("a tier that does not exist is rejected", async () => {
    const sandbox = await start();
    for (const call of [sandbox.clientOptions, sandbox.environment])
      expect((await failureOf(() => Reflect.apply(call, sandbox, ["gold"]))).message).toBe(
        'invalid tier "gold": must be one of keyless, free, dev, pro, enterprise',
      );
  });

  test("a port in use is rejected", async () => {
    const taken = net.createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const port = Number(Object(taken.address()).port);
    expect(await failureOf(async () => await start({ port }))).toMatchObject({
      code: "usage",
      message: `port ${port}: it or one of the next three ports is in use or not allowed`,
    });
    await new Promise((resolve) => taken.close(resolve));
  });
});

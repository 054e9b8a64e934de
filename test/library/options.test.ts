import { describe, expect, test } from "vitest";
import { endpoints } from "../../src/api/endpoints/all.ts";
import { isGiven, methodName } from "../../src/library/read-params.ts";
import { createClock } from "../../bin/process-clock.ts";
import { Failure } from "../../src/base/failure.ts";
import { startLibrarySandbox } from "../harness/bundled-sandbox.ts";
import { hang } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { failureOf, openLibrary } from "./open-library.ts";

const start = async (options: unknown) =>
  await Reflect.apply(startLibrarySandbox, undefined, [createClock(), options]);

test("L18: an option that a call does not have is refused before a request", async () => {
  const client = openLibrary({ baseUrl: "http://127.0.0.1:9" });
  const { signal } = new AbortController();
  const pool = { network: "ethereum", pool_address: "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640" };
  const list = client.networks();
  const calls: readonly (readonly [call: () => unknown, message: string])[] = [
    [() => client.networks({}, { signal }), "unknown option signal for networks"],
    [() => client.networks({}, { limits: 5 }), "unknown option limits for networks"],
    [() => client.pool(pool, { signal }), "unknown option signal for pool"],
    [() => client.search({ query: "usd" }, { limit: 5 }), "unknown option limit for search"],
    [() => Reflect.apply(list.pages, list, [{ limit: 5 }]), "unknown option limit for pages"],
    [() => Reflect.apply(list.toArray, list, [{ limit: 5 }]), "unknown option limit for toArray"],
    [() => Reflect.apply(client.networks, client, [{}, null]), "the options of networks are not an object"],
    [() => Reflect.apply(openLibrary, undefined, [{ apikey: "" }]), "unknown option apikey for createClient"],
    [
      () => Reflect.apply(client.stream, client, [{ feed: "prices", assets: [], signal }]),
      "unknown option signal for stream",
    ],
  ];
  for (const [call, message] of calls)
    expect(await failureOf(call)).toMatchObject({ message: expect.stringContaining(message), code: "usage" });
});

test("L18: the sandbox takes an object, and faults are text", async () => {
  for (const [options, message] of [
    [null, "the options of startSandbox are not an object"],
    [5, "the options of startSandbox are not an object"],
    [[], "the options of startSandbox are not an object"],
    ["clock", "the options of startSandbox are not an object"],
    [{ faults: [null] }, 'invalid faults "null": must be a string, or an array of strings'],
    [{ faults: 500 }, 'invalid faults "500": must be a string, or an array of strings'],
    [{ fault: "500" }, "unknown option fault for startSandbox"],
  ] as const)
    expect(await failureOf(async () => await start(options))).toMatchObject({ message, code: "usage" });
});

const wrongValues = [
  "nonsense",
  5,
  null,
  [1],
  { nested: 1 },
  true,
  () => undefined,
  Symbol("wrong"),
  Object.create(null),
  new URL("http://127.0.0.1:9"),
  ["http://127.0.0.1:9"],
] as const;
const closed = { baseUrl: "http://127.0.0.1:9", streamingUrl: "http://127.0.0.1:9" };
const streamed = { feed: "prices", assets: [{ network: "ethereum", address: "0xc02a" }] };

/** Undefined if the call accepts the value. */
async function thrownBy(call: () => unknown): Promise<unknown> {
  try {
    return void (await call());
  } catch (cause) {
    return cause;
  }
}

describe("L18: a value of a wrong JavaScript type is accepted, or causes a Failure", () => {
  const clientOptions =
    "apiKey tier baseUrl streamingUrl environment numbers rpm retries retryMaxTime timeout parallel maxCredits signal onWait now";
  const streamOptions = "feed assets by interval since onInvalid onNotice";
  const client = () => openLibrary(closed);
  test.each<readonly [what: string, names: string, call: (name: string, value: unknown) => unknown]>([
    [
      "createClient",
      clientOptions,
      (name, value) => Reflect.apply(openLibrary, undefined, [{ [name]: value }]),
    ],
    [
      "stream",
      streamOptions,
      (name, value) => Reflect.apply(client().stream, 0, [{ ...streamed, [name]: value }]),
    ],
    ["the options of stream", "-", (_, value) => Reflect.apply(client().stream, 0, [value])],
    ["the options of createClient", "-", (_, value) => Reflect.apply(openLibrary, 0, [value])],
  ])("%s", async (_, names, call) => {
    for (const name of names.split(" "))
      for (const value of [...wrongValues, undefined]) {
        const cause = await thrownBy(() => call(name, value));
        if (cause !== undefined) expect(cause, `${name} ${JSON.stringify(value)}`).toBeInstanceOf(Failure);
      }
  });

  test.each(endpoints.map((endpoint) => [methodName(endpoint), endpoint] as const))(
    "%s",
    async (name, endpoint) => {
      const ofName: unknown = client()[name];
      if (typeof ofName !== "function") throw new Error(`no method ${name}`);
      const given = [
        ...wrongValues.map((value) => [value]),
        ...wrongValues.map((value) => [{}, value]),
        ...wrongValues.map((limit) => [{}, { limit }]),
        ...endpoint.params.flatMap((param) =>
          wrongValues.map((value) => [{ network: "ethereum", [param.name]: value }]),
        ),
      ];
      for (const each of given) {
        // Of an accepted call, a list sends nothing until its iteration starts, and port 9 refuses the connection.
        const cause = await thrownBy(() => ofName(...each));
        if (cause !== undefined) expect(cause, JSON.stringify(each)).toBeInstanceOf(Failure);
      }
    },
  );
});

describe("L18: null is not a value, and does not mean the default", () => {
  const client = () => openLibrary(closed);
  const numbers = ["rpm", "retries", "retryMaxTime", "timeout", "parallel", "maxCredits"];
  const sandboxOptions =
    "clock speed seed faults dialect rpm minute credits packs overageCap latency port".split(" ");
  const rejected: readonly (readonly [call: string, name: string, run: () => unknown])[] = [
    ...numbers.map(
      (name) => ["createClient", name, () => Reflect.apply(openLibrary, 0, [{ [name]: null }])] as const,
    ),
    ...sandboxOptions.map(
      (name) => ["startSandbox", name, async () => await start({ [name]: null })] as const,
    ),
    ...endpoints.flatMap((endpoint) => {
      const method = methodName(endpoint);
      const complete = Object.fromEntries(
        endpoint.params.filter(({ required }) => required).map(({ name }) => [name, "ethereum"]),
      );
      return endpoint.params
        .filter(isGiven)
        .map(
          ({ name }) =>
            [
              method,
              name,
              () => Reflect.apply(Object(client()[method]), 0, [{ ...complete, [name]: null }]),
            ] as const,
        );
    }),
  ];
  test.each(rejected)("%s: %s", async (_, name, run) => {
    const message = expect.stringMatching(new RegExp(`^invalid (${name}|tokens)\\b`, "u"));
    expect(await failureOf(run)).toMatchObject({ message, code: "usage" });
  });
});

test.each([
  ["ethereum:0xc02a", "invalid assets[0]: must be {network, address}, both strings"],
  [null, "invalid assets[0]: must be {network, address}, both strings"],
  [{ network: "ethereum" }, "invalid assets[0]: must be {network, address}, both strings"],
  [{ network: "ethereum", address: 5 }, "invalid assets[0]: must be {network, address}, both strings"],
])("L18: %j is not an asset of a stream", async (asset, message) => {
  const call = () => Reflect.apply(openLibrary(closed).stream, undefined, [{ ...streamed, assets: [asset] }]);
  expect(await failureOf(call)).toMatchObject({ message, code: "usage" });
});

test("L18: a hole in an array is refused", async () => {
  const client = openLibrary(closed);
  const calls: readonly (readonly [call: () => unknown, message: string])[] = [
    [() => client.stream({ feed: "prices", assets: Array(1) }), "invalid assets[0]"],
    [() => client.multiPrices({ network: "ethereum", tokens: Array(1) }), "invalid tokens"],
  ];
  for (const [call, message] of calls)
    expect(await failureOf(call)).toMatchObject({ message: expect.stringContaining(message), code: "usage" });
});

test.each<readonly [object, string]>([
  [{ baseUrl: new URL(closed.baseUrl) }, "invalid baseUrl: must be a URL as a string"],
  [{ streamingUrl: [closed.streamingUrl] }, "invalid streamingUrl: must be a URL as a string"],
  [
    { apiKey: ["api_pro_s3cr3tPart"], tier: "pro", baseUrl: closed.baseUrl },
    "invalid apiKey: must be a string",
  ],
  [{ environment: { DEXDATA_RPM: 60 } }, "invalid environment: must be an object such as process.env"],
])("L18: createClient(%o) is refused", async (options, message) => {
  const failure = await failureOf(() => Reflect.apply(openLibrary, undefined, [options]));
  expect(failure).toMatchObject({ message, code: "usage" });
});

test.each<readonly [string, object, string]>([
  ["stream", {}, "invalid feed: must be one of prices, transactions, ohlcv, reserves"],
  ["stream", { ...streamed, by: "pool" }, 'invalid by "pool" for feed prices: must be token'],
  ["pool", { network: "ethereum", pool_address: 5 }, "invalid pool_address: must be a string"],
  [
    "networkPoolsSearch",
    { network: "ethereum", txns_24h_min: [] },
    "invalid txns_24h_min: must be a number or a string",
  ],
  ["tokensSearch", { chains: 5 }, "invalid chains: must be a string, or an array of strings"],
])("L18: %s(%j) is rejected with the accepted values", async (method, given, message) => {
  const failure = await failureOf(() => Reflect.apply(Object(openLibrary(closed)[method]), 0, [given]));
  expect(failure).toMatchObject({ message, code: "usage" });
});

test("L18: the rate of a client is a number or unlimited", async () => {
  const message = 'invalid rpm: must be a whole number from 1 to 100000, or "unlimited"';
  expect(await failureOf(() => Reflect.apply(openLibrary, 0, [{ rpm: "fast" }]))).toMatchObject({ message });
});

test.each([Date.now, () => undefined, () => "2026-11-21", () => new Date(Number.NaN)])(
  "L18: the time of a client is a Date, not the value of %s",
  async (now) => {
    const client: ReturnType<typeof openLibrary> = Reflect.apply(openLibrary, 0, [{ ...closed, now }]);
    const place = { network: "ethereum", pool_address: "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640" };
    expect(await failureOf(() => client.poolTransactions({ ...place, from: "-1m" }))).toMatchObject({
      message: "invalid now: must return a valid Date",
      code: "usage",
    });
  },
);

describe("L18: a closed client", () => {
  const isClosed = { message: "the client is closed", code: "usage" };
  const tokens = ["0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"];
  const assets = tokens.map((address) => ({ network: "ethereum", address }));
  const calls: readonly (readonly [string, (client: ReturnType<typeof openLibrary>) => Promise<unknown>])[] =
    [
      ["a list", async (client) => await client.networks().toArray()],
      ["a batch", async (client) => await client.multiPrices({ network: "ethereum", tokens }).toArray()],
      ["groups", async (client) => await client.search({ query: "usd" })],
      ["a record", async (client) => await client.pool({ network: "a", pool_address: "b" })],
      [
        "a stream",
        async (client) => await client.stream({ feed: "prices", assets })[Symbol.asyncIterator]().next(),
      ],
    ];

  test.each(calls)("refuses %s", async (_, call) => {
    const client = openLibrary(closed);
    await client.close();
    await client.close();
    expect(await failureOf(async () => await call(client))).toMatchObject(isClosed);
  });

  test.each(calls)("ends %s that is pending", async (_, call) => {
    const server = await serveInTest(() => hang());
    const client = openLibrary({ baseUrl: server.url, streamingUrl: server.url });
    const failing = failureOf(async () => await call(client));
    while (server.requests.length === 0) await new Promise(setImmediate);
    await client.close();
    expect(await failing).toMatchObject(isClosed);
  });
});

import { expect, test } from "vitest";
import { createClock } from "../../bin/process-clock.ts";
import { startLibrarySandbox } from "../harness/bundled-sandbox.ts";
import { failureOf, openLibrary } from "./open-library.ts";

const start = async (options: unknown) =>
  await Reflect.apply(startLibrarySandbox, undefined, [createClock(), options]);

test("L18: an option that a call does not have is refused before a request", async () => {
  const client = openLibrary({ baseUrl: "http://127.0.0.1:9" });
  const { signal } = new AbortController();
  const pool = { network: "ethereum", pool_address: "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640" };
  const calls: readonly (readonly [call: () => unknown, message: string])[] = [
    [() => client.networks({}, { signal }), "unknown option signal for networks"],
    [() => client.networks({}, { limits: 5 }), "unknown option limits for networks"],
    [() => client.pool(pool, { signal }), "unknown option signal for pool"],
    [() => client.search({ query: "usd" }, { limit: 5 }), "unknown option limit for search"],
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

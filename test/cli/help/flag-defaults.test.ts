import { describe, expect, test } from "vitest";
import { poolOhlcv } from "../../../src/api/endpoints/ohlcv.ts";
import { query } from "../../../src/api/param.ts";
import { choicesIn } from "../../../src/cli/program/help/flag-rows.ts";
import { endpointFlags } from "../../../src/cli/commands/flags/endpoint-flags.ts";
import { readConfigFile } from "../../../src/cli/settings/read-settings.ts";
import { readSetting } from "../../../src/client/settings.ts";
import { allCommands } from "../../../src/cli/all-commands.ts";
import { type Flag, type Flags, readValues, type Values } from "../../../src/cli/run/flags/flag.ts";
import { sharedFlags } from "../../../src/cli/run/flags/shared-flags.ts";
import { readRunOptions } from "../../../src/cli/run/run-options.ts";
import { dexdata } from "../../harness/dexdata.ts";
import { createTestContext } from "../../harness/test-context.ts";

const none = new Map<string, readonly string[]>();

/** As `commands -o json` prints them. */
type Defaults = ReadonlyMap<string, unknown>;

async function printedDefaults(): Promise<ReadonlyMap<string, Defaults>> {
  const { stdout } = await dexdata("commands --all -o json");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const commands = JSON.parse(stdout) as readonly {
    readonly command: string;
    readonly flags: readonly { readonly name: string; readonly default: unknown }[];
  }[];
  return new Map(
    commands.map(({ command, flags }) => [command, new Map(flags.map((each) => [each.name, each.default]))]),
  );
}

/** A value as JSON has it. */
const inJson = (value: unknown): unknown => (value instanceof Set ? [...value] : (value ?? null));

/** The value if no flag, variable or config file sets it. */
function unset({ setting }: Flag, value: unknown): unknown {
  const context = createTestContext();
  return setting === undefined ? value : readSetting(context, readConfigFile(context), setting).value;
}

const flagsOf = ({ flags, shared }: (typeof allCommands)[number]): Flags => ({ ...shared, ...flags });

describe("the default in `commands -o json` is the value without the flag, of the same type, and null if there is none", () => {
  test.each(allCommands.map((command) => [command.words, command] as const))("%s", async (words, command) => {
    const flags = flagsOf(command);
    const params = command.endpoints.flatMap((endpoint) => endpoint.params);
    const values: Values<Flags> = readValues(flags, none);
    const expected = new Map<string, unknown>();
    for (const [name, flag] of Object.entries(flags)) {
      const param = params.find((each) => each.flag === name);
      if (param === undefined) {
        expected.set(name, inJson(unset(flag, values[name])));
        continue;
      }
      // The endpoint fills in its parameters, so their flags have no value, and the request is as without the flag.
      expect([name, values[name]]).toEqual([name, undefined]);
      const isNumber = param.kind.kind === "integer" && param.default !== undefined;
      expected.set(name, isNumber ? Number(param.default) : (param.default ?? null));
    }
    const printed = (await printedDefaults()).get(words);
    expect(Object.fromEntries(printed ?? [])).toEqual(Object.fromEntries(expected));
  });
});

test("defaults exist: numbers, milliseconds, words, lists, and null for those that depend on the run", async () => {
  const of = await printedDefaults();
  const printed = (command: string, ...names: readonly string[]): readonly unknown[] =>
    names.map((name) => of.get(command)?.get(name));
  expect(printed("txns", "limit", "speed", "parallel", "seed")).toEqual([10, 1, 8, 1]);
  expect(printed("txns", "timeout", "retry-max-time", "retries")).toEqual([30_000, 180_000, 4]);
  expect(printed("txns", "color", "progress", "tier", "retry-on")).toEqual(["auto", "auto", "pro", []]);
  expect(printed("txns", "rpm", "output", "from", "all", "deadline")).toEqual([null, null, null, null, null]);
  expect(printed("ohlcv", "interval", "from", "to", "count-back")).toEqual(["1h", "-24h", "now", null]);
  expect(printed("sync", "kind", "interval", "from")).toEqual([["transactions"], "1h", null]);
  expect(printed("stream", "feed", "interval", "max-event", "speed")).toEqual(["prices", "1s", 1, null]);
  expect(printed("stream", "by", "max-reconnects", "limit")).toEqual([null, null, null]);
  expect(printed("sandbox", "port", "dialect", "clock", "overage-cap")).toEqual([4747, "public", null, null]);
  expect(printed("networks", "limit")).toEqual([null]);
});

test.each(["txns", "auth login", "doctor"])(
  "%s: a run without flags has the defaults, also of shared flags that the command does not have",
  async (words) => {
    const command = allCommands.find((each) => each.words === words);
    if (command === undefined) throw new Error(words);
    const flags = readValues<typeof sharedFlags>(flagsOf(command), none);
    const context = createTestContext({ env: { DEXDATA_SANDBOX: "1" } });
    const options = readRunOptions({ words: [], flags, typed: none, spent: undefined }, context);
    const inRun: Readonly<Record<string, unknown>> = {
      timeout: options.timeout,
      retries: options.retry.retries,
      "retry-on": [...options.retry.retryOn],
      "retry-max-time": options.retry.maxTime,
      parallel: options.parallel,
      rpm: options.rpm.value ?? null,
      color: options.settings.color.value,
      progress: options.progress,
      tier: options.sandbox?.tier,
      seed: options.sandbox?.seed,
    };
    const printed = (await printedDefaults()).get("txns");
    for (const [name, value] of Object.entries(inRun))
      expect([name, printed?.get(name)]).toEqual([name, value]);
  },
);

test("the default of an integer parameter is a number, and the flag has no value", () => {
  const depth = query("depth", { kind: "integer", min: 1 }, "Depth", { default: "10" });
  const flags = endpointFlags([{ ...poolOhlcv, params: [depth] }]);
  expect(flags["depth"]).toMatchObject({ paramDefault: 10 });
  expect(readValues<Flags>(flags, none)["depth"]).toBeUndefined();
});

test("a text that explains the choices marks the default", () => {
  const marked = allCommands.flatMap((command) =>
    Object.values(flagsOf(command)).filter(
      (flag) => choicesIn(flag) !== undefined && flag.default !== undefined,
    ),
  );
  expect(marked.length).toBeGreaterThan(3);
  for (const flag of marked)
    expect(`${flag.summary}${flag.details ?? ""}`).toContain(`${String(flag.default)} (default`);
});

import { describe, expect, test } from "vitest";
import { allCommands } from "../../../src/cli/all-commands.ts";
import { parseCommandLine } from "../../../src/cli/program/parse-command-line.ts";
import { sharedFlags } from "../../../src/cli/run/flags/shared-flags.ts";
import { dexdata } from "../../harness/dexdata.ts";

interface Described {
  readonly command: string;
  readonly summary: string;
  readonly credits: string | null;
  readonly plan: string | null;
  readonly exit_codes: readonly number[];
  readonly endpoints: readonly object[];
  readonly flags: readonly {
    readonly name: string;
    readonly short: string | null;
    readonly type: string;
    readonly choices: readonly string[] | null;
    readonly default: unknown;
  }[];
}

async function described(): Promise<readonly Described[]> {
  const { exit, stdout, stderr } = await dexdata("commands --all -o json");
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(stdout) as readonly Described[];
}

describe("dexdata commands", () => {
  test("lists every command", async () => {
    expect((await described()).map(({ command }) => command)).toEqual(allCommands.map(({ words }) => words));
  });

  test("the parser accepts every listed flag, and no shared flag that the command does not list", async () => {
    for (const [index, { command, flags }] of (await described()).entries()) {
      const words = command.split(" ");
      const listed = flags.flatMap(({ name, type }) => [`--${name}`, ...(type === "switch" ? [] : ["x"])]);
      const { asks: all, typed } = parseCommandLine([...words, ...listed], allCommands);
      expect([command, all.kind, Object.fromEntries(typed)]).toEqual([
        command,
        "command",
        Object.fromEntries(flags.map(({ name, type }) => [name, [type === "switch" ? undefined : "x"]])),
      ]);
      // One of them for each command: each parse creates the whole parser.
      const others = Object.entries(sharedFlags).filter(
        ([name]) => !flags.some((flag) => flag.name === name),
      );
      const other = others[index % others.length];
      if (other === undefined) continue;
      const [name, { type }] = other;
      const value = type.placeholder === undefined ? [] : ["x"];
      const { asks } = parseCommandLine([...words, `--${name}`, ...value], allCommands);
      expect(asks.kind === "refused" && asks.failure.message).toBe(
        `unknown flag --${name} for "dexdata ${command}"`,
      );
    }
  });

  test("a choice has its values, its default is one of them, and every type is known", async () => {
    const types = [
      "switch",
      "choice",
      "text",
      "integer",
      "integer or unlimited",
      "number",
      "time",
      "duration",
      "file",
      "url",
      "address",
      "list",
      "pair",
    ];
    for (const { command, flags } of await described()) {
      for (const { name, type, choices, default: usual } of flags) {
        expect([command, name, types.includes(type), type === "choice"]).toEqual([
          command,
          name,
          true,
          choices !== null,
        ]);
        if (choices !== null && usual !== null) expect(choices).toContain(usual);
      }
    }
  });

  test("flags keep their type, default, group and other properties", async () => {
    const all = await described();
    const flag = (command: string, name: string): object | undefined =>
      all.find((each) => each.command === command)?.flags.find((each) => each.name === name);
    expect(flag("txns", "from")).toMatchObject({
      type: "time",
      placeholder: "time",
      default: null,
      shared: false,
      group: "Filters",
    });
    expect(flag("txns", "timeout")).toMatchObject({ type: "duration", default: 30_000, shared: true });
    expect(flag("api", "field")).toMatchObject({ short: "f", type: "pair", repeatable: true });
    expect(flag("stream", "on-invalid")).toMatchObject({
      type: "choice",
      choices: ["fail", "drop"],
      default: "fail",
    });
    expect(flag("networks", "output")).toMatchObject({ short: "o", type: "choice", default: null });
  });

  test("exit codes and endpoints match each command", async () => {
    const all = await described();
    const of = (command: string): Described | undefined => all.find((each) => each.command === command);
    expect(of("doctor")?.exit_codes).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 129, 130, 131, 143]);
    // Every command that can be watched ends with 8 if --when had no alert.
    for (const command of [
      "networks",
      "search",
      "usage",
      "stream",
      "dexes",
      "api",
      "sync",
      "txns",
      "pools search",
    ])
      expect(of(command)?.exit_codes).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 129, 130, 131, 143]);
    expect(of("verify")?.exit_codes).toEqual([0, 1, 2, 8, 129, 130, 131, 143]);
    expect(of("explain")?.exit_codes).toEqual([0, 1, 2, 129, 130, 131, 143]);
    expect(of("ohlcv")?.endpoints).toEqual([
      {
        id: "token_ohlcv",
        method: "GET",
        path: "/networks/{network}/tokens/{token_address}/ohlcv",
        plan: "dev",
      },
      {
        id: "pool_ohlcv",
        method: "GET",
        path: "/networks/{network}/pools/{pool_address}/ohlcv",
        plan: "keyless",
      },
    ]);
  });

  test("without a name, -o json lists the commands in at most 8 kB", async () => {
    const { stdout } = await dexdata("commands -o json");
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(8000);
    expect(JSON.parse(stdout)).toEqual(
      (await described()).map(({ command, summary, credits, plan }) => ({ command, summary, credits, plan })),
    );
  });

  test("prints one command alone, one line per command, or a table, and suggests a command for an unknown one", async () => {
    const one = await dexdata("commands pools search -o ndjson");
    expect(JSON.parse(one.stdout)).toMatchObject({
      command: "pools search",
      usage: "dexdata pools search [network]",
    });
    expect((await dexdata("commands auth -o ndjson")).stdout.trimEnd().split("\n").length).toBe(5);
    expect((await dexdata("commands -o table")).stdout).toMatch(
      /^COMMAND +CREDITS +PLAN +FLAGS\npool +1 per request +any +\d+\n/u,
    );
    expect((await dexdata("commands pool serch")).stderr).toContain("did you mean pools search?");
  });
});

import { describe, expect, test } from "vitest";
import { Option } from "commander";
import { commandGroups } from "../../../src/cli/asking/positionals.ts";
import { commandWords, localWords } from "../../../src/cli/commands/command-words.ts";
import { localCommands } from "../../../src/cli/commands/local-commands.ts";
import { createProgram, wordsOf } from "../../../src/cli/program.ts";
import { endpoints } from "../../../src/contract/endpoints/all.ts";
import { dexdata } from "../../harness/dexdata.ts";
import type { Command } from "commander";

interface Described {
  readonly command: string;
  readonly exit_codes: readonly number[];
  readonly endpoints: readonly object[];
  readonly flags: readonly {
    readonly name: string;
    readonly short: string | null;
    readonly type: string;
    readonly choices: readonly string[] | null;
    readonly default: string | null;
  }[];
}

async function described(): Promise<readonly Described[]> {
  const { exit, stdout, stderr } = await dexdata("commands -o json");
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(stdout) as readonly Described[];
}

function leaves(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
}

describe("dexdata commands", () => {
  // One in which every command is named, and so has its flags.
  const program = createProgram(
    commandWords().flatMap((words) => words.split(" ")),
    { groups: commandGroups(endpoints), local: localCommands },
    () => undefined,
    () => undefined,
  );

  test("the words that stand beside the table are those of the table", () => {
    expect(localCommands.map(({ words }) => words)).toEqual(localWords);
  });

  test("lists the commands of the parser, and no other", async () => {
    const parsed = leaves(program).map((leaf) => wordsOf(leaf).join(" "));
    expect((await described()).map(({ command }) => command)).toEqual(parsed);
  });

  test("lists every flag of a command that the parser has for it alone", async () => {
    const all = await described();
    for (const leaf of leaves(program)) {
      const listed = all.find(({ command }) => command === wordsOf(leaf).join(" "))?.flags ?? [];
      const names = listed.map(({ name }) => new Option(`--${name}`).long);
      for (const { long } of leaf.options) expect(names).toContain(long);
    }
  });

  test("every flag listed is taken by the parser, and no shared flag that is not listed by the command", async () => {
    const shared = program.options
      .map(({ long }) => (long ?? "").slice(2))
      .filter((name) => name !== "version");
    for (const leaf of leaves(program)) leaf.exitOverride();
    for (const { command, flags } of await described()) {
      const words = command.split(" ");
      const values = flags.map(({ name, type }) => (type === "switch" ? [`--${name}`] : [`--${name}`, "x"]));
      await program.parseAsync([...words, ...values.flat()], { from: "user" });
      for (const name of shared.filter((each) => !flags.some((flag) => flag.name === each))) {
        const isSwitch =
          program.options.find(({ long }) => long === `--${name}`)?.flags.includes("<") === false;
        const typed = [...words, `--${name}`, ...(isSwitch ? [] : ["x"])];
        await expect(program.parseAsync(typed, { from: "user" })).rejects.toThrow("does not take it");
      }
    }
  });

  test("a choice has its words, a default is one of them, and every type is a known one", async () => {
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

  test("flags keep what is known of them", async () => {
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
    expect(flag("txns", "timeout")).toMatchObject({ type: "duration", default: "30s", shared: true });
    expect(flag("api", "field")).toMatchObject({ short: "f", type: "pair", repeatable: true });
    expect(flag("stream", "on-invalid")).toMatchObject({
      type: "choice",
      choices: ["fail", "drop"],
      default: "fail",
    });
    expect(flag("networks", "output")).toMatchObject({ short: "o", type: "choice", default: null });
  });

  test("exit codes and endpoints follow from what a command does", async () => {
    const all = await described();
    const of = (command: string): Described | undefined => all.find((each) => each.command === command);
    expect(of("networks")?.exit_codes).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 129, 130, 131, 143]);
    expect(of("stream")?.exit_codes).toContain(8);
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

  test("one command alone, as one line a command, as a table, and an unknown one", async () => {
    const one = await dexdata("commands pools search -o ndjson");
    expect(JSON.parse(one.stdout)).toMatchObject({
      command: "pools search",
      usage: "dexdata pools search [network]",
    });
    expect((await dexdata("commands auth -o ndjson")).stdout.trimEnd().split("\n").length).toBe(5);
    expect((await dexdata("commands -o table")).stdout).toMatch(
      /^COMMAND +CREDITS +PLAN +FLAGS\npool +one a request +any +\d+\n/u,
    );
    expect((await dexdata("commands pool serch")).stderr).toContain("did you mean pools search?");
  });
});

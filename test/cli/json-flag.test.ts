import { describe, expect, test } from "vitest";
import { allCommands } from "../../src/cli/all-commands.ts";
import { parseCommandLine } from "../../src/cli/program/parse-command-line.ts";
import { dexdata } from "../harness/dexdata.ts";
import { useSandbox } from "../harness/sandbox.ts";

const sandbox = useSandbox();

describe("--json", () => {
  test.each([
    ["networks --limit 2 --json", "networks --limit 2 -o json"],
    ["networks --limit 2 --json=id", "networks --limit 2 -o json --fields id"],
    ["networks --limit 2 --json=id,display_name", "networks --limit 2 -o json --fields id,display_name"],
    ["networks --json id,display_name --limit 2", "networks --limit 2 -o json --fields id,display_name"],
    ["pools search --json ethereum --limit 1", "pools search ethereum -o json --limit 1"],
    ["--json networks --limit 1", "networks -o json --limit 1"],
  ])("%s is %s", async (short, long) => {
    const [seen, expected] = [
      await dexdata(short, { env: sandbox.env() }),
      await dexdata(long, { env: sandbox.env() }),
    ];
    expect(expected.exit).toBe(0);
    expect([seen.exit, seen.stdout]).toEqual([0, expected.stdout]);
  });

  test("every command that has -o accepts it", () => {
    for (const { words, flags, shared } of allCommands) {
      const { asks, typed } = parseCommandLine([...words.split(" "), "--json"], allCommands);
      const hasOutput = "output" in { ...flags, ...shared };
      expect([words, asks.kind]).toEqual([words, hasOutput ? "command" : "refused"]);
      expect(typed.get("output")).toEqual(["json"]);
    }
  });

  test("an empty list of fields is one of --fields", async () => {
    const [short, long] = await Promise.all(
      ["--json=", "-o json --fields="].map((each) => dexdata(`networks ${each}`)),
    );
    expect(short?.stderr).toContain('--fields \\"\\"');
    expect([short?.exit, short?.stderr]).toEqual([2, long?.stderr]);
  });

  test("another format is a conflict, and after -- the word is an argument", async () => {
    const both = await dexdata("networks --json -o csv", { env: sandbox.env() });
    expect(both).toMatchObject({ exit: 2, stdout: "" });
    expect(both.stderr).toContain("--output has two different values");
    expect(parseCommandLine(["sandbox", "--", "x", "--json"], allCommands).asks).toMatchObject({
      words: ["x", "--json"],
    });
  });
});

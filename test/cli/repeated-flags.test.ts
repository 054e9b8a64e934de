import { describe, expect, test } from "vitest";
import { allCommands } from "../../src/cli/all-commands.ts";
import { dexdata } from "../harness/dexdata.ts";

const everywhere = allCommands.flatMap((command) =>
  Object.entries({ ...command.shared, ...command.flags })
    .filter(([, { type }]) => type.placeholder !== undefined)
    .map(([name, flag]) => ({ words: command.words.split(" "), name, flag })),
);
/** Most commands share the same flags: each of them in three commands is enough. */
const flags = everywhere.filter(
  (each, index) => everywhere.slice(0, index).filter(({ flag }) => flag === each.flag).length < 3,
);

/** Two values of each type. Whether they are in range does not matter, because the repetition is refused first. */
const two = ["4", "5"] as const;

describe("a flag with one value", () => {
  test("is refused if it is repeated with another value", async () => {
    const single = flags.filter(({ flag }) => !flag.type.isRepeatable);
    expect(single.length).toBeGreaterThan(150);
    const wrong: string[] = [];
    for (const { words, name } of single) {
      const { exit, stdout, stderr } = await dexdata([
        ...words,
        `--${name}=${two[0]}`,
        `--${name}=${two[1]}`,
      ]);
      const isExpected =
        exit === 2 &&
        stdout === "" &&
        // As text or as JSON, depending on the command's usual output.
        stderr.replaceAll("\\", "").includes(`--${name} has two different values: "4" and "5"`);
      if (!isExpected) wrong.push(`${words.join(" ")} --${name}: ${exit} ${stderr}`);
    }
    expect(wrong).toEqual([]);
  });

  test("can be repeated with the same value, as in an alias", async () => {
    const result = await dexdata("networks --sandbox -o json --limit 1 --output json --limit=1");
    expect(result).toMatchObject({ exit: 0, stderr: "" });
    expect(JSON.parse(result.stdout)).toHaveLength(1);
  });

  test("suggests a comma if the flag takes a list", async () => {
    const { stderr } = await dexdata("tokens search --sandbox --chains base --chains solana");
    expect(JSON.parse(stderr)).toMatchObject({
      exit: 2,
      message: '--chains has two different values: "base" and "solana"',
      next: "separate the values with a comma",
    });
  });
});

test("every value of a repeatable flag counts", async () => {
  const repeatable = flags.filter(({ flag }) => flag.type.isRepeatable).map(({ name }) => name);
  expect([...new Set(repeatable)].toSorted()).toEqual(["at", "field", "token", "when"]);
  const words =
    "api /networks/base/pools/search --sandbox -f limit=2 -f order_by=created_at --paginate --limit 4";
  const { stdout, stderr } = await dexdata([...words.split(" "), "-v"]);
  expect(stdout.trim().split("\n")).toHaveLength(4);
  expect(stderr).toMatch(/GET \S+\?(?=\S*limit=2)(?=\S*order_by=created_at)/u);
});

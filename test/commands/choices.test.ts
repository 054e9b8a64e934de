import { expect, test } from "vitest";
import { allCommands } from "../../src/cli/all-commands.ts";

const flags = new Map(
  allCommands.flatMap(({ flags: own, shared }) =>
    Object.entries({ ...own, ...shared }).filter(([, { choicesIn }]) => choicesIn !== undefined),
  ),
);

test.each([...flags])(
  "--%s: its text names every choice, because help does not list them again",
  (_, flag) => {
    const text = [flag.summary, flag.choicesIn === "details" ? flag.details : ""].join(" ");
    const words = text.split(/[^\w-]+/u);
    expect(flag.type.choices?.filter((choice) => !words.includes(choice))).toEqual([]);
  },
);

test("such flags exist", () => {
  expect([...flags.keys()]).toContain("output");
});

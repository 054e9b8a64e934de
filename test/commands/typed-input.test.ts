import { expect, test } from "vitest";
import { command } from "../../src/cli/commands/command.ts";
import { localExits } from "../../src/base/exit-codes.ts";
import { type Flag, flag, pick, readValues, type Values } from "../../src/cli/run/flags/flag.ts";
import { choice, toggle, wholeNumber } from "../../src/cli/run/flags/flag-types.ts";
import { sharedFlags } from "../../src/cli/run/flags/shared-flags.ts";
import { settings } from "../../src/client/settings.ts";
import { createTestContext } from "../harness/test-context.ts";

const flags = {
  limit: flag(wholeNumber({ min: 1 }), "Rows", { summary: "rows in all" }),
  missing: flag(choice(["skip", "fail"], "how"), "Rows", { summary: "tokens without a price" }),
  size: flag(wholeNumber({ min: 1 }), "Rows", { summary: "rows per page", default: 100 }),
  all: flag(toggle, "Rows", {
    summary: "every row",
    excludes: [{ flag: "limit", why: "one says every row, the other how many", next: "leave out one" }],
  }),
};

test("a command can read only the flags that it declares, each with its own type; anything else does not compile", async () => {
  const seen: unknown[] = [];
  const counting = command({
    words: "count",
    section: "Market data",
    positionals: [],
    summary: "counts",
    examples: [],
    exits: localExits,
    flags,
    shared: pick(sharedFlags, "quiet"),
    run: ({ flags: values }) => {
      const limit: number | undefined = values.limit;
      const missing: "skip" | "fail" | undefined = values.missing;
      const size: number = values.size;
      const quiet: true | undefined = values.quiet;
      // @ts-expect-error: the command does not declare --timeout, so there is no value.
      const timeout: unknown = values.timeout;
      // @ts-expect-error: without a default, the value may be undefined.
      const always: number = values.limit;
      // @ts-expect-error: the value is a number, not a string.
      const text: string | undefined = values.limit;
      seen.push(limit, missing, size, quiet, timeout, always, text);
      return Promise.resolve(0);
    },
  });
  const typed = new Map([
    ["limit", ["7"]],
    ["missing", ["fail"]],
    ["quiet", [undefined]],
  ]);
  await counting.run([], typed, createTestContext({}));
  expect(seen).toEqual([7, "fail", 100, true, undefined, 7, 7]);
});

test("a default of another type, or besides a setting, does not compile", () => {
  const type = wholeNumber({ min: 1 });
  // @ts-expect-error: the value is a number.
  const word: Flag<number> = flag(type, "Rows", { summary: "rows", default: "10" });
  // @ts-expect-error: the setting has the default.
  const both: Flag<number> = flag(type, "Rows", { summary: "rows", default: 10, setting: settings.retries });
  // @ts-expect-error: the setting is a word.
  const other: Flag<number> = flag(type, "Rows", { summary: "rows", setting: settings.color });
  expect([word, both, other].map((each) => each.type)).toEqual([type, type, type]);
});

test("an invalid value or combination is rejected with the name of the flag", () => {
  const read = (typed: ReadonlyMap<string, readonly (string | undefined)[]>): Values<typeof flags> =>
    readValues<typeof flags>(flags, typed);
  expect(() => read(new Map([["limit", ["0"]]]))).toThrow(
    'invalid --limit "0": must be a whole number, 1 or more',
  );
  expect(() => read(new Map([["missing", ["skpi"]]]))).toThrow(
    'invalid --missing "skpi": must be one of skip, fail',
  );
  const both = new Map([
    ["all", [undefined]],
    ["limit", ["3"]],
  ]);
  expect(() => read(both)).toThrow(
    "--all cannot be used with --limit: one says every row, the other how many",
  );
});

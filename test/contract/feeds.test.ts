import { expect, test } from "vitest";
import { feeds } from "../../src/api/feeds.ts";

test.each(Object.values(feeds))("$name: every value on the board is a field of its events", (feed) => {
  // A service may use older names, but at least one name of each value is in the contract.
  for (const { event } of feed.kinds) {
    const missing = feed.shown.filter(
      ({ names }) => !names.some((name) => Object.hasOwn(event.record, name)),
    );
    expect(missing.map(({ title }) => title)).toEqual([]);
  }
});

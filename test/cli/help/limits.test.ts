import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { TopicName } from "../../../src/program/help/topic-names.ts";
import { defaultRetryPolicy } from "../../../src/client/pace/retry.ts";
import { settings } from "../../../src/settings/settings.ts";
import { connectionsOfPlan } from "../../../src/contract/feed.ts";
import { dexdata } from "../../harness/dexdata.ts";
import { readme } from "../../harness/readme.ts";

const units = {
  "": 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  KiB: 1024,
  MiB: 1024 ** 2,
  million: 1_000_000,
  "60 s": 60,
};

/** What a topic says, `#` for the number; where that is a constant, its name, and in which unit it is told. */
type Limit = readonly [said: string, file: string, constant: string, unit?: keyof typeof units];

const limits: Partial<Readonly<Record<TopicName, readonly Limit[]>>> = {
  limits: [
    ["an answer # MiB unpacked", "client/answer/body-limits.ts", "maxBodyBytes", "MiB"],
    ["and # values", "client/answer/body-limits.ts", "maxValues"],
    ["where it is longer than # MiB", "client/answer/body-limits.ts", "lightBytes", "MiB"],
    ["headers # KiB", "client/connection/agent.ts", "maxHeaderBytes", "KiB"],
    ["a refusal # KiB", "client/answer/body-limits.ts", "maxRefusalBytes", "KiB"],
    ["# characters are shown", "run/failure-text.ts", "longestLine"],
    ["of a stream's warning #", "tail/stream-message.ts", "longest"],
    ["a cursor of # characters", "client/pages/next-cursor.ts", "longestCursor"],
    ["# pages in a row without a row", "client/pages/distinct-pages.ts", "patienceWithEmptyPages"],
    ["# with known rows only", "client/pages/distinct-pages.ts", "patienceWithRepeats"],
    ["requested by the service: #h", "client/pace/retry-after.ts", "maxServiceWait", "h"],
    ["of a stream: # MiB", "client/streams/event-stream.ts", "mostBytes", "MiB"],
    ["after # MiB without its end", "client/streams/event-builder.ts", "maxSkippedBytes", "MiB"],
    ["up to # by --max-event", "commands/stream/stream-flags.ts", "mostMebibytes"],
    ["# million candles", "client/candles/candle-slices.ts", "mostCandles", "million"],
    ["# rows held at once", "tail/follow/look.ts", "mostRows"],
    ["among the last # min", "tail/follow/known-rows.ts", "reachSeconds", "60 s"],
    ["or # rows", "tail/follow/known-rows.ts", "mostKnown"],
    ["a key as a file, or printed by key_command: # KiB", "contract/key.ts", "MAX_KEY_BYTES", "KiB"],
    ["printed by key_command: # KiB", "settings/run-key-command.ts", "MAX_BYTES", "KiB"],
    ["suggested: # characters", "commands/asking/suggestion.ts", "longestKept"],
    ["# MiB each", "files/read-json-file.ts", "MAX_BYTES", "MiB"],
    ["--watch every # s", "commands/watch/watch-flags.ts", "shortestWatch", "s"],
    ["--poll every # s", "commands/follow/follow-flags.ts", "shortestPoll", "s"],
    ["show # characters of a text", "render/table/record-parts.ts", "LONGEST_TEXT"],
    ["more than # places", "render/values/decimal.ts", "MOST_PLACES"],
    ["more than # MiB of indentation", "json/json-text.ts", "MOST_INDENTATION", "MiB"],
  ],
  follow: [
    ["at most every # s", "tail/follow/schedule.ts", "shortestGap", "s"],
    ["held for # s", "tail/follow/known-rows.ts", "settling", "s"],
    ["(or # rows)", "tail/follow/known-rows.ts", "mostKnown"],
    ["reads go on every # s", "tail/follow/schedule.ts", "substituteGap", "s"],
  ],
  streams: [
    ["# s without a byte", "tail/shard.ts", "defaultSilence", "s"],
    ["larger than # MiB is skipped", "client/streams/event-stream.ts", "mostBytes", "MiB"],
    ["Only # s with data", "tail/shard.ts", "soundAfter", "s"],
    ["takes up to # MiB", "commands/stream/stream-flags.ts", "mostMebibytes"],
  ],
  terminal: [
    ["into # spans at most", "render/chart/candle-columns.ts", "mostKept"],
    ["at its interval, # s or more", "commands/watch/watch-flags.ts", "shortestWatch", "s"],
  ],
};

function constantOf(file: string, name: string): number {
  const source = readFileSync(`src/${file}`, "utf8");
  const product = new RegExp(`^(?:export )?const ${name} = ([\\d_]+(?: \\* [\\d_]+)*);$`, "mu").exec(
    source,
  )?.[1];
  if (product === undefined) throw new Error(`${file} has no constant ${name}`);
  return product.split(" * ").reduce((all, factor) => all * Number(factor.replaceAll("_", "")), 1);
}

const sayingOf = ([said, file, constant, unit = ""]: Limit): string =>
  said.replace("#", (constantOf(file, constant) / units[unit]).toLocaleString("en"));

async function topic(name: string): Promise<string> {
  return (await dexdata(`help ${name}`)).stdout.replaceAll(/\s+/gu, " ");
}

describe("the numbers that help says are those of the program", () => {
  test.each(Object.entries(limits))("%s", async (name, all) => {
    const said = await topic(name);
    for (const limit of all) expect(said).toContain(sayingOf(limit));
  });

  test("limits has no other numbers", async () => {
    const mostOf = async (flag: string): Promise<string> =>
      / to (?<most>\d+)/u.exec((await dexdata(`networks ${flag} x`)).stderr)?.groups?.["most"] ?? "none";
    const others = [
      `--timeout (${settings.timeout.fallback / 1000} s)`,
      `--retries (${settings.retries.fallback})`,
      `wait ${defaultRetryPolicy.maxTime / 60_000} min in all`,
      `--parallel ${await mostOf("--parallel")}`,
      `--retries ${await mostOf("--retries")}`,
    ];
    let rest = await topic("limits");
    for (const each of others) expect(rest).toContain(each);
    // The shorter ones last: they may be a part of others.
    const sayings = [...others, ...(limits.limits ?? []).map(sayingOf)];
    for (const each of sayings.toSorted((a, b) => b.length - a.length)) rest = rest.replace(each, "");
    rest = rest.replaceAll(/exit [126]/gu, "");
    expect(/\d+/u.exec(rest)?.[0]).toBeUndefined();
  });
});

test("the README says how many streams a plan has, and which Node is needed", () => {
  const { free, dev, pro } = connectionsOfPlan;
  expect(readme.replaceAll(/\s+/gu, " ")).toContain(`up to the plan's (${free}, dev ${dev}, pro ${pro})`);
  const manifest: unknown = JSON.parse(readFileSync("package.json", "utf8"));
  expect(manifest).toMatchObject({ engines: { node: expect.stringMatching(/^>=\d+\.\d+$/u) } });
  const [least = ""] = /[\d.]+/u.exec(JSON.stringify(Object(manifest).engines)) ?? [];
  expect(new Set([...readme.matchAll(/Node (\d[\d.]*) or newer/gu)].map(([, named]) => named))).toEqual(
    new Set([least]),
  );
});

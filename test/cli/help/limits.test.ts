import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { TopicName } from "../../../src/cli/program/help/overview.ts";
import { defaultRetryPolicy } from "../../../src/client/retry.ts";
import { settings } from "../../../src/client/settings.ts";
import { dexdata } from "../../harness/dexdata.ts";
import { temporaryFolder } from "../../harness/temporary-folder.ts";
import { pages } from "../../harness/readme.ts";

const units = {
  "": 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  KiB: 1024,
  MiB: 1024 ** 2,
  million: 1_000_000,
  "60 s": 60,
  "3600 s": 3600,
};

/** A phrase with `#` for the number, the constant that holds it, and the unit of the phrase. */
type Limit = readonly [text: string, file: string, constant: string, unit?: keyof typeof units];

const limits: Partial<Readonly<Record<TopicName | `docs/${string}`, readonly Limit[]>>> = {
  limits: [
    ["response # MiB after decompression", "client/connection/answer-body.ts", "maxBodyBytes", "MiB"],
    ["at most # JSON values", "client/connection/answer-body.ts", "maxValues"],
    ["Bodies over # MiB", "client/connection/answer-body.ts", "lightBytes", "MiB"],
    ["and # KiB of headers", "client/connection/transport.ts", "maxHeaderBytes", "KiB"],
    ["error body # KiB", "client/connection/answer-body.ts", "maxRefusalBytes", "KiB"],
    ["show at most # characters", "cli/run/failure-text.ts", "longestLine"],
    ["and # of a stream warning", "base/text/words.ts", "longest"],
    ["Cursors of up to # characters", "client/pages/next-cursor.ts", "longestCursor"],
    ["# empty pages in a row", "client/read-pages.ts", "maxEmptyPages"],
    ["or after # pages in a row with only rows already received", "client/read-pages.ts", "maxRepeatedPages"],
    ["and never more than #h", "client/retry.ts", "maxServiceWait", "h"],
    ["event # MiB", "client/streams/event-stream.ts", "maxBytes", "MiB"],
    ["has not ended after # MiB", "client/streams/event-stream.ts", "maxSkippedBytes", "MiB"],
    ["up to # MiB with --max-event", "cli/commands/stream/stream-flags.ts", "maxMebibytes"],
    ["adjacent candles into at most #", "cli/render/chart/candle-columns.ts", "maxKept"],
    ["# million candles", "client/candle-windows.ts", "maxCandles", "million"],
    ["At most # rows wait in memory", "client/followed-list.ts", "maxRows"],
    ["at most #m old", "client/follow/known-rows.ts", "reachSeconds", "60 s"],
    ["one of the newest # rows", "client/follow/known-rows.ts", "maxRead"],
    ["key # KiB in a file", "base/key.ts", "MAX_KEY_BYTES", "KiB"],
    ["# KiB from key_command", "cli/settings/run-key-command.ts", "MAX_BYTES", "KiB"],
    ["only names of up to # characters", "cli/commands/input/suggestion.ts", "longestKept"],
    ["files # MiB each", "base/files/json-file.ts", "MAX_BYTES", "MiB"],
    ["at least --watch #s", "cli/commands/flags/lasting-flags.ts", "shortestWatch", "s"],
    ["and --poll #s", "cli/commands/flags/lasting-flags.ts", "shortestPoll", "s"],
    ["(#s for several pools", "cli/commands/flags/lasting-flags.ts", "shortestPollOfLists", "s"],
    ["is cut after # characters", "cli/render/table/record-view.ts", "LONGEST_TEXT"],
    ["Numbers longer than # characters", "cli/render/values/decimal.ts", "MOST_PLACES"],
    ["indentation would exceed # MiB", "base/json/json-text.ts", "MOST_INDENTATION", "MiB"],
  ],
  pulls: [["up to # times", "client/client.ts", "maxRepeats"]],
  follow: [
    ["reads, at most one every #s", "client/follow-wake.ts", "shortestGap", "s"],
    ["holds each new row for #s", "client/follow/known-rows.ts", "settling", "s"],
    ["continue every #s", "client/follow-wake.ts", "fallbackPollMs", "s"],
  ],
  streams: [["receives nothing for #s", "client/live/up-to-date.ts", "silence", "s"]],
  terminal: [["shortest interval is #s", "cli/commands/flags/lasting-flags.ts", "shortestWatch", "s"]],
  "docs/streams.md": [
    ["reads, at most one every #s", "client/follow-wake.ts", "shortestGap", "s"],
    ["holds each new row for #s", "client/follow/known-rows.ts", "settling", "s"],
    ["of the last # minutes", "client/follow/known-rows.ts", "reachSeconds", "60 s"],
    ["or of the last # rows", "client/follow/known-rows.ts", "maxRead"],
    ["reads continue every #s", "client/follow-wake.ts", "fallbackPollMs", "s"],
    ["is missing for # minutes", "client/follow/read-range.ts", "acceptedAfter", "min"],
    ["the last # hours", "client/follow/known-rows.ts", "memorySeconds", "3600 s"],
    ["nothing for #s", "client/live/up-to-date.ts", "silence", "s"],
    ["larger than # MiB is skipped", "client/streams/event-stream.ts", "maxBytes", "MiB"],
    ["has had data for #s", "client/live/keep-open.ts", "soundAfter", "s"],
    ["accepts up to # MiB", "cli/commands/stream/stream-flags.ts", "maxMebibytes"],
  ],
  "docs/guide.md": [["shortest interval is #s", "cli/commands/flags/lasting-flags.ts", "shortestWatch", "s"]],
};

function constantOf(file: string, name: string): number {
  const source = readFileSync(`src/${file}`, "utf8");
  const product = new RegExp(`^(?:export )?const ${name} = ([\\d_]+(?: \\* [\\d_]+)*);$`, "mu").exec(
    source,
  )?.[1];
  if (product === undefined) throw new Error(`${file} has no constant ${name}`);
  return product.split(" * ").reduce((all, factor) => all * Number(factor.replaceAll("_", "")), 1);
}

const sayingOf = ([text, file, constant, unit = ""]: Limit): string =>
  text.replace("#", (constantOf(file, constant) / units[unit]).toLocaleString("en"));

async function textOf(name: string): Promise<string> {
  return (pages.get(name) ?? (await dexdata(`help ${name}`)).stdout).replaceAll(/\s+/gu, " ");
}

describe("the numbers in help and docs match the program", () => {
  test.each(Object.entries(limits))("%s", async (name, all = []) => {
    const text = await textOf(name);
    for (const limit of all) expect(text).toContain(sayingOf(limit));
  });

  test("limits has no other numbers", async () => {
    const mostOf = async (flag: string): Promise<string> =>
      / to (?<most>\d+)/u.exec((await dexdata(`networks ${flag} x`)).stderr)?.groups?.["most"] ?? "none";
    const others = [
      `${settings.timeout.fallback / 1000}s in total for connection, headers and body (--timeout)`,
      `at most ${settings.retries.fallback} retries (--retries)`,
      `wait at most ${defaultRetryPolicy.maxTime / 60_000}m in total`,
      `At most --parallel ${await mostOf("--parallel")}`,
      `and --retries ${await mostOf("--retries")}`,
    ];
    let rest = await textOf("limits");
    for (const each of others) expect(rest).toContain(each);
    // Shorter phrases come last, because they may be part of longer ones.
    const sayings = [...others, ...(limits.limits ?? []).map(sayingOf)];
    for (const each of sayings.toSorted((a, b) => b.length - a.length)) rest = rest.replace(each, "");
    rest = rest.replaceAll(/exit (?:code )?[126]/gu, "");
    expect(/\d+/u.exec(rest)?.[0]).toBeUndefined();
  });
});

test("docs name the Node version that the package requires", () => {
  const manifest: unknown = JSON.parse(readFileSync("package.json", "utf8"));
  expect(manifest).toMatchObject({ engines: { node: expect.stringMatching(/^>=\d+\.\d+$/u) } });
  const [least = ""] = /[\d.]+/u.exec(JSON.stringify(Object(manifest).engines)) ?? [];
  const texts = [...pages.values(), readFileSync("CONTRIBUTING.md", "utf8")].join("\n");
  const named = [...texts.matchAll(/Node (\d[\d.]*) or newer/gu)].map(([, version]) => version);
  expect(named.length).toBeGreaterThan(1);
  expect(new Set(named)).toEqual(new Set([least]));
});

test.each([
  ["config.json", "networks", 2, "error: ‹file› is larger than 1 MiB, the limit for this file"],
  ["names.json", "prices weth", 2, "error: ‹file› is larger than 1 MiB, the limit for this file"],
  [
    "credentials.json",
    "networks",
    7,
    "warning: ‹file› is larger than 1 MiB, the limit for this file; continuing without a stored key",
  ],
])("a %s of more than 1 MiB has the effect that help describes", async (name, words, expected, message) => {
  const folder = temporaryFolder();
  const file = path.join(folder, name);
  writeFileSync(file, `{}${" ".repeat(units.MiB)}`, { mode: 0o600 });
  const { exit, stderr } = await dexdata(`${words} --error-format text`, {
    env: { DEXDATA_CONFIG_DIR: folder, DEXDATA_BASE_URL: "http://127.0.0.1:9", DEXDATA_RETRIES: "0" },
  });
  expect({ exit, first: stderr.split("\n")[0] }).toEqual({
    exit: expected,
    first: message.replace("‹file›", file),
  });
});

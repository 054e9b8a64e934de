import { describe, expect, test } from "vitest";
import { feeds, streamCommand } from "../../src/api/feeds.ts";
import type { Endpoint } from "../../src/api/endpoint.ts";
import { endpoints } from "../../src/api/endpoints/all.ts";
import { allCommands } from "../../src/cli/all-commands.ts";
import { dexdata } from "../harness/dexdata.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";

/**
 * Every pair `A -o ndjson | B -` of commands, as the contract lists them: B works or is rejected before a request, and
 * never spends a credit on a row of another kind.
 */
const values: Readonly<Record<string, string>> = {
  network: "ethereum",
  pool_address: "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640",
  token_address: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
  tokens: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
  query: "pepe",
};

/** Short runs. */
const limits: readonly (readonly [flag: string, value: string])[] = [
  ["count-back", "2"],
  ["limit", "2"],
];

function flagsOf(words: string, endpoint: Endpoint | undefined): readonly string[] {
  const command = allCommands.find((each) => each.words === words);
  const chosen = endpoint?.chosenBy === undefined ? [] : [`--${endpoint.chosenBy}`];
  const limit = limits.find(([flag]) => command !== undefined && flag in command.flags);
  return [...chosen, ...(limit === undefined ? [] : [`--${limit[0]}`, limit[1]])];
}

const isTaken = ({ params, reply, words }: Endpoint): readonly string[] =>
  params
    .filter(
      ({ place, name }) =>
        place === "path" || name === words || (reply.kind === "batch" && name === reply.param),
    )
    .map(({ name }) => values[name] ?? "");

const sources = endpoints.map((endpoint) => ({
  words: [...endpoint.command.split(" "), ...isTaken(endpoint), ...flagsOf(endpoint.command, endpoint)].join(
    " ",
  ),
  kind: kindOf(endpoint),
}));

/** The kind of asset that the command takes or its rows are. */
function kindOf({ path, reply, rows }: Endpoint): string {
  if (Object.values(rows).some(({ record }) => "time_open" in record || "log_index" in record))
    return "neither";
  if (reply.kind === "groups") return "several";
  if (path.includes("/pools/") || path.endsWith("/pools")) return "pool";
  return /\/(?:tokens|multi)\//u.test(path) ? "token" : "neither";
}

const takers = [
  ...endpoints
    .filter(({ command }) =>
      allCommands.some((each) => each.words === command && each.positionals.some(({ isList }) => isList)),
    )
    .map((endpoint) => ({
      words: [endpoint.command, "-", ...flagsOf(endpoint.command, endpoint)].join(" "),
      takes: endpoint.path.includes("{pool_address}") ? "pool" : "token",
    })),
  ...Object.values(feeds).flatMap((feed) =>
    feed.kinds.map(({ by }) => ({
      words: `${streamCommand(feed)} - --by ${by} --limit 1 --for 20s`,
      takes: by,
    })),
  ),
];

test("the lists of commands are those of the contract", () => {
  expect(sources).toHaveLength(endpoints.length);
  expect(takers.map(({ words }) => words.split(" ")[0])).toEqual(
    expect.arrayContaining(["pool", "txns", "prices", "token", "ohlcv", "stream"]),
  );
});

describe.each(["spec", "public"] as const)("in the %s dialect", (dialect) => {
  const sandbox = useSandbox({ requestsPerMinute: 100_000, dialect });
  const printed = new Map<string, string>();
  const rowsOf = async (words: string): Promise<string> => {
    const { exit, stdout } = await dexdata(`${words} -o ndjson`, { env: sandbox.env(), now: sandboxNow });
    expect({ words, exit }).toEqual({ words, exit: 0 });
    printed.set(words, stdout);
    return stdout;
  };

  const taken = takers.filter(({ words }) => dialect === "public" || !words.includes("reserves"));
  describe.each(sources)("$words", ({ words, kind }) => {
    test.each(taken)("| $words", async ({ words: taker, takes }) => {
      const stdin = printed.get(words) ?? (await rowsOf(words));
      sandbox.takeLog();
      const { exit, stderr } = await dexdata(`${taker} --error-format text`, {
        env: sandbox.env(),
        now: sandboxNow,
        stdin,
      });
      const requests = sandbox.takeLog();
      // Prices have only an address and a price, as rows of a pool list can with --fields.
      const isAmbiguous = words.startsWith("prices") && takes === "pool";
      if (isAmbiguous) return;
      if (kind === takes || kind === "several") {
        expect({ exit, stderr: stderr.replaceAll(/^warning: .*\n/gmu, "") }).toMatchObject({ exit: 0 });
        expect(requests.filter(({ status }) => status === 404)).toEqual([]);
        return;
      }
      expect({ exit, requests }).toEqual({ exit: 2, requests: [] });
      expect(stderr).toMatch(/^error: stdin /u);
    });
  });
});

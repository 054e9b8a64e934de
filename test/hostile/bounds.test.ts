import { expect, test } from "vitest";
import { commands } from "../harness/hostile/commands.ts";
import { kinds } from "../harness/hostile/kinds.ts";
import { streamModes, withEvents } from "../harness/hostile/stream-modes.ts";
import { isLong } from "../harness/long.ts";
import { longPull } from "../harness/long-pull.ts";
import { type Script, startScriptedServer } from "../harness/scripted-server.ts";

interface Run {
  readonly name: string;
  readonly words: string;
  readonly script: Script;
  readonly exit: number;
}

const candles = "2026-11-21T07:54:00Z --to 2026-11-21T08:54:00Z";

const modes = kinds.flatMap(([kind, ofKind]) => ofKind.map((mode) => [kind, mode] as const));

const ofRest: readonly Run[] = modes.map(([kind, mode], index) => {
  const suited = commands.filter((each) => mode.isFor?.(each) ?? each.isOfKind);
  const command = suited[index % suited.length];
  if (command === undefined) throw new Error(`no command for: ${mode.name}`);
  // A shorter timeout than a user's 30 s, so that all retries fit into a minute.
  const flags = mode.flags?.replace("30s", "5s") ?? "";
  return {
    name: `${kind}: ${mode.name}: ${command.words}`,
    // By the machine's own clock, the simulated candle would be outside the last hour.
    words: `${command.words.replace("-1h", candles)} ${flags}`,
    script: (request, place) => mode.reply(command, request, place),
    exit: mode.ends.exit,
  };
});
const feeds = { prices: "token_price", ohlcv: "token_ohlcv" };
const ofStreams: readonly Run[] = Object.entries(feeds).flatMap(([feed, event]) =>
  streamModes.map((mode) => ({
    name: `stream of ${feed}: ${mode.name}`,
    words: `stream ethereum:0x0000000000000000000000000000000000000abc --feed ${feed} --limit 2 --max-reconnects 1`,
    script: (_, place) => withEvents(event, mode.reply(place)),
    exit: mode.exit,
  })),
);

interface Measured {
  readonly name: string;
  readonly megabytes: number;
  readonly seconds: number;
  /** The difference from the expected outcome. */
  readonly wrong: string | undefined;
}

async function measure({ name, words, script, exit }: Run): Promise<Measured> {
  const server = await startScriptedServer(script);
  try {
    const pull = await longPull(
      words.split(" ").filter((word) => word !== ""),
      {
        DEXDATA_BASE_URL: server.url,
        DEXDATA_PRO_BASE_URL: server.url,
        DEXDATA_STREAMING_URL: server.url,
        DEXDATA_STREAMING_PRO_URL: server.url,
        DEXDATA_API_KEY: "api_pro_0123456789",
        DEXDATA_TIER: "pro",
      },
    );
    const isBug = /\n\s+at |a bug in dexdata/u.test(pull.stderr);
    const wrong = isBug ? "a stack trace" : pull.exit === exit ? undefined : `exit ${pull.exit}, not ${exit}`;
    return { name, megabytes: pull.peakMegabytes, seconds: pull.milliseconds / 1000, wrong };
  } finally {
    await server.close();
  }
}

/** The runs mostly wait for retries. */
const atOnce = 8;

test.runIf(isLong)(
  "promise 5: the built program handles every hostile mode in less than 400 MB and 60 s",
  async () => {
    const left = [...ofRest, ...ofStreams];
    const count = left.length;
    const measured: Measured[] = [];
    const work = async (): Promise<void> => {
      for (let next = left.shift(); next !== undefined; next = left.shift())
        measured.push(await measure(next));
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    const most = (by: "megabytes" | "seconds"): string =>
      measured
        .toSorted((a, b) => b[by] - a[by])
        .slice(0, 3)
        .map((each) => `${each[by].toFixed(1)} ${each.name}`)
        .join("\n  ");
    process.stdout.write(
      `${count} runs\nmost megabytes\n  ${most("megabytes")}\nmost seconds\n  ${most("seconds")}\n`,
    );
    expect(measured.filter(({ wrong }) => wrong !== undefined)).toEqual([]);
    expect(measured.filter(({ megabytes }) => megabytes >= 400)).toEqual([]);
    expect(measured.filter(({ seconds }) => seconds >= 60)).toEqual([]);
    expect(measured.filter(({ megabytes }) => megabytes === 0)).toEqual([]);
  },
  30 * 60_000,
);
